package io.forebay.server.config;

import java.time.Duration;

/**
 * How many requests may be in progress at an origin, found by its latency.
 *
 * @param max largest limit; 0 for no such limit
 * @param min smallest limit
 * @param tolerance percent by which the latency may exceed that of an origin with little to do
 * @param interval how often that latency is measured
 */
public record AdaptiveLimitConfig(int max, int min, int tolerance, Duration interval) {

  /** No limit. */
  public static final AdaptiveLimitConfig OFF =
      new AdaptiveLimitConfig(0, 4, 25, Duration.ofSeconds(30));

  public boolean isOn() {
    return max > 0;
  }
}
