package io.forebay.core.key;

import io.forebay.core.http.HopByHop;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Selects the request fields that are not forwarded to the origin because they can change the
 * response but are not part of the key (web cache poisoning). Immutable. Keys never depend on
 * dropped fields.
 *
 * <ul>
 *   <li>Fields by which some servers and frameworks let a request override its own URL, host,
 *       scheme or method, and headers that frameworks send to themselves.
 *   <li>Fields that name the client's address, where the request may be answered from the store.
 *   <li>Fields whose names are not made of letters, digits and {@code -} only. CGI, and what came
 *       after it, reads {@code Client_Cert} as {@code Client-Cert}.
 * </ul>
 */
public final class UnkeyedFields {

  /** Fields that override what the request line and Host say; a star stands for any ending. */
  public static final List<String> OVERRIDES =
      List.of(
          "base-url",
          "context-path",
          "forebay-*",
          "forwarded-*",
          "front-end-https",
          "http-*",
          "https",
          "path-info",
          "proxy",
          "proxy-host",
          "real-method",
          "request-uri",
          "script-name",
          "unencoded-url",
          "wl-proxy-*",
          "x-accel-*",
          "x-ajax-real-method",
          "x-amz-website-redirect-location",
          "x-amzn-remapped-*",
          "x-arr-*",
          "x-backend-host",
          "x-cf-url",
          "x-envoy-*",
          "x-forward-*",
          "x-forwarded*",
          "x-forwarder-*",
          "x-host",
          "x-http-*",
          "x-https",
          "x-invoke-*",
          "x-matched-path",
          "x-method-override",
          "x-middleware-*",
          "x-now-route-matches",
          "x-original-*",
          "x-override-*",
          "x-proxy-*",
          "x-react-router-*",
          "x-real-host",
          "x-real-uri",
          "x-real-url",
          "x-replaced-*",
          "x-request-uri",
          "x-request-url",
          "x-rewrite-*",
          "x-scheme",
          "x-script-name",
          "x-sendfile-*",
          "x-server-name",
          "x-server-port",
          "x-ssl",
          "x-url-scheme");

  /** Fields that name the client's address in one convention or another. */
  public static final List<String> ADDRESSES =
      List.of(
          "cf-connecting-ip*",
          "client-ip",
          "fastly-client-ip",
          "proxy-client-ip",
          "remote-addr",
          "true-client-ip",
          "x-azure-clientip",
          "x-azure-socketip",
          "x-client-ip",
          "x-cluster-client-ip",
          "x-originating-ip",
          "x-real-ip",
          "x-remote-addr",
          "x-remote-ip");

  /** What this node drops is the client's; its own words take their place. */
  private static final Set<String> WRITTEN_BY_THE_NODE =
      Set.of("x-forwarded-for", "x-forwarded-proto", "x-forwarded-host");

  /** Of requests by unsafe methods, which nothing is stored for, these choose another such. */
  private static final Set<String> METHOD_OVERRIDES =
      Set.of("x-http-method", "x-http-method-override", "x-method-override");

  private static final NamePatterns OVERRIDE_PATTERNS = new NamePatterns(OVERRIDES);
  private static final NamePatterns ADDRESS_PATTERNS = new NamePatterns(ADDRESSES);

  /** The lists above, and nothing else. */
  public static final UnkeyedFields DEFAULT = new UnkeyedFields(List.of(), List.of());

  private final NamePatterns drop;
  private final NamePatterns pass;

  /**
   * Rules of a route.
   *
   * @param drop names of further fields that are dropped, lower case, with a star for any ending
   * @param pass names of fields that are not dropped, likewise; they go before {@code drop}
   * @throws IllegalArgumentException when {@code pass} has a name that is {@link #cgiAlias taken}
   */
  public UnkeyedFields(List<String> drop, List<String> pass) {
    this.drop = new NamePatterns(drop);
    this.pass = new NamePatterns(pass);
    for (String name : pass) {
      if (cgiAlias(name) != null) {
        throw new IllegalArgumentException("an origin may read " + name + " as " + cgiAlias(name));
      }
    }
  }

  public List<String> drop() {
    return drop.patterns();
  }

  public List<String> pass() {
    return pass.patterns();
  }

  /** Whether a request that may be answered from the store goes to the origin without a field. */
  public boolean drops(String lowerCaseName) {
    return isPlain(lowerCaseName)
        ? !matches(pass, lowerCaseName)
            && (isListed(lowerCaseName) || matches(ADDRESS_PATTERNS, lowerCaseName))
        : isDisguise(lowerCaseName);
  }

  /** Whether a request that is never answered from the store does. */
  public boolean dropsPassed(String method, String lowerCaseName) {
    if (!isPlain(lowerCaseName)) {
      return isDisguise(lowerCaseName);
    }
    return !matches(pass, lowerCaseName)
        && isListed(lowerCaseName)
        && (!isUnsafe(method)
            || !METHOD_OVERRIDES.contains(lowerCaseName)
            || matches(drop, lowerCaseName));
  }

  private static boolean isUnsafe(String method) {
    return switch (method) {
      case "GET", "HEAD", "OPTIONS", "QUERY" -> false;
      default -> true;
    };
  }

  private boolean isListed(String name) {
    return matches(drop, name)
        || (matches(OVERRIDE_PATTERNS, name) && !WRITTEN_BY_THE_NODE.contains(name));
  }

  /** Only the very name lets such a field through, never a pattern. */
  private boolean isDisguise(String name) {
    return !pass.patterns().contains(name) || drops(plain(name));
  }

  /**
   * The name that CGI reads a name as, where that is one of a field which this node writes, judges
   * by or drops by default; else null.
   */
  public static @Nullable String cgiAlias(String lowerCaseName) {
    if (isPlain(lowerCaseName) || lowerCaseName.endsWith("*")) {
      return null;
    }
    String plain = plain(lowerCaseName);
    return isOfTheNode(plain) || DEFAULT.drops(plain) ? plain : null;
  }

  private static boolean isOfTheNode(String plain) {
    return HopByHop.isProtected(plain) || WRITTEN_BY_THE_NODE.contains(plain);
  }

  private static boolean matches(NamePatterns patterns, String name) {
    return !patterns.isEmpty() && patterns.matches(name, 0, name.length());
  }

  private static boolean isPlain(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean isAlphanumeric = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
      if (!isAlphanumeric && c != '-') {
        return false;
      }
    }
    return true;
  }

  private static String plain(String name) {
    return name.replaceAll("[^a-z0-9]", "-").toLowerCase(Locale.ROOT);
  }
}
