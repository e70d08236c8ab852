package io.forebay.core.route;

import io.forebay.core.http.AuthorityNormalizer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the route of a request. The most specific host pattern takes precedence (host and port,
 * host, {@code *.b.c} before {@code *.c}, any), then the longest path prefix; if a host's routes
 * have no prefix for the path, the next less specific pattern is tried. The cost depends on the
 * labels of the host and the length of the path, not on the number of routes (invariant I10).
 * Immutable; a match allocates nothing.
 */
public final class RouteTable {

  private static final String ANY = "*";

  private final List<Route> routes;
  private final SubstringTable<PathTable> exact;
  private final SubstringTable<PathTable> below;
  private final @Nullable PathTable any;

  /**
   * @throws IllegalArgumentException when two routes have the same host pattern and prefix
   */
  public RouteTable(List<Route> routes) {
    this.routes = List.copyOf(routes);
    Map<String, Map<String, Route>> byHost = new LinkedHashMap<>();
    for (Route route : routes) {
      Route twin =
          byHost
              .computeIfAbsent(route.hostPattern(), pattern -> new HashMap<>())
              .put(route.pathPrefix(), route);
      if (twin != null) {
        throw new IllegalArgumentException(
            "routes " + twin.name() + " and " + route.name() + " match the same requests");
      }
    }
    Map<String, PathTable> exactHosts = new HashMap<>();
    Map<String, PathTable> wildcards = new HashMap<>();
    PathTable anyHost = null;
    for (Map.Entry<String, Map<String, Route>> entry : byHost.entrySet()) {
      PathTable table = new PathTable(entry.getValue());
      String pattern = entry.getKey();
      if (pattern.equals(ANY)) {
        anyHost = table;
      } else if (pattern.startsWith("*.")) {
        wildcards.put(pattern.substring(2), table);
      } else {
        exactHosts.put(pattern, table);
      }
    }
    exact = new SubstringTable<>(exactHosts);
    below = new SubstringTable<>(wildcards);
    any = anyHost;
  }

  /** All routes in the order of the configuration. */
  public List<Route> routes() {
    return routes;
  }

  /**
   * The route of a request, or null when none is for it.
   *
   * @param authority in normal form
   * @param path in normal form
   */
  public @Nullable Route match(String authority, CharSequence path) {
    if (!exact.isEmpty() || !below.isEmpty()) {
      int end = authority.length();
      int hostEnd = AuthorityNormalizer.hostLength(authority);
      Route found = match(exact.find(authority, 0, end), path);
      if (found == null && hostEnd < end) {
        found = match(exact.find(authority, 0, hostEnd), path);
      }
      if (found == null && !below.isEmpty()) {
        found = matchBelow(authority, end, hostEnd, path);
      }
      if (found != null) {
        return found;
      }
    }
    return match(any, path);
  }

  private @Nullable Route matchBelow(String authority, int end, int hostEnd, CharSequence path) {
    for (int i = 0; i < hostEnd; i++) {
      if (authority.charAt(i) != '.') {
        continue;
      }
      Route found = match(below.find(authority, i + 1, end), path);
      if (found == null && hostEnd < end) {
        found = match(below.find(authority, i + 1, hostEnd), path);
      }
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private static @Nullable Route match(@Nullable PathTable table, CharSequence path) {
    return table == null ? null : table.match(path);
  }
}
