package io.forebay.storage.lane;

import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.evict.EvictionState;
import io.forebay.storage.evict.UnfinishedObject;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.purge.ActiveBirths;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.region.RecordCheck;
import io.forebay.storage.region.RegionPins;
import io.forebay.storage.region.Regions;
import io.forebay.storage.region.Reservation;
import io.forebay.storage.region.TierGeometry;
import io.forebay.storage.region.TierSpace;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The store's state that its lanes share. */
public final class StoreState {
  private static final Logger LOG = LoggerFactory.getLogger(StoreState.class);

  public final MemorySegment memory;
  public final Regions regions;
  public final RegionPins pins;
  public final TierSpace space;
  public final ObjectIndex index;
  public final DiskTier disk;
  final long diskKeepMillis;
  public final Purges purges;
  final ActiveBirths births;
  public final LongSupplier clockMillis;
  public final EvictionState eviction;

  final InstallCounts installs = new InstallCounts();

  /** Checks what an earlier process has left before its first use. */
  public final RecordCheck records;

  /** False while a rebuild from memory may still add keys to the index. */
  public volatile boolean isRebuilt = true;

  public final int sliceBytes;
  public final int inlineBytes;
  public final AtomicLong unfinishedBytes = new AtomicLong();
  public final Set<UnfinishedObject> unfinished = ConcurrentHashMap.newKeySet();

  /** Objects being written that have let slices go: those live although no head names them. */
  public final Set<Long> growing = ConcurrentHashMap.newKeySet();

  /**
   * Whether the files behind memory or index were cut while they are mapped, or their pages can't
   * be read: nothing in them is touched any more. It stays so until the next start.
   */
  private volatile boolean isLost;

  public StoreState(
      Regions regions,
      RegionPins pins,
      TierSpace space,
      ObjectIndex index,
      DiskTier disk,
      long diskKeepMillis,
      Purges purges,
      ActiveBirths births,
      LongSupplier clockMillis,
      EvictionState eviction,
      TierGeometry shape,
      RecordCheck records) {
    this.memory = regions.memory();
    this.regions = regions;
    this.pins = pins;
    this.space = space;
    this.index = index;
    this.disk = disk;
    this.diskKeepMillis = diskKeepMillis;
    this.purges = purges;
    this.births = births;
    this.clockMillis = clockMillis;
    this.eviction = eviction;
    this.records = records;
    this.sliceBytes = shape.sliceBytes();
    this.inlineBytes = shape.inlineBytes();
  }

  public boolean isLost() {
    return isLost;
  }

  /** What objects that are being written may take of memory: half of it. */
  long unfinishedLimit() {
    return (long) regions.regionBytes() * regions.inUse() / 2;
  }

  /** Gives memory and index up: no record in them is found from here on. Any thread. */
  public void lose(String why) {
    synchronized (this) {
      if (isLost) {
        return;
      }
      isLost = true;
    }
    for (int region = 0; region < regions.count(); region++) {
      // In the heap, so that near-indexes find nothing without another check on each hit.
      regions.state(region, 0, Regions.NONE, Regions.FREE);
    }
    LOG.error(
        "the memory tier is lost: {}. The store neither serves nor accepts objects, requests"
            + " go to their origins, and the node is not ready until it is restarted",
        why);
  }

  /** Whether everything that is stored is in the index. */
  public boolean isIndexComplete() {
    return isRebuilt && disk.isRecovered();
  }

  /** Space for the head of a slice or of the record that {@code spec} describes. */
  int headLength(HeadSpec spec) {
    return HeadRecord.bodyOffset(spec.scopes().length, spec.keyTextLength(), spec.head().length);
  }

  /** Whether it fits into one record at all. */
  boolean fits(int length) {
    return length <= regions.regionBytes() / 4;
  }

  void enter(Reservation at, byte kind, HeadSpec spec, long high, long low, long id) {
    regions.enter(
        at.region(),
        at.slot(),
        DirectoryEntry.kindAndClass(kind, spec.storageClass()),
        high,
        low,
        at.offset(),
        spec.birth(),
        id,
        spec.scopes().length == 0 ? 0 : spec.scopes()[0]);
    regions.touches(at.region(), at.slot(), eviction.firstTouches(spec.lo()));
  }

