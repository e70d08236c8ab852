package io.forebay.server.protect.rate;

import io.forebay.server.config.ProtectionProfile.RateLimitConfig;

/**
 * One rate limit in the form that the table of buckets uses.
 *
 * @param id tells its keys from those of other limits
 * @param intervalNanos after which one more request is admitted, in the long run; 0 for a limit
 *     that counts no requests
 * @param capacityNanos in which an empty bucket is full again
 * @param penaltyNanos how long a key that exceeded the limit is refused; 0 without penalty
 */
public record RateLimit(
    RateLimitConfig config, long id, long intervalNanos, long capacityNanos, long penaltyNanos) {

  /**
   * Compiles a limit.
   *
   * @param scope in which its name is the only one
   */
  public static RateLimit of(String scope, RateLimitConfig config) {
    long id = ((long) scope.hashCode() << Integer.SIZE) | (config.name().hashCode() & 0xffff_ffffL);
    return switch (config.unit()) {
      case REQUESTS -> {
        long interval = Math.max(2, config.per().toNanos() / config.quota());
        yield new RateLimit(
            config,
            id,
            interval,
            interval * config.burst(),
            config.penalty() == null ? 0 : config.penalty().toNanos());
      }
      case BYTES -> new RateLimit(config, id, 0, Math.max(2, nanos(config, config.burst())), 0);
      case IN_FLIGHT -> new RateLimit(config, id, 0, 0, 0);
    };
  }

  /** The time in which so many bytes are earned, to the next 2 ns. */
  long nanos(long bytes) {
    return nanos(config, bytes);
  }

  private static long nanos(RateLimitConfig config, long bytes) {
    double exact = (double) bytes * (double) config.per().toNanos() / (double) config.quota();
    return ((long) Math.min(exact, (double) RateTable.MAX_DEBT_NANOS) + 1) & ~1L;
  }
}
