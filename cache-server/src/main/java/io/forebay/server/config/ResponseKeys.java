package io.forebay.server.config;

import static io.forebay.server.config.Field.live;

import io.forebay.server.config.ServerConfig.RouteConfig;
import io.forebay.server.hint.HintPolicy;
import java.util.List;

/** The keys of {@link RouteResponseConfig}. */
final class ResponseKeys {

  static final Field<RouteConfig, HintPolicy> EARLY_HINTS =
      live(
          "early-hints",
          ValueType.constant(HintPolicy.class),
          "off",
          route -> route.responses().earlyHints(),
          "Whether a client that waits for the origin while a stale response is stored gets the links"
              + " of that response (`preload`, `modulepreload`, `preconnect`) in a 103 (Early Hints)."
              + " `on`: clients of HTTP/2 and HTTP/3; `all`: those of HTTP/1.1 too, of which some take"
              + " a 103 for the response. See [PROXYING.md](PROXYING.md).");

  /** Of each route. */
  static final List<Field<RouteConfig, ?>> OF_ROUTE = List.of(EARLY_HINTS);

  private ResponseKeys() {}
}