  /**
   * Writes and commits a head record whose body, if inline, is already in place.
   *
   * @param bodyCrc has taken the inline body in
   */
  void writeHead(
      Reservation at,
      HeadSpec spec,
      long objectId,
      long bodyBirth,
      long totalLength,
      boolean isInline,
      CRC32C bodyCrc) {
    long record = regions.base(at.region()) + at.offset();
    int scopes = spec.scopes().length;
    int bodyOffset = headLength(spec);
    int length = bodyOffset + (isInline ? (int) totalLength : 0);
    byte kind = kindByte(spec.kind());
    memory.set(Layouts.INT, record + RecordHeader.MAGIC_OFFSET, RecordHeader.MAGIC);
    memory.set(Layouts.INT, record + RecordHeader.GENERATION_OFFSET, at.generation());
    memory.set(Layouts.INT, record + RecordHeader.LENGTH_OFFSET, length);
    memory.set(Layouts.INT, record + RecordHeader.ENTRY_OFFSET, at.slot());
    memory.set(Layouts.INT, record + RecordHeader.KIND_OFFSET, kind);
    memory.set(Layouts.LONG, record + HeadRecord.KEY_HIGH_OFFSET, spec.hi());
    memory.set(Layouts.LONG, record + HeadRecord.KEY_LOW_OFFSET, spec.lo());
    memory.set(Layouts.LONG, record + HeadRecord.OBJECT_OFFSET, objectId);
    memory.set(Layouts.LONG, record + HeadRecord.BIRTH_OFFSET, spec.birth());
    memory.set(Layouts.LONG, record + HeadRecord.BODY_BIRTH_OFFSET, bodyBirth);
    memory.set(Layouts.LONG, record + HeadRecord.EXPIRES_OFFSET, spec.expiresAtMillis());
    memory.set(Layouts.LONG, record + HeadRecord.TOTAL_LENGTH_OFFSET, totalLength);
    memory.set(Layouts.INT, record + HeadRecord.SCOPE_COUNT_OFFSET, scopes);
    memory.set(Layouts.INT, record + HeadRecord.KEY_LENGTH_OFFSET, spec.keyTextLength());
    memory.set(Layouts.INT, record + HeadRecord.HEAD_LENGTH_OFFSET, spec.head().length);
    memory.set(Layouts.INT, record + HeadRecord.BODY_OFFSET, bodyOffset);
    memory.set(Layouts.INT, record + HeadRecord.SLICE_BYTES_OFFSET, sliceBytes);
    memory.set(
        Layouts.INT, record + HeadRecord.FLAGS_OFFSET, isInline ? HeadRecord.FLAG_INLINE : 0);
    MemorySegment.copy(
        spec.scopes(), 0, memory, Layouts.LONG, record + HeadRecord.SCOPES_OFFSET, scopes);
    MemorySegment.copy(
        spec.keyText(),
        0,
        memory,
        Layouts.BYTE,
        record + HeadRecord.keyOffset(scopes),
        spec.keyTextLength());
    int headOffset = HeadRecord.headOffset(scopes, spec.keyTextLength());
    MemorySegment.copy(
        spec.head(), 0, memory, Layouts.BYTE, record + headOffset, spec.head().length);
    // The padding is covered by the checksum and moves with the record: never an earlier one's
    // bytes.
    int padding = headOffset + spec.head().length;
    memory.asSlice(record + padding, bodyOffset - padding).fill((byte) 0);
    memory.set(
        Layouts.INT,
        record + RecordHeader.CRC_OFFSET,
        RecordHeader.seal(bodyCrc, memory, record, bodyOffset));
    regions.commit(at.region(), at.slot(), at.generation(), length, records.epoch());
  }

