package io.forebay.server.origin.balance;

import java.util.concurrent.TimeUnit;

/**
 * A moving average of latencies. An observation counts an eighth, or more if the one before is old;
 * so a single slow response does not make an endpoint slow. A request that has no answer counts in
 * full. While nothing is observed the average decays, so an endpoint that was slow is tried again.
 * Confined to a loop.
 */
public final class PeakLatency {
  /** After this time an observation has lost 63 % of its influence. */
  private static final double DECAY_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Least share of a new observation in the average. */
  private static final double MIN_SHARE = 1.0 / 8;

  /** What is assumed of an endpoint before its first response, and at least. */
  private static final double MIN_NANOS = TimeUnit.MICROSECONDS.toNanos(10);

  private double nanos = MIN_NANOS;
  private long atNanos;
  private boolean hasBegun;

  PeakLatency() {}

  /** A response began after that time. */
  public void observe(long latencyNanos, long nowNanos) {
    double observed = Math.max(MIN_NANOS, (double) latencyNanos);
    double share = hasBegun ? Math.max(MIN_SHARE, 1 - kept(nowNanos)) : 1;
    set(nanos + (observed - nanos) * share, nowNanos);
  }

  /** A request had no answer after that time: no shorter one is expected of others now. */
  public void observeAtLeast(long latencyNanos, long nowNanos) {
    if (!hasBegun || latencyNanos > nanos(nowNanos)) {
      set(Math.max(MIN_NANOS, (double) latencyNanos), nowNanos);
    }
  }

  private void set(double newNanos, long nowNanos) {
    nanos = newNanos;
    atNanos = nowNanos;
    hasBegun = true;
  }

  /** The average now. */
  public double nanos(long nowNanos) {
    return hasBegun ? Math.max(MIN_NANOS, nanos * kept(nowNanos)) : MIN_NANOS;
  }

  /** Whether anything was observed. */
  public boolean hasBegun() {
    return hasBegun;
  }

  private double kept(long nowNanos) {
    return hasBegun ? Math.exp(-Math.max(0, nowNanos - atNanos) / DECAY_NANOS) : 1;
  }
}
