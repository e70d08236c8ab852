package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.transit.TransitBuffer;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * One record that is read from a device, and who waits for it. Every waiter is told once and gets
 * the record if it can use it; all others look the key up again.
 */
final class DiskRead {
  final long high;
  final long low;
  final long birth;
  private final long objectId;
  final byte kind;
  final DiskLocation place;
  final long queuedMillis;
  private final ConcurrentLinkedQueue<DiskWaiter> waiters = new ConcurrentLinkedQueue<>();

  /** Whether the index had it as requested already. */
  final boolean isTouched;

  private volatile boolean needsMemory;
  private volatile boolean isOver;

  /** Of what the index knows of the record now. */
  DiskRead(long high, long low, IndexValue value, long queuedMillis) {
    this.queuedMillis = queuedMillis;
    this.high = high;
    this.low = low;
    this.birth = value.birth();
    this.objectId = value.objectId();
    this.kind = value.kind();
    this.isTouched = value.isDiskTouched();
    this.place =
        new DiskLocation()
            .at(
                value.diskDevice(),
                value.diskRegion(),
                value.diskGeneration(),
                value.diskOffset(),
                value.length());
  }

  /**
   * Whether a record is the one that is wanted, as far as the index knows that: the table of a disk
   * may have led to another key's.
   */
  boolean isOf(MemorySegment record) {
    return record.get(Layouts.INT, RecordHeader.KIND_OFFSET) == kind
        && DirectoryPages.keyHigh(record, 0) == high
        && DirectoryPages.keyLow(record, 0) == low
        && DirectoryPages.birth(record, 0) == birth
        && (objectId == IndexValue.UNKNOWN_OBJECT
            || DirectoryPages.objectId(record, 0) == objectId);
  }

  /** Whether the index is sure of the place: it knows the object. */
  boolean isCertain() {
    return objectId != IndexValue.UNKNOWN_OBJECT;
  }

  /** Whether anybody who has joined so far needs it in memory. */
  boolean needsMemory() {
    return needsMemory;
  }

  void join(DiskWaiter waiter) {
    if (waiter.needsMemory()) {
      needsMemory = true;
    }
    waiters.add(waiter);
    // Added before looked at, and marked before emptied: one of the two sees the other.
    if (isOver) {
      notifyWaiters(null);
    }
  }

  boolean isOver() {
    return isOver;
  }

  /**
   * Tells all who wait.
   *
   * @param read for those who can use it, held by the caller for the time of the call
   */
  void complete(@Nullable TransitBuffer read) {
    isOver = true;
    notifyWaiters(read);
  }

  private void notifyWaiters(@Nullable TransitBuffer read) {
    DiskWaiter waiter;
    while ((waiter = waiters.poll()) != null) {
      if (read == null || waiter.needsMemory()) {
        waiter.onRead(null);
      } else {
        read.retain();
        waiter.onRead(read);
      }
    }
  }
}
