package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.transit.TransitBuffer;
import io.forebay.storage.transit.TransitPool;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of one device: records, each read once, however many wait for it. Loops ask, this
 * device's readers read; no locks.
 *
 * <pre>
 *   readCached  loop: what page cache has, without waiting  ──► transit buffer
 *   read        loop: queued ──► reader ──► transit buffer ──► those who wait
 *                                  │           one for records that lie one behind the other
 *                                  └──► memory: heads whose bodies lie elsewhere, what is
 *                                       read again, and all while no transit buffer is left
 * </pre>
 *
 * <p>Nothing here asks the purges of what stays out of memory: each who waits does so itself when
 * it looks the head up in what was read.
 */
final class DeviceReadQueue {
  private static final int MAX = 4096;

  /**
   * Records that lie one behind the other are read together: up to 1 MiB, and their headers, for
   * which a buffer of 1 MiB has room.
   */
  private static final int MAX_TOGETHER_BYTES = (1 << 20) + (4 << 10);

  /** Records in transit buffers that wait to be copied into memory; more than these are not. */
  private static final int MAX_PROMOTIONS = 32;

  private final DeviceRecords records;
  private final DeviceHealth health;
  private final DeviceCounters counters;
  private final Promoter promoter;
  private final Purges purges;
  private final TransitPool transit;
  private final RepeatedReads repeated;
  private final Runnable wakeReader;
  private final LongSupplier clockMillis;

  /** What waits longer than this is a miss, and so is what would have to wait behind it. */
  private final long patienceMillis;

  private volatile long refusesUntilMillis = Long.MIN_VALUE;
  private final ConcurrentLinkedQueue<DiskRead> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();

  /** Transit buffers that those who wait or are being read would take. */
  private final AtomicLong awaitedBytes = new AtomicLong();

  private final ConcurrentHashMap<LoadKey, DiskRead> underWay = new ConcurrentHashMap<>();

  /** Read again, to be copied into memory. */
  private final ConcurrentLinkedQueue<Promotion> promotions = new ConcurrentLinkedQueue<>();

  private final AtomicInteger promotionCount = new AtomicInteger();

  private record LoadKey(long high, long low) {}

  private record Promotion(DiskRead read, TransitBuffer bytes) {}

  DeviceReadQueue(
      DeviceRecords records,
      DeviceHealth health,
      DeviceCounters counters,
      Promoter promoter,
      Purges purges,
      TransitPool transit,
      RepeatedReads repeated,
      Runnable wakeReader,
      LongSupplier clockMillis,
      long patienceMillis) {
    this.records = records;
    this.health = health;
    this.counters = counters;
    this.promoter = promoter;
    this.purges = purges;
    this.transit = transit;
    this.repeated = repeated;
    this.wakeReader = wakeReader;
    this.clockMillis = clockMillis;
    this.patienceMillis = patienceMillis;
  }

  /** How many wait or are being read. */
  int count() {
    return count.get();
  }

  /**
   * Whether half of the transit buffers is free. What waits counts, since it will take some: slices
   * that are read ahead must leave buffers to those that a client waits for.
   */
  boolean mayReadAhead() {
    return transit.usedBytes() + awaitedBytes.get() < transit.limitBytes() / 2;
  }

  /** Has the readers look what was queued. */
  void start() {
    wakeReader.run();
  }

