package io.forebay.server.protect.rate;

import io.forebay.server.config.ProtectionProfile.RateLimitConfig;

/**
 * One rate limit in the form that the table of buckets uses.
 *
 * @param id tells its keys from those of other limits
 * @param intervalNanos after which one more request is admitted, in the long run
 * @param capacityNanos the intervals of as many requests as are admitted at once
 * @param penaltyNanos how long a key that exceeded the limit is refused; 0 without penalty
 */
public record RateLimit(
    RateLimitConfig config, long id, long intervalNanos, long capacityNanos, long penaltyNanos) {

  /**
   * Compiles a limit.
   *
   * @param profile in which it stands
   */
  public static RateLimit of(String profile, RateLimitConfig config) {
    long interval = Math.max(2, config.per().toNanos() / config.requests());
    return new RateLimit(
        config,
        ((long) profile.hashCode() << Integer.SIZE) | (config.name().hashCode() & 0xffff_ffffL),
        interval,
        interval * config.burst(),
        config.penalty() == null ? 0 : config.penalty().toNanos());
  }
}
