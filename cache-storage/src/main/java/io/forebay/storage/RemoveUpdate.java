package io.forebay.storage;

import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.Words;
import io.forebay.storage.region.Regions;

/**
 * Takes a key out of the index and the life of what it names; if a place or an object is given,
 * only while it names that.
 */
final class RemoveUpdate implements ObjectIndex.Update {
  private static final long ANY = -1;

  private final Regions regions;
  private final DiskTier disk;

  private long objectId;
  private int region;
  private int generation;
  private int offset;

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
    return this;
  }

  RemoveUpdate any() {
    return object(ANY);
  }

  RemoveUpdate object(long newObjectId) {
    region = -1;
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
        || (objectId != ANY && there.objectId() != objectId)) {
      return ObjectIndex.Verdict.KEEP;
    }
    if (there.region() >= 0) {
      int slot =
          regions
              .memory()
              .get(
                  Words.INT,
                  regions.base(there.region()) + there.offset() + RecordHeader.ENTRY_OFFSET);
      regions.live(there.region(), slot, false);
    }
    disk.bury(high, low, there);
    return ObjectIndex.Verdict.REMOVE;
  }
}