  /** See {@link Device#queue}. */
  boolean queue(long high, long low, IndexValue value, DiskWaiter waiter) {
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
        awaitedBytes.addAndGet(TransitPool.bytesFor(own.place.length));
        own.join(waiter);
        queue.add(own);
        if (!health.isInUse()) {
          // It went out of service between the look and the queue, and its readers may be stuck.
          over(own, null);
        }
        return true;
      }
      count.decrementAndGet();
    }
    running.join(waiter);
    return true;
  }

  /** See {@link Device#readCached}. */
  @Nullable TransitBuffer readCached(long high, long low, IndexValue value) {
    TransitBuffer buffer =
        records.mayReadCached() && value.kind() != RecordHeader.KIND_MARKER
            ? transit.takeAllocated(value.length())
            : null;
    if (buffer == null) {
      return null;
    }
    DiskRead read = new DiskRead(high, low, value, 0);
    // What is not what was written is left to the readers, which find out why.
    if (!records.readCached(read.place, buffer)
        || !isIt(read, buffer.memory())
        || belongsInMemory(buffer.memory())) {
      buffer.release();
      return null;
    }
    // A copy of a slice in memory saves a system call for many bytes; that of a small object saves
    // most of what a request costs.
    boolean isCheap = value.kind() == RecordHeader.KIND_SLICE;
    if (repeated.isRepeated(high, low, value.length(), isCheap)) {
      promoteLater(read, buffer);
    }
    return buffer;
  }

  /**
   * Whether a record always goes into memory: a marker and a head without its body are small, are
   * needed for all their slices, and have fields that the tables of disks do not have.
   */
  private static boolean belongsInMemory(MemorySegment record) {
    int kind = record.get(Layouts.INT, RecordHeader.KIND_OFFSET);
    return kind == RecordHeader.KIND_MARKER
        || (kind == RecordHeader.KIND_OBJECT
            && (record.get(Layouts.INT, HeadRecord.FLAGS_OFFSET) & HeadRecord.FLAG_INLINE) == 0);
  }

  /** Copying is for a reader: a loop would wait for the index. */
  private void promoteLater(DiskRead read, TransitBuffer buffer) {
    if (promotionCount.incrementAndGet() > MAX_PROMOTIONS) {
      promotionCount.decrementAndGet();
      return;
    }
    buffer.retain();
    promotions.add(new Promotion(read, buffer));
    wakeReader.run();
  }

  private boolean promoteNext() {
    Promotion next = promotions.poll();
    if (next == null) {
      return false;
    }
    promotionCount.decrementAndGet();
    try {
      promote(next.read(), next.bytes().memory());
    } finally {
      next.bytes().release();
    }
    return true;
  }

  /** Does one read, of one record or several, or one promotion; false if none is queued. */
  boolean next(ByteBuffer buffer) {
    DiskRead read = queue.poll();
    if (read == null) {
      return promoteNext();
    }
    List<DiskRead> neighbours = withNeighbours(read);
    if (!queue.isEmpty()) {
      // The thread that queued them woke this reader only.
      wakeReader.run();
    }
    try {
      if (neighbours.size() == 1 || !readTogether(neighbours)) {
        neighbours.forEach(one -> readAlone(one, buffer));
      }
    } finally {
      // Nobody else has them any more.
      for (DiskRead one : neighbours) {
        if (!one.isOver()) {
          over(one, null);
        }
      }
    }
    return true;
  }

  /** A read that was queued, with those behind it in the queue that lie behind it on the device. */
  private List<DiskRead> withNeighbours(DiskRead first) {
    DiskRead next = queue.peek();
    if (first.needsMemory() || next == null || !next.place.isBehind(first.place)) {
      return List.of(first);
    }
    List<DiskRead> neighbours = new ArrayList<>();
    neighbours.add(first);
    while (next != null
        && !next.needsMemory()
        && next.place.isBehind(neighbours.getLast().place)
        && next.place.end() - first.place.offset <= MAX_TOGETHER_BYTES
        && queue.remove(next)) {
      neighbours.add(next);
      next = queue.peek();
    }
    return neighbours;
  }

  /** False if they have to be read one by one. */
  private boolean readTogether(List<DiskRead> reads) {
    DiskLocation first = reads.getFirst().place;
    int length = reads.getLast().place.end() - first.offset;
    TransitBuffer all = transit.take(length);
    if (all == null) {
      return false;
    }
    try {
      if (!records.readTogether(first, reads.size(), length, all)) {
        return false;
      }
      List<TransitBuffer> parts = new ArrayList<>(reads.size());
      for (DiskRead read : reads) {
        parts.add(all.part(read.place.offset - first.offset, read.place.length));
      }
      finish(reads, parts);
      return true;
    } finally {
      all.release();
    }
  }

  private void readAlone(DiskRead read, ByteBuffer buffer) {
    TransitBuffer bytes = read.needsMemory() ? null : transit.take(read.place.length);
    if (bytes != null) {
      finish(read, records.read(read.place, bytes), bytes);
      return;
    }
    try {
      boolean isHad = records.read(read.place, buffer);
      boolean ignored = settle(read, isHad, MemorySegment.ofBuffer(buffer.clear()), true);
    } finally {
      over(read, null);
    }
  }

  /**
   * Ends reads that were made together, and gives their buffers up. All are verified before anybody
   * is told: a loop that is woken for each record takes the CPU from the reader each time. The
   * first one, for which a client waits most likely, is told last: then the others are there, too,
   * and go into the same system call.
   */
  private void finish(List<DiskRead> reads, List<TransitBuffer> parts) {
    boolean[] areRead = new boolean[reads.size()];
    try {
      for (int n = 0; n < areRead.length; n++) {
        areRead[n] = settle(reads.get(n), true, parts.get(n).memory(), false);
      }
    } finally {
      for (int n = areRead.length - 1; n >= 0; n--) {
        over(reads.get(n), areRead[n] ? parts.get(n) : null);
        parts.get(n).release();
      }
    }
  }

  /** Ends a read that was made into a buffer, and gives that up. */
  private void finish(DiskRead read, boolean isHad, TransitBuffer bytes) {
    boolean isRead = false;
    try {
      isRead = settle(read, isHad, bytes.memory(), false);
    } finally {
      over(read, isRead ? bytes : null);
      bytes.release();
    }
  }

  /** Uses what was read, or forgets the place; whether it is what was wanted. */
  private boolean settle(DiskRead read, boolean isHad, MemorySegment record, boolean isForMemory) {
    boolean isRead = isHad && isRecord(read, record);
    if (isRead) {
      use(read, record, isForMemory);
    } else if (health.isInUse() && !(isHad && isOther(read, record))) {
      boolean ignored = records.forget(read.high, read.low, read.place);
    }
    return isRead;
  }

  private void use(DiskRead read, MemorySegment record, boolean isForMemory) {
    if (isForMemory
        || read.needsMemory()
        || belongsInMemory(record)
        || repeated.isRepeated(read.high, read.low, read.place.length, false)) {
      promote(read, record);
    } else if (!read.isTouched) {
      records.touch(read.high, read.low, read.place);
    }
  }

  /** Whether what was read is what was wanted; what is damaged counts against the device. */
  private boolean isRecord(DiskRead read, MemorySegment record) {
    boolean isIt = isIt(read, record);
    if (!isIt && isDamaged(read, record)) {
      records.onBad(read.place);
    }
    return isIt;
  }

  /**
   * Whether a record that is not whole was written there. A place that is not certain may be one
   * that its region gave to something else since.
   */
  private boolean isDamaged(DiskRead read, MemorySegment record) {
    return !DeviceRecords.isWhole(record, 0, read.place)
        && (read.isCertain() || !records.isNowhere(read.place));
  }

  /** Whether a whole record of another key is there, which the index took for the wanted one's. */
  private static boolean isOther(DiskRead read, MemorySegment record) {
    return DeviceRecords.isWhole(record, 0, read.place) && !read.isOf(record);
  }

  private void promote(DiskRead read, MemorySegment record) {
    if (promoter.promote(read, record) == Promoter.Result.DEAD
        && records.forget(read.high, read.low, read.place)) {
      // The sweep marks it on the disk; until then the purge is in force.
      purges.count(record, 0, Purges.DEAD);
    }
  }

  private static boolean isIt(DiskRead read, MemorySegment record) {
    return DeviceRecords.isWhole(record, 0, read.place) && read.isOf(record);
  }

  private void over(DiskRead read, @Nullable TransitBuffer bytes) {
    if (underWay.remove(new LoadKey(read.high, read.low), read)) {
      count.decrementAndGet();
      awaitedBytes.addAndGet(-TransitPool.bytesFor(read.place.length));
    }
    read.complete(bytes);
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
        over(oldest, null);
      }
    }
  }

  /** The device is out of service: all who wait are told. */
  void failAll() {
    for (DiskRead read : underWay.values()) {
      over(read, null);
    }
    queue.clear();
    Promotion promotion;
    while ((promotion = promotions.poll()) != null) {
      promotionCount.decrementAndGet();
      promotion.bytes().release();
    }
  }
}
