package io.forebay.core.route;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.Trailers;
import io.forebay.core.http.UpgradeOffer;
import io.forebay.core.key.NamePatterns;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A route's settings for protocol upgrades, response trailers, Via, and fields that the node sets.
 *
 * @param upgrades protocols, in lower case, that a client may change to (RFC 9110 §7.8)
 * @param trailers names, in lower case, of the fields that may follow a response's body
 * @param sendsVia whether requests to the origin have {@code Via} (RFC 9110 §7.6.3)
 * @param replaced fields of requests, in lower case, which the origin gets from this node and never
 *     from a client
 * @param edits what rules change of requests to the origin, or null
 */
public record RouteForwarding(
    Set<String> upgrades,
    Set<String> trailers,
    boolean sendsVia,
    NamePatterns replaced,
    @Nullable UpstreamEdits edits) {

  /** Neither tunnels nor trailers, and with Via. */
  public static final RouteForwarding NONE =
      new RouteForwarding(Set.of(), Set.of(), true, NamePatterns.NONE);

  /** Without edits. */
  public RouteForwarding(
      Set<String> upgrades, Set<String> trailers, boolean sendsVia, NamePatterns replaced) {
    this(upgrades, trailers, sendsVia, replaced, null);
  }

  /**
   * @throws IllegalArgumentException for what is no protocol, or a field that can't be a trailer
   */
  public RouteForwarding {
    upgrades = Set.copyOf(upgrades);
    trailers = Set.copyOf(trailers);
    for (String protocol : upgrades) {
      if (!UpgradeOffer.isProtocol(protocol) || !isLowerCase(protocol)) {
        throw new IllegalArgumentException("not a protocol in lower case: " + protocol);
      }
    }
    for (String name : trailers) {
      if (!Trailers.mayBeTrailer(name) || !isLowerCase(name)) {
        throw new IllegalArgumentException("not a field that may be a trailer: " + name);
      }
    }
  }

  /**
   * The request without the client's fields that are {@code replaced}; itself where it has none. No
   * response depends on them, so no rule sees them: a client's Authorization, which the origin does
   * not get, neither makes a response private nor chooses one.
   */
  public RequestView requestWithout(RequestView request) {
    if (replaced.isEmpty()) {
      return request;
    }
    return RequestWithFields.replacing(request, this::isReplaced, HeaderFields.EMPTY);
  }

  /** The same towards an origin that sets other fields itself, with edits. */
  public RouteForwarding to(NamePatterns replacedThere, @Nullable UpstreamEdits byRules) {
    return new RouteForwarding(upgrades, trailers, sendsVia, replacedThere, byRules);
  }

  private boolean isReplaced(String lowerCaseName) {
    return replaced.matches(lowerCaseName, 0, lowerCaseName.length());
  }

  private static boolean isLowerCase(String text) {
    return text.equals(text.toLowerCase(Locale.ROOT));
  }
}
