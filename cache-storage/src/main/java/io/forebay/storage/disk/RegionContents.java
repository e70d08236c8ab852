package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.placement.StorageClasses;
import io.forebay.storage.purge.Purges;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The records of a region that a device is about to free, and their removal from the index.
 * Confined to the writer of the device.
 */
final class RegionContents {
  private final int number;
  private final DeviceLog log;
  private final DeviceDirectory directory;
  private final ObjectIndex.Cursor cursor;
  private final Purges purges;
  private final StorageClasses classes;
  private final long keepMillis;
  private final LongSupplier clockMillis;
  private final IndexValue head = new IndexValue();

  /**
   * A record that no sweep has marked dead. The index may name another one by now.
   *
   * @param storageClass its number
   */
  record Listed(long high, long low, long birth, DiskLocation place, int storageClass) {}

  RegionContents(
      int number,
      DeviceLog log,
      DeviceDirectory directory,
      ObjectIndex.Cursor cursor,
      DiskTier.Host host) {
    this.number = number;
    this.log = log;
    this.directory = directory;
    this.cursor = cursor;
    this.purges = host.purges();
    this.classes = host.classes();
    this.keepMillis = host.keepMillis();
    this.clockMillis = host.clockMillis();
  }

  /** Reads the region's directory. */
  void forEach(int region, Consumer<Listed> action) throws IOException {
    int generation = log.generation(region);
    var ignored =
        directory.forEach(
            region,
            generation,
            log.pages(region, generation),
            one -> {
              if (!one.isTombstone() && !one.isDead()) {
                action.accept(listed(one, region, generation));
              }
            });
  }

  private Listed listed(PageEntry one, int region, int generation) {
    return new Listed(
        one.keyHigh(),
        one.keyLow(),
        one.birth(),
        new DiskLocation().at(number, region, generation, one.offset(), one.recordLength()),
        one.storageClass());
  }

  /** Whether it is worth keeping: read since it was written, or pinned. */
  boolean isWanted(Listed one, IndexValue present) {
    return classes.of(one.storageClass()).pinnedPercent() > 0 || present.isDiskTouched();
  }

  /** Whether it can't even be confirmed any more. */
  boolean isExpired(IndexValue present) {
    long expires = Integer.toUnsignedLong(present.expiresSeconds()) * 1000;
    return expires > 0 && expires + keepMillis <= clockMillis.getAsLong();
  }

  /** Whether a record that was read is a head that was purged. */
  boolean isPurged(MemorySegment record) {
    return !isSlice(record) && purges.check(record, 0) >= Purges.STALE;
  }

  /**
   * Whether a record that was read is a slice whose head is gone or is expired: a slice by itself
   * does not tell.
   */
  boolean isLeftBehind(MemorySegment record) {
    if (!isSlice(record)) {
      return false;
    }
    ObjectIndex.Outcome outcome =
        cursor.get(
            record.get(Layouts.LONG, SliceRecord.HEAD_HIGH_OFFSET),
            record.get(Layouts.LONG, SliceRecord.HEAD_LOW_OFFSET),
            head);
    return outcome != ObjectIndex.Outcome.DONE
        || !head.isOf(record.get(Layouts.LONG, SliceRecord.OBJECT_OFFSET))
        || isExpired(head);
  }

  static boolean isSlice(MemorySegment record) {
    return record.get(Layouts.INT, RecordHeader.KIND_OFFSET) == RecordHeader.KIND_SLICE;
  }

  /** Takes a place out of the index, if that still names it. */
  void forget(long high, long low, DiskLocation place) {
    ObjectIndex.Outcome ignored =
        cursor.update(
            high,
            low,
            (isPresent, present) ->
                isPresent && place.isDiskOf(present)
                    ? withoutDisk(present)
                    : ObjectIndex.Verdict.KEEP);
  }

  /** In an update of the index: the key has no place on a disk any more. */
  static ObjectIndex.Verdict withoutDisk(IndexValue present) {
    present.leaveDisk();
    return present.isInMemory() ? ObjectIndex.Verdict.PUT : ObjectIndex.Verdict.REMOVE;
  }
}
