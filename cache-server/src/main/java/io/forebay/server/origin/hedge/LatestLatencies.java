package io.forebay.server.origin.hedge;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** The time within which 95 % of the latest responses began. Confined to one event loop. */
final class LatestLatencies {
  /** How many responses count, and after how many new ones it is reckoned anew. */
  static final int WINDOW = 256;

  static final int STEP = 32;
  private static final double PART = 0.95;

  /** A timer is not more exact than that. */
  private static final long MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final long[] nanos = new long[WINDOW];
  private long count;
  private long p95 = Long.MAX_VALUE;

  void add(long latencyNanos) {
    nanos[(int) (count++ % WINDOW)] = latencyNanos;
    if (count % STEP == 0) {
      int known = (int) Math.min(count, WINDOW);
      long[] sorted = Arrays.copyOf(nanos, known);
      Arrays.sort(sorted);
      p95 = Math.max(MIN_NANOS, sorted[(int) (known * PART)]);
    }
  }

  /** Nanoseconds, at least a millisecond; {@link Long#MAX_VALUE} while too little is known. */
  long p95Nanos() {
    return p95;
  }
}
