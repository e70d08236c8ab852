package io.forebay.storage.recover;

import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.region.RecordCheck;
import io.forebay.storage.region.Regions;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Rebuilds the index from the directories, one region per step, while lanes serve and install.
 * Slices come first, so that a found head has its slices. Objects installed by lanes meanwhile were
 * born later and win. Reclaim thread only.
 *
 * <p>A stop in the middle of a rebuild can leave two live heads of one key: the one that was not
 * reached, and its successor, which is in a younger region. Two rules keep the older one from being
 * served again:
 *
 * <ul>
 *   <li>The youngest regions are taken first, so that the successor is in the index before.
 *   <li>What is needed of space meanwhile comes from regions in which no such successor can be:
 *       those up to the settled age (see {@link TierHeader}). They are dropped, never moved, which
 *       would make an older head look younger. A region that was dropped, and is used again, is
 *       told by its generation.
 * </ul>
 */
public final class Rebuild {
  private final Regions regions;
  private final DiskTier disk;
  private final ObjectIndex.Cursor cursor;
  private final Purges purges;
  private final RecordCheck records;

  /** What was there at the start, youngest region first. */
  private final List<Integer> order;

  private final int[] slots;
  private final int[] generations;

  private final Drop drop = new Drop();
  private final Put put = new Put();
  private int step;
  private volatile int done;
  private long takenUp;
  private long dropped;

  /** Notes what is there now: what lanes write from here on is theirs to install. */
  public Rebuild(
      Regions regions, RecordCheck records, ObjectIndex index, DiskTier disk, Purges purges) {
    this.regions = regions;
    this.records = records;
    this.disk = disk;
    this.cursor = index.blockingCursor();
    this.purges = purges;
    this.slots = new int[regions.count()];
    this.generations = new int[regions.count()];
    this.order = new ArrayList<>();
    for (int region = 0; region < regions.count(); region++) {
      if (regions.state(region) == Regions.SEALED) {
        order.add(region);
        slots[region] = regions.slots(region);
        generations[region] = regions.generation(region);
      }
    }
    order.sort(Comparator.comparingLong(regions::age).reversed());
  }

  /**
   * Of tiers whose index is not complete yet: up to where it was when it last was.
   *
   * @param isEmpty whether all of them are
   */
  public static void settle(Regions regions, boolean isEmpty) {
    long age = 0;
    for (int region = 0; region < regions.count() && !isEmpty; region++) {
      if (regions.state(region) == Regions.SEALED) {
        age = Math.max(age, regions.age(region));
      }
    }
    if (!isEmpty) {
      age = Math.min(age, regions.settledAge());
    }
    regions.settledAge(age);
  }

  public boolean isDone() {
    return done == 2 * order.size();
  }

  public double fraction() {
    return order.isEmpty() ? 1 : done / (2.0 * order.size());
  }

  public long records() {
    return takenUp;
  }

  /** Takes up one region's slices or heads; false once there is nothing left to do. */
  public boolean step() {
    if (step == 2 * order.size()) {
      return false;
    }
    take(order.get(step % order.size()), step < order.size());
    step++;
    done = step;
    return true;
  }

  /** Records that were dropped because there was no space. */
  public long dropped() {
    return dropped;
  }

  /**
   * Gives up the oldest region of the first tier that may be, of probation while there is one; its
   * space is free once nobody reads it. False if no region may be given up before the rebuild is
   * complete.
   */
  public boolean dropOldest() {
    int region = oldest(Regions.PROBATION);
    if (region < 0) {
      region = oldest(Regions.PROTECTED);
    }
    if (region < 0) {
      return false;
    }
    int generation = generations[region];
    long count = 0;
    for (int slot = 0; slot < slots[region]; slot++) {
      // Dead ones, too: some key may still name them.
      if (regions.isSound(region, slot, generation)) {
        count += drop.run(region, slot, generation) ? 1 : 0;
      }
    }
    dropped += count;
    // No key names anything in it now, and from here on it refuses pins.
    regions.state(region, Regions.LIMBO);
    return true;
  }

  private int oldest(int segment) {
    for (int region : order.reversed()) {
      if (isAsItWas(region)
          && regions.isFirst(region)
          && regions.segment(region) == segment
          && regions.age(region) <= regions.settledAge()) {
        return region;
      }
    }
    return -1;
  }

  private boolean isAsItWas(int region) {
    return regions.state(region) == Regions.SEALED
        && regions.generation(region) == generations[region];
  }

