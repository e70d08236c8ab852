package io.forebay.storage.disk;

import io.forebay.storage.ghost.GhostFilter;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Which records of a device are read again within about a memory tier's worth of bytes: those are
 * worth a place in memory, and a scan has none of them. What page cache has of a body in slices
 * costs a copy, no wait for the device: it is worth a place only at the third read. Any thread;
 * nobody waits.
 */
final class RepeatedReads {
  /** Fingerprints are for records of this mean length: those of small objects are to fit, too. */
  private static final int MEAN_RECORD = 8 << 10;

  /** 16 MiB of heap, for 64 GiB of such records. */
  private static final long MAX_RECORDS = 8 << 20;

  private final GhostFilter seen;
  private final ReentrantLock lock = new ReentrantLock();

  RepeatedReads(long memoryBytes) {
    this.seen = new GhostFilter(memoryBytes, Math.clamp(memoryBytes / MEAN_RECORD, 1, MAX_RECORDS));
  }

  /**
   * Notes a read, and tells whether the record is worth a place in memory; false also while others
   * note theirs.
   *
   * @param isCheap whether there is little to be saved at the next read
   */
  boolean isRepeated(long high, long low, int length, boolean isCheap) {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      long record = high ^ Long.rotateLeft(low, 32);
      boolean isRepeated = seen.mayContain(record);
      seen.add(record);
      if (isRepeated && isCheap) {
        isRepeated = seen.mayContain(~record);
        seen.add(~record);
      }
      seen.age(length);
      return isRepeated;
    } finally {
      lock.unlock();
    }
  }
}
