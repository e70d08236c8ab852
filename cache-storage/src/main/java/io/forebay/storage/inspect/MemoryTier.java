package io.forebay.storage.inspect;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.RegionHeader;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.region.Regions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads one of the memory tiers for inspection, of a running store or mapped from a file. In a
 * running store it pins each region only for a few thousand entries at a time, so reclaim is hardly
 * delayed. Every length is validated before use, because a file may be damaged. One thread, never
 * an event loop.
 */
public final class MemoryTier implements Tier {
  private static final int ENTRIES_A_PIN = 4096;

  private final Regions regions;
  private final int number;
  private final Guard guard;
  private final ObjectIndex.Cursor cursor;
  private final IndexValue value = new IndexValue();

  /** Keeps a region from being used again while it is read. */
  public interface Guard {
    /** For files at rest. */
    Guard NONE =
        new Guard() {
          @Override
          public boolean pin(int region, int generation) {
            return true;
          }

          @Override
          public void unpin(int region) {}
        };

    /** False if the region is not in that generation any more; then nothing is pinned. */
    boolean pin(int region, int generation);

    void unpin(int region);
  }

  /** All of them, the first one first. */
  public static List<MemoryTier> all(Regions regions, Guard guard, ObjectIndex.Cursor cursor) {
    List<MemoryTier> tiers = new ArrayList<>();
    for (int number = 0; number < regions.tiers(); number++) {
      tiers.add(new MemoryTier(regions, number, guard, cursor));
    }
    return tiers;
  }

  private MemoryTier(Regions regions, int number, Guard guard, ObjectIndex.Cursor cursor) {
    this.regions = regions;
    this.number = number;
    this.guard = guard;
    this.cursor = cursor;
  }

  @Override
  public String name() {
    return number == 0 ? "memory" : "tier" + number;
  }

  @Override
  public boolean isMemory() {
    return true;
  }

  @Override
  public boolean isMiddle() {
    return number > 0;
  }

  @Override
  public int firstRegion() {
    return regions.from(number);
  }

  @Override
  public int regionCount() {
    return regions.count(number);
  }

  @Override
  public int regionBytes() {
    return regions.regionBytes();
  }

  @Override
  public RegionFacts facts(int region) {
    int state = regions.state(region);
    boolean isUsed = state == Regions.OPEN || state == Regions.SEALED;
    return new RegionFacts(
        region,
        switch (state) {
          case Regions.OPEN -> State.OPEN;
          case Regions.SEALED -> State.SEALED;
          case Regions.LIMBO -> State.LIMBO;
          case Regions.WITHDRAWN -> State.WITHDRAWN;
          case Regions.FREE -> isBlank(region) ? State.FREE : State.DAMAGED;
          default -> State.FREE;
        },
        !isUsed
            ? Segment.NONE
            : regions.segment(region) == Regions.PROTECTED ? Segment.PROTECTED : Segment.PROBATION,
        isUsed ? regions.age(region) : 0);
  }

  /** A region that counts as free was never used, or says so itself; else its header is damaged. */
  private boolean isBlank(int region) {
    MemorySegment memory = regions.memory();
    long base = regions.base(region);
    int magic = memory.get(Layouts.INT, base + RegionHeader.MAGIC_OFFSET);
    return regions.generation(region) != 0
        || (magic == 0 && memory.get(Layouts.INT, base + RegionHeader.GENERATION_OFFSET) == 0);
  }

  @Override
  public Extent walk(int region, int fromSlot, Visitor visitor) throws IOException {
    int state = regions.state(region);
    if (state != Regions.OPEN && state != Regions.SEALED) {
      return Extent.NOTHING;
    }
    int generation = regions.generation(region);
    int slot = fromSlot;
    while (true) {
      if (!guard.pin(region, generation)) {
        return Extent.NOTHING;
      }
      try {
        int slots = regions.slots(region);
        int end = Math.min(slots, slot + ENTRIES_A_PIN);
        for (; slot < end; slot++) {
          if (regions.isCommitted(region, slot, generation)
              && !visitor.visit(entry(region, generation, slot))) {
            return extent(region, slots);
          }
        }
        if (slot >= slots) {
          return extent(region, slots);
        }
      } finally {
        guard.unpin(region);
      }
    }
  }

  private Extent extent(int region, int slots) {
    return new Extent(regions.recordsEnd(region) + slots * DirectoryEntry.LENGTH, 0);
  }

  private Entry entry(int region, int generation, int slot) {
    MemorySegment memory = regions.memory();
    long at = regions.entry(region, slot);
    return new Entry(
        this,
        region,
        generation,
        slot,
        DirectoryEntry.kind(memory, at),
        DirectoryEntry.storageClass(memory, at),
        memory.get(Layouts.LONG, at + DirectoryEntry.KEY_HIGH_OFFSET),
        memory.get(Layouts.LONG, at + DirectoryEntry.KEY_LOW_OFFSET),
        memory.get(Layouts.INT, at + DirectoryEntry.OFFSET_OFFSET),
        memory.get(Layouts.INT, at + DirectoryEntry.LENGTH_OFFSET),
        memory.get(Layouts.LONG, at + DirectoryEntry.BIRTH_OFFSET),
        0,
        memory.get(Layouts.LONG, at + DirectoryEntry.OBJECT_OFFSET),
        slice(region, at),
        0,
        new long[] {memory.get(Layouts.LONG, at + DirectoryEntry.BASE_SCOPE_OFFSET)},
        regions.touches(region, slot),
        regions.isLive(region, slot),
        regions.isSoft(region, slot));
  }

