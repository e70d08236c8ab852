package io.forebay.server.counters;

/**
 * A histogram with fixed buckets, of durations unless its scale says otherwise, written by one
 * event loop with plain stores. Fixed buckets are what Prometheus scrapes, and make recording a
 * search over some 14 values.
 */
public final class LatencyHistogram {
  private final HistogramScale scale;
  private final long[] bounds;
  final long[] counts;
  long total;

  /** Of durations in nanoseconds. */
  public LatencyHistogram() {
    this(HistogramScale.LATENCY_NANOS);
  }

  public LatencyHistogram(HistogramScale scale) {
    this.scale = scale;
    this.bounds = scale.recordedBounds();
    this.counts = new long[scale.bounds() + 1];
  }

  /** Counts a value in the unit of the scale: nanoseconds unless it says otherwise. */
  public void record(long value) {
    int bucket = 0;
    while (bucket < bounds.length && value > bounds[bucket]) {
      bucket++;
    }
    counts[bucket]++;
    total += value;
  }

  /** Adds what this histogram holds to sums over several loops; by any thread. */
  public void addTo(long[] sums, double[] shownTotal) {
    for (int i = 0; i < counts.length; i++) {
      sums[i] += counts[i];
    }
    shownTotal[0] += scale.shown(total);
  }
}
