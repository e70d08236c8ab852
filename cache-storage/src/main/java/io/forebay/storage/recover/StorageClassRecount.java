package io.forebay.storage.recover;

import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.region.Regions;
import java.util.BitSet;

/**
 * Counts what an earlier process has left of each storage class, one region a step. Until that is
 * done a class seems to have less than it has: its floor protects more of it. Reclaim thread only.
 */
public final class StorageClassRecount {
  private final Regions regions;
  private final int[] generations;
  private final BitSet left = new BitSet();
  private int next;

  /** Notes what is there now; what is written from here on counts by itself. */
  public StorageClassRecount(Regions regions) {
    this.regions = regions;
    this.generations = new int[regions.count()];
    for (int region = 0; region < regions.count() && regions.classes().isInUse(); region++) {
      if (regions.state(region) == Regions.SEALED) {
        left.set(region);
        generations[region] = regions.generation(region);
      }
    }
  }

  /** Counts a region; false once there is none left. */
  public boolean step() {
    next = left.nextSetBit(next);
    if (next < 0) {
      next = regions.count();
      return false;
    }
    int region = next++;
    int generation = generations[region];
    int state = regions.state(region);
    // Of one in limbo the count goes as it is renewed.
    if (regions.generation(region) == generation
        && (state == Regions.SEALED || state == Regions.LIMBO)) {
      int slots = regions.slots(region);
      for (int slot = 0; slot < slots; slot++) {
        if (regions.isSound(region, slot, generation)) {
          int length =
              regions
                  .memory()
                  .get(Layouts.INT, regions.entry(region, slot) + DirectoryEntry.LENGTH_OFFSET);
          regions
              .classes()
              .add(region, regions.storageClass(region, slot), Regions.spaceOf(length));
        }
      }
    }
    return true;
  }
}
