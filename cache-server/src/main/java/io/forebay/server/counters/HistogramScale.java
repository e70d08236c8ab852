package io.forebay.server.counters;

/** The buckets of a histogram, in the unit in which its values are recorded. */
@SuppressWarnings("ImmutableEnumChecker") // arrays that nobody writes
public enum HistogramScale {
  /** Durations in nanoseconds, shown in seconds. */
  LATENCY_NANOS(
      1e9,
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
      10_000_000_000L),
  /** Media that players have buffered, in milliseconds, shown in seconds. */
  BUFFER_MILLIS(1e3, 0, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000, 120_000),
  /** Throughput in kbit/s, shown in bit/s. */
  THROUGHPUT_KBITS(
      1e-3, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000, 120_000, 500_000, 1_000_000);

  private final double unitsPerOne;
  private final long[] bounds;

  HistogramScale(double unitsPerOne, long... bounds) {
    this.unitsPerOne = unitsPerOne;
    this.bounds = bounds;
  }

  /** How many buckets have an upper bound; one more has none. */
  public int bounds() {
    return bounds.length;
  }

  /** The upper bounds as they are recorded; not to be changed. */
  long[] recordedBounds() {
    return bounds;
  }

  /** The upper bound of a bucket as it is shown. */
  public double shownBound(int bucket) {
    return shown(bounds[bucket]);
  }

  /** A value as it is shown. */
  double shown(long value) {
    return value / unitsPerOne;
  }
}
