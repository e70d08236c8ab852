package io.forebay.storage.disk;

import io.forebay.storage.index.KeyHash;
import io.forebay.storage.layout.Layouts;

/**
 * The tombstones met during a recovery: an open-addressed table of two words an entry that grows up
 * to a bound. Beyond that bound it keeps those of a share of the keys only, by the first bits of
 * their hashes; the recovery goes on share by share and reads the directories for each.
 *
 * <p>Keys count as one if some table of a disk can't tell them apart: where one of them took the
 * other's name, its tombstone is the only one there is. So keys are {@linkplain KeyHash#coarse
 * coarse} ones here.
 */
final class Tombstones {
  private static final int STRIDE = 2;
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

  void add(long key, long birth) {
    while (isOf(key)) {
      if (size < most || cells[find(key) + 1] != 0) {
        if (2 * size >= cells.length / STRIDE) {
          fill(cells, 2 * cells.length);
        }
        put(key, birth);
        return;
      }
      prefix <<= 1;
      bits++;
      fill(cells, cells.length);
    }
  }

  /** Whether a key is of the share that is known. */
  boolean isOf(long key) {
    return bits == 0 || Layouts.mix(key) >>> (Long.SIZE - bits) == prefix;
  }

  /** Whether a copy of a key of this share that was born then is dead. */
  boolean covers(long key, long birth) {
    return size > 0 && birth <= cells[find(key) + 1];
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

  private void put(long key, long birth) {
    int at = find(key);
    if (cells[at + 1] == 0) {
      size++;
    }
    cells[at] = key;
    cells[at + 1] = Math.max(cells[at + 1], birth);
  }

  /** The key's cell, or the free one where it would be: births are never 0. */
  private int find(long key) {
    int count = cells.length / STRIDE;
    int at = (int) (Layouts.mix(key) & (count - 1));
    while (cells[at * STRIDE + 1] != 0 && cells[at * STRIDE] != key) {
      at = at + 1 & count - 1;
    }
    return at * STRIDE;
  }

  /** Keeps what is of the share, in a table of that length. */
  private void fill(long[] old, int length) {
    cells = new long[length];
    size = 0;
    for (int at = 0; at < old.length; at += STRIDE) {
      if (old[at + 1] != 0 && isOf(old[at])) {
        put(old[at], old[at + 1]);
      }
    }
  }
}
