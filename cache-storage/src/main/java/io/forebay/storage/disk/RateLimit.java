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

  boolean isAffordable() {
    if (bytesPerSecond == 0) {
      return true;
    }
    long now = clockMillis.getAsLong();
    allowance += (double) bytesPerSecond * Math.max(0, now - allowedMillis) / 1000;
    allowance = Math.min(allowance, (double) bytesPerSecond);
    allowedMillis = now;
    return allowance > 0;
  }

  void spend(long bytes) {
    if (bytesPerSecond > 0) {
      allowance -= (double) bytes;
    }
  }
}
