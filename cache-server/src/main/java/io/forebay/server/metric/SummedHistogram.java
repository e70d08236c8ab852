package io.forebay.server.metric;

import io.forebay.server.counters.HistogramScale;
import io.forebay.server.counters.LatencyHistogram;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A histogram summed over event loops, in the buckets of its scale. Immutable. */
final class SummedHistogram {
  private final HistogramScale scale;
  private final long[] counts;
  private final double total;

  private SummedHistogram(HistogramScale scale, long[] counts, double total) {
    this.scale = scale;
    this.counts = counts;
    this.total = total;
  }

  /** Sums the histograms of durations that {@code which} gives of each loop or part of one. */
  static <T> SummedHistogram sum(List<T> parts, Function<T, LatencyHistogram> which) {
    return sum(HistogramScale.LATENCY_NANOS, parts, part -> which.apply(part));
  }

  /** Sums histograms of one scale; parts may have none. */
  static <T> SummedHistogram sum(
      HistogramScale scale, List<T> parts, Function<T, @Nullable LatencyHistogram> which) {
    long[] counts = new long[scale.bounds() + 1];
    double[] total = new double[1];
    for (T part : parts) {
      LatencyHistogram one = which.apply(part);
      if (one != null) {
        one.addTo(counts, total);
      }
    }
    return new SummedHistogram(scale, counts, total[0]);
  }

  SummedHistogram plus(SummedHistogram other) {
    long[] sums = counts.clone();
    for (int i = 0; i < sums.length; i++) {
      sums[i] += other.counts[i];
    }
    return new SummedHistogram(scale, sums, total + other.total);
  }

  HistogramScale scale() {
    return scale;
  }

  /** By bucket; the last has no upper bound. */
  long[] counts() {
    return counts.clone();
  }

  /** The sum of all values as they are shown: of times in seconds. */
  double total() {
    return total;
  }

  long count() {
    return countTo(counts.length - 1);
  }

  /** Values in that bucket and those below. */
  long countTo(int bucket) {
    long sum = 0;
    for (int i = 0; i <= bucket; i++) {
      sum += counts[i];
    }
    return sum;
  }
}
