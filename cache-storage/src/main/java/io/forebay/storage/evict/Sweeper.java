package io.forebay.storage.evict;

import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.layout.Words;
import io.forebay.storage.purge.ActiveBirths;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.region.Regions;
import java.lang.foreign.MemorySegment;

/**
 * Walks the directories, makes the purges' work permanent in the records (not live, or marked soft)
 * and then lets the purge table forget those purges. Reclaim thread only, so no record moves
 * meanwhile.
 *
 * <p>A sweep covers purges up to a sequence that no unfinished object was born before; births
 * before it are refused from then on. So everything such a purge applies to is in a directory when
 * the sweep starts, and a record that moves is checked as it moves. The disks are swept after
 * memory, by their own threads; what they bring into memory meanwhile they take out again.
 */
public final class Sweeper {
  private final Regions regions;
  private final DiskTier disk;
  private final ObjectIndex.Cursor cursor;
  private final Purges purges;
  private final ActiveBirths births;
  private final long retireMillis;
  private long through = -1;
  private int nextRegion;
  private boolean isDiskAsked;
  private long killed;

  public Sweeper(
      Regions regions,
      ObjectIndex index,
      DiskTier disk,
      Purges purges,
      ActiveBirths births,
      long retireMillis) {
    this.regions = regions;
    this.disk = disk;
    this.cursor = index.patientCursor();
    this.purges = purges;
    this.births = births;
    this.retireMillis = retireMillis;
  }

  public long killed() {
    return killed;
  }

  /** Sweeps at most one region. */
  public boolean step(long nowMillis) {
    if (through < 0) {
      return begin(nowMillis);
    }
    if (nextRegion < regions.count()) {
      sweep(nextRegion++);
      return true;
    }
    if (!isDiskAsked) {
      // Not before memory is done: what is copied to a disk from here on is known to live.
      disk.sweep(through);
      isDiskAsked = true;
    }
    if (!disk.isSwept(through)) {
      return false;
    }
    // The tier's note comes before the journal's: a tier that lacks it opens empty.
    Words.longVolatile(regions.memory(), TierHeader.SWEPT_THROUGH_OFFSET, through);
    purges.retire(through);
    through = -1;
    return true;
  }

  private boolean begin(long nowMillis) {
    if (purges.tableSize() == 0) {
      return false;
    }
    long oldest = purges.oldestMillis();
    // A clock that went back makes a purge look young; it is then swept when the table fills.
    if (nowMillis - oldest < retireMillis && !purges.isHalfFull()) {
      return false;
    }
    long wanted = Math.min(purges.settled(), births.least());
    if (wanted <= purges.retiredThrough() || !births.close(wanted)) {
      return false;
    }
    through = wanted;
    nextRegion = 0;
    isDiskAsked = false;
    return true;
  }

  private void sweep(int region) {
    int state = regions.state(region);
    if (state != Regions.OPEN && state != Regions.SEALED) {
      return;
    }
    MemorySegment memory = regions.memory();
    int generation = regions.generation(region);
    int slots = regions.slots(region);
    for (int slot = 0; slot < slots; slot++) {
      long entry = regions.entry(region, slot);
      if (!regions.isCommitted(region, slot, generation)
          || !regions.isLive(region, slot)
          || memory.get(Words.BYTE, entry + DirectoryEntry.KIND_OFFSET)
              == RecordHeader.KIND_SLICE) {
        continue;
      }
      int offset = memory.get(Words.INT, entry + DirectoryEntry.OFFSET_OFFSET);
      int fate = purges.check(memory, regions.base(region) + offset);
      if (fate == Purges.STALE) {
        regions.soft(region, slot);
      } else if (fate == Purges.DEAD) {
        regions.live(region, slot, false);
        killed++;
        long high = memory.get(Words.LONG, entry + DirectoryEntry.KEY_HIGH_OFFSET);
        long low = memory.get(Words.LONG, entry + DirectoryEntry.KEY_LOW_OFFSET);
        ObjectIndex.Outcome ignored =
            cursor.update(
                high,
                low,
                (isPresent, value) -> {
                  if (!isPresent || !value.isAt(region, generation, offset)) {
                    return ObjectIndex.Verdict.KEEP;
                  }
                  disk.bury(high, low, value);
                  return ObjectIndex.Verdict.REMOVE;
                });
      }
    }
  }
}
