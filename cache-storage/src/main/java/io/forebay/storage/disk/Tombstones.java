package io.forebay.storage.disk;

import io.forebay.storage.layout.Words;

/**
 * The tombstones met during a recovery: an open-addressed table of three words an entry that grows
 * up to a bound. Beyond that bound it no longer knows who is dead and says that everybody is.
 */
final class Tombstones {
  private static final int STRIDE = 3;
  private static final int MOST = 1 << 22;

  private long[] cells = new long[STRIDE * 1024];
  private int size;
  private boolean isOverflown;

  void add(long high, long low, long birth) {
    if (size >= MOST) {
      isOverflown = true;
      return;
    }
    if (2 * size >= cells.length / STRIDE) {
      grow();
    }
    put(high, low, birth);
  }

  /** Whether a copy of this key that was born then is dead. */
  boolean covers(long high, long low, long birth) {
    int at = find(high, low);
    return isOverflown || birth <= cells[at + 2];
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

  /** The key's cell, or the free one where it would be: births are never 0. */
  private int find(long high, long low) {
    int count = cells.length / STRIDE;
    int at = (int) (Words.mix(high ^ low) & (count - 1));
    while (cells[at * STRIDE + 2] != 0
        && (cells[at * STRIDE] != high || cells[at * STRIDE + 1] != low)) {
      at = at + 1 & count - 1;
    }
    return at * STRIDE;
  }

  private void grow() {
    long[] old = cells;
    cells = new long[2 * old.length];
    size = 0;
    for (int at = 0; at < old.length; at += STRIDE) {
      if (old[at + 2] != 0) {
        put(old[at], old[at + 1], old[at + 2]);
      }
    }
  }
}
