package io.forebay.storage.index;

/**
 * Where the coded copies lie of objects that a lane has in its {@link NearIndex}: open addressing
 * in pairs, the newer entry of a pair first. An entry was made when both records had been found and
 * the copy was one of that object, so it is true of these two records for ever; whether they are
 * still served is for the caller to check. Confined to its lane, and without memory until the first
 * copy.
 *
 * <pre>
 *  0                   1                   2     3                 4                   5             6
 *  +-------------------+-------------------+-----+-----------------+-------------------+-------------+------+
 *  | object:           |                   |     | copy:           |                   |             |      |
 *  | region | offset   | generation | slot | tag | region | offset | generation | slot | purges seen | used |
 *  +-------------------+-------------------+-----+-----------------+-------------------+-------------+------+
 * </pre>
 */
public final class NearCopies {
  private static final int STRIDE = 8;
  private static final int SOURCE_PLACE = 0;
  private static final int SOURCE_LIFE = 1;
  private static final int TAG = 2;
  private static final int PLACE = 3;
  private static final int LIFE = 4;
  private static final int SEEN = 5;
  private static final int USED = 6;

  private static final long SPREAD = 0x9e37_79b9_7f4a_7c15L;

  private final int pairs;
  private long[] words = {};

  /**
   * @param nearEntries of the near-index, a power of two; half of them may be of copies
   */
  public NearCopies(int nearEntries) {
    pairs = Math.max(1, nearEntries / 4);
  }

  /** Whether there has been no copy yet. */
  public boolean isEmpty() {
    return words.length == 0;
  }

  /** The entry of a copy of the object that lies there, or -1. */
  public int find(long sourcePlace, long sourceLife, long tag) {
    if (isEmpty()) {
      return -1;
    }
    int first = first(sourcePlace, tag);
    if (is(first, sourcePlace, sourceLife, tag)) {
      return first;
    }
    int second = first + STRIDE;
    return is(second, sourcePlace, sourceLife, tag) ? second : -1;
  }

  private boolean is(int entry, long sourcePlace, long sourceLife, long tag) {
    return words[entry + SOURCE_PLACE] == sourcePlace
        && words[entry + SOURCE_LIFE] == sourceLife
        && words[entry + TAG] == tag
        && words[entry + USED] != 0;
  }

  private int first(long sourcePlace, long tag) {
    long spread = (sourcePlace ^ (tag << 1)) * SPREAD;
    return ((int) (spread >>> 32) & (pairs - 1)) * 2 * STRIDE;
  }

  /**
   * Notes a copy.
   *
   * @param tag which of the copies of its object
   */
  public void put(
      long sourcePlace, long sourceLife, long tag, long place, long life, long purgesSeen) {
    if (isEmpty()) {
      words = new long[pairs * 2 * STRIDE];
    }
    int at = find(sourcePlace, sourceLife, tag);
    if (at < 0) {
      at = first(sourcePlace, tag);
      System.arraycopy(words, at, words, at + STRIDE, STRIDE);
    }
    words[at + SOURCE_PLACE] = sourcePlace;
    words[at + SOURCE_LIFE] = sourceLife;
    words[at + TAG] = tag;
    words[at + PLACE] = place;
    words[at + LIFE] = life;
    words[at + SEEN] = purgesSeen;
    words[at + USED] = 1;
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

  public void clear(int entry) {
    words[entry + USED] = 0;
  }
}
