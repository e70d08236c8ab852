package io.forebay.server.origin.limit;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * What was seen of an origin in one window: how long its responses took, how many requests it
 * rejected, and how many were in progress at most. A histogram with eight buckets for each doubling
 * of the latency, so that a sample costs two atomic increments and allocates nothing.
 *
 * <p>Any thread. A sample that comes while the window is cleared may be lost.
 */
final class LatencySamples {
  private static final int SUB_BITS = 3;
  private static final int SUB_BUCKETS = 1 << SUB_BITS;

  /** A microsecond; shorter latencies count as this long. */
  private static final int MIN_EXPONENT = 10;

  /** Two minutes; longer latencies count as this long. */
  private static final int MAX_EXPONENT = 37;

  private static final int BUCKETS = (MAX_EXPONENT - MIN_EXPONENT) * SUB_BUCKETS;

  private final AtomicIntegerArray counts = new AtomicIntegerArray(BUCKETS);
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicInteger rejected = new AtomicInteger();
  private volatile int peak;

  void add(long nanos, int inProgress) {
    counts.incrementAndGet(bucket(nanos));
    count.incrementAndGet();
    notePeak(inProgress);
  }

  /** The origin had too much to do for a request: it said so, or gave no sign in time. */
  void addRejected(int inProgress) {
    rejected.incrementAndGet();
    notePeak(inProgress);
  }

  private void notePeak(int inProgress) {
    if (inProgress > peak) {
      peak = inProgress;
    }
  }

  int count() {
    return count.get();
  }

  int rejected() {
    return rejected.get();
  }

  int peak() {
    return peak;
  }

  /** The median latency; 0 without samples. */
  long medianNanos() {
    int total = 0;
    for (int i = 0; i < BUCKETS; i++) {
      total += counts.get(i);
    }
    double half = total / 2.0;
    double before = 0;
    for (int i = 0; i < BUCKETS; i++) {
      int here = counts.get(i);
      if (here > 0 && before + here >= half) {
        long from = lowNanos(i);
        return (long) (from + (lowNanos(i + 1) - from) * (half - before) / here);
      }
      before += here;
    }
    return 0;
  }

  void clear() {
    for (int i = 0; i < BUCKETS; i++) {
      counts.set(i, 0);
    }
    count.set(0);
    rejected.set(0);
    peak = 0;
  }

  private static int bucket(long nanos) {
    long bounded = Math.clamp(nanos, 1L << MIN_EXPONENT, (1L << MAX_EXPONENT) - 1);
    int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(bounded);
    int sub = (int) (bounded >>> (exponent - SUB_BITS)) & (SUB_BUCKETS - 1);
    return (exponent - MIN_EXPONENT) * SUB_BUCKETS + sub;
  }

  private static long lowNanos(int bucket) {
    int exponent = MIN_EXPONENT + bucket / SUB_BUCKETS;
    return (1L << exponent) + ((long) (bucket % SUB_BUCKETS) << (exponent - SUB_BITS));
  }
}