  private void take(int region, boolean slices) {
    if (!isAsItWas(region)) {
      return;
    }
    MemorySegment memory = regions.memory();
    int generation = generations[region];
    for (int slot = 0; slot < slots[region]; slot++) {
      long entry = regions.entry(region, slot);
      if (!regions.isCommitted(region, slot, generation)
          || !regions.isLive(region, slot)
          || !records.isEntrySound(region, generation, slot)) {
        continue;
      }
      byte kind = DirectoryEntry.kind(memory, entry);
      if ((kind == RecordHeader.KIND_SLICE) != slices) {
        continue;
      }
      int offset = memory.get(Layouts.INT, entry + DirectoryEntry.OFFSET_OFFSET);
      int length = memory.get(Layouts.INT, entry + DirectoryEntry.LENGTH_OFFSET);
      long record = regions.base(region) + offset;
      if (!isWhole(memory, region, offset, length, slot, kind, generation)
          || (!slices && purges.check(memory, record) == Purges.DEAD)) {
        regions.live(region, slot, false);
        continue;
      }
      put.region = region;
      put.generation = generation;
      put.offset = offset;
      put.length = length;
      put.kind = kind;
      put.fate(memory, record);
      put.high = memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_HIGH_OFFSET);
      put.low = memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_LOW_OFFSET);
      put.birth = memory.get(Layouts.LONG, entry + DirectoryEntry.BIRTH_OFFSET);
      put.objectId = memory.get(Layouts.LONG, entry + DirectoryEntry.OBJECT_OFFSET);
      ObjectIndex.Outcome outcome = cursor.update(put.high, put.low, put);
      if (outcome == ObjectIndex.Outcome.DONE) {
        takenUp++;
      } else {
        regions.live(region, slot, false);
      }
    }
  }

  private boolean isWhole(
      MemorySegment memory,
      int region,
      int offset,
      int length,
      int slot,
      byte kind,
      int generation) {
    int end = regions.recordsEnd(region);
    if (length > end - offset) {
      return false;
    }
    long record = regions.base(region) + offset;
    return RecordHeader.isRecord(memory, record, generation, length)
        && memory.get(Layouts.INT, record + RecordHeader.LENGTH_OFFSET) == length
        && memory.get(Layouts.INT, record + RecordHeader.ENTRY_OFFSET) == slot
        && memory.get(Layouts.INT, record + RecordHeader.KIND_OFFSET) == kind;
  }

  /** Takes the life of a record, and its name if it has been taken up already. */
  private final class Drop implements ObjectIndex.Update {
    private int region;
    private int generation;
    private int offset;
    private boolean isAlive;
    private long high;
    private long low;

    /** Whether it was alive. */
    boolean run(int newRegion, int slot, int newGeneration) {
      MemorySegment memory = regions.memory();
      long entry = regions.entry(newRegion, slot);
      isAlive = regions.isLive(newRegion, slot);
      high = memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_HIGH_OFFSET);
      low = memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_LOW_OFFSET);
      region = newRegion;
      generation = newGeneration;
      offset = memory.get(Layouts.INT, entry + DirectoryEntry.OFFSET_OFFSET);
      regions.live(newRegion, slot, false);
      ObjectIndex.Outcome ignored = cursor.update(high, low, this);
      return isAlive;
    }

    @Override
    public ObjectIndex.Verdict decide(boolean isPresent, IndexValue value) {
      if (!isPresent || !value.isAt(region, generation, offset)) {
        return ObjectIndex.Verdict.KEEP;
      }
      if (isAlive && disk.isReadable(value)) {
        value.leaveMemory();
        return ObjectIndex.Verdict.PUT;
      }
      disk.addTombstone(high, low, value);
      return ObjectIndex.Verdict.REMOVE;
    }
  }

  private final class Put implements ObjectIndex.Update {
    long high;
    long low;
    int region;
    int generation;
    int offset;
    int length;
    byte kind;
    long birth;
    long objectId;
    private int expiresSeconds;
    private long scope0;
    private long scope1;

    void fate(MemorySegment memory, long record) {
      boolean isSlice = kind == RecordHeader.KIND_SLICE;
      int scopes = isSlice ? 0 : memory.get(Layouts.INT, record + HeadRecord.SCOPE_COUNT_OFFSET);
      expiresSeconds =
          isSlice
              ? 0
              : IndexValue.seconds(memory.get(Layouts.LONG, record + HeadRecord.EXPIRES_OFFSET));
      scope0 = scopes > 0 ? memory.get(Layouts.LONG, record + HeadRecord.SCOPES_OFFSET) : 0;
      scope1 =
          scopes > 1 ? memory.get(Layouts.LONG, record + HeadRecord.SCOPES_OFFSET + Long.BYTES) : 0;
    }

    @Override
    public boolean isForMemory() {
      return true;
    }

    @Override
    public ObjectIndex.Verdict decide(boolean isPresent, IndexValue value) {
      if (isPresent) {
        boolean isSame = value.birth() == birth && value.isOf(objectId) && value.kind() == kind;
        if (value.isInMemory() ? value.birth() >= birth : value.birth() > birth) {
          return ObjectIndex.Verdict.KEEP;
        }
        if (isSame) {
          // The disk tier was quicker; it is the same record in both places.
          value.identity(kind, birth, objectId);
          value.fate(expiresSeconds, scope0, scope1);
          value.memory(region, generation, offset, length);
          return ObjectIndex.Verdict.PUT;
        }
        if (value.isInMemory()) {
          int otherSlot = regions.slotAt(value.region(), value.generation(), value.offset());
          if (otherSlot >= 0) {
            regions.live(value.region(), otherSlot, false);
          }
        }
        disk.addTombstone(high, low, value);
      }
      value.identity(kind, birth, objectId);
      value.memory(region, generation, offset, length);
      value.fate(expiresSeconds, scope0, scope1);
      value.leaveDisk();
      return ObjectIndex.Verdict.PUT;
    }
  }
}
