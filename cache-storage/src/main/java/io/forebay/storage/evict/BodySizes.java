package io.forebay.storage.evict;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.region.Regions;
import java.lang.foreign.MemorySegment;

/**
 * The lengths of the bodies that records belong to. Reclaim thread only, so no region is emptied
 * meanwhile.
 */
final class BodySizes {
  private final Regions regions;
  private final SliceHeads heads;
  private final int sliceBytes;

  BodySizes(Regions regions, ObjectIndex.Cursor cursor, int sliceBytes) {
    this.regions = regions;
    this.heads = new SliceHeads(regions.memory(), cursor);
    this.sliceBytes = sliceBytes;
  }

  /** Of a slice whose head is not in memory, the position at which the slice ends. */
  long of(int region, int slot) {
    if (isSlice(region, slot)) {
      IndexValue head = heads.find(record(region, slot));
      if (head != null
          && head.isInMemory()
          && regions.slotAt(head.region(), head.generation(), head.offset()) >= 0) {
        return total(regions.base(head.region()) + head.offset());
      }
    }
    return atLeast(region, slot);
  }

  /** What the record alone tells: of a slice, the position at which it ends. */
  long atLeast(int region, int slot) {
    long record = record(region, slot);
    if (!isSlice(region, slot)) {
      return total(record);
    }
    MemorySegment memory = regions.memory();
    return (long) memory.get(Layouts.INT, record + SliceRecord.SLICE_OFFSET) * sliceBytes
        + memory.get(Layouts.INT, record + SliceRecord.BODY_LENGTH_OFFSET);
  }

  private long record(int region, int slot) {
    return regions.base(region) + regions.offset(region, slot);
  }

  private boolean isSlice(int region, int slot) {
    return DirectoryEntry.kind(regions.memory(), regions.entry(region, slot))
        == RecordHeader.KIND_SLICE;
  }

  private long total(long headRecord) {
    return regions.memory().get(Layouts.LONG, headRecord + HeadRecord.TOTAL_LENGTH_OFFSET);
  }
}
