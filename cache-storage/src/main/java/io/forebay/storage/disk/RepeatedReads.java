package io.forebay.storage.disk;

import io.forebay.storage.ghost.GhostFilter;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Which records of a device are read again within about a memory tier's worth of bytes: those are
 * worth a place in memory, and a scan has none of them. Any thread; nobody waits.
 */
final class RepeatedReads {
  /** Fingerprints are for records of this mean length. */
  private static final int MEAN_RECORD = 32 << 10;

  private final GhostFilter seen;
  private final ReentrantLock lock = new ReentrantLock();

  RepeatedReads(long memoryBytes) {
    this.seen = new GhostFilter(memoryBytes, Math.max(1, memoryBytes / MEAN_RECORD));
  }

  /** Notes a read, and tells whether there was one lately; false also while others note theirs. */
  boolean isRepeated(long high, long low, int length) {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      long record = high ^ Long.rotateLeft(low, 32);
      boolean isRepeated = seen.mayContain(record);
      seen.add(record);
      seen.age(length);
      return isRepeated;
    } finally {
      lock.unlock();
    }
  }
}
