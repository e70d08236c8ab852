package io.forebay.storage.lane;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How often heads were installed, for each of the parts into which keys fall. A key under which
 * nothing was found has nothing as long as the count of its part stays: so it need not be looked up
 * again.
 *
 * <pre>
 *   who installs   index names the head ──► count ──► its fill is over
 *   who looks      count ──► look ──► ... ──► no fill is there ──► count again
 * </pre>
 *
 * <p>Any thread.
 */
final class InstallCounts {
  private static final int PARTS = 4096;

  private final AtomicLongArray counts = new AtomicLongArray(PARTS);

  long of(long keyLow) {
    return counts.get(part(keyLow));
  }

  /** After the index names what was installed. */
  void add(long keyLow) {
    long ignored = counts.incrementAndGet(part(keyLow));
  }

  private static int part(long keyLow) {
    return (int) keyLow & (PARTS - 1);
  }
}
