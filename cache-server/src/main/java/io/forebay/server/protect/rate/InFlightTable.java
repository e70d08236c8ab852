package io.forebay.server.protect.rate;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * How much is in progress for each key, shared by the event loops without a lock: a fixed number of
 * slots of one number each, in sets of eight, which are one cache line. A slot has 44 bits of the
 * hash of a key and its count; it is 0, and free, when nothing is in progress.
 *
 * <pre>
 *   hash ──► set:  [tag|count] [tag|count] 0 0 … 8
 * </pre>
 *
 * <p>Error: loops that begin for a key at the same moment may use two slots for it; both count, and
 * each of these loops can admit one too many. A key whose set has no slot left is admitted without
 * being counted.
 */
final class InFlightTable {
  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int WAYS = 8;
  private static final int COUNT_BITS = 20;
  private static final long COUNT = (1L << COUNT_BITS) - 1;

  /** Far more than other threads can make a search fail in a row. */
  private static final int MAX_SEARCHES = 100_000;

  private final long[] slots;
  private final int setMask;

  /** What becomes of one more. */
  enum Taken {
    COUNTED,
    /** As many as allowed are in progress. */
    REFUSED,
    /** It is admitted; nothing is to be given back. */
    NO_ROOM
  }

  /**
   * A table.
   *
   * @param keys how many it can hold; a power of two, at least 8 and at most 2<sup>20</sup>
   */
  InFlightTable(int keys) {
    if (Integer.bitCount(keys) != 1 || keys < WAYS || keys > 1 << COUNT_BITS) {
      throw new IllegalArgumentException("keys: " + keys);
    }
    slots = new long[keys];
    setMask = keys / WAYS - 1;
  }

  /**
   * Counts one more for a key, unless {@code most} are in progress.
   *
   * @param most from 1 to 1,000,000
   */
  Taken take(long hash, long most) {
    long tag = hash & ~COUNT;
    int base = base(hash);
    while (true) {
      long inProgress = 0;
      int own = -1;
      int free = -1;
      long seen = 0;
      // What is taken goes to the lowest slot of a key, and what is given back comes from the
      // highest: in this order nothing that is in progress is overlooked because it moves.
      for (int slot = base + WAYS - 1; slot >= base; slot--) {
        long value = (long) LONGS.getVolatile(slots, slot);
        if (value == 0) {
          free = slot;
        } else if ((value & ~COUNT) == tag) {
          inProgress += value & COUNT;
          own = slot;
          seen = value;
        }
      }
      if (inProgress >= most) {
        return Taken.REFUSED;
      }
      if (own >= 0) {
        if (LONGS.compareAndSet(slots, own, seen, seen + 1)) {
          return Taken.COUNTED;
        }
      } else if (free < 0) {
        return Taken.NO_ROOM;
      } else if (LONGS.compareAndSet(slots, free, 0L, tag | 1)) {
        if (isOnlySlot(free, base, tag)) {
          return Taken.COUNTED;
        }
        // Another loop began at the same moment: both look again, and see each other.
        giveBack(hash);
      }
    }
  }

  private boolean isOnlySlot(int own, int base, long tag) {
    for (int slot = base + WAYS - 1; slot >= base; slot--) {
      long value = (long) LONGS.getVolatile(slots, slot);
      if (slot != own && value != 0 && (value & ~COUNT) == tag) {
        return false;
      }
    }
    return true;
  }

  /** Exactly once after each take that was counted; without one it does nothing. */
  void giveBack(long hash) {
    long tag = hash & ~COUNT;
    int base = base(hash);
    for (int search = 0; search < MAX_SEARCHES; search++) {
      for (int slot = base + WAYS - 1; slot >= base; slot--) {
        long value = (long) LONGS.getVolatile(slots, slot);
        if (value != 0 && (value & ~COUNT) == tag) {
          long less = (value & COUNT) == 1 ? 0L : value - 1;
          if (LONGS.compareAndSet(slots, slot, value, less)) {
            return;
          }
        }
      }
    }
  }

  private int base(long hash) {
    return ((int) hash & setMask) * WAYS;
  }

  /** All that is in progress; a moment late. */
  long sum() {
    long sum = 0;
    for (int slot = 0; slot < slots.length; slot++) {
      sum += (long) LONGS.getVolatile(slots, slot) & COUNT;
    }
    return sum;
  }
}
