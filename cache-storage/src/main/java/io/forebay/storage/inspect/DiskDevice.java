package io.forebay.storage.inspect;

import io.forebay.storage.disk.DeviceView;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryPage;
import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Reads one disk for inspection, by positioned reads of its file. A record counts as live while the
 * index refers to it, unless a sweep has marked its entry dead. Pages are written after the records
 * that they name, so these are in the file. One thread.
 */
public final class DiskDevice implements Tier {
  /** Longer than any record that goes to a disk. */
  private static final int MAX_RECORD = 2 << 20;

  /** Read of a head at first; most have all that is asked for in it. */
  private static final int HEAD_READ = 4096;

  private final String name;
  private final DeviceView file;
  private final ObjectIndex.Cursor cursor;
  private final IndexValue value = new IndexValue();
  private final ByteBuffer buffer;
  private int youngest = -1;

  /**
   * A device to look at.
   *
   * @param buffer from {@link #readBuffer}; devices used by one thread may share it
   */
  public DiskDevice(String name, DeviceView file, ObjectIndex.Cursor cursor, ByteBuffer buffer) {
    this.name = name;
    this.file = file;
    this.cursor = cursor;
    this.buffer = buffer;
  }

  public static ByteBuffer readBuffer() {
    return ByteBuffer.allocateDirect(MAX_RECORD).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean isMemory() {
    return false;
  }

  @Override
  public int regionCount() {
    return file.regionCount();
  }

  @Override
  public int regionBytes() {
    return file.regionBytes();
  }

  int number() {
    return file.number();
  }

  @Override
  public RegionFacts facts(int region) throws IOException {
    long age = file.age(region);
    State state = age == 0 ? State.FREE : region == youngest() ? State.OPEN : State.SEALED;
    return new RegionFacts(region, state, Segment.NONE, age);
  }

  /** The region that was opened last: the one being written, or that was when it ended. */
  private int youngest() throws IOException {
    if (youngest < 0) {
      long best = -1;
      for (int region = 0; region < regionCount(); region++) {
        long age = file.age(region);
        if (age > best) {
          best = age;
          youngest = region;
        }
      }
    }
    return youngest;
  }

  @Override
  public Extent walk(int region, int fromSlot, Visitor visitor) throws IOException {
    int[] slot = new int[1];
    boolean[] isOver = new boolean[1];
    DeviceView.Extent extent =
        file.walk(
            region,
            (one, generation) -> {
              int here = slot[0]++;
              if (here < fromSlot || isOver[0] || one.isTombstone() || !isPlausible(one)) {
                return;
              }
              isOver[0] = !visitor.visit(entry(region, generation, here, one));
            });
    return new Extent(extent.dataEnd() + extent.pages() * DirectoryPage.LENGTH, extent.holes());
  }

  private boolean isPlausible(DeviceView.Entry one) {
    return one.offset() >= 0
        && one.length() >= SliceRecord.LENGTH
        && one.length() <= MAX_RECORD
        && one.offset() + (long) one.length() <= file.regionBytes();
  }

  private Entry entry(int region, int generation, int slot, DeviceView.Entry one) {
    boolean isLive =
        !one.isDead()
            && cursor.get(one.keyHigh(), one.keyLow(), value) == ObjectIndex.Outcome.DONE
            && value.isOnDiskAt(file.number(), region, generation, one.offset());
    return new Entry(
        this,
        region,
        generation,
        slot,
        one.kind(),
        one.storageClass(),
        one.keyHigh(),
        one.keyLow(),
        one.offset(),
        one.length(),
        one.birth(),
        one.bodyBirth(),
        one.objectId(),
        one.slice(),
        one.expiresSeconds(),
        one.scopes(),
        isLive && (value.flags() & IndexValue.DISK_TOUCHED) != 0 ? 1 : 0,
        isLive,
        false);
  }

  /** The entry of the record at a place that the index names; null if it is none of this disk. */
  @Nullable Entry at(long high, long low, int slice, IndexValue place) throws IOException {
    if (place.diskDevice() != file.number()
        || place.diskRegion() < 0
        || place.diskRegion() >= file.regionCount()
        || place.length() < SliceRecord.LENGTH
        || place.length() > MAX_RECORD) {
      return null;
    }
    if (place.objectId() == IndexValue.UNKNOWN_OBJECT) {
      return headAt(high, low, place);
    }
    return new Entry(
        this,
        place.diskRegion(),
        place.diskGeneration(),
        0,
        place.kind(),
        0,
        high,
        low,
        place.diskOffset(),
        place.length(),
        place.birth(),
        place.birth(),
        place.objectId(),
        slice,
        place.expiresSeconds(),
        new long[0],
        (place.flags() & IndexValue.DISK_TOUCHED) != 0 ? 1 : 0,
        true,
        false);
  }

  /** The entry of a head of which the index has the table's word alone: the record tells. */
  private @Nullable Entry headAt(long high, long low, IndexValue place) throws IOException {
    int length = Math.min(place.length(), HEAD_READ);
    file.read(buffer.clear().limit(length), place.diskRegion(), place.diskOffset());
    MemorySegment record = MemorySegment.ofBuffer(buffer.clear());
    if (place.kind() == RecordHeader.KIND_SLICE
        || !RecordHeader.isRecord(record, 0, place.diskGeneration(), place.length())
        || record.get(Layouts.INT, RecordHeader.KIND_OFFSET) != place.kind()
        || record.get(Layouts.LONG, HeadRecord.KEY_HIGH_OFFSET) != high
        || record.get(Layouts.LONG, HeadRecord.KEY_LOW_OFFSET) != low) {
      return null;
    }
    return new Entry(
        this,
        place.diskRegion(),
        place.diskGeneration(),
        0,
        place.kind(),
        RecordHeader.classOnDisk(record, 0),
        high,
        low,
        place.diskOffset(),
        RecordHeader.lengthOf(record, 0),
        record.get(Layouts.LONG, HeadRecord.BIRTH_OFFSET),
        record.get(Layouts.LONG, HeadRecord.BODY_BIRTH_OFFSET),
        record.get(Layouts.LONG, HeadRecord.OBJECT_OFFSET),
        0,
        IndexValue.seconds(record.get(Layouts.LONG, HeadRecord.EXPIRES_OFFSET)),
        new long[0],
        place.isDiskTouched() ? 1 : 0,
        true,
        false);
  }

  @Override
  public boolean isNamed(Entry entry) {
    return cursor.get(entry.keyHigh(), entry.keyLow(), value) == ObjectIndex.Outcome.DONE
        && value.isOnDiskAt(file.number(), entry.region(), entry.generation(), entry.offset());
  }

  /** Whether an index entry names this very record of a disk. */
  public static boolean isAt(IndexValue named, Entry entry) {
    return entry.in() instanceof DiskDevice disk
        && named.isOnDiskAt(disk.number(), entry.region(), entry.generation(), entry.offset());
  }

  @Override
  public @Nullable Head head(Entry entry) throws IOException {
    if (entry.isSlice()) {
      return null;
    }
    int first = Math.min(entry.length(), HEAD_READ);
    MemorySegment record = read(entry, first);
    if (first >= HeadRecord.SCOPES_OFFSET) {
      int wanted = record.get(Layouts.INT, HeadRecord.BODY_OFFSET);
      if (wanted > first && wanted <= entry.length()) {
        record = read(entry, wanted);
      }
    }
    // The body need not be there: what is well-formed has its head before it.
    return RecordHeader.isRecord(record, 0, entry.generation(), entry.length())
            && record.get(Layouts.INT, RecordHeader.LENGTH_OFFSET) == entry.length()
            && record.get(Layouts.INT, RecordHeader.KIND_OFFSET) == entry.kind()
        ? Head.copy(record, 0)
        : null;
  }

  private MemorySegment read(Entry entry, int length) throws IOException {
    file.read(buffer.clear().limit(length), entry.region(), entry.offset());
    return MemorySegment.ofBuffer(buffer.clear());
  }

  @Override
  public @Nullable String flaw(Entry entry) throws IOException {
    String flaw;
    try {
      flaw = flawOf(entry, read(entry, entry.length()));
    } catch (IOException e) {
      flaw = "cannot be read: " + e.getMessage();
    }
    // Its region may have been written over while it was read.
    return flaw != null && isNamed(entry) ? flaw : null;
  }

  private static @Nullable String flawOf(Entry entry, MemorySegment record) {
    if (!RecordHeader.isRecord(record, 0, entry.generation(), entry.length())
        || record.get(Layouts.INT, RecordHeader.LENGTH_OFFSET) != entry.length()
        || record.get(Layouts.INT, RecordHeader.KIND_OFFSET) != entry.kind()) {
      return "not the record that its directory entry names";
    }
    if (!RecordHeader.isIntact(record, 0)) {
      return "checksum mismatch";
    }
    long object =
        record.get(
            Layouts.LONG, entry.isSlice() ? SliceRecord.OBJECT_OFFSET : HeadRecord.OBJECT_OFFSET);
    return object == entry.objectId() ? null : "of another object than its directory entry names";
  }

  @Override
  public long @Nullable [] headKey(Entry slice) throws IOException {
    MemorySegment record = read(slice, SliceRecord.LENGTH);
    return RecordHeader.isRecord(record, 0, slice.generation(), slice.length())
        ? new long[] {
          record.get(Layouts.LONG, SliceRecord.HEAD_HIGH_OFFSET),
          record.get(Layouts.LONG, SliceRecord.HEAD_LOW_OFFSET)
        }
        : null;
  }
}
