package io.forebay.core.route;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.TargetNormalizer;
import io.forebay.core.key.KeyRecipe;
import java.util.Locale;

/**
 * A route: the requests it matches, their origin, and the rules that apply to them.
 *
 * @param hostPattern {@code *} for any host, {@code *.example.com} for every name below
 *     example.com, or a host; with a port it is for that port only
 * @param pathPrefix in the normal form of requests; {@code /a} is {@code /a} and what is below
 *     {@code /a/}, {@code /a/} only what is below
 * @param originName the origin as the configuration names it
 * @param forwarding what is let through beyond requests and responses
 * @param number the cell that counts its requests; 0 for a route that is not counted by itself
 */
public record Route(
    String name,
    String hostPattern,
    String pathPrefix,
    String originName,
    KeyRecipe keyRecipe,
    RouteSettings settings,
    RangeSettings ranges,
    SharingSettings sharing,
    RouteForwarding forwarding,
    int number) {

  /**
   * @throws IllegalArgumentException when the pattern or the prefix matches no request in normal
   *     form
   */
  public Route {
    if (!isHostPattern(hostPattern)) {
      throw new IllegalArgumentException("route " + name + ": not a host pattern: " + hostPattern);
    }
    if (!(TargetNormalizer.normalize(pathPrefix, "GET")
            instanceof TargetNormalizer.Accepted accepted)
        || !accepted.path().equals(pathPrefix)) {
      throw new IllegalArgumentException(
          "route " + name + ": not a path in normal form: " + pathPrefix);
    }
  }

  /** With the default rules for ranges and for sharing fetches, without tunnels and trailers. */
  public Route(
      String name,
      String hostPattern,
      String pathPrefix,
      String originName,
      KeyRecipe keyRecipe,
      RouteSettings settings) {
    this(
        name,
        hostPattern,
        pathPrefix,
        originName,
        keyRecipe,
        settings,
        RangeSettings.DEFAULT,
        SharingSettings.DEFAULT,
        RouteForwarding.NONE,
        0);
  }

  /** Everything goes to this origin, by the default rules. */
  public static Route toOrigin(String originName) {
    return new Route("default", "*", "/", originName, KeyRecipe.DEFAULT, RouteSettings.DEFAULT);
  }

  public Route withSettings(RouteSettings value) {
    return new Route(
        name,
        hostPattern,
        pathPrefix,
        originName,
        keyRecipe,
        value,
        ranges,
        sharing,
        forwarding,
        number);
  }

  public Route withKeyRecipe(KeyRecipe value) {
    return new Route(
        name,
        hostPattern,
        pathPrefix,
        originName,
        value,
        settings,
        ranges,
        sharing,
        forwarding,
        number);
  }

  public Route withForwarding(RouteForwarding value) {
    return new Route(
        name,
        hostPattern,
        pathPrefix,
        originName,
        keyRecipe,
        settings,
        ranges,
        sharing,
        value,
        number);
  }

  public Route withOrigin(String value) {
    return new Route(
        name,
        hostPattern,
        pathPrefix,
        value,
        keyRecipe,
        settings,
        ranges,
        sharing,
        forwarding,
        number);
  }

  /** Whether requests for this host, at whatever port, may be this route's. */
  public boolean mayServe(String authority) {
    return mayServe(hostPattern, authority);
  }

  /** The same of a route with this pattern. */
  public static boolean mayServe(String hostPattern, String authority) {
    if (hostPattern.equals("*")) {
      return true;
    }
    String host = AuthorityNormalizer.host(authority).toLowerCase(Locale.ROOT);
    return hostPattern.startsWith("*.")
        ? host.endsWith(AuthorityNormalizer.host(hostPattern.substring(1)))
        : host.equals(AuthorityNormalizer.host(hostPattern));
  }

  private static boolean isHostPattern(String pattern) {
    if (pattern.equals("*")) {
      return true;
    }
    String host = pattern.startsWith("*.") ? pattern.substring(2) : pattern;
    // Whichever scheme the port is the default of, the pattern is the route's to write as it likes.
    return host.equals(AuthorityNormalizer.normalize(host, "http"))
        || host.equals(AuthorityNormalizer.normalize(host, "https"));
  }
}
