package io.forebay.server.origin.balance;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Of two candidates taken at random, the one where a request is likely to be answered sooner:
 * latency times requests in progress, divided by weight. Two choices instead of all keep loops from
 * sending everything to the same endpoint (Mitzenmacher, 2001). The latency is a moving average in
 * which only requests without an answer are peaks, see {@link PeakLatency}.
 */
final class PeakEwma implements BalancePolicy {
  /** Assumed of a candidate while its first request has no answer: it gets no burst before that. */
  private static final double UNKNOWN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final RandomGenerator random;
  private final LongSupplier clockNanos;

  PeakEwma(RandomGenerator random, LongSupplier clockNanos) {
    this.random = random;
    this.clockNanos = clockNanos;
  }

  @Override
  public int choose(List<? extends Candidate> candidates, LongSupplier key) {
    int first = random.nextInt(candidates.size());
    int second = random.nextInt(candidates.size() - 1);
    if (second >= first) {
      second++;
    }
    long now = clockNanos.getAsLong();
    return cost(candidates.get(second), now) < cost(candidates.get(first), now) ? second : first;
  }

  private static double cost(Candidate candidate, long nowNanos) {
    PeakLatency latency = candidate.latency();
    boolean isUnknown = !latency.hasBegun() && candidate.requests() > 0;
    double nanos = isUnknown ? UNKNOWN_NANOS : latency.nanos(nowNanos);
    return nanos * (candidate.requests() + 1) / candidate.weight();
  }
}
