package io.forebay.storage.disk;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Tombstones that one device has still to write. Bounded: one that finds no room is dropped, and
 * the sweep then reads every directory and marks what the index does not name. Any thread; taken
 * under the log's lock.
 */
final class PendingTombstones {
  private final int most;
  private final ConcurrentLinkedQueue<Tombstone> waiting = new ConcurrentLinkedQueue<>();

  /** Counted before a tombstone is added, so that none in the queue is missing from it. */
  private final AtomicLong issued = new AtomicLong();

  private final AtomicLong taken = new AtomicLong();
  private volatile boolean isOverflown;
  private volatile boolean hasLost;

  /**
   * @param most how many may wait, at least 2
   */
  PendingTombstones(int most) {
    this.most = most;
  }

  /** Has copies of a key that were born up to then stay dead. */
  void addTombstone(long high, long low, long birth) {
    if (size() >= most) {
      isOverflown = true;
      return;
    }
    issued.incrementAndGet();
    waiting.add(new Tombstone(high, low, birth));
  }

  /** What is dead and has no tombstone is to be found, as if one had been dropped. Any thread. */
  void audit() {
    isOverflown = true;
  }

  @Nullable Tombstone poll() {
    Tombstone next = waiting.poll();
    if (next != null) {
      taken.incrementAndGet();
    }
    return next;
  }

  private long size() {
    return issued.get() - taken.get();
  }

  /** Whether the sweep may add so many: half of the room is left to the others. */
  boolean hasRoom(int count) {
    return size() == 0 || size() + count <= most / 2;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** How many have been added; see {@link #haveLeftQueue}. */
  long issued() {
    return issued.get();
  }

  /** Whether all that were added before {@link #issued} said so have left the queue. */
  boolean haveLeftQueue(long ofIssued) {
    return taken.get() >= ofIssued;
  }

  /** Whether tombstones were dropped since the last {@link #takeOverflow}. */
  boolean isOverflown() {
    return isOverflown;
  }

  /** Says whether tombstones were dropped, and forgets it: the caller looks for their dead. */
  boolean takeOverflow() {
    boolean was = isOverflown;
    isOverflown = false;
    return was;
  }

  /** Whether tombstones may be gone that were written to the device. */
  boolean hasLost() {
    return hasLost;
  }

  /** What the device holds of tombstones is not known any more. */
  void lose() {
    hasLost = true;
  }

  /** The device is empty: nothing needs a tombstone. */
  void clear() {
    Tombstone next;
    do {
      next = poll();
    } while (next != null);
    isOverflown = false;
    hasLost = false;
  }
}
