package io.forebay.core.route;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A route's settings for stored responses around and after the end of their freshness. All
 * durations except {@code keep} begin when freshness ends. A response without a freshness lifetime
 * has neither stale window.
 *
 * @param whileRevalidate where the response does not say, how long it may be served stale while it
 *     is fetched anew
 * @param ifError where the response does not say, how long it may be served stale while the origin
 *     fails
 * @param keep how long after the longer of both it can still be revalidated; null: as long as it is
 *     stored
 * @param earlyRefreshPercent in which last part of its lifetime a popular response may be fetched
 *     anew while it is still fresh; 0: never
 */
public record StaleSettings(
    Duration whileRevalidate, Duration ifError, @Nullable Duration keep, int earlyRefreshPercent) {

  /** Nothing is served stale unless the origin says so. */
  public static final StaleSettings DEFAULT =
      new StaleSettings(Duration.ZERO, Duration.ZERO, null, 0);

  public StaleSettings {
    RouteSettings.requireNotNegative(whileRevalidate, "whileRevalidate");
    RouteSettings.requireNotNegative(ifError, "ifError");
    RouteSettings.requireNotNegative(keep, "keep");
    RouteSettings.requirePercent(earlyRefreshPercent, "earlyRefreshPercent");
  }
}
