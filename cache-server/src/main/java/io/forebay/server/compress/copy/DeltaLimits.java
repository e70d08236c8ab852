package io.forebay.server.compress.copy;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How many deltas are made at once, for each of which a dictionary is in memory, and how many of
 * one response. Any thread.
 *
 * <p>The counts lie in a table of fixed size, in which a later one may displace an earlier one, and
 * begin anew at a start: what is beyond the bound then is evicted like other objects.
 */
final class DeltaLimits {
  static final int MAX_JOBS = 2;
  static final int MAX_DELTAS = 8;

  private static final int SLOTS = 1 << 12;
  private static final int COUNT_BITS = 8;
  private static final long COUNT = (1L << COUNT_BITS) - 1;

  private final AtomicInteger jobs = new AtomicInteger();

  /** High bits: of the object's number, mixed. Low bits: how many deltas of it were made. */
  private final AtomicLongArray made = new AtomicLongArray(SLOTS);

  /** Begins to make a delta of an object; false where there may be none. */
  boolean begin(long objectId) {
    long mixed = mixed(objectId);
    long entry = made.get(slot(mixed));
    if (isOf(entry, mixed) && (entry & COUNT) >= MAX_DELTAS) {
      return false;
    }
    if (jobs.incrementAndGet() > MAX_JOBS) {
      jobs.decrementAndGet();
      return false;
    }
    return true;
  }

  /** What was begun is over. */
  void end(long objectId, boolean isMade) {
    jobs.decrementAndGet();
    if (isMade) {
      long mixed = mixed(objectId);
      long ignored =
          made.updateAndGet(
              slot(mixed), entry -> isOf(entry, mixed) ? entry + 1 : (mixed & ~COUNT) | 1);
    }
  }

  private static boolean isOf(long entry, long mixed) {
    return ((entry ^ mixed) & ~COUNT) == 0;
  }

  private static int slot(long mixed) {
    return (int) (mixed >>> COUNT_BITS) & (SLOTS - 1);
  }

  private static long mixed(long objectId) {
    long mixed = objectId * 0x9E37_79B9_7F4A_7C15L;
    mixed = (mixed ^ mixed >>> 32) * 0xD6E8_FEB8_6659_FD93L;
    return mixed ^ mixed >>> 32;
  }
}
