package io.forebay.storage.disk;

import io.forebay.storage.index.DiskIndex;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.placement.StorageClasses;
import io.forebay.storage.purge.Purges;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Wins regions of one device back, the oldest first: what was read since it was written, or is of a
 * pinned class, is written once more, up to a quarter of a region, and the rest leaves the index. A
 * region is due when too few are free, or when the table of the disk's names is nearly full: else
 * what leaves memory would find no name there. The writer's.
 */
final class DeviceReclaimer {
  /** Kept ready, so that the next region can be opened while one is being freed. */
  static final int FREE_TARGET = 2;

  private static final int COPY_SHARE = 4;

  /** What comes while a region is being emptied finds room. */
  private static final double INDEX_HIGH = 0.95;

  private final int number;
  private final DeviceLog log;
  private final RegionHolds holds;
  private final DeviceDirectory directory;
  private final DeviceRecords records;
  private final PendingTombstones graves;
  private final DiskIndex names;
  private final ObjectIndex.Cursor cursor;
  private final RegionTrim trim;
  private final DeviceCounters counters;
  private final Purges purges;
  private final StorageClasses classes;
  private final ByteBuffer buffer = DeviceRecords.buffer();
  private final List<Kept> kept = new ArrayList<>();
  private int budget;

  /** Worth writing once more. */
  private record Kept(long high, long low, DiskLocation from) {}

  DeviceReclaimer(
      int number,
      DeviceLog log,
      RegionHolds holds,
      DeviceDirectory directory,
      DeviceRecords records,
      PendingTombstones graves,
      ObjectIndex.Cursor cursor,
      DiskIndex names,
      RegionTrim trim,
      DeviceCounters counters,
      Purges purges,
      StorageClasses classes) {
    this.number = number;
    this.log = log;
    this.holds = holds;
    this.directory = directory;
    this.records = records;
    this.graves = graves;
    this.cursor = cursor;
    this.names = names;
    this.trim = trim;
    this.counters = counters;
    this.purges = purges;
    this.classes = classes;
  }

  /**
   * Frees the oldest region when too few are free; false if that is not so, or if it has to wait
   * for who reads it.
   */
  boolean next(int regionBytes) throws IOException {
    int due = log.oldestIfShort(FREE_TARGET);
    boolean isForIndex = due < 0 && names.count() >= names.capacity() * INDEX_HIGH;
    int region = isForIndex ? log.oldestIfShort(Integer.MAX_VALUE) : due;
    if (region < 0 || !holds.mayLeave(region)) {
      return false;
    }
    kept.clear();
    // A copy would keep its name.
    budget = isForIndex ? 0 : regionBytes / COPY_SHARE;
    int generation = log.generation(region);
    var ignored =
        directory.forEach(
            region,
            generation,
            log.pages(region, generation),
            one -> leave(one, region, generation));
    kept.forEach(this::copyForward);
    log.release(region);
    holds.left();
    trim.freed(region);
    counters.reclaimed.incrementAndGet();
    if (isForIndex) {
      counters.reclaimedForIndex.incrementAndGet();
    }
    return true;
  }

  private void leave(PageEntry one, int region, int generation) {
    if (one.isTombstone() || one.isDead()) {
      return;
    }
    DiskLocation place =
        new DiskLocation().at(number, region, generation, one.offset(), one.recordLength());
    boolean isPinned = classes.of(one.storageClass()).pinnedPercent() > 0;
    ObjectIndex.Outcome ignored =
        cursor.update(
            one.keyHigh(),
            one.keyLow(),
            (isPresent, value) -> {
              if (!isPresent || !place.isDiskOf(value)) {
                return ObjectIndex.Verdict.KEEP;
              }
              boolean isWanted = isPinned || value.isDiskTouched();
              if (isWanted && budget >= place.length) {
                budget -= place.length;
                kept.add(new Kept(one.keyHigh(), one.keyLow(), place));
                return ObjectIndex.Verdict.KEEP;
              }
              value.leaveDisk();
              return value.isInMemory() ? ObjectIndex.Verdict.PUT : ObjectIndex.Verdict.REMOVE;
            });
  }

  private boolean isPurged(MemorySegment record) {
    return record.get(Layouts.INT, RecordHeader.KIND_OFFSET) != RecordHeader.KIND_SLICE
        && purges.check(record, 0) != Purges.ALIVE;
  }

  /** Writes a record once more; else it leaves the disk. */
  private void copyForward(Kept one) {
    DiskLocation to = new DiskLocation();
    MemorySegment record = MemorySegment.ofBuffer(buffer.clear());
    boolean isMoved =
        records.read(one.from(), buffer)
            && DeviceRecords.isWhole(record, 0, one.from())
            // Asked here, since a sweep may have passed where the copy goes, and not yet come here.
            && !isPurged(record)
            && log.offer(
                record,
                0,
                one.from().length,
                DirectoryPages.entryLength(record, 0),
                RecordHeader.classOnDisk(record, 0),
                to);
    ObjectIndex.Outcome outcome =
        cursor.update(
            one.high(),
            one.low(),
            (isPresent, value) -> {
              if (!isPresent || !one.from().isDiskOf(value)) {
                return ObjectIndex.Verdict.KEEP;
              }
              if (isMoved) {
                value.disk(to.device, to.region, to.generation, to.offset, to.length);
                return ObjectIndex.Verdict.PUT;
              }
              value.leaveDisk();
              return value.isInMemory() ? ObjectIndex.Verdict.PUT : ObjectIndex.Verdict.REMOVE;
            });
    if (isMoved && outcome != ObjectIndex.Outcome.DONE) {
      // It died meanwhile, and its copy must not come back at a start.
      graves.addTombstone(one.high(), one.low(), DirectoryPages.birth(record, 0));
    }
  }
}
