package io.forebay.storage.transit;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Up to 64 units in each word of an array, a bit each, set while the unit is taken. Runs of units
 * are taken and given back by one atomic step, so any thread may, without locks.
 */
final class SlabBitmap {
  /** A word of which nothing can be taken. */
  static final long CLOSED = -1;

  static final int UNITS = Long.SIZE;

  /** Where a run may begin that is a whole byte of the word. */
  private static final long BYTE_STARTS = 0x0101_0101_0101_0101L;

  private final AtomicLongArray words;

  /** As many closed words. */
  SlabBitmap(int count) {
    words = new AtomicLongArray(count);
    for (int n = 0; n < count; n++) {
      words.setPlain(n, CLOSED);
    }
  }

  /** Opens a closed word, which only the caller may do now. */
  void open(int word, long taken) {
    words.set(word, taken);
  }

  /** Closes a word in which nothing but some units is taken; false if something is. */
  boolean close(int word, long taken) {
    return words.compareAndSet(word, taken, CLOSED);
  }

  /** Takes the first run of so many free units; -1 if there is none. */
  int takeFirst(int word, int count) {
    long now = words.get(word);
    long starts;
    while ((starts = starts(~now, count)) != 0) {
      int first = Long.numberOfTrailingZeros(starts);
      long seen = words.compareAndExchange(word, now, now | run(first, count));
      if (seen == now) {
        return first;
      }
      now = seen;
    }
    return -1;
  }

  /** Takes the last byte of units that is free; its number, or -1 if there is none. */
  int takeLastByte(int word) {
    long now = words.get(word);
    long starts;
    while ((starts = starts(~now, Byte.SIZE) & BYTE_STARTS) != 0) {
      int first = UNITS - 1 - Long.numberOfLeadingZeros(starts);
      long seen = words.compareAndExchange(word, now, now | run(first, Byte.SIZE));
      if (seen == now) {
        return first / Byte.SIZE;
      }
      now = seen;
    }
    return -1;
  }

  /** Gives a run back that was taken; the word without it. */
  long giveBack(int word, int first, int count) {
    // All of its bits are set, so to subtract is to clear them.
    return words.addAndGet(word, -run(first, count));
  }

  /** The bits of a run. */
  static long run(int first, int count) {
    return -1L >>> (UNITS - count) << first;
  }

  /** The units at which a run of so many free ones begins. */
  private static long starts(long free, int count) {
    long starts = free;
    for (int length = 1; length < count && starts != 0; ) {
      int step = Math.min(length, count - length);
      starts &= starts >>> step;
      length += step;
    }
    return starts;
  }
}
