package io.forebay.storage.disk;

import java.util.function.LongSupplier;

/**
 * Bounds work by bytes a second. What was not used is saved up for a second, so that a large piece
 * has its turn. One thread.
 */
final class RateLimit {
  private final long bytesPerSecond;
  private final LongSupplier clockMillis;
  private double allowance;
  private long allowedMillis;

  /**
   * @param bytesPerSecond 0: no bound
   */
  RateLimit(long bytesPerSecond, LongSupplier clockMillis) {
    this.bytesPerSecond = bytesPerSecond;
    this.clockMillis = clockMillis;
    this.allowedMillis = clockMillis.getAsLong();
  }

  /** Adds what time has brought since the last call. */
  void refill() {
    if (bytesPerSecond == 0) {
      return;
    }
    long now = clockMillis.getAsLong();
    allowance += (double) bytesPerSecond * Math.max(0, now - allowedMillis) / 1000;
    allowance = Math.min(allowance, (double) bytesPerSecond);
    allowedMillis = now;
  }

  /** Whether something may be done, however large it is. */
  boolean isAffordable() {
    return bytesPerSecond == 0 || allowance > 0;
  }

  void spend(long bytes) {
    if (bytesPerSecond > 0) {
      allowance -= (double) bytes;
    }
  }
}
