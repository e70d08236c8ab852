package io.forebay.storage.checkpoint;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.region.Regions;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;

/**
 * The records of the memory tier that a disk has, too: the table of the disk does not name them.
 * For a stop, when nobody else uses the store.
 */
public final class MirroredRecords {
  private final Regions regions;
  private final ObjectIndex.Cursor cursor;
  private final IndexValue value = new IndexValue();

  /** Told of one record after the other; the value is reused. */
  @FunctionalInterface
  public interface Visitor {
    void visit(long high, long low, IndexValue value);
  }

  public MirroredRecords(Regions regions, ObjectIndex index) {
    this.regions = regions;
    this.cursor = index.blockingCursor();
  }

  /**
   * Goes through memory.
   *
   * @param isOver asked now and then: whether to end
   * @return false if it ended before all were visited
   */
  public boolean forEach(Visitor visitor, BooleanSupplier isOver) {
    for (int region = 0; region < regions.count(); region++) {
      if (isOver.getAsBoolean()) {
        return false;
      }
      int state = regions.state(region);
      if (state == Regions.SEALED || state == Regions.OPEN) {
        visit(region, visitor);
      }
    }
    return true;
  }

  private void visit(int region, Visitor visitor) {
    MemorySegment memory = regions.memory();
    int generation = regions.generation(region);
    int slots = regions.slots(region);
    for (int slot = 0; slot < slots; slot++) {
      if (!regions.isCommitted(region, slot, generation) || !regions.isLive(region, slot)) {
        continue;
      }
      long entry = regions.entry(region, slot);
      long high = memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_HIGH_OFFSET);
      long low = memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_LOW_OFFSET);
      int offset = memory.get(Layouts.INT, entry + DirectoryEntry.OFFSET_OFFSET);
      if (cursor.get(high, low, value) == ObjectIndex.Outcome.DONE
          && value.isAt(region, generation, offset)
          && value.isOnDisk()) {
        visitor.visit(high, low, value);
      }
    }
  }
}
