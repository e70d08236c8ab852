package io.forebay.benchmarks.trace;

/** Exact LRU, by bytes. */
final class Lru implements Policy {
  private final Lists lists;
  private final long capacity;

  Lru(int objectCount, long capacity) {
    this.lists = new Lists(objectCount, 1);
    this.capacity = capacity;
  }

  @Override
  public boolean access(int id, long size) {
    boolean isHit = lists.isAnywhere(id);
    if (size > capacity) {
      return isHit;
    }
    lists.push(id, size, 0);
    while (lists.bytes(0) > capacity) {
      lists.remove(lists.oldest(0));
    }
    return isHit;
  }
}
