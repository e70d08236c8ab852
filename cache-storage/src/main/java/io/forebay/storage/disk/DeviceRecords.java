package io.forebay.storage.disk;

import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.transit.TransitBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads the records of one device, and knows whether they are what was written. Any thread. */
final class DeviceRecords {
  private final int regionBytes;
  private final BlockFile file;
  private final DeviceHeaderPages head;
  private final DeviceLog log;
  private final DeviceHealth health;
  private final DeviceCounters counters;
  private final ObjectIndex index;

  DeviceRecords(
      int regionBytes,
      BlockFile file,
      DeviceHeaderPages head,
      DeviceLog log,
      DeviceHealth health,
      DeviceCounters counters,
      ObjectIndex index) {
    this.regionBytes = regionBytes;
    this.file = file;
    this.head = head;
    this.log = log;
    this.health = health;
    this.counters = counters;
    this.index = index;
  }

  /** One reader's buffer. */
  static ByteBuffer buffer() {
    return ByteBuffer.allocateDirect(DeviceSettings.MAX_RECORD).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Whether a place still means what it meant. */
  boolean isReadable(int region, int generation) {
    return health.isInUse() && log.isReadable(region, generation);
  }

  /** Reads a record to the buffer's start; false if it is not to be had. */
  boolean read(DiskLocation place, ByteBuffer buffer) {
    if (place.length > buffer.capacity() || !isReadable(place.region, place.generation)) {
      return false;
    }
    ByteBuffer into = buffer.clear().limit(place.length);
    if (!log.copyWaiting(place, into)) {
      try {
        file.read(into, DeviceDirectory.base(place.region, regionBytes) + place.offset);
        counters.reads.incrementAndGet();
        counters.readBytes.addAndGet(place.length);
      } catch (IOException e) {
        health.onError("reading", e);
        return false;
      }
    }
    // It may have been freed, and even written over, meanwhile.
    return isReadable(place.region, place.generation);
  }

  /** Reads a record into a transit buffer; false if it is not to be had. */
  boolean read(DiskLocation place, TransitBuffer into) {
    if (!isReadable(place.region, place.generation)) {
      return false;
    }
    ByteBuffer room = into.room();
    if (log.copyWaiting(place, room.limit(place.length))) {
      into.startsAt(0);
    } else {
      try {
        into.startsAt(
            file.readWithin(
                room,
                place.length,
                DeviceDirectory.base(place.region, regionBytes) + place.offset));
        counters.reads.incrementAndGet();
        counters.readBytes.addAndGet(place.length);
      } catch (IOException e) {
        health.onError("reading", e);
        return false;
      }
    }
    return isReadable(place.region, place.generation);
  }

  /**
   * Reads a part of a region, whole records, in one go; false if it is not to be had so: then each
   * record has to be read alone, which also tells what is wrong.
   *
   * @param first the place of its first record
   * @param count of its records
   */
  boolean readTogether(DiskLocation first, int count, int length, TransitBuffer into) {
    if (!isReadable(first.region, first.generation)
        || !log.isWritten(first.region, first.offset, first.offset + length)) {
      return false;
    }
    try {
      long at = DeviceDirectory.base(first.region, regionBytes) + first.offset;
      into.startsAt(file.readWithin(into.room(), length, at));
    } catch (IOException e) {
      return false;
    }
    counters.reads.addAndGet(count);
    counters.readBytes.addAndGet(length);
    return isReadable(first.region, first.generation);
  }

  /** Whether {@link #readCached} may find anything. */
  boolean mayReadCached() {
    return file.mayReadCached();
  }

  /**
   * Reads a record without waiting for the device, a lock or another thread: false unless page
   * cache has all of it. What has not been written yet is not there, but what was there before: the
   * caller has to look whether it is the record.
   */
  boolean readCached(DiskLocation place, TransitBuffer into) {
    into.startsAt(0);
    if (!isReadable(place.region, place.generation)
        || !file.readCached(
            into.memory(), DeviceDirectory.base(place.region, regionBytes) + place.offset)) {
      return false;
    }
    counters.reads.incrementAndGet();
    counters.cachedReads.incrementAndGet();
    counters.readBytes.addAndGet(place.length);
    return isReadable(place.region, place.generation);
  }

  /** Notes in the index that a copy on the disk was asked for. */
  void touch(long high, long low, DiskLocation place) {
    ObjectIndex.Outcome ignored =
        index
            .blockingCursor()
            .update(
                high,
                low,
                (isPresent, value) -> {
                  if (!isPresent || !place.isDiskOf(value) || value.isDiskTouched()) {
                    return ObjectIndex.Verdict.KEEP;
                  }
                  value.touchDisk();
                  return ObjectIndex.Verdict.PUT;
                });
  }

  /**
   * Whether what was read is a whole record of that place. The length of the place may be rounded
   * up to where the next record can begin.
   */
  static boolean isWhole(MemorySegment record, long at, DiskLocation place) {
    return RecordHeader.isRecord(record, at, place.generation, place.length)
        && Layouts.roundUp(RecordHeader.lengthOf(record, at), RecordHeader.ALIGNMENT)
            == Layouts.roundUp(place.length, RecordHeader.ALIGNMENT)
        && RecordHeader.isIntact(record, at);
  }

  /**
   * Whether nothing was written at a place in this life of its region, so that what is there is no
   * damage. Reads the directory of the region.
   */
  boolean isNowhere(DiskLocation place) {
    try {
      return new DeviceDirectory(file, head, regionBytes)
          .isNowhere(
              place.region,
              place.generation,
              log.pages(place.region, place.generation),
              place.offset);
    } catch (IOException e) {
      health.onError("reading", e);
      return false;
    }
  }

  /**
   * What was read from a place is not what was written there. It counts against the device, unless
   * a stop of the machine may have cut what was being written.
   */
  void onBad(DiskLocation place) {
    counters.checksumFailures.incrementAndGet();
    if (log.isWhole(place.region)) {
      health.onError("reading", new IOException("a record's checksum does not match"));
    }
  }

  /** Takes a copy that is no good out of the index; false if that named it no more. */
  boolean forget(long high, long low, DiskLocation place) {
    // Cursors belong to a thread, and this is rare enough for one of its own.
    return index
            .blockingCursor()
            .update(
                high,
                low,
                (isPresent, value) -> {
                  if (!isPresent || !place.isDiskOf(value)) {
                    return ObjectIndex.Verdict.KEEP;
                  }
                  return RegionContents.withoutDisk(value);
                })
        == ObjectIndex.Outcome.DONE;
  }
}
