package io.forebay.storage.lane;

import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.region.Regions;

/**
 * The index update that removes a key and kills its record; if a location or an object is given,
 * only while the key refers to it.
 */
final class RemoveUpdate implements ObjectIndex.Update {
  private static final long ANY = -1;

  private final Regions regions;
  private final DiskTier disk;

  private long objectId;
  private boolean isDamaged;
  private int region;
  private int generation;
  private int offset;

  /** Where the record lies on a disk; a device below 0: wherever it is. */
  private int device = -1;

  private int diskRegion;
  private int diskGeneration;
  private int diskOffset;

  private long high;
  private long low;

  RemoveUpdate(Regions regions, DiskTier disk) {
    this.regions = regions;
    this.disk = disk;
  }

  RemoveUpdate at(int newRegion, int newGeneration, int newOffset) {
    region = newRegion;
    generation = newGeneration;
    offset = newOffset;
    objectId = ANY;
    isDamaged = false;
    device = -1;
    return this;
  }

  /** Only what has its copy on a disk where a value names it. */
  RemoveUpdate onDiskAt(IndexValue place) {
    RemoveUpdate ignored = any();
    device = place.diskDevice();
    diskRegion = place.diskRegion();
    diskGeneration = place.diskGeneration();
    diskOffset = place.diskOffset();
    return this;
  }

  /** What lies there in memory is damaged: a copy on a disk keeps its name. */
  RemoveUpdate damaged(int newRegion, int newGeneration, int newOffset) {
    RemoveUpdate ignored = at(newRegion, newGeneration, newOffset);
    isDamaged = true;
    return this;
  }

  RemoveUpdate any() {
    return object(ANY);
  }

  RemoveUpdate object(long newObjectId) {
    region = -1;
    isDamaged = false;
    device = -1;
    objectId = newObjectId;
    return this;
  }

  RemoveUpdate of(long newHigh, long newLow) {
    high = newHigh;
    low = newLow;
    return this;
  }

  @Override
  public ObjectIndex.Verdict decide(boolean isPresent, IndexValue there) {
    if (!isPresent
        || (region >= 0 && !there.isAt(region, generation, offset))
        || (objectId != ANY && !there.isOf(objectId))
        || (device >= 0 && !there.isOnDiskAt(device, diskRegion, diskGeneration, diskOffset))) {
      return ObjectIndex.Verdict.KEEP;
    }
    if (there.region() >= 0) {
      int slot = regions.slotAt(there.region(), there.generation(), there.offset());
      if (slot >= 0) {
        regions.live(there.region(), slot, false);
      }
    }
    if (isDamaged && disk.isReadable(there)) {
      there.leaveMemory();
      return ObjectIndex.Verdict.PUT;
    }
    disk.addTombstone(high, low, there);
    return ObjectIndex.Verdict.REMOVE;
  }
}
