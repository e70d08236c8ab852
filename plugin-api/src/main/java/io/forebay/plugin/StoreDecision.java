package io.forebay.plugin;

import java.time.Duration;
import java.util.Optional;

/**
 * How a response of an origin is stored. Times that are empty stay as they are.
 *
 * @param ttl how long it is fresh, whatever it says itself
 * @param grace how long it may be served stale while it is fetched anew
 * @param staleIfError how long it may be served stale while the origin fails
 * @param isStored false for a response that must not be stored
 */
public record StoreDecision(
    Optional<Duration> ttl,
    Optional<Duration> grace,
    Optional<Duration> staleIfError,
    boolean isStored) {

  /** As the response and the configuration say. */
  public static final StoreDecision AS_USUAL =
      new StoreDecision(Optional.empty(), Optional.empty(), Optional.empty(), true);

  /** The response goes to the client, or to those who wait for it, and is not stored. */
  public static final StoreDecision NOT_STORED =
      new StoreDecision(Optional.empty(), Optional.empty(), Optional.empty(), false);

  private static final Duration MAX = Duration.ofDays(3650);

  public StoreDecision {
    ttl.ifPresent(StoreDecision::check);
    grace.ifPresent(StoreDecision::check);
    staleIfError.ifPresent(StoreDecision::check);
  }

  private static void check(Duration time) {
    if (time.isNegative() || time.compareTo(MAX) > 0) {
      throw new IllegalArgumentException("a time from 0 to 3650 days, not " + time);
    }
  }

  public StoreDecision withTtl(Duration time) {
    return new StoreDecision(Optional.of(time), grace, staleIfError, isStored);
  }

  public StoreDecision withGrace(Duration time) {
    return new StoreDecision(ttl, Optional.of(time), staleIfError, isStored);
  }

  public StoreDecision withStaleIfError(Duration time) {
    return new StoreDecision(ttl, grace, Optional.of(time), isStored);
  }
}
