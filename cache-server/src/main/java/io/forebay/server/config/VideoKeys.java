package io.forebay.server.config;

import static io.forebay.server.config.Field.live;

import io.forebay.server.config.ServerConfig.RouteConfig;
import java.util.List;

/** The keys of routes that concern requests of players. */
final class VideoKeys {
  static final Field<RouteConfig, Boolean> CMCD =
      live(
          "cmcd.enabled",
          ValueType.ON_OFF,
          "off",
          route -> route.video().cmcd().isRead(),
          "Whether CMCD (CTA-5004), which players send in fields or in the query parameter `CMCD`, is"
              + " counted and logged. It is then not part of the key, and fetches for the store go"
              + " without it. `cmcd: on` is short for it. See [VIDEO.md](VIDEO.md#cmcd-and-cmsd).");
  static final Field<RouteConfig, Boolean> CMSD =
      live(
          "cmcd.cmsd",
          ValueType.ON_OFF,
          "off",
          route -> route.video().cmcd().answersCmsd(),
          "Whether responses have `CMSD-Dynamic` (CTA-5006) with what this node knows: the time until"
              + " the response began, and whether the node is overloaded.");

  /** Of each route. */
  static final List<Field<RouteConfig, ?>> OF_ROUTE = List.of(CMCD, CMSD);

  private VideoKeys() {}
}
