package io.forebay.storage.evict;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.SliceRecord;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** From a slice in memory to the head of its object, by the index. One thread. */
final class SliceHeads {
  private final MemorySegment memory;
  private final ObjectIndex.Cursor cursor;
  private final IndexValue head = new IndexValue();

  SliceHeads(MemorySegment memory, ObjectIndex.Cursor cursor) {
    this.memory = memory;
    this.cursor = cursor;
  }

  /**
   * Whether the object of a slice's record is not stored any more.
   *
   * @param growing objects whose slices live before there is a head
   */
  boolean isOrphan(long record, Set<Long> growing) {
    // Looked at before the index: an object stops growing after its head is there.
    return !growing.contains(memory.get(Layouts.LONG, record + SliceRecord.OBJECT_OFFSET))
        && find(record) == null;
  }

  /**
   * The head of a slice's record, in memory or on a disk; null if there is none. Of a head on a
   * disk only, the index does not tell the object: it counts as the slice's. Valid until the next
   * call.
   */
  @Nullable IndexValue find(long record) {
    ObjectIndex.Outcome outcome =
        cursor.get(
            memory.get(Layouts.LONG, record + SliceRecord.HEAD_HIGH_OFFSET),
            memory.get(Layouts.LONG, record + SliceRecord.HEAD_LOW_OFFSET),
            head);
    boolean isHead =
        outcome == ObjectIndex.Outcome.DONE
            && head.isOf(memory.get(Layouts.LONG, record + SliceRecord.OBJECT_OFFSET));
    return isHead ? head : null;
  }
}
