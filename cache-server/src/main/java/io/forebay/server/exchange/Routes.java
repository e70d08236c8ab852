package io.forebay.server.exchange;

import io.forebay.core.key.KeyRecipe;
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteForwarding;
import io.forebay.core.route.RouteSettings;
import io.forebay.core.route.RouteSettings.ClientDirectives;
import io.forebay.core.route.RouteSettings.SetCookie;
import io.forebay.core.route.RouteTable;
import io.forebay.server.config.ServerConfig.RouteConfig;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Turns routes as the operator writes them into routes as the rules use them. */
final class Routes {
  private Routes() {}

  static RouteTable of(List<RouteConfig> configs) {
    return new RouteTable(configs.stream().map(Routes::of).toList());
  }

  private static Route of(RouteConfig config) {
    RouteSettings settings =
        RouteSettings.DEFAULT
            .withDefaultTtl(config.defaultTtl())
            .withGrace(config.staleWhileRevalidate(), config.staleIfError())
            .withSetCookie(SetCookie.valueOf(config.setCookie().toUpperCase(Locale.ROOT)))
            .withClientDirectives(
                ClientDirectives.valueOf(config.clientDirectives().toUpperCase(Locale.ROOT)))
            .withPassthrough(!config.cache());
    return new Route(
        config.name(),
        config.host(),
        config.pathPrefix(),
        config.origin(),
        KeyRecipe.DEFAULT,
        settings,
        new RouteForwarding(
            Set.copyOf(config.forwarding().upgrade()),
            Set.copyOf(config.forwarding().responseTrailers())));
  }
}
