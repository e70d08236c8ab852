package io.forebay.core.route;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.forebay.core.key.KeyRecipe;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RouteTableTest {

  private static Route route(String host, String prefix) {
    return new Route(
        host + prefix, host, prefix, "origin", KeyRecipe.DEFAULT, RouteSettings.DEFAULT);
  }

  private final RouteTable table =
      new RouteTable(
          List.of(
              route("*", "/"),
              route("*", "/static/"),
              route("example.com", "/"),
              route("example.com", "/api"),
              route("example.com", "/api/v2"),
              route("example.com:8443", "/"),
              route("*.example.com", "/video/"),
              route("*.b.example.com", "/"),
              route("[::1]", "/x")));

  @ParameterizedTest
  @CsvSource({
    "example.com, /, example.com/",
    "example.com, /a, example.com/",
    "example.com, /api, example.com/api",
    "example.com, /api/, example.com/api",
    "example.com, /api/v2x, example.com/api",
    "example.com, /api/v2/y, example.com/api/v2",
    "example.com, /apix, example.com/",
    "example.com:81, /api, example.com/api",
    "example.com:8443, /api, example.com:8443/",
    "a.example.com, /video/x, *.example.com/video/",
    "a.example.com:99, /video/x, *.example.com/video/",
    "c.a.example.com, /video/x, *.example.com/video/",
    "a.example.com, /video, */",
    "a.example.com, /static/x, */static/",
    "a.b.example.com, /video/x, *.b.example.com/",
    "b.example.com, /video/x, *.example.com/video/",
    "xexample.com, /, */",
    "other, /static, */",
    "other, /static/, */static/",
    "[::1], /x/y, [::1]/x",
    "[::1]:80, /x, [::1]/x",
    "[::1], /y, */",
  })
  void theMostSpecificRouteWins(String authority, String path, String expected) {
    Route found = table.match(authority, path);
    assertEquals(expected, found == null ? null : found.name());
  }

  @Test
  void noRouteIsNone() {
    RouteTable only = new RouteTable(List.of(route("example.com", "/a")));
    assertNull(only.match("example.com", "/b"));
    assertNull(only.match("example.org", "/a"));
    assertNull(new RouteTable(List.of()).match("a", "/"));
  }

  @Test
  void twoRoutesForTheSameRequestsAreAnError() {
    List<Route> twice = List.of(route("a", "/"), route("a", "/"));
    assertThrows(IllegalArgumentException.class, () -> new RouteTable(twice));
  }

  @ParameterizedTest
  @CsvSource({
    "A.com, /",
    "a b, /",
    "*., /",
    "*.*.a, /",
    "a*, /",
    "'', /",
    "a, ''",
    "a, x",
    "a, /%7e",
    "a, /../x",
    "a, /a b"
  })
  void patternsThatMatchNoNormalRequestAreErrors(String host, String prefix) {
    assertThrows(IllegalArgumentException.class, () -> route(host, prefix));
  }

  @Test
  void agreesWithTryingEveryRoute() {
    long seed = 11;
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    String[] hosts = {"*", "*.c", "*.b.c", "a.b.c", "a.b.c:1", "b.c", "*.c:1", "c"};
    String[] segments = {"/", "a", "b", "/a", "/b/", "ab"};
    Set<List<String>> keys = new HashSet<>();
    for (int i = 0; i < 120; i++) {
      keys.add(List.of(hosts[random.nextInt(hosts.length)], path(random, segments)));
    }
    List<Route> routes = new ArrayList<>();
    keys.forEach(key -> routes.add(route(key.get(0), key.get(1))));
    RouteTable many = new RouteTable(routes);
    String[] authorities = {"a.b.c", "a.b.c:1", "b.c", "b.c:1", "x.b.c:2", "c", "d", "y.x.b.c:1"};
    for (int i = 0; i < 20_000; i++) {
      String authority = authorities[random.nextInt(authorities.length)];
      String path = path(random, segments);
      assertEquals(
          byTryingEach(routes, authority, path),
          many.match(authority, path),
          "seed " + seed + " " + authority + path);
    }
  }

  private static String path(RandomGenerator random, String[] segments) {
    StringBuilder path = new StringBuilder("/");
    for (int n = random.nextInt(5); n > 0; n--) {
      path.append(segments[random.nextInt(segments.length)]);
    }
    return path.toString();
  }

  private static @Nullable Route byTryingEach(List<Route> routes, String authority, String path) {
    return routes.stream()
        .filter(route -> hostRank(route.hostPattern(), authority) >= 0)
        .filter(route -> matches(route.pathPrefix(), path))
        .max(
            Comparator.<Route>comparingInt(route -> hostRank(route.hostPattern(), authority))
                .thenComparingInt(route -> route.pathPrefix().length()))
        .orElse(null);
  }

  private static int hostRank(String pattern, String authority) {
    int colon = authority.indexOf(':');
    String host = colon < 0 ? authority : authority.substring(0, colon);
    if (pattern.equals("*")) {
      return 0;
    }
    if (pattern.startsWith("*.")) {
      String suffix = pattern.substring(1);
      boolean withPort = authority.endsWith(suffix);
      if (!withPort && !host.endsWith(suffix)) {
        return -1;
      }
      int labels = (int) suffix.chars().filter(c -> c == '.').count();
      return 10 * labels + (withPort ? 1 : 0);
    }
    return pattern.equals(authority) ? 1000 : pattern.equals(host) ? 999 : -1;
  }

  private static boolean matches(String prefix, String path) {
    return path.equals(prefix)
        || (path.startsWith(prefix)
            && (prefix.endsWith("/") || path.charAt(prefix.length()) == '/'));
  }
}
