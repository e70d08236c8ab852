package io.forebay.storage.index;

/**
 * A lock-free cache of the objects that one lane served recently: open addressing in pairs, the
 * newer entry of a pair first. Confined to its lane. Entries may be outdated: the caller checks the
 * record.
 *
 * <pre>
 *  0      1     2                  3                   4             5      6                 7
 *  +------+-----+------------------+-------------------+-------------+------+-----------------+--------+
 *  | high | low | region | offset  | generation | slot | purges seen | used | predicates seen | linked |
 *  +------+-----+------------------+-------------------+-------------+------+-----------------+--------+
 * </pre>
 */
public final class NearIndex {
  private static final int STRIDE = 8;
  private static final int HIGH = 0;
  private static final int LOW = 1;
  private static final int PLACE = 2;
  private static final int LIFE = 3;
  private static final int SEEN = 4;
  private static final int USED = 5;
  private static final int PREDICATES = 6;
  private static final int LINKED = 7;

  private final long[] words;
  private final int pairMask;

  public NearIndex(int entries) {
    if (Integer.bitCount(entries) != 1 || entries < 2) {
      throw new IllegalArgumentException("near-index entries must be a power of two: " + entries);
    }
    words = new long[entries * STRIDE];
    pairMask = entries / 2 - 1;
  }

  /** The entry of a key, or -1. */
  public int find(long high, long low) {
    int first = ((int) (high ^ low >>> 32) & pairMask) * 2 * STRIDE;
    if (words[first + HIGH] == high && words[first + LOW] == low && words[first + USED] != 0) {
      return first;
    }
    int second = first + STRIDE;
    if (words[second + HIGH] == high && words[second + LOW] == low && words[second + USED] != 0) {
      return second;
    }
    return -1;
  }

  public void put(
      long high,
      long low,
      int region,
      int offset,
      int generation,
      int slot,
      long purgesSeen,
      long predicatesSeen) {
    int at = find(high, low);
    if (at < 0) {
      at = ((int) (high ^ low >>> 32) & pairMask) * 2 * STRIDE;
      System.arraycopy(words, at, words, at + STRIDE, STRIDE);
    }
    words[at + HIGH] = high;
    words[at + LOW] = low;
    words[at + PLACE] = (long) region << 32 | offset;
    words[at + LIFE] = (long) generation << 32 | slot;
    words[at + SEEN] = purgesSeen;
    words[at + USED] = 1;
    words[at + PREDICATES] = predicatesSeen;
    words[at + LINKED] = 0;
  }

  /** Region and offset of the record. */
  public long place(int entry) {
    return words[entry + PLACE];
  }

  /** Generation of its region and its slot: together with the place they name one record ever. */
  public long life(int entry) {
    return words[entry + LIFE];
  }

  /** Whether {@link NearCopies} may have copies of what lies there. */
  public boolean isLinked(int entry) {
    return words[entry + LINKED] != 0;
  }

  /** Until the entry is put again. */
  public void link(int entry) {
    words[entry + LINKED] = 1;
  }

  public int region(int entry) {
    return (int) (words[entry + PLACE] >>> 32);
  }

  public int offset(int entry) {
    return (int) words[entry + PLACE];
  }

  public int generation(int entry) {
    return (int) (words[entry + LIFE] >>> 32);
  }

  public int slot(int entry) {
    return (int) words[entry + LIFE];
  }

  public long purgesSeen(int entry) {
    return words[entry + SEEN];
  }

  /** The newest predicate that has been asked already, so that each is asked once. */
  public long predicatesSeen(int entry) {
    return words[entry + PREDICATES];
  }

  public void seen(int entry, long purges, long predicate) {
    words[entry + SEEN] = purges;
    words[entry + PREDICATES] = predicate;
  }

  public void clear(int entry) {
    words[entry + USED] = 0;
  }
}
