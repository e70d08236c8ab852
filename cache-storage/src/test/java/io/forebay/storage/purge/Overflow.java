package io.forebay.storage.purge;

import java.lang.foreign.MemorySegment;

/** A full purge table, for races in another package. */
public final class Overflow {
  private static final int CAPACITY = 8;

  private final PurgeTable table = new PurgeTable(CAPACITY);

  /** With this scope purged. */
  public Overflow(long scope, long sequence) {
    for (int n = 0; n < CAPACITY; n++) {
      if (!table.put(scope + n, sequence, false)) {
        throw new IllegalStateException("full too early");
      }
    }
  }

  /** One scope more than there are places. */
  public boolean overflow(long scope, long sequence) {
    return !table.put(scope, sequence, false);
  }

  public boolean isDead(MemorySegment memory, long record) {
    return table.check(memory, record) == Purges.DEAD;
  }

  public boolean isDead(long scope0, long scope1, long birth) {
    return table.check(scope0, scope1, birth) == Purges.DEAD;
  }
}
