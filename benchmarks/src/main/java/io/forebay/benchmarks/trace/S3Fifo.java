package io.forebay.benchmarks.trace;

/**
 * S3-FIFO, by bytes: a small queue of a tenth, a main queue with two-bit counters, and a ghost
 * queue that remembers as many bytes as the main queue may hold. (Yang et al., "FIFO queues are all
 * you need for cache eviction", SOSP 2023.)
 *
 * <p>The paper counts objects; where sizes differ, this follows the authors' simulator libCacheSim
 * (its {@code S3FIFO} with the default parameters):
 *
 * <ul>
 *   <li>Space is taken from the main queue while that has more than nine tenths, else from the
 *       small one. So a large object pushes out what is in the small queue, not what has proven
 *       useful.
 *   <li>The small queue gives until one object is gone; what was asked for again moves to the main
 *       queue meanwhile.
 *   <li>An object as large as the small queue is not let in.
 *   <li>Before anything was evicted, what the small queue has no space for goes to the main one.
 * </ul>
 */
final class S3Fifo implements Policy {
  private static final int SMALL = 0;
  private static final int MAIN = 1;
  private static final int GHOST = 2;
  private static final int MAX_FREQUENCY = 3;

  private final Lists lists;
  private final byte[] frequency;
  private final long capacity;
  private final long smallCapacity;
  private final long mainCapacity;
  private final int moveToMain;
  private boolean hasEvicted;

  S3Fifo(int objectCount, long capacity) {
    this(objectCount, capacity, 2);
  }

  /**
   * @param moveToMain requests after the first with which an object leaves the small queue for the
   *     main one: 2 in the paper ("more than once") and by default in libCacheSim, 1 in some
   *     versions
   */
  S3Fifo(int objectCount, long capacity, int moveToMain) {
    this.lists = new Lists(objectCount, 3);
    this.frequency = new byte[objectCount];
    this.capacity = capacity;
    this.moveToMain = moveToMain;
    this.smallCapacity = capacity / 10;
    this.mainCapacity = capacity - smallCapacity;
  }

  @Override
  public boolean access(int id, long size) {
    if (holds(id)) {
      frequency[id] = (byte) Math.min(MAX_FREQUENCY, frequency[id] + 1);
      return true;
    }
    boolean isBack = lists.isOn(id, GHOST);
    lists.remove(id);
    if (size >= smallCapacity) {
      return false;
    }
    while (lists.bytes(SMALL) + lists.bytes(MAIN) + size > capacity) {
      evict();
    }
    frequency[id] = 0;
    boolean isSmallFull = !hasEvicted && lists.bytes(SMALL) >= smallCapacity;
    lists.push(id, size, isBack || isSmallFull ? MAIN : SMALL);
    return false;
  }

  boolean holds(int id) {
    return lists.isOn(id, SMALL) || lists.isOn(id, MAIN);
  }

  private void evict() {
    hasEvicted = true;
    if (lists.bytes(MAIN) > mainCapacity || lists.oldest(SMALL) < 0) {
      evictFromMain();
    } else {
      evictFromSmall();
    }
  }

  private void evictFromSmall() {
    for (int id = lists.oldest(SMALL); id >= 0; id = lists.oldest(SMALL)) {
      if (frequency[id] < moveToMain) {
        lists.push(id, lists.size(id), GHOST);
        while (lists.bytes(GHOST) > mainCapacity) {
          lists.remove(lists.oldest(GHOST));
        }
        return;
      }
      frequency[id] = 0;
      lists.push(id, lists.size(id), MAIN);
    }
  }

  private void evictFromMain() {
    int id = lists.oldest(MAIN);
    while (frequency[id] > 0) {
      frequency[id]--;
      lists.push(id, lists.size(id), MAIN);
      id = lists.oldest(MAIN);
    }
    lists.remove(id);
  }
}
