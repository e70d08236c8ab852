package io.forebay.benchmarks.trace;

/**
 * Exact segmented LRU of two segments, by bytes: a hit moves an object to the protected segment,
 * whose oldest go back to the young end of probation.
 */
final class SegmentedLru implements Policy {
  private static final int PROBATION = 0;
  private static final int PROTECTED = 1;

  private final Lists lists;
  private final long capacity;
  private final long protectedCapacity;

  SegmentedLru(int objectCount, long capacity, double protectedShare) {
    this.lists = new Lists(objectCount, 2);
    this.capacity = capacity;
    this.protectedCapacity = (long) (capacity * protectedShare);
  }

  @Override
  public boolean access(int id, long size) {
    boolean isHit = lists.isAnywhere(id);
    if (size > capacity) {
      return isHit;
    }
    lists.push(id, size, isHit && size <= protectedCapacity ? PROTECTED : PROBATION);
    while (lists.bytes(PROTECTED) > protectedCapacity) {
      int demoted = lists.oldest(PROTECTED);
      lists.push(demoted, lists.size(demoted), PROBATION);
    }
    while (lists.bytes(PROBATION) + lists.bytes(PROTECTED) > capacity) {
      int oldest = lists.oldest(PROBATION);
      lists.remove(oldest >= 0 ? oldest : lists.oldest(PROTECTED));
    }
    return isHit;
  }
}
