package io.forebay.storage.disk;

import io.forebay.storage.index.DiskIndex;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The regions of a device: generation and state in one word, read by every thread that wants to
 * know whether a place still means what it meant. Changed under the log's lock.
 */
final class DeviceRegions {
  /** Holds nothing; what places name in it is gone. */
  static final int FREE = 0;

  /** Takes records. */
  static final int OPEN = 1;

  /** Full. */
  static final int SEALED = 2;

  /**
   * Beside state and generation: it was opened in this life, so what it holds was written whole.
   */
  private static final long OWN = 1L << 40;

  /** Of a region: generation, pages and state, age. */
  private static final int SAVED_BYTES = 2 * Integer.BYTES + Long.BYTES;

  private final AtomicLongArray words;
  private final long[] ages;

  /** How many pages of its directory must be there. */
  private final AtomicIntegerArray pages;

  private final Random random;

  /** In the order in which they will be opened. */
  private final ArrayDeque<Integer> free = new ArrayDeque<>();

  private long nextAge = 1;

  DeviceRegions(int count, Random random) {
    this.words = new AtomicLongArray(count);
    this.ages = new long[count];
    this.pages = new AtomicIntegerArray(count);
    this.random = random;
  }

  int count() {
    return ages.length;
  }

  // --- any thread

  int generation(int region) {
    return (int) (words.get(region) >>> 8);
  }

  boolean isReadable(int region, int generation) {
    if (region < 0 || region >= ages.length) {
      return false;
    }
    long word = words.get(region);
    return (int) (word >>> 8) == generation && ((int) word & 0xFF) != FREE;
  }

  /** Whether it was opened in this life and not taken up from an earlier one. */
  boolean isOwn(int region) {
    return (words.get(region) & OWN) != 0;
  }

  int pages(int region) {
    return pages.get(region);
  }

  // --- under the lock

  /** That many pages of its directory have been written. */
  void pages(int region, int count) {
    pages.set(region, count);
  }

  private void set(int region, int generation, int state, long age) {
    ages[region] = age;
    words.set(region, (generation & 0xFFFF_FFFFL) << 8 | state);
  }

  private int state(int region) {
    return (int) words.get(region) & 0xFF;
  }

  long age(int region) {
    return ages[region];
  }

  int freeCount() {
    return free.size();
  }

  /** All are free, and of no generation that anything may still name. */
  void reset() {
    free.clear();
    for (int region = 0; region < ages.length; region++) {
      adoptFree(region);
    }
  }

  /** Takes a region up of which nothing is known. */
  void adoptFree(int region) {
    set(region, random.nextInt(), FREE, 0);
    pages.set(region, 0);
    free.add(region);
  }

  /** Takes a region up as an earlier life left it. */
  void adopt(WrittenExtent reach) {
    nextAge = Math.max(nextAge, reach.age() + 1);
    set(reach.region(), reach.generation(), SEALED, reach.age());
    pages.set(reach.region(), reach.pages());
  }

  /** Length of {@link #write}. */
  int savedBytes() {
    return Long.BYTES + Integer.BYTES + ages.length * SAVED_BYTES + free.size() * Integer.BYTES;
  }

  /** Length of what {@link #write} wrote where a buffer stands; -1 if it can't be that. */
  int savedBytes(ByteBuffer from) {
    int begin = from.position();
    if (from.remaining() < Long.BYTES + Integer.BYTES) {
      return -1;
    }
    int freeCount = from.getInt(begin + Long.BYTES);
    long length =
        Long.BYTES
            + Integer.BYTES
            + (long) ages.length * SAVED_BYTES
            + (long) freeCount * Integer.BYTES;
    return freeCount >= 0 && length <= from.remaining() ? (int) length : -1;
  }

  /** Writes what {@link #read} takes up. */
  void write(ByteBuffer into) {
    into.putLong(nextAge).putInt(free.size());
    for (int region = 0; region < ages.length; region++) {
      into.putInt(generation(region))
          .putInt(pages.get(region) << 8 | state(region))
          .putLong(ages[region]);
    }
    free.forEach(into::putInt);
  }

  /**
   * Takes all regions up as {@link #write} left them, before anything is known of any.
   *
   * @return false if it can't be that; then it is as it was
   */
  boolean read(ByteBuffer from) {
    int count = ages.length;
    if (from.remaining() < Long.BYTES + Integer.BYTES + count * SAVED_BYTES) {
      return false;
    }
    long age = from.getLong();
    int freeCount = from.getInt();
    int begin = from.position();
    if (from.remaining() != (long) count * SAVED_BYTES + (long) freeCount * Integer.BYTES) {
      return false;
    }
    nextAge = age;
    for (int region = 0; region < count; region++) {
      int at = begin + region * SAVED_BYTES;
      int word = from.getInt(at + Integer.BYTES);
      int state = (word & 0xFF) == FREE ? FREE : SEALED;
      pages.set(region, word >>> 8);
      set(region, from.getInt(at), state, from.getLong(at + 2 * Integer.BYTES));
    }
    for (int n = 0; n < freeCount; n++) {
      free.add(from.getInt(begin + count * SAVED_BYTES + n * Integer.BYTES));
    }
    return true;
  }

  /** Opens the next free region; -1 if there is none. */
  int open() {
    Integer next = free.poll();
    if (next == null) {
      return -1;
    }
    // Another generation before anything in it is overwritten: what named its old life is gone.
    // Drawn and not counted: after a power cut the region may stand as it was a life earlier, and
    // counting would bring pages of the life that was cut off back.
    int generation;
    do {
      generation = random.nextInt();
    } while (DiskIndex.looksLike(generation, generation(next)));
    pages.set(next, 0);
    set(next, generation, OPEN, nextAge++);
    words.set(next, words.get(next) | OWN);
    return next;
  }

  void seal(int region) {
    words.set(region, (words.get(region) & ~0xFFL) | SEALED);
  }

  /** It may be written over, after those that are free already. */
  void free(int region) {
    set(region, generation(region), FREE, ages[region]);
    free.add(region);
  }

  /**
   * What it holds is lost, and it is opened next: what is still there of its last life may be
   * killed by tombstones in younger regions, so those must not be written over before it is.
   */
  void giveUp(int region) {
    set(region, generation(region), FREE, ages[region]);
    free.addFirst(region);
  }

  /** The age of what is opened next. */
  long nextAge() {
    return nextAge;
  }

  /** How many sealed regions are as old, or older. */
  int countUpTo(long age) {
    int count = 0;
    for (int region = 0; region < ages.length; region++) {
      count += state(region) == SEALED && ages[region] <= age ? 1 : 0;
    }
    return count;
  }

  /** The sealed region that was opened first, or -1. */
  int oldest() {
    int oldest = -1;
    for (int region = 0; region < ages.length; region++) {
      if (state(region) == SEALED && (oldest < 0 || ages[region] < ages[oldest])) {
        oldest = region;
      }
    }
    return oldest;
  }
}
