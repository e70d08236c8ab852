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
  private final ObjectIndex.Cursor cursor;
  private final int sliceBytes;
  private final IndexValue head = new IndexValue();

  BodySizes(Regions regions, ObjectIndex.Cursor cursor, int sliceBytes) {
    this.regions = regions;
    this.cursor = cursor;
    this.sliceBytes = sliceBytes;
  }

  /** Of a slice whose head is not in memory, the position at which the slice ends. */
  long of(int region, int slot) {
    MemorySegment memory = regions.memory();
    long record = regions.base(region) + regions.offset(region, slot);
    if (DirectoryEntry.kind(memory, regions.entry(region, slot)) != RecordHeader.KIND_SLICE) {
      return memory.get(Layouts.LONG, record + HeadRecord.TOTAL_LENGTH_OFFSET);
    }
    ObjectIndex.Outcome outcome =
        cursor.get(
            memory.get(Layouts.LONG, record + SliceRecord.HEAD_HIGH_OFFSET),
            memory.get(Layouts.LONG, record + SliceRecord.HEAD_LOW_OFFSET),
            head);
    if (outcome == ObjectIndex.Outcome.DONE
        && head.isInMemory()
        && head.objectId() == memory.get(Layouts.LONG, record + SliceRecord.OBJECT_OFFSET)
        && regions.slotAt(head.region(), head.generation(), head.offset()) >= 0) {
      return memory.get(
          Layouts.LONG,
          regions.base(head.region()) + head.offset() + HeadRecord.TOTAL_LENGTH_OFFSET);
    }
    return (long) memory.get(Layouts.INT, record + SliceRecord.SLICE_OFFSET) * sliceBytes
        + memory.get(Layouts.INT, record + SliceRecord.BODY_LENGTH_OFFSET);
  }
}
