package io.forebay.benchmarks.trace;

/**
 * S3-FIFO, by bytes: a small queue of a tenth, a main queue with two-bit counters, a ghost queue
 * that remembers as many bytes as the main queue holds. (Yang et al., "FIFO queues are all you need
 * for cache eviction", SOSP 2023.) An object leaves the small queue for the main one if it was
 * asked for more than once since it came.
 */
final class S3Fifo implements Policy {
  private static final int SMALL = 0;
  private static final int MAIN = 1;
  private static final int GHOST = 2;
  private static final int MAX = 3;

  private final Lists lists;
  private final byte[] frequency;
  private final long capacity;
  private final long smallCapacity;
  private final long ghostCapacity;

  S3Fifo(int objectCount, long capacity) {
    this.lists = new Lists(objectCount, 3);
    this.frequency = new byte[objectCount];
    this.capacity = capacity;
    this.smallCapacity = capacity / 10;
    this.ghostCapacity = capacity - smallCapacity;
  }

  @Override
  public boolean access(int id, long size) {
    if (lists.isOn(id, SMALL) || lists.isOn(id, MAIN)) {
      frequency[id] = (byte) Math.min(MAX, frequency[id] + 1);
      return true;
    }
    if (size > capacity) {
      return false;
    }
    while (lists.bytes(SMALL) + lists.bytes(MAIN) + size > capacity) {
      evict();
    }
    frequency[id] = 0;
    boolean isBack = lists.isOn(id, GHOST);
    lists.push(id, size, isBack || size > smallCapacity ? MAIN : SMALL);
    return false;
  }

  private void evict() {
    if (lists.bytes(SMALL) > smallCapacity || lists.oldest(MAIN) < 0) {
      evictSmall();
    } else {
      evictMain();
    }
  }

  private void evictSmall() {
    int id = lists.oldest(SMALL);
    if (frequency[id] > 1) {
      frequency[id] = 0;
      lists.push(id, lists.size(id), MAIN);
      return;
    }
    lists.push(id, lists.size(id), GHOST);
    while (lists.bytes(GHOST) > ghostCapacity) {
      lists.remove(lists.oldest(GHOST));
    }
  }

  private void evictMain() {
    int id = lists.oldest(MAIN);
    if (frequency[id] > 0) {
      frequency[id]--;
      lists.push(id, lists.size(id), MAIN);
    } else {
      lists.remove(id);
    }
  }
}
