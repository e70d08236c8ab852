package io.forebay.server.origin.balance;

import java.util.concurrent.TimeUnit;

/**
 * An exponentially weighted moving average of latencies that takes over a higher value at once.
 * While nothing is observed it decays, so an endpoint that was slow is tried again. Confined to a
 * loop.
 */
public final class PeakLatency {
  /** After this time an observation has lost 63 % of its influence. */
  private static final double DECAY_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** What is assumed of an endpoint before its first response, and at least. */
  private static final double MIN_NANOS = TimeUnit.MICROSECONDS.toNanos(10);

  private double nanos = MIN_NANOS;
  private long atNanos;
  private boolean hasBegun;

  PeakLatency() {}

  /** A response began after that time. */
  public void observe(long latencyNanos, long nowNanos) {
    double kept = kept(nowNanos);
    double observed = Math.max(MIN_NANOS, (double) latencyNanos);
    nanos = observed > nanos ? observed : nanos * kept + observed * (1 - kept);
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
