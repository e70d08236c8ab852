package io.forebay.storage.disk;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Tombstones that one device has still to write. Bounded: once it had to lose one, nobody can tell
 * what on the device is dead, and it has to be emptied. Any thread; taken by who holds the log's
 * lock.
 */
final class Graves {
  private static final int MOST = 1 << 18;

  private final ConcurrentLinkedQueue<Tombstone> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();
  private volatile boolean hasLost;

  /** Has copies of a key that were born up to then stay dead. */
  void bury(long high, long low, long birth) {
    if (count.incrementAndGet() > MOST) {
      count.decrementAndGet();
      hasLost = true;
      return;
    }
    waiting.add(new Tombstone(high, low, birth));
  }

  @Nullable Tombstone poll() {
    Tombstone next = waiting.poll();
    if (next != null) {
      count.decrementAndGet();
    }
    return next;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Whether some are gone that the device should have. */
  boolean hasLost() {
    return hasLost;
  }

  /** Who is dead is not known any more. */
  void lose() {
    hasLost = true;
  }

  /** The device is empty: nobody is left to be buried. */
  void clear() {
    waiting.clear();
    count.set(0);
    hasLost = false;
  }
}
