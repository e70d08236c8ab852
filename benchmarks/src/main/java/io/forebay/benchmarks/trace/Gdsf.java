package io.forebay.benchmarks.trace;

import java.util.PriorityQueue;

/**
 * Greedy-Dual-Size with Frequency, by bytes: priority is an ageing clock plus frequency over size,
 * the least goes. It favours small objects, so it is about object hits, not byte hits.
 */
final class Gdsf implements Policy {
  private record Entry(int id, int version, double priority) {}

  private final PriorityQueue<Entry> queue =
      new PriorityQueue<>((a, b) -> Double.compare(a.priority, b.priority));
  private final int[] version;
  private final int[] frequency;
  private final long[] held;
  private final long capacity;
  private long bytes;
  private double clock;

  Gdsf(int objectCount, long capacity) {
    this.version = new int[objectCount];
    this.frequency = new int[objectCount];
    this.held = new long[objectCount];
    this.capacity = capacity;
  }

  @Override
  public boolean access(int id, long size) {
    boolean isHit = frequency[id] > 0;
    if (size > capacity) {
      return isHit;
    }
    if (!isHit) {
      while (bytes + size > capacity) {
        evict();
      }
      held[id] = size;
      bytes += size;
    }
    frequency[id]++;
    // Earlier entries of the object stay in the queue and are passed over.
    queue.add(
        new Entry(id, ++version[id], clock + frequency[id] / Math.max(1.0, (double) held[id])));
    return isHit;
  }

  private void evict() {
    Entry least = queue.remove();
    if (version[least.id] != least.version || frequency[least.id] == 0) {
      return;
    }
    clock = least.priority;
    frequency[least.id] = 0;
    bytes -= held[least.id];
  }
}