  /** Writes and commits a slice record whose body is in place. */
  void writeSlice(
      Piece piece, HeadSpec spec, long objectId, int slice, int bodyLength, CRC32C bodyCrc) {
    long record = regions.base(piece.region()) + piece.offset();
    int length = SliceRecord.LENGTH + bodyLength;
    memory.set(Layouts.INT, record + RecordHeader.MAGIC_OFFSET, RecordHeader.MAGIC);
    memory.set(Layouts.INT, record + RecordHeader.GENERATION_OFFSET, piece.generation());
    memory.set(Layouts.INT, record + RecordHeader.LENGTH_OFFSET, length);
    memory.set(Layouts.INT, record + RecordHeader.ENTRY_OFFSET, piece.slot());
    memory.set(Layouts.INT, record + RecordHeader.KIND_OFFSET, RecordHeader.KIND_SLICE);
    memory.set(Layouts.LONG, record + SliceRecord.HEAD_HIGH_OFFSET, spec.hi());
    memory.set(Layouts.LONG, record + SliceRecord.HEAD_LOW_OFFSET, spec.lo());
    memory.set(Layouts.LONG, record + SliceRecord.OBJECT_OFFSET, objectId);
    memory.set(Layouts.INT, record + SliceRecord.SLICE_OFFSET, slice);
    memory.set(Layouts.INT, record + SliceRecord.BODY_LENGTH_OFFSET, bodyLength);
    memory.set(Layouts.LONG, record + SliceRecord.BIRTH_OFFSET, spec.birth());
    memory.set(
        Layouts.INT,
        record + RecordHeader.CRC_OFFSET,
        RecordHeader.seal(bodyCrc, memory, record, SliceRecord.LENGTH));
    regions.commit(piece.region(), piece.slot(), piece.generation(), length, records.epoch());
  }

  static byte kindByte(HeadSpec.Kind kind) {
    return kind == HeadSpec.Kind.VARY_MARKER ? RecordHeader.KIND_MARKER : RecordHeader.KIND_OBJECT;
  }

  /** How many objects, and the bytes of their bodies. */
  public record Counted(long objects, long bytes) {}

  /**
   * Objects in memory that are live and were born before, all or those with a base scope; null if
   * there is too much to look at.
   */
  @Nullable
  public Counted count(@Nullable Long baseScope, long before, long entryLimit) {
    long entries = 0;
    for (int region = 0; region < regions.count(); region++) {
      entries += regions.slots(region);
    }
    if (entries > entryLimit) {
      return null;
    }
    long objects = 0;
    long bytes = 0;
    for (int region = 0; region < regions.count(); region++) {
      int generation = regions.generation(region);
      if (!regions.visit(region, generation)) {
        continue;
      }
      try {
        int slots = regions.slots(region);
        for (int slot = 0; slot < slots; slot++) {
          if (isCounted(region, generation, slot, baseScope, before)) {
            int offset = regions.offset(region, slot);
            objects++;
            bytes +=
                memory.get(
                    Layouts.LONG, regions.base(region) + offset + HeadRecord.TOTAL_LENGTH_OFFSET);
          }
        }
      } finally {
        regions.leave(region);
      }
    }
    return new Counted(objects, bytes);
  }

  private boolean isCounted(
      int region, int generation, int slot, @Nullable Long baseScope, long before) {
    long entry = regions.entry(region, slot);
    return (baseScope == null
            || memory.get(Layouts.LONG, entry + DirectoryEntry.BASE_SCOPE_OFFSET) == baseScope)
        && DirectoryEntry.kind(memory, entry) == RecordHeader.KIND_OBJECT
        && regions.isSound(region, slot, generation)
        && regions.isLive(region, slot)
        && memory.get(Layouts.LONG, entry + DirectoryEntry.BIRTH_OFFSET) < before;
  }

  /** Space being written: where a slice, or an inline body, lies. */
  public record Piece(
      int region, int generation, int slot, int offset, int bodyOffset, int capacity) {
    static Piece slice(Reservation at) {
      return new Piece(
          at.region(),
          at.generation(),
          at.slot(),
          at.offset(),
          at.offset() + SliceRecord.LENGTH,
          at.length() - SliceRecord.LENGTH);
    }

    Piece grown(int newCapacity) {
      return new Piece(region, generation, slot, offset, bodyOffset, newCapacity);
    }
  }
}
