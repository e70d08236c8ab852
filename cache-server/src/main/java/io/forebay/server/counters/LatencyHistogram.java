package io.forebay.server.counters;

/**
 * A histogram of durations with fixed buckets, written by one event loop with plain stores. Fixed
 * buckets are what Prometheus scrapes, and make recording a search over 14 values.
 */
public final class LatencyHistogram {

  /** Upper bounds of the buckets in nanoseconds; the last bucket is open. */
  private static final long[] BOUNDS_NANOS = {
    100_000L,
    250_000L,
    500_000L,
    1_000_000L,
    2_500_000L,
    5_000_000L,
    10_000_000L,
    25_000_000L,
    50_000_000L,
    100_000_000L,
    250_000_000L,
    500_000_000L,
    1_000_000_000L,
    2_500_000_000L,
    10_000_000_000L
  };

  final long[] counts = new long[BOUNDS_NANOS.length + 1];
  long totalNanos;

  /** How many buckets have an upper bound; one more has none. */
  public static int bounds() {
    return BOUNDS_NANOS.length;
  }

  /** The upper bound of a bucket in nanoseconds. */
  public static long boundNanos(int bucket) {
    return BOUNDS_NANOS[bucket];
  }

  public void record(long nanos) {
    int bucket = 0;
    while (bucket < BOUNDS_NANOS.length && nanos > BOUNDS_NANOS[bucket]) {
      bucket++;
    }
    counts[bucket]++;
    totalNanos += nanos;
  }

  /** Adds what this histogram holds to sums over several loops; by any thread. */
  public void addTo(long[] sums, double[] totalSeconds) {
    for (int i = 0; i < counts.length; i++) {
      sums[i] += counts[i];
    }
    totalSeconds[0] += totalNanos / 1e9;
  }
}
