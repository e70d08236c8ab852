package io.forebay.storage.region;

import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Verifies records of the memory tier. A record written by an earlier process is checked once,
 * before its first use; its entry then records the epoch of this process. Records of this process
 * are not checked. A damaged record is marked dead; the caller removes its key from the index.
 *
 * <p>Any thread, while the record's region can't be emptied.
 */
public final class RecordCheck {
  private final Regions regions;
  private final MemorySegment memory;
  private final int epoch;
  private final AtomicLong failures = new AtomicLong();

  /**
   * @param epoch of this process, drawn at random
   */
  public RecordCheck(Regions regions, int epoch) {
    this.regions = regions;
    this.memory = regions.memory();
    this.epoch = epoch;
  }

  public int epoch() {
    return epoch;
  }

  /** Records and directory entries that were not what had been written. */
  public long failures() {
    return failures.get();
  }

  /** Counts one more failure, found elsewhere. */
  public void fail() {
    failures.incrementAndGet();
  }

  /** Whether a committed record may be used, as far as a look at its entry or a check tells. */
  public boolean isIntact(int region, int generation, int slot, int offset) {
    if (regions.epoch(region, slot) == epoch && regions.offset(region, slot) == offset) {
      return true;
    }
    return check(region, generation, slot, offset);
  }

  /** The same of the record that a committed entry names, whose place is not known otherwise. */
  public boolean isIntact(int region, int generation, int slot) {
    if (regions.epoch(region, slot) == epoch) {
      return true;
    }
    if (!isEntrySound(region, generation, slot)) {
      return false;
    }
    return check(region, generation, slot, regions.offset(region, slot));
  }

  /** Whether a committed entry says what was written; it is not live from then on if not. */
  public boolean isEntrySound(int region, int generation, int slot) {
    if (regions.isSound(region, slot, generation)) {
      return true;
    }
    fail(region, slot);
    return false;
  }

  /** Reads the record, whatever is known of it. */
  public boolean check(int region, int generation, int slot, int offset) {
    if (!regions.isSound(region, slot, generation)) {
      fail(region, slot);
      return false;
    }
    if (regions.offset(region, slot) != offset) {
      // The entry is another record's: this one's own can't be told.
      fail();
      return false;
    }
    if (!isWhole(region, generation, slot, offset)) {
      fail(region, slot);
      return false;
    }
    regions.epoch(region, slot, epoch);
    return true;
  }

  private void fail(int region, int slot) {
    if (regions.isLive(region, slot)) {
      regions.live(region, slot, false);
      fail();
    }
  }

  private boolean isWhole(int region, int generation, int slot, int offset) {
    long entry = regions.entry(region, slot);
    long record = regions.base(region) + offset;
    int length = memory.get(Layouts.INT, entry + DirectoryEntry.LENGTH_OFFSET);
    int kind = DirectoryEntry.kind(memory, entry);
    return RecordHeader.isRecord(memory, record, generation, length)
        && memory.get(Layouts.INT, record + RecordHeader.LENGTH_OFFSET) == length
        && memory.get(Layouts.INT, record + RecordHeader.ENTRY_OFFSET) == slot
        && memory.get(Layouts.INT, record + RecordHeader.KIND_OFFSET) == kind
        && RecordHeader.isIntact(memory, record)
        && (kind == RecordHeader.KIND_SLICE ? isSliceOf(record, entry) : isHeadOf(record, entry));
  }

  private boolean isHeadOf(long record, long entry) {
    return isSame(record + HeadRecord.KEY_HIGH_OFFSET, entry + DirectoryEntry.KEY_HIGH_OFFSET)
        && isSame(record + HeadRecord.KEY_LOW_OFFSET, entry + DirectoryEntry.KEY_LOW_OFFSET)
        && isSame(record + HeadRecord.OBJECT_OFFSET, entry + DirectoryEntry.OBJECT_OFFSET)
        && isSame(record + HeadRecord.BIRTH_OFFSET, entry + DirectoryEntry.BIRTH_OFFSET);
  }

  private boolean isSliceOf(long record, long entry) {
    long object = memory.get(Layouts.LONG, record + SliceRecord.OBJECT_OFFSET);
    int slice = memory.get(Layouts.INT, record + SliceRecord.SLICE_OFFSET);
    return SliceRecord.keyHigh(object)
            == memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_HIGH_OFFSET)
        && SliceRecord.keyLow(object, slice)
            == memory.get(Layouts.LONG, entry + DirectoryEntry.KEY_LOW_OFFSET)
        && isSame(record + SliceRecord.OBJECT_OFFSET, entry + DirectoryEntry.OBJECT_OFFSET)
        && isSame(record + SliceRecord.BIRTH_OFFSET, entry + DirectoryEntry.BIRTH_OFFSET);
  }

  private boolean isSame(long one, long other) {
    return memory.get(Layouts.LONG, one) == memory.get(Layouts.LONG, other);
  }
}
