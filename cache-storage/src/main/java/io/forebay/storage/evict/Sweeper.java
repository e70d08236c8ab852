package io.forebay.storage.evict;

import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.disk.Promoter;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.purge.ActiveBirths;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.region.Regions;
import java.lang.foreign.MemorySegment;

/**
 * Sweeps the memory tier after purges: walks the directories, marks purged records (not live, or
 * soft), and then retires those purges from the purge table. Reclaim thread only, so no record
 * moves meanwhile.
 *
 * <p>Memory is swept for a predicate at once, so that lookups need not ask it any longer: what is
 * installed or brought in after that has been asked for it. Forgotten it is, like any other purge,
 * only after it has been in force for a while and the disks have been swept as well.
 *
 * <p>A sweep covers purges up to a sequence that no unfinished object was born before; births
 * before it are refused from then on. So everything such a purge applies to is in a directory when
 * the sweep starts, and a record that moves is checked as it moves. The disks are swept after
 * memory, by their own threads; what they bring into memory meanwhile they take out again.
 *
 * <p>Soft purges that may be undone are kept for longer than others. Until then a record that they
 * match bears a mark that can be taken off. When they are forgotten the mark becomes final, and the
 * disks are swept for them. After an undo all marks that can be taken off are looked at again.
 */
public final class Sweeper {
  private final Regions regions;
  private final DiskTier disk;
  private final MemoryCheck check;
  private final ObjectIndex.Cursor cursor;
  private final Purges purges;
  private final ActiveBirths births;
  private final Promoter promoter;
  private final long retireMillis;

  /** Up to where memory is being swept, -1: it is not. */
  private long through = -1;

  private int nextRegion;

  /** Whether the disks are to follow and the purges to be forgotten. */
  private boolean isWhole;

  /** Up to where soft purges are to be forgotten: later ones may be undone. */
  private long softThrough;

  /** Up to where the disks are being swept, memory having been, -1: they are not. */
  private long diskThrough = -1;

  private long killed;

  public Sweeper(
      Regions regions,
      ObjectIndex index,
      DiskTier disk,
      MemoryCheck check,
      Purges purges,
      ActiveBirths births,
      Promoter promoter,
      long retireMillis) {
    this.regions = regions;
    this.disk = disk;
    this.check = check;
    this.cursor = index.blockingCursor();
    this.purges = purges;
    this.births = births;
    this.promoter = promoter;
    this.retireMillis = retireMillis;
  }

  public long killed() {
    return killed;
  }

  /** Sweeps at most one region. */
  public boolean step(long nowMillis) {
    boolean isForgotten = diskThrough >= 0 && disk.isSwept(diskThrough);
    if (isForgotten) {
      forget();
    }
    if (through < 0) {
      return begin(nowMillis) || isForgotten;
    }
    if (nextRegion < regions.count()) {
      sweep(nextRegion++);
      return true;
    }
    purges.sweptMemory(through);
    purges.reviewed();
    if (isWhole) {
      // Not before memory is done: what is copied to a disk from here on is known to live.
      disk.sweep(through);
      diskThrough = through;
    }
    through = -1;
    return true;
  }

  private void forget() {
    // The tier's note comes before the journal's: a tier that lacks it opens empty.
    regions.sweptThrough(diskThrough);
    purges.retire(diskThrough, softThrough);
    diskThrough = -1;
  }

  private boolean begin(long nowMillis) {
    boolean isDue = diskThrough < 0 && isDue(nowMillis);
    long unswept = purges.oldestUnswept();
    boolean isReview = purges.isReviewWanted();
    if (!isDue && unswept == Long.MAX_VALUE && !isReview) {
      return false;
    }
    long wanted = Math.min(purges.settled(), births.least());
    long soft = isDue ? purges.closable(wanted, nowMillis) : 0;
    boolean isClosing = soft > purges.softRetiredThrough() && purges.hasSoft(soft);
    if (isDue && isClosing && wanted == purges.retiredThrough()) {
      // No purge is new, but disks have what soft ones match that could be undone until now.
      wanted = purges.beyond(wanted);
    }
    boolean isForgetting = isDue && wanted > purges.retiredThrough();
    if ((unswept > wanted && !isForgetting && !isReview) || !births.close(wanted)) {
      return false;
    }
    if (isForgetting) {
      softThrough = soft;
      purges.close(soft);
    }
    purges.review();
    // What was being brought into memory when these purges came into force is there now, and the
    // sweep finds it; what is brought in from here on is asked for them.
    promoter.awaitUnderWay();
    through = wanted;
    nextRegion = 0;
    isWhole = isForgetting;
    return true;
  }

  private boolean isDue(long nowMillis) {
    if (purges.tableSize() == 0 && purges.predicateCount() == 0) {
      return false;
    }
    // A clock that went back makes a purge look young; it is then swept when the table fills.
    return nowMillis - purges.oldestMillis() >= retireMillis || purges.isHalfFull();
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
          || !check.isEntrySound(region, generation, slot)
          || DirectoryEntry.kind(memory, entry) == RecordHeader.KIND_SLICE
          || !check.isIntact(region, generation, slot)) {
        continue;
      }
      int offset = memory.get(Layouts.INT, entry + DirectoryEntry.OFFSET_OFFSET);
      long record = regions.base(region) + offset;
      int fate = purges.check(memory, record);
      if (fate == Purges.STALE) {
        boolean isNew =
            purges.isClosing(memory, record)
                ? regions.harden(region, slot)
                : regions.soften(region, slot);
        if (isNew) {
          purges.count(memory, record, fate);
        }
      } else if (fate != Purges.DEAD) {
        if (regions.isOpenSoft(region, slot)) {
          regions.review(region, slot, () -> purges.check(memory, record) == Purges.STALE);
        }
      } else {
        regions.live(region, slot, false);
        killed++;
        long high = memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_HIGH_OFFSET);
        long low = memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_LOW_OFFSET);
        ObjectIndex.Outcome outcome =
            cursor.update(
                high,
                low,
                (isPresent, value) -> {
                  if (!isPresent || !value.isAt(region, generation, offset)) {
                    return ObjectIndex.Verdict.KEEP;
                  }
                  // Its copy on a disk is marked when the disks are swept.
                  return ObjectIndex.Verdict.REMOVE;
                });
        if (outcome == ObjectIndex.Outcome.DONE) {
          purges.count(memory, record, fate);
        }
      }
    }
  }
}
