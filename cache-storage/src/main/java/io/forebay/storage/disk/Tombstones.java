package io.forebay.storage.disk;

import io.forebay.storage.layout.Layouts;

/**
 * The tombstones met during a recovery: an open-addressed table of three words an entry that grows
 * up to a bound. Beyond that bound it keeps those of a share of the keys only, by the first bits of
 * their hashes; the recovery goes on share by share and reads the directories for each.
 */
final class Tombstones {
  private static final int STRIDE = 3;
  private static final int SMALLEST = 1024;

  private final int most;
  private long[] cells = new long[STRIDE * SMALLEST];
  private int size;

  /** The share: keys whose hashes begin with so many bits of that value. */
  private int bits;

  private long prefix;

  /**
   * @param most how many keys it keeps, at least 2
   */
  Tombstones(int most) {
    this.most = most;
  }

  void add(long high, long low, long birth) {
    while (isOf(high, low)) {
      if (size < most || cells[find(high, low) + 2] != 0) {
        if (2 * size >= cells.length / STRIDE) {
          fill(cells, 2 * cells.length);
        }
        put(high, low, birth);
        return;
      }
      prefix <<= 1;
      bits++;
      fill(cells, cells.length);
    }
  }

  /** Whether a key is of the share that is known. */
  boolean isOf(long high, long low) {
    return bits == 0 || hash(high, low) >>> (Long.SIZE - bits) == prefix;
  }

  /** Whether a copy of a key of this share that was born then is dead. */
  boolean covers(long high, long low, long birth) {
    return birth <= cells[find(high, low) + 2];
  }

  /** Goes on to the next share, of which nothing is known yet; false if that was the last one. */
  boolean nextShare() {
    while (bits > 0 && (prefix & 1) == 1) {
      prefix >>= 1;
      bits--;
    }
    prefix |= 1;
    cells = new long[STRIDE * SMALLEST];
    size = 0;
    return bits > 0;
  }

  /** How much of the keys this share and those before it are: from 0 on, up to 1. */
  double end() {
    return Math.scalb(prefix + 1.0, -bits);
  }

  /** How much of the keys this share is. */
  double share() {
    return Math.scalb(1.0, -bits);
  }

  private void put(long high, long low, long birth) {
    int at = find(high, low);
    if (cells[at + 2] == 0) {
      size++;
    }
    cells[at] = high;
    cells[at + 1] = low;
    cells[at + 2] = Math.max(cells[at + 2], birth);
  }

  private static long hash(long high, long low) {
    return Layouts.mix(high ^ low);
  }

  /** The key's cell, or the free one where it would be: births are never 0. */
  private int find(long high, long low) {
    int count = cells.length / STRIDE;
    int at = (int) (hash(high, low) & (count - 1));
    while (cells[at * STRIDE + 2] != 0
        && (cells[at * STRIDE] != high || cells[at * STRIDE + 1] != low)) {
      at = at + 1 & count - 1;
    }
    return at * STRIDE;
  }

  /** Keeps what is of the share, in a table of that length. */
  private void fill(long[] old, int length) {
    cells = new long[length];
    size = 0;
    for (int at = 0; at < old.length; at += STRIDE) {
      if (old[at + 2] != 0 && isOf(old[at], old[at + 1])) {
        put(old[at], old[at + 1], old[at + 2]);
      }
    }
  }
}
