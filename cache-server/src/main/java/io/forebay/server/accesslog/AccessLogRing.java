package io.forebay.server.accesslog;

import io.forebay.server.config.LogSampling;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The ring buffer of one event loop's access log records. One loop writes and one writer thread
 * reads, without locks. If the ring is full the line is dropped and counted; the loop never blocks.
 *
 * <p>Records that have been read are used again, the last one first: as long as the writer keeps up
 * a few hundred of them go round, which stay in the processor's caches; the many that a slow disk
 * takes are made only then.
 */
final class AccessLogRing {
  static final AccessLogRing OFF = new AccessLogRing(0);

  private final @Nullable AccessRecord[] slots;
  // Next slot to fill. Set with release by the loop once its record is whole; pairs with the
  // acquire
  // in drain.
  private final AtomicLong tail = new AtomicLong();
  // Next slot to read. Set with release by the writer once it is done with the record; pairs with
  // the acquire in record.
  private final AtomicLong head = new AtomicLong();
  // The loop's: records that are free, and the slot from which it takes back the next one.
  private final @Nullable AccessRecord[] spare;
  private int spares;
  private long takenBack;
  private long random = 0x9E3779B97F4A7C15L;
  // Written by the loop alone; a scrape may read it a moment late.
  private long dropped;
  private volatile @Nullable Thread writer;

  /**
   * A lane of that many slots.
   *
   * @param capacity a power of two, or 0 for a lane that takes nothing
   */
  AccessLogRing(int capacity) {
    slots = new AccessRecord[capacity];
    spare = new AccessRecord[capacity];
  }

  /** Whether it is worth putting an event together. */
  boolean isEnabled() {
    return slots.length != 0;
  }

  /** Takes a copy of the event; on the loop of this lane only. */
  void record(AccessEvent event) {
    int capacity = slots.length;
    if (capacity == 0) {
      return;
    }
    int share = event.rules().share(event.heldConditions(), event.status(), event.cache());
    if (share < LogSampling.ALL && !isChosen(event, share)) {
      return;
    }
    long position = tail.getPlain();
    long read = head.getAcquire();
    long queued = position - read;
    if (queued >= capacity) {
      dropped++;
      return;
    }
    AccessRecord record = spare(read);
    record.fill(event, share);
    slots[(int) position & (capacity - 1)] = record;
    tail.setRelease(position + 1);
    // The writer looks by itself many times a second; a burst wakes it before the ring is full.
    if (queued == capacity >> 1) {
      LockSupport.unpark(writer);
    }
  }

  private boolean isChosen(AccessEvent event, int share) {
    if (share == 0) {
      return false;
    }
    long draw = event.idHash();
    if (draw == 0) {
      // Xorshift: what is chosen has to be unrelated to the order of requests, no more.
      random ^= random << 13;
      random ^= random >>> 7;
      random ^= random << 17;
      draw = random;
    }
    return (draw >>> 1) % LogSampling.ALL < share;
  }

  private AccessRecord spare(long read) {
    for (; takenBack < read; takenBack++) {
      spare[spares++] = slots[(int) takenBack & (slots.length - 1)];
    }
    AccessRecord record = spares == 0 ? null : spare[--spares];
    return record == null ? new AccessRecord() : record;
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
      boolean isMore =
          consumer.accept(Objects.requireNonNull(slots[(int) position & (slots.length - 1)]));
      position++;
      head.setRelease(position);
      if (!isMore) {
        return i + 1;
      }
    }
    return count;
  }

  /** Takes a record; it is overwritten after the call. */
  interface Consumer {
    /** Gives false to take no more now. */
    boolean accept(AccessRecord record);
  }
}
