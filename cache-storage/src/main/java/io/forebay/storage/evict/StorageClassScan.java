package io.forebay.storage.evict;

import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.placement.StorageClasses;
import io.forebay.storage.region.Regions;
import io.forebay.storage.region.StorageClassUsage;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Set;

/**
 * Looks at each region once in {@link #ROUND_MILLIS} for how much of each storage class is live
 * there, so that what was purged or replaced does not use up a floor or a pinned share. Only while
 * a class has one. Reclaim thread only.
 */
public final class StorageClassScan {
  static final long ROUND_MILLIS = 30_000;
  private static final int MAX_AT_ONCE = 8;

  private final Regions regions;
  private final StorageClassUsage usage;
  private final StorageClasses classes;
  private final SliceHeads heads;

  /** Objects whose slices live before there is a head. */
  private final Set<Long> growing;

  private final long[] live = new long[StorageClasses.COUNT];
  private int next;
  private double due;
  private long lastMillis;

  public StorageClassScan(
      Regions regions,
      StorageClasses classes,
      ObjectIndex index,
      Set<Long> growing,
      long nowMillis) {
    this.regions = regions;
    this.usage = regions.classes();
    this.classes = classes;
    this.heads = new SliceHeads(regions.memory(), index.blockingCursor());
    this.growing = growing;
    this.lastMillis = nowMillis;
  }

  /** Looks at the regions whose turn it is; false if there is none. */
  public boolean step(long nowMillis) {
    long elapsed = Math.clamp(nowMillis - lastMillis, 0, ROUND_MILLIS);
    lastMillis = nowMillis;
    if (!usage.isInUse() || !classes.isAnyGuarded()) {
      return false;
    }
    due = Math.min(due + (double) elapsed * regions.count() / ROUND_MILLIS, MAX_AT_ONCE);
    if (due < 1) {
      return false;
    }
    due--;
    look(next);
    next = (next + 1) % regions.count();
    return true;
  }

  private void look(int region) {
    if (regions.state(region) != Regions.SEALED) {
      return;
    }
    Arrays.fill(live, 0);
    int generation = regions.generation(region);
    MemorySegment memory = regions.memory();
    int slots = regions.slots(region);
    for (int slot = 0; slot < slots; slot++) {
      long entry = regions.entry(region, slot);
      int number = DirectoryEntry.storageClass(memory, entry);
      if (number != 0
          && regions.isLive(region, slot)
          && regions.isSound(region, slot, generation)
          && !isOrphan(region, slot, entry)) {
        live[number] +=
            Regions.spaceOf(memory.get(Layouts.INT, entry + DirectoryEntry.LENGTH_OFFSET));
      }
    }
    for (int n = 1; n < live.length; n++) {
      usage.live(region, n, live[n]);
    }
  }

  /** A slice whose object is not stored any more. */
  private boolean isOrphan(int region, int slot, long entry) {
    return DirectoryEntry.kind(regions.memory(), entry) == RecordHeader.KIND_SLICE
        && heads.isOrphan(regions.base(region) + regions.offset(region, slot), growing);
  }
}
