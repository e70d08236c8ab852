package io.forebay.core.route;

import io.forebay.core.http.Trailers;
import io.forebay.core.http.UpgradeOffer;
import java.util.Locale;
import java.util.Set;

/**
 * A route's settings for protocol upgrades, response trailers and Via.
 *
 * @param upgrades protocols, in lower case, that a client may change to (RFC 9110 §7.8)
 * @param trailers names, in lower case, of the fields that may follow a response's body
 * @param sendsVia whether requests to the origin have {@code Via} (RFC 9110 §7.6.3)
 */
public record RouteForwarding(Set<String> upgrades, Set<String> trailers, boolean sendsVia) {

  /** Neither tunnels nor trailers, and with Via. */
  public static final RouteForwarding NONE = new RouteForwarding(Set.of(), Set.of(), true);

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

  private static boolean isLowerCase(String text) {
    return text.equals(text.toLowerCase(Locale.ROOT));
  }
}
