package io.forebay.storage.evict;

import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.region.RecordCheck;
import io.forebay.storage.region.Regions;
import java.lang.foreign.MemorySegment;

/**
 * Checks records of the memory tier before they are moved, written to a disk, read for purges, or
 * scrubbed. A damaged record is removed from the index, unless a disk also has it. Reclaim thread
 * only, so no region is emptied meanwhile.
 */
public final class MemoryCheck {
  private final Regions regions;
  private final RecordCheck records;
  private final ObjectIndex.Cursor cursor;
  private final DiskTier disk;
  private final Forget forget = new Forget();

  public MemoryCheck(Regions regions, RecordCheck records, ObjectIndex index, DiskTier disk) {
    this.regions = regions;
    this.records = records;
    this.cursor = index.blockingCursor();
    this.disk = disk;
  }

  /** Whether a committed entry says what was written. Its record need not be intact. */
  boolean isEntrySound(int region, int generation, int slot) {
    return records.isEntrySound(region, generation, slot);
  }

  /** Whether the record of a committed entry may be used; checked once in this process. */
  boolean isIntact(int region, int generation, int slot) {
    if (records.isIntact(region, generation, slot)) {
      return true;
    }
    forget(region, generation, slot);
    return false;
  }

  /** The same, and reads it in any case. */
  boolean check(int region, int generation, int slot) {
    if (records.isEntrySound(region, generation, slot)
        && records.check(region, generation, slot, regions.offset(region, slot))) {
      return true;
    }
    forget(region, generation, slot);
    return false;
  }

  private void forget(int region, int generation, int slot) {
    if (!regions.isSound(region, slot, generation)) {
      // Whose it was can't be told: a lookup that is led here finds that out and removes the name.
      return;
    }
    MemorySegment memory = regions.memory();
    long entry = regions.entry(region, slot);
    forget.high = memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_HIGH_OFFSET);
    forget.low = memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_LOW_OFFSET);
    forget.region = region;
    forget.generation = generation;
    forget.offset = regions.offset(region, slot);
    ObjectIndex.Outcome ignored = cursor.update(forget.high, forget.low, forget);
  }

  private final class Forget implements ObjectIndex.Update {
    private long high;
    private long low;
    private int region;
    private int generation;
    private int offset;

    @Override
    public ObjectIndex.Verdict decide(boolean isPresent, IndexValue current) {
      if (!isPresent || !current.isAt(region, generation, offset)) {
        return ObjectIndex.Verdict.KEEP;
      }
      if (disk.isReadable(current)) {
        current.leaveMemory();
        return ObjectIndex.Verdict.PUT;
      }
      disk.addTombstone(high, low, current);
      return ObjectIndex.Verdict.REMOVE;
    }
  }
}