  /** Which slice a record says it is; 0 of a head, and of what is damaged. */
  private int slice(int region, long at) {
    MemorySegment memory = regions.memory();
    int offset = memory.get(Layouts.INT, at + DirectoryEntry.OFFSET_OFFSET);
    int length = memory.get(Layouts.INT, at + DirectoryEntry.LENGTH_OFFSET);
    return DirectoryEntry.kind(memory, at) == RecordHeader.KIND_SLICE
            && length >= SliceRecord.LENGTH
            && isPlausible(region, offset, length)
        ? memory.get(Layouts.INT, regions.base(region) + offset + SliceRecord.SLICE_OFFSET)
        : 0;
  }

  /** The entry of the record at a place that the index names; null if it has moved on. */
  @Nullable Entry at(IndexValue place) {
    int region = place.region();
    int generation = place.generation();
    if (!has(region) || !guard.pin(region, generation)) {
      return null;
    }
    try {
      if (!isPlausible(region, place.offset(), RecordHeader.COVERED_OFFSET)) {
        return null;
      }
      int slot =
          regions
              .memory()
              .get(Layouts.INT, regions.base(region) + place.offset() + RecordHeader.ENTRY_OFFSET);
      return slot >= 0
              && slot < regions.slots(region)
              && regions.isCommitted(region, slot, generation)
          ? entry(region, generation, slot)
          : null;
    } finally {
      guard.unpin(region);
    }
  }

  /** Whether the index's word of where it lies in memory is true. */
  boolean isHere(IndexValue place) {
    return has(place.region()) && regions.isReadable(place.region(), place.generation());
  }

  private boolean has(int region) {
    return region >= regions.from(number) && region < regions.end(number);
  }

  @Override
  public @Nullable Head head(Entry entry) {
    if (entry.isSlice() || !guard.pin(entry.region(), entry.generation())) {
      return null;
    }
    try {
      return isWhole(entry)
          ? Head.copy(regions.memory(), regions.base(entry.region()) + entry.offset())
          : null;
    } finally {
      guard.unpin(entry.region());
    }
  }

  /** Whether an entry and its record say the same; what they say of lengths may then be used. */
  private boolean isWhole(Entry entry) {
    int region = entry.region();
    if (!isPlausible(region, entry.offset(), entry.length())) {
      return false;
    }
    MemorySegment memory = regions.memory();
    long record = regions.base(region) + entry.offset();
    return RecordHeader.isRecord(memory, record, entry.generation(), entry.length())
        && memory.get(Layouts.INT, record + RecordHeader.LENGTH_OFFSET) == entry.length()
        && memory.get(Layouts.INT, record + RecordHeader.ENTRY_OFFSET) == entry.slot()
        && memory.get(Layouts.INT, record + RecordHeader.KIND_OFFSET) == entry.kind();
  }

  private boolean isPlausible(int region, int offset, int length) {
    return offset >= RegionHeader.LENGTH
        && offset % RecordHeader.ALIGNMENT == 0
        && length > 0
        && length <= regions.recordsEnd(region) - offset;
  }

  @Override
  public boolean isNamed(Entry entry) {
    if (!entry.isSlice()) {
      return cursor.get(entry.keyHigh(), entry.keyLow(), value) == ObjectIndex.Outcome.DONE
          && value.isAt(entry.region(), entry.generation(), entry.offset());
    }
    long[] head = headKey(entry);
    return head != null
        && cursor.get(head[0], head[1], value) == ObjectIndex.Outcome.DONE
        && value.isOf(entry.objectId());
  }

  @Override
  public long @Nullable [] headKey(Entry slice) {
    if (!guard.pin(slice.region(), slice.generation())) {
      return null;
    }
    try {
      long record = regions.base(slice.region()) + slice.offset();
      MemorySegment memory = regions.memory();
      return isWhole(slice)
          ? new long[] {
            memory.get(Layouts.LONG, record + SliceRecord.HEAD_HIGH_OFFSET),
            memory.get(Layouts.LONG, record + SliceRecord.HEAD_LOW_OFFSET)
          }
          : null;
    } finally {
      guard.unpin(slice.region());
    }
  }

  @Override
  public @Nullable String flaw(Entry entry) {
    if (!guard.pin(entry.region(), entry.generation())) {
      return null;
    }
    try {
      if (!regions.isSound(entry.region(), entry.slot(), entry.generation())) {
        return "its directory entry is damaged (checksum)";
      }
      if (!isWhole(entry)) {
        return "not the record that its directory entry names";
      }
      long record = regions.base(entry.region()) + entry.offset();
      return RecordHeader.isIntact(regions.memory(), record) ? null : "checksum mismatch";
    } finally {
      guard.unpin(entry.region());
    }
  }
}
