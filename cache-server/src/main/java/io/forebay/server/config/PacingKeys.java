package io.forebay.server.config;

import static io.forebay.server.config.Field.optional;
import static io.forebay.server.config.ValueType.size;

import io.forebay.server.config.ServerConfig.RouteConfig;
import io.forebay.server.pacing.Pacing;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keys of pacing: of routes, and the types of those of rules. */
final class PacingKeys {
  static final ValueType<Long> RATE = size("16KiB", "2GiB");
  static final ValueType<Long> BURST = size("0", "1GiB");

  static final Field<RouteConfig, Long> ROUTE_RATE =
      optional(
          "pacing.rate",
          RATE,
          "no pacing",
          false,
          route -> ofRoute(route, true),
          "Maximum rate, per second, at which a connection gets responses of this route; 1MiB is"
              + " about 8.4 Mbit/s. See [VIDEO.md](VIDEO.md#pacing).");
  static final Field<RouteConfig, Long> ROUTE_BURST =
      optional(
          "pacing.initial-burst",
          BURST,
          "`0`",
          false,
          route -> ofRoute(route, false),
          "What of each response is sent at full speed before `pacing.rate` applies.");

  static final Field<RouteConfig, Integer> ROUTE_BIT_RATE_FACTOR =
      optional(
          "pacing.bit-rate-factor",
          ValueType.integer(1, 100),
          "players are not asked",
          false,
          PacingKeys::factor,
          "With `cmcd: on`: an object is sent at so many times the bit rate that the player names,"
              + " or at the throughput that it asks for, at most at `pacing.rate`.");

  /** Of each route. */
  static final List<Field<RouteConfig, ?>> OF_ROUTE =
      List.of(ROUTE_RATE, ROUTE_BURST, ROUTE_BIT_RATE_FACTOR);

  private PacingKeys() {}

  private static @Nullable Integer factor(RouteConfig route) {
    Pacing pacing = route.pacing();
    return pacing == null || pacing.bitRateFactor() == 0 ? null : pacing.bitRateFactor();
  }

  private static @Nullable Long ofRoute(RouteConfig route, boolean isRate) {
    Pacing pacing = route.pacing();
    if (pacing == null) {
      return null;
    }
    return isRate ? pacing.bytesPerSecond() : pacing.burstBytes();
  }
}
