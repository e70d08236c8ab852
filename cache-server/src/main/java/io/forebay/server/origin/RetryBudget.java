package io.forebay.server.origin;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Bounds how many requests are sent a second time, so that retries cannot multiply the load of
 * servers that fail because of load: a share of the requests, and a few more so that an origin with
 * little traffic has any. Of one origin on one event loop, confined to it.
 */
final class RetryBudget {
  /** What a retry takes: each request brings a percentage of it. */
  private static final int RETRY = 100;

  /** A hundred retries may be saved up. */
  private static final int MAX_SAVED = 100 * RETRY;

  /**
   * Retries that are possible without requests, all at once, and how long they take to come back.
   */
  private static final double FLOOR = 3;

  private static final double FLOOR_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final int percent;
  private final LongSupplier clockNanos;
  private int saved;
  private double floor = FLOOR;
  private long floorNanos;

  /**
   * A budget with nothing saved.
   *
   * @param percent of the requests
   * @param clockNanos monotonic
   */
  RetryBudget(int percent, LongSupplier clockNanos) {
    this.percent = percent;
    this.clockNanos = clockNanos;
    this.floorNanos = clockNanos.getAsLong();
  }

  void onRequest() {
    saved = Math.min(MAX_SAVED, saved + percent);
  }

  /** Takes one retry out of the budget, if there is one left. */
  boolean tryTake() {
    if (saved >= RETRY) {
      saved -= RETRY;
      return true;
    }
    if (percent == 0) {
      return false;
    }
    long now = clockNanos.getAsLong();
    floor = Math.min(FLOOR, floor + FLOOR * (now - floorNanos) / FLOOR_NANOS);
    floorNanos = now;
    if (floor >= 1) {
      floor--;
      return true;
    }
    return false;
  }
}
