package io.forebay.core.route;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a route as they are for one response. Durations that are null stay as they are.
 *
 * @param ttl freshness whatever the response says; for errors, where the response says nothing
 * @param whileRevalidate how long it may be served stale while it is fetched anew
 * @param ifError how long it may be served stale while the origin fails
 * @param isNeverStored whether it must not be stored
 */
public record ResponseOverrides(
    @Nullable Duration ttl,
    @Nullable Duration whileRevalidate,
    @Nullable Duration ifError,
    boolean isNeverStored) {

  /** Everything stays as it is. */
  public static final ResponseOverrides NONE = new ResponseOverrides(null, null, null, false);

  public ResponseOverrides {
    RouteSettings.requireNotNegative(ttl, "ttl");
    RouteSettings.requireNotNegative(whileRevalidate, "whileRevalidate");
    RouteSettings.requireNotNegative(ifError, "ifError");
  }

  /** What the route's settings are with them; the windows go with the response. */
  public RouteSettings appliedTo(RouteSettings settings) {
    Duration time = ttl;
    return time == null
        ? settings
        : settings.toBuilder()
            .ttlOverride(time)
            .negativeTtl(new NegativeTtl(Map.of(4, time, 5, time)))
            .build();
  }
}
