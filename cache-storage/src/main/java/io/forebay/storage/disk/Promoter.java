package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.region.Regions;
import io.forebay.storage.region.Reservation;
import io.forebay.storage.region.TierSpace;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.StampedLock;

/** Puts records that were read from a device into the memory tier. Any thread but a loop. */
public final class Promoter {
  private final Regions regions;
  private final TierSpace space;
  private final ObjectIndex index;
  private final Purges purges;
  private final int epoch;

  /** Held, shared, while a record is brought in; taken alone to wait for those under way. */
  private final StampedLock underWay = new StampedLock();

  /**
   * @param epoch of this start: records come in checked
   */
  public Promoter(Regions regions, TierSpace space, ObjectIndex index, Purges purges, int epoch) {
    this.regions = regions;
    this.space = space;
    this.index = index;
    this.purges = purges;
    this.epoch = epoch;
  }

  /** Takes the life of a record in memory; under the lock of the key whose value this is. */
  void kill(IndexValue value) {
    int slot = slot(value);
    if (slot >= 0) {
      regions.live(value.region(), slot, false);
    }
  }

  /** Makes a record in memory stale for good; under the lock of the key whose value this is. */
  void soften(IndexValue value) {
    int slot = slot(value);
    if (slot >= 0) {
      boolean ignored = regions.harden(value.region(), slot);
    }
  }

  private int slot(IndexValue value) {
    return regions.slotAt(value.region(), value.generation(), value.offset());
  }

  /** How a promotion ended. */
  enum Result {
    /** It is in memory, or is not wanted there any more. */
    DONE,
    /** A purge has killed it. */
    DEAD,
    /** Memory has no room: it stays on the disk. */
    NO_ROOM
  }

  /**
   * Returns when all that is being brought in now, by a look at the purges of before, is there. For
   * the sweeper: memory is copied meanwhile, at most a slice a reader.
   */
  public void awaitUnderWay() {
    underWay.unlockWrite(underWay.writeLock());
  }

  /** Installs a record that is whole and what the load wants. */
  Result promote(DiskRead load, MemorySegment record) {
    long stamp = underWay.readLock();
    try {
      return bringIn(load, record);
    } finally {
      underWay.unlockRead(stamp);
    }
  }

  private Result bringIn(DiskRead load, MemorySegment record) {
    int length = RecordHeader.lengthOf(record, 0);
    long objectId = DirectoryPages.objectId(record, 0);
    byte kind = (byte) record.get(Layouts.INT, RecordHeader.KIND_OFFSET);
    boolean isSlice = kind == RecordHeader.KIND_SLICE;
    // A purge that is retired after this look has had its records taken out of the index before
    // it: then the update below finds nothing.
    int fate = isSlice ? Purges.ALIVE : purges.check(record, 0);
    if (fate == Purges.DEAD) {
      return Result.DEAD;
    }
    Reservation at = new Reservation();
    if (!space.reserveAnywhere(length, at)) {
      return Result.NO_ROOM;
    }
    try {
      regions.enter(
          at.region(),
          at.slot(),
          DirectoryEntry.kindAndClass(
              kind, regions.classes().isInUse() ? RecordHeader.classOnDisk(record, 0) : 0),
          load.high,
          load.low,
          at.offset(),
          load.birth,
          objectId,
          isSlice || record.get(Layouts.INT, HeadRecord.SCOPE_COUNT_OFFSET) == 0
              ? 0
              : record.get(Layouts.LONG, HeadRecord.SCOPES_OFFSET));
      MemorySegment memory = regions.memory();
      long to = regions.base(at.region()) + at.offset();
      MemorySegment.copy(record, 0, memory, to, length);
      memory.set(Layouts.INT, to + RecordHeader.GENERATION_OFFSET, at.generation());
      memory.set(Layouts.INT, to + RecordHeader.ENTRY_OFFSET, at.slot());
      regions.commit(at.region(), at.slot(), at.generation(), length, epoch);
      if (fate == Purges.STALE) {
        // Lookups need not ask the purge any more, if memory has been swept for it.
        boolean ignored =
            purges.isClosing(record, 0)
                ? regions.harden(at.region(), at.slot())
                : regions.soften(at.region(), at.slot());
      }
      ObjectIndex.Outcome outcome =
          index
              .blockingCursor()
              .update(load.high, load.low, new Bring(load, record, objectId, at, length));
      if (outcome == ObjectIndex.Outcome.DONE && fate == Purges.STALE) {
        purges.count(record, 0, fate);
      }
      return Result.DONE;
    } finally {
      regions.release(at.region());
    }
  }

  /** Names a record in memory that the index has on the disk, and all that it can tell. */
  private final class Bring implements ObjectIndex.Update {
    private final DiskRead load;
    private final MemorySegment record;
    private final long objectId;
    private final Reservation at;
    private final int length;

    Bring(DiskRead load, MemorySegment record, long objectId, Reservation at, int length) {
      this.load = load;
      this.record = record;
      this.objectId = objectId;
      this.at = at;
      this.length = length;
    }

    @Override
    public ObjectIndex.Verdict decide(boolean isPresent, IndexValue value) {
      if (!isPresent || value.isInMemory() || !load.place.isDiskOf(value)) {
        return ObjectIndex.Verdict.KEEP;
      }
      regions.live(at.region(), at.slot(), true);
      value.identity(load.kind, load.birth, objectId);
      if (load.kind != RecordHeader.KIND_SLICE) {
        int scopes = record.get(Layouts.INT, HeadRecord.SCOPE_COUNT_OFFSET);
        value.fate(
            IndexValue.seconds(record.get(Layouts.LONG, HeadRecord.EXPIRES_OFFSET)),
            scopes > 0 ? record.get(Layouts.LONG, HeadRecord.SCOPES_OFFSET) : 0,
            scopes > 1 ? record.get(Layouts.LONG, HeadRecord.SCOPES_OFFSET + Long.BYTES) : 0);
      }
      value.memory(at.region(), at.generation(), at.offset(), length);
      value.touchDisk();
      return ObjectIndex.Verdict.PUT;
    }

    @Override
    public boolean isForMemory() {
      return true;
    }
  }
}
