package io.forebay.storage.evict;

import io.forebay.storage.index.DiskIndex;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.region.Regions;

/**
 * The slices of an object that a table of a disk can name together, as far as only memory has them.
 * Reclaim thread only; reused.
 */
final class SliceGroup {
  private final Regions regions;
  private final ObjectIndex.Cursor cursor;
  private final IndexValue value = new IndexValue();
  private long objectId;
  private int first;
  private int own;
  private int end;
  private int slot;

  SliceGroup(Regions regions, ObjectIndex.Cursor cursor) {
    this.regions = regions;
    this.cursor = cursor;
  }

  /**
   * Is about the group of another record from here on; that of a head is empty.
   *
   * @return which of the group it is
   */
  int of(int region, int ofSlot) {
    boolean isSlice =
        DirectoryEntry.kind(regions.memory(), regions.entry(region, ofSlot))
            == RecordHeader.KIND_SLICE;
    if (!isSlice) {
      own = 0;
      end = 0;
      return 0;
    }
    long record = regions.base(region) + regions.offset(region, ofSlot);
    int slice = regions.memory().get(Layouts.INT, record + SliceRecord.SLICE_OFFSET);
    objectId = regions.memory().get(Layouts.LONG, record + SliceRecord.OBJECT_OFFSET);
    own = slice % DiskIndex.SLICE_GROUP;
    first = slice - own;
    end = DiskIndex.SLICE_GROUP;
    return own;
  }

  /** How many slices a group may have. */
  int end() {
    return end;
  }

  /** Whether only memory has one of the slices; if so, the other methods tell where. */
  boolean find(int n) {
    boolean isThere =
        cursor.get(SliceRecord.keyHigh(objectId), SliceRecord.keyLow(objectId, first + n), value)
                == ObjectIndex.Outcome.DONE
            && value.isInMemory()
            && !value.isOnDisk();
    slot = isThere ? regions.slotAt(value.region(), value.generation(), value.offset()) : -1;
    return slot >= 0;
  }

  int region() {
    return value.region();
  }

  int generation() {
    return value.generation();
  }

  int slot() {
    return slot;
  }
}
