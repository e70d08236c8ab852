package io.forebay.storage.disk;

import io.forebay.storage.index.DiskIndex;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.RecordHeader;
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

  private final DeviceLog log;
  private final RegionHolds holds;
  private final RegionContents contents;
  private final DeviceRecords records;
  private final PendingTombstones tombstones;
  private final DiskIndex names;
  private final ObjectIndex.Cursor cursor;
  private final RegionTrim trim;
  private final DeviceCounters counters;
  private final ByteBuffer buffer = DeviceRecords.buffer();

  /** Worth writing once more. */
  private final List<RegionContents.Listed> kept = new ArrayList<>();

  private int budget;

  DeviceReclaimer(
      DeviceLog log,
      RegionHolds holds,
      RegionContents contents,
      DeviceRecords records,
      PendingTombstones tombstones,
      ObjectIndex.Cursor cursor,
      DiskIndex names,
      RegionTrim trim,
      DeviceCounters counters) {
    this.log = log;
    this.holds = holds;
    this.contents = contents;
    this.records = records;
    this.tombstones = tombstones;
    this.cursor = cursor;
    this.names = names;
    this.trim = trim;
    this.counters = counters;
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
    contents.forEach(region, this::leave);
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

  private void leave(RegionContents.Listed one) {
    ObjectIndex.Outcome ignored =
        cursor.update(
            one.high(),
            one.low(),
            (isPresent, value) -> {
              if (!isPresent || !one.place().isDiskOf(value)) {
                return ObjectIndex.Verdict.KEEP;
              }
              if (RegionContents.isWanted(one, value) && budget >= one.place().length) {
                budget -= one.place().length;
                kept.add(one);
                return ObjectIndex.Verdict.KEEP;
              }
              return RegionContents.withoutDisk(value);
            });
  }

  /** Writes a record once more; else it leaves the disk. */
  private void copyForward(RegionContents.Listed one) {
    DiskLocation to = new DiskLocation();
    MemorySegment record = MemorySegment.ofBuffer(buffer.clear());
    boolean isMoved =
        records.read(one.place(), buffer)
            && DeviceRecords.isWhole(record, 0, one.place())
            // Asked here, since a sweep may have passed where the copy goes, and not yet come here.
            && !contents.isPurged(record)
            && log.offer(
                record,
                0,
                one.place().length,
                DirectoryPages.entryLength(record, 0),
                RecordHeader.classOnDisk(record, 0),
                to);
    ObjectIndex.Outcome outcome =
        cursor.update(
            one.high(),
            one.low(),
            (isPresent, value) -> {
              if (!isPresent || !one.place().isDiskOf(value)) {
                return ObjectIndex.Verdict.KEEP;
              }
              if (isMoved) {
                value.disk(to.device, to.region, to.generation, to.offset, to.length);
                return ObjectIndex.Verdict.PUT;
              }
              return RegionContents.withoutDisk(value);
            });
    if (isMoved && outcome != ObjectIndex.Outcome.DONE) {
      // It died meanwhile, and its copy must not come back at a start.
      tombstones.addTombstone(one.high(), one.low(), DirectoryPages.birth(record, 0));
    }
  }
}
