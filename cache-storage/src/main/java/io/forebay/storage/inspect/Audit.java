package io.forebay.storage.inspect;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.lane.StoreState;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.region.Regions;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Compares the directories and the index of a store at rest: every live head is the one its key
 * refers to, every entry lies within its region, and every record matches its entry.
 */
public final class Audit {
  private Audit() {}

  public static List<String> of(StoreState core) {
    List<String> findings = new ArrayList<>();
    Regions regions = core.regions;
    MemorySegment memory = core.memory;
    ObjectIndex.Cursor cursor = core.index.blockingCursor();
    IndexValue value = new IndexValue();
    for (int region = 0; region < regions.count(); region++) {
      int state = regions.state(region);
      if (state == Regions.FREE || state == Regions.SPARE) {
        continue;
      }
      int generation = regions.generation(region);
      for (int slot = 0; slot < regions.slots(region); slot++) {
        long entry = regions.entry(region, slot);
        if (!regions.isCommitted(region, slot, generation) || !regions.isLive(region, slot)) {
          continue;
        }
        String where = "region " + region + " (state " + state + ") slot " + slot + ": ";
        int offset = memory.get(Layouts.INT, entry + DirectoryEntry.OFFSET_OFFSET);
        int length = memory.get(Layouts.INT, entry + DirectoryEntry.LENGTH_OFFSET);
        long record = regions.base(region) + offset;
        if (length > regions.recordsEnd(region) - offset
            || !RecordHeader.isRecord(memory, record, generation, length)
            || memory.get(Layouts.INT, record + RecordHeader.ENTRY_OFFSET) != slot) {
          findings.add(where + "live, but not a record");
          continue;
        }
        if (!RecordHeader.isIntact(memory, record)) {
          findings.add(where + "checksum mismatch");
        }
        ObjectIndex.Outcome outcome =
            cursor.get(
                memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_HIGH_OFFSET),
                memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_LOW_OFFSET),
                value);
        if (outcome != ObjectIndex.Outcome.DONE || !value.isAt(region, generation, offset)) {
          findings.add(
              where
                  + "live, but not the record that its key names: born "
                  + memory.get(Layouts.LONG, entry + DirectoryEntry.BIRTH_OFFSET));
        }
      }
      if (state == Regions.SEALED && regions.holds(region) != 0 && core.unfinished.isEmpty()) {
        findings.add("region " + region + " has no owner");
      }
    }
    return findings;
  }
}
