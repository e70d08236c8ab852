package io.forebay.server.metric;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One loop's way into the access log: a ring of slots made beforehand, so that recording takes no
 * lock and allocates nothing. One loop writes, one writer thread reads. When the ring is full the
 * line is dropped and counted; the loop never waits.
 */
public final class AccessLane {
  static final AccessLane OFF = new AccessLane(0);

  private final AccessRecord[] slots;
  // Next slot to fill. Set with release by the loop once the slot is whole; pairs with the acquire
  // in drain.
  private final AtomicLong tail = new AtomicLong();
  // Next slot to read. Set with release by the writer once it is done with the slot; pairs with the
  // acquire in record.
  private final AtomicLong head = new AtomicLong();
  // Written by the loop alone; a scrape may read it a moment late.
  private long dropped;
  private volatile @Nullable Thread writer;

  /**
   * A lane of that many slots.
   *
   * @param capacity a power of two, or 0 for a lane that takes nothing
   */
  AccessLane(int capacity) {
    slots = new AccessRecord[capacity];
    for (int i = 0; i < capacity; i++) {
      slots[i] = new AccessRecord();
    }
  }

  /** Whether it is worth putting an event together. */
  public boolean isEnabled() {
    return slots.length != 0;
  }

  /** Takes a copy of the event; on the loop of this lane only. */
  public void record(AccessEvent event) {
    int capacity = slots.length;
    if (capacity == 0) {
      return;
    }
    long position = tail.getPlain();
    long queued = position - head.getAcquire();
    if (queued >= capacity) {
      dropped++;
      return;
    }
    slots[(int) position & (capacity - 1)].fill(event);
    tail.setRelease(position + 1);
    // The writer looks by itself many times a second; a burst wakes it before the ring is full.
    if (queued == capacity >> 1) {
      LockSupport.unpark(writer);
    }
  }

  long dropped() {
    return dropped;
  }

  void writer(Thread thread) {
    writer = thread;
  }

  /** Hands at most that many records to the consumer, in order; on the writer thread only. */
  int drain(Consumer consumer, int max) {
    long position = head.getPlain();
    int count = (int) Math.min(tail.getAcquire() - position, max);
    for (int i = 0; i < count; i++) {
      consumer.accept(slots[(int) position & (slots.length - 1)]);
      position++;
      head.setRelease(position);
    }
    return count;
  }

  /** Takes a record; it is overwritten after the call. */
  interface Consumer {
    void accept(AccessRecord record);
  }
}
