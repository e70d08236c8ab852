package io.forebay.server.metric;

import io.forebay.server.counters.LatencyHistogram;
import java.util.List;
import java.util.function.Function;

/**
 * A histogram of durations summed over event loops, in the buckets of {@link LatencyHistogram}.
 * Immutable.
 */
final class SummedHistogram {
  private final long[] counts;
  private final double totalSeconds;

  private SummedHistogram(long[] counts, double totalSeconds) {
    this.counts = counts;
    this.totalSeconds = totalSeconds;
  }

  /** Sums the histograms that {@code which} gives of each loop or part of one. */
  static <T> SummedHistogram sum(List<T> parts, Function<T, LatencyHistogram> which) {
    long[] counts = new long[LatencyHistogram.bounds() + 1];
    double[] totalSeconds = new double[1];
    for (T part : parts) {
      which.apply(part).addTo(counts, totalSeconds);
    }
    return new SummedHistogram(counts, totalSeconds[0]);
  }

  SummedHistogram plus(SummedHistogram other) {
    long[] sums = counts.clone();
    for (int i = 0; i < sums.length; i++) {
      sums[i] += other.counts[i];
    }
    return new SummedHistogram(sums, totalSeconds + other.totalSeconds);
  }

  /** By bucket; the last has no upper bound. */
  long[] counts() {
    return counts.clone();
  }

  /** The sum of all times. */
  double totalSeconds() {
    return totalSeconds;
  }

  long count() {
    return countTo(counts.length - 1);
  }

  /** Durations in that bucket and those below. */
  long countTo(int bucket) {
    long sum = 0;
    for (int i = 0; i <= bucket; i++) {
      sum += counts[i];
    }
    return sum;
  }
}
