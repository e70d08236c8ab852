package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.purge.Purges;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * What is asked of one device: records on their way into memory, each asked for once, however many
 * wait for it. Loops ask, this device's readers load; no locks.
 */
final class DeviceReadQueue {
  private static final int MAX = 4096;

  private final DeviceRecords records;
  private final DeviceHealth health;
  private final DeviceCounters counters;
  private final Promoter promoter;
  private final Purges purges;
  private final Runnable onWork;
  private final LongSupplier clockMillis;

  /** What waits longer than this is a miss, and so is what would have to wait behind it. */
  private final long patienceMillis;

  private volatile long refusesUntilMillis = Long.MIN_VALUE;
  private final ConcurrentLinkedQueue<DiskRead> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();
  private final ConcurrentHashMap<LoadKey, DiskRead> underWay = new ConcurrentHashMap<>();

  private record LoadKey(long high, long low) {}

  DeviceReadQueue(
      DeviceRecords records,
      DeviceHealth health,
      DeviceCounters counters,
      Promoter promoter,
      Purges purges,
      Runnable onWork,
      LongSupplier clockMillis,
      long patienceMillis) {
    this.records = records;
    this.health = health;
    this.counters = counters;
    this.promoter = promoter;
    this.purges = purges;
    this.onWork = onWork;
    this.clockMillis = clockMillis;
    this.patienceMillis = patienceMillis;
  }

  /** How many wait or are being read. */
  int count() {
    return count.get();
  }

  /** See {@link Device#load}. */
  boolean load(long high, long low, IndexValue value, Runnable waiter) {
    LoadKey key = new LoadKey(high, low);
    DiskRead running = underWay.get(key);
    if (running == null) {
      long now = clockMillis.getAsLong();
      if (count.incrementAndGet() > MAX || now < refusesUntilMillis) {
        count.decrementAndGet();
        counters.refused.incrementAndGet();
        return false;
      }
      DiskRead own = new DiskRead(high, low, value, now);
      running = underWay.putIfAbsent(key, own);
      if (running == null) {
        own.join(waiter);
        queue.add(own);
        onWork.run();
        if (!health.isInUse()) {
          // It went out of use between the look and the queue, and its readers may be stuck.
          over(own);
        }
        return true;
      }
      count.decrementAndGet();
    }
    running.join(waiter);
    return true;
  }

  /** Does one load; false if none is queued. */
  boolean next(ByteBuffer buffer) {
    DiskRead load = queue.poll();
    if (load == null) {
      return false;
    }
    try {
      if (records.read(load.place, buffer) && isIt(load, MemorySegment.ofBuffer(buffer.clear()))) {
        MemorySegment record = MemorySegment.ofBuffer(buffer.clear());
        if (promoter.promote(load, record) == Promoter.Result.DEAD
            && records.forget(load.high, load.low, load.place)) {
          // The sweep marks it on the disk; until then the purge is in force.
          purges.count(record, 0, Purges.DEAD);
        }
      } else if (health.isInUse()) {
        boolean ignored = records.forget(load.high, load.low, load.place);
      }
    } finally {
      over(load);
    }
    return true;
  }

  private boolean isIt(DiskRead load, MemorySegment record) {
    if (DeviceRecords.isWhole(record, 0, load.place)) {
      // The checksum does not cover the kind.
      return record.get(Layouts.INT, RecordHeader.KIND_OFFSET) == load.kind
          && DirectoryPages.objectId(record, 0) == load.objectId
          && DirectoryPages.birth(record, 0) == load.birth;
    }
    records.onBad(load.place);
    return false;
  }

  private void over(DiskRead load) {
    if (underWay.remove(new LoadKey(load.high, load.low), load)) {
      count.decrementAndGet();
    }
    load.complete();
  }

  /**
   * A device that takes seconds for each read must not hold those who wait in line for minutes: the
   * origin is asked instead.
   */
  void expire() {
    long now = clockMillis.getAsLong();
    DiskRead oldest;
    while ((oldest = queue.peek()) != null && now - oldest.queuedMillis > patienceMillis) {
      refusesUntilMillis = now + patienceMillis;
      // Its reader may be quicker: then it is that one's.
      if (queue.remove(oldest)) {
        counters.refused.incrementAndGet();
        over(oldest);
      }
    }
  }

  /** The device is out of use: whoever waits is told. */
  void failAll() {
    for (DiskRead load : underWay.values()) {
      over(load);
    }
    queue.clear();
  }
}
