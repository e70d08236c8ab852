package io.forebay.server.warm;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.TargetNormalizer;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteSettings;
import io.forebay.core.route.RouteTable;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.RouteConfig;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The URLs that the routes of a node take, as far as warm-ups have to know. */
public final class ServedUrls {
  private final RouteTable routes;
  private final Set<String> protectedRoutes = new HashSet<>();

  private ServedUrls(ServerConfig config) {
    List<Route> all = new ArrayList<>();
    for (RouteConfig route : config.routes()) {
      all.add(
          new Route(
              route.name(),
              route.host(),
              route.pathPrefix(),
              route.origin(),
              KeyRecipe.DEFAULT,
              RouteSettings.DEFAULT));
      if (route.protection() != null) {
        protectedRoutes.add(route.name());
      }
    }
    routes = new RouteTable(all);
  }

  public static ServedUrls of(ServerConfig config) {
    return new ServedUrls(config);
  }

  /** Whether a route takes this URL, so that warming never asks for what clients could not. */
  boolean isServed(WarmUrl url) {
    return route(url) != null;
  }

  private @Nullable Route route(WarmUrl url) {
    String normal = AuthorityNormalizer.normalize(url.authority(), url.scheme());
    return normal != null
            && TargetNormalizer.normalize(url.target(), "GET")
                instanceof TargetNormalizer.Accepted accepted
        ? routes.match(normal, accepted.path())
        : null;
  }

  /** Whether everybody may ask for it: a route takes it, and that has no protection. */
  public boolean isPublic(String url) {
    WarmUrl parsed = WarmUrl.parse(url);
    Route route = parsed == null ? null : route(parsed);
    return route != null && !protectedRoutes.contains(route.name());
  }
}
