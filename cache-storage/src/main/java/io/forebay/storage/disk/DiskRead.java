package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * One record on its way from a device into memory, and who waits for it. Every waiter is told once;
 * how it ended they find out by looking the key up again.
 */
final class DiskRead {
  final long high;
  final long low;
  final long birth;
  final long objectId;
  final byte kind;
  final DiskLocation place;
  final long queuedMillis;
  private final ConcurrentLinkedQueue<Runnable> waiters = new ConcurrentLinkedQueue<>();
  private volatile boolean isOver;

  /** Of what the index knows of the record now. */
  DiskRead(long high, long low, IndexValue value, long queuedMillis) {
    this.queuedMillis = queuedMillis;
    this.high = high;
    this.low = low;
    this.birth = value.birth();
    this.objectId = value.objectId();
    this.kind = value.kind();
    this.place =
        new DiskLocation()
            .at(
                value.diskDevice(),
                value.diskRegion(),
                value.diskGeneration(),
                value.diskOffset(),
                value.length());
  }

  void join(Runnable waiter) {
    waiters.add(waiter);
    // Added before looked at, and marked before emptied: one of the two sees the other.
    if (isOver) {
      notifyWaiters();
    }
  }

  boolean isOver() {
    return isOver;
  }

  void complete() {
    isOver = true;
    notifyWaiters();
  }

  private void notifyWaiters() {
    Runnable waiter;
    while ((waiter = waiters.poll()) != null) {
      waiter.run();
    }
  }
}
