package io.forebay.benchmarks.trace;

/**
 * Two caches by S3-FIFO, one for small objects and one for all others, each with a fixed part of
 * the bytes: small objects never compete with large ones for space.
 */
final class SizeSplit implements Policy {
  private final long smallBytes;
  private final Policy small;
  private final Policy large;

  /**
   * @param smallBytes the largest small object
   * @param smallShare of the capacity, for small objects
   */
  SizeSplit(int objectCount, long capacity, long smallBytes, double smallShare) {
    this.smallBytes = smallBytes;
    long smallCapacity = (long) (capacity * smallShare);
    this.small = new S3Fifo(objectCount, smallCapacity);
    this.large = new S3Fifo(objectCount, capacity - smallCapacity);
  }

  @Override
  public boolean access(int id, long size) {
    return (size <= smallBytes ? small : large).access(id, size);
  }
}
