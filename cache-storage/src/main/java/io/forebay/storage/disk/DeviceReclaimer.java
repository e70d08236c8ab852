package io.forebay.storage.disk;

import io.forebay.storage.index.DiskIndex;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.RecordHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Wins regions of one device back, the oldest first: what was read since it was written, or is of a
 * pinned class, is written once more, up to a quarter of a region, and so is what the shares of
 * storage classes keep; the rest leaves the index. A region is due when too few are free, or when
 * the table of the disk's names is nearly full: else what leaves memory would find no name there.
 * Then nothing is written once more. The writer's.
 */
final class DeviceReclaimer {
  private static final int COPY_SHARE = 4;

  /** What comes while a region is being emptied finds room. */
  private static final double INDEX_HIGH = 0.95;

  private final DeviceLog log;
  private final RegionHolds holds;
  private final RegionContents contents;
  private final DeviceStorageClassShares shares;
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
  private boolean isForIndex;

  DeviceReclaimer(
      DeviceLog log,
      RegionHolds holds,
      RegionContents contents,
      DeviceStorageClassShares shares,
      DeviceRecords records,
      PendingTombstones tombstones,
      ObjectIndex.Cursor cursor,
      DiskIndex names,
      RegionTrim trim,
      DeviceCounters counters) {
    this.log = log;
    this.holds = holds;
    this.contents = contents;
    this.shares = shares;
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
    int due = log.oldestIfShort(log.freeTarget());
    isForIndex = due < 0 && isShortOfNames(names);
    int region = isForIndex ? log.oldestIfShort(Integer.MAX_VALUE) : due;
    if (region < 0 || !holds.mayLeave(region)) {
      return false;
    }
    kept.clear();
    budget = regionBytes / COPY_SHARE;
    if (!isForIndex) {
      shares.begin(region);
    }
    contents.forEach(region, this::leave);
    for (RegionContents.Listed one : kept) {
      copyForward(one);
    }
    log.release(region);
    holds.left();
    trim.freed(region);
    counters.reclaimed.incrementAndGet();
    if (isForIndex) {
      counters.reclaimedForIndex.incrementAndGet();
    }
    return true;
  }

  /** Whether regions are freed because the table of names is nearly full. */
  static boolean isShortOfNames(DiskIndex names) {
    return names.count() >= names.capacity() * INDEX_HIGH;
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
              if (isKept(one, value)) {
                kept.add(one);
                return ObjectIndex.Verdict.KEEP;
              }
              return RegionContents.withoutDisk(value);
            });
  }

  private boolean isKept(RegionContents.Listed one, IndexValue value) {
    // A copy would keep its name.
    if (isForIndex) {
      return false;
    }
    int length = one.place().length;
    boolean isKept =
        switch (shares.fate(one.storageClass(), length)) {
          case KEPT -> !contents.isExpired(value);
          case BY_USE -> isWorthIt(one, value);
          case LEAVES -> false;
        };
    if (isKept) {
      shares.keep(one.storageClass(), length);
    }
    return isKept;
  }

  private boolean isWorthIt(RegionContents.Listed one, IndexValue value) {
    int length = one.place().length;
    boolean isWorthIt = contents.isWanted(one, value) && budget >= length;
    budget -= isWorthIt ? length : 0;
    return isWorthIt;
  }

  /** Writes a record once more; else it leaves the disk. */
  private void copyForward(RegionContents.Listed one) throws IOException {
    DiskLocation to = new DiskLocation();
    MemorySegment record = MemorySegment.ofBuffer(buffer.clear());
    boolean isMoved =
        records.read(one.place(), buffer)
            && DeviceRecords.isWhole(record, 0, one.place())
            // Asked here, since a sweep may have passed where the copy goes, and not yet come here.
            && !contents.isPurged(record)
            && !contents.isLeftBehind(record)
            && take(record, one.place().length, to);
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

  /** Writes what waits where that frees a buffer for the copy. */
  private boolean take(MemorySegment record, int length, DiskLocation to) throws IOException {
    int storageClass = RecordHeader.classOnDisk(record, 0);
    boolean isTaken = log.offerCopy(record, 0, length, storageClass, to);
    while (!isTaken && log.writeNext()) {
      isTaken = log.offerCopy(record, 0, length, storageClass, to);
    }
    if (!isTaken) {
      counters.dropped.incrementAndGet();
    }
    return isTaken;
  }
}
