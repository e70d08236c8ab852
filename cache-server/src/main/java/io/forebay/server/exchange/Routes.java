package io.forebay.server.exchange;

import io.forebay.core.key.KeyRecipe;
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteTable;
import io.forebay.server.config.ServerConfig.RouteConfig;
import java.util.List;

/** Turns routes as the operator writes them into routes as the rules use them. */
final class Routes {
  private Routes() {}

  static RouteTable of(List<RouteConfig> configs) {
    return new RouteTable(configs.stream().map(Routes::of).toList());
  }

  private static Route of(RouteConfig config) {
    return new Route(
        config.name(),
        config.host(),
        config.pathPrefix(),
        config.origin(),
        KeyRecipe.DEFAULT,
        config.settings(),
        config.ranges(),
        config.sharing());
  }
}
