package io.forebay.benchmarks.trace;

import io.forebay.storage.evict.Tuning;

/**
 * Two caches, one for small objects and one for all others, each with a fixed part of the bytes:
 * small objects never compete with large ones for space.
 */
final class SizeSplit implements Policy {
  private final long smallBytes;
  private final Policy small;
  private final Policy large;

  private Policy asked;

  private SizeSplit(long smallBytes, Policy small, Policy large) {
    this.smallBytes = smallBytes;
    this.small = small;
    this.large = large;
    this.asked = small;
  }

  /**
   * Both by S3-FIFO.
   *
   * @param smallBytes the largest small object
   * @param smallShare of the capacity, for small objects
   */
  static SizeSplit s3Fifo(int objectCount, long capacity, long smallBytes, double smallShare) {
    long smallCapacity = (long) (capacity * smallShare);
    return new SizeSplit(
        smallBytes,
        new S3Fifo(objectCount, smallCapacity),
        new S3Fifo(objectCount, capacity - smallCapacity));
  }

  /** Both by the store's own eviction, each with whole regions and a tuner of its own. */
  static SizeSplit forebay(long capacity, long smallBytes, double smallShare, Tuning tuning) {
    return new SizeSplit(
        smallBytes,
        new Forebay(capacity, smallShare, tuning),
        new Forebay(capacity, 1 - smallShare, tuning));
  }

  @Override
  public boolean access(int id, long size) {
    asked = size <= smallBytes ? small : large;
    return asked.access(id, size);
  }

  @Override
  public long fetchedBytes(long size) {
    return asked.fetchedBytes(size);
  }
}
