package io.forebay.storage.lane;

import io.forebay.storage.disk.DiskWaiter;
import io.forebay.storage.disk.HeldRecord;
import io.forebay.storage.evict.SampleRing;
import io.forebay.storage.evict.TierModel;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.NearCopies;
import io.forebay.storage.index.NearIndex;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.lane.StoreLane.Found;
import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.SliceLocation;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.region.RegionPins;
import io.forebay.storage.region.Regions;
import io.forebay.storage.transit.TransitBuffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Looks up objects for one lane: in its near-index, which is checked against the record, then in
 * the index. A found record is pinned, validated, checked for purges, and validated again. Confined
 * to its lane.
 */
public final class LaneLookup {
  private static final int ATTEMPTS = 4;

  /** No version of the purges: what was noted with it is checked at each lookup. */
  private static final long UNSEEN = -1;

  private final StoreState core;
  private final int lane;
  private final MemorySegment memory;
  private final Regions regions;
  private final RegionPins pins;
  private final Purges purges;
  private final ObjectIndex.Cursor cursor;
  private final NearIndex near;
  private final NearCopies copies;
  private final SampleRing samples;
  private final RemoveUpdate removal;
  private final TouchUpdate touch = new TouchUpdate();
  private final IndexValue value = new IndexValue();
  private final StoredHead head = new StoredHead();
  private final SliceLocation slice = new SliceLocation();
  private long wantedHigh;
  private long wantedLow;

  /** The disk that has reads queued of which its readers have not been told; -1: none. */
  private int queuedOn = -1;

  public long nearHits;
  public long indexHits;
  public long misses;
  public long busy;

  LaneLookup(
      StoreState core, int lane, int nearEntries, ObjectIndex.Cursor cursor, SampleRing samples) {
    this.core = core;
    this.lane = lane;
    this.memory = core.memory;
    this.regions = core.regions;
    this.pins = core.pins;
    this.purges = core.purges;
    this.cursor = cursor;
    this.near = new NearIndex(nearEntries);
    this.copies = new NearCopies(nearEntries);
    this.samples = samples;
    this.removal = new RemoveUpdate(core.regions, core.disk);
  }

  Found find(long hi, long lo, byte[] keyText, int keyTextLength) {
    Found found = findNear(hi, lo, keyText, keyTextLength);
    if (found == Found.HIT) {
      askedFor();
      return found;
    }
    return counted(found == null ? findIndexed(hi, lo, keyText, keyTextLength) : found);
  }

  private Found counted(Found found) {
    if (found == Found.MISS) {
      misses++;
    }
    return found;
  }

  /**
   * What the near-index alone says: HIT, MISS, or null where it says nothing. A hit counts as asked
   * for only with {@link #askedFor}.
   */
  @Nullable Found findNear(long hi, long lo, byte[] keyText, int keyTextLength) {
    int entry = near.find(hi, lo);
    if (entry < 0) {
      return null;
    }
    int region = near.region(entry);
    int generation = near.generation(entry);
    int slot = near.slot(entry);
    pins.pin(lane, region);
    if (regions.isReadable(region, generation) && regions.isLive(region, slot)) {
      int offset = near.offset(entry);
      long record = regions.base(region) + offset;
      if (!isKey(record, keyText, keyTextLength)) {
        pins.unpin(lane, region);
        return Found.MISS;
      }
      long version = purges.version();
      boolean isUnproven = false;
      if (near.purgesSeen(entry) != version) {
        long newest = purges.newestPredicate();
        int fate = purges.checkFound(memory, record, near.predicatesSeen(entry));
        if (fate == Purges.DEAD) {
          near.clear(entry);
          purged(hi, lo, region, generation, offset, slot);
          return Found.MISS;
        }
        if (fate == Purges.STALE) {
          soften(region, slot, record);
        }
        isUnproven = fate == Purges.REVALIDATE;
        near.seen(entry, isUnproven ? UNSEEN : version, newest);
      }
      // Once more, and softness only now: a purge marks what it applies to before it is
      // forgotten, so one that was forgotten after the first look and before the check shows.
      if (regions.isLive(region, slot)) {
        describe(region, generation, slot, offset, isUnproven || regions.isSoft(region, slot));
        return Found.HIT;
      }
    }
    pins.unpin(lane, region);
    near.clear(entry);
    return null;
  }

  /** The head that {@link #findNear} has found is used. */
  void askedFor() {
    regions.touch(head.region, head.slot);
    sample();
    nearHits++;
  }

  boolean hasNearCopies(long hi, long lo) {
    if (copies.isEmpty()) {
      return false;
    }
    int entry = near.find(hi, lo);
    return entry >= 0 && near.isLinked(entry);
  }

  /** See {@link StoreLane#linkNearCopy}. */
  void linkNearCopy(long hi, long lo, long tag, long copyHi, long copyLo) {
    int source = near.find(hi, lo);
    int copy = near.find(copyHi, copyLo);
    if (source >= 0 && copy >= 0) {
      copies.put(
          near.place(source),
          near.life(source),
          tag,
          near.place(copy),
          near.life(copy),
          near.purgesSeen(copy));
      near.link(source);
    }
  }

  /**
   * See {@link StoreLane#findNearCopy}. Both records are checked as {@link #findNear} does; where a
   * purge came into force since, it is left to that to ask it.
   */
  boolean findNearCopy(
      long hi, long lo, long tag, byte[] keyText, int keyTextLength, int suffixLength) {
    int entry = near.find(hi, lo);
    int link = entry < 0 ? -1 : copies.find(near.place(entry), near.life(entry), tag);
    if (link < 0) {
      return false;
    }
    int sourceRegion = near.region(entry);
    int sourceSlot = near.slot(entry);
    int region = copies.region(link);
    int slot = copies.slot(link);
    int offset = copies.offset(link);
    pins.pin(lane, sourceRegion, region);
    if (regions.isReadable(sourceRegion, near.generation(entry))
        && regions.isReadable(region, copies.generation(link))
        && isKeyOfCopy(regions.base(region) + offset, keyText, keyTextLength, suffixLength)) {
      long version = purges.version();
      // Whether they live, and softness, only now: see findNear.
      if (near.purgesSeen(entry) == version
          && copies.purgesSeen(link) == version
          && regions.isLive(sourceRegion, sourceSlot)
          && !regions.isSoft(sourceRegion, sourceSlot)
          && regions.isLive(region, slot)) {
        // Whether the object is stale is asked of the source alone.
        describe(region, copies.generation(link), slot, offset, false);
        askedForSource(lo, sourceRegion, sourceSlot, near.offset(entry));
        pins.unpin(lane, sourceRegion);
        return true;
      }
    }
    pins.unpin(lane, region);
    pins.unpin(lane, sourceRegion);
    copies.clear(link);
    return false;
  }

  /** The copy's key is that of its object and the suffix that belongs to the tag. */
  private boolean isKeyOfCopy(long record, byte[] keyText, int keyTextLength, int suffixLength) {
    if (memory.get(Layouts.INT, record + HeadRecord.KEY_LENGTH_OFFSET)
        != keyTextLength + suffixLength) {
      return false;
    }
    int scopes = memory.get(Layouts.INT, record + HeadRecord.SCOPE_COUNT_OFFSET);
    return Layouts.same(memory, record + HeadRecord.keyOffset(scopes), keyText, keyTextLength);
  }

  /** The source is needed for each hit of its copy, though its record is hardly ever read. */
  private void askedForSource(long lo, int region, int slot, int offset) {
    regions.touch(region, slot);
    if (core.eviction.sample().has(lo)) {
      sample(memory, regions.base(region) + offset);
    }
    nearHits++;
  }

  private Found findIndexed(long hi, long lo, byte[] keyText, int keyTextLength) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Found unknown = ask(hi, lo);
      if (unknown != null) {
        return unknown;
      }
      int region = value.region();
      if (value.kind() == RecordHeader.KIND_SLICE) {
        return Found.MISS;
      }
      if (region < 0) {
        return wantedHead(hi, lo);
      }
      int generation = value.generation();
      int offset = value.offset();
      int slot = pinRecord(hi, lo, region, generation, offset);
      if (slot < 0) {
        continue;
      }
      long record = regions.base(region) + offset;
      if (!isKey(record, keyText, keyTextLength)) {
        pins.unpin(lane, region);
        return Found.MISS;
      }
      long version = purges.version();
      long newest = purges.newestPredicate();
      int fate = purges.checkFound(memory, record, 0);
      if (fate == Purges.DEAD) {
        purged(hi, lo, region, generation, offset, slot);
        return Found.MISS;
      }
      if (fate == Purges.STALE) {
        soften(region, slot, record);
      }
      if (!regions.isLive(region, slot)) {
        // Replaced, or killed by a purge that has been forgotten since: see the near path.
        pins.unpin(lane, region);
        continue;
      }
      regions.touch(region, slot);
      boolean isUnproven = fate == Purges.REVALIDATE;
      long seen = isUnproven ? UNSEEN : version;
      near.put(hi, lo, region, offset, generation, slot, seen, newest);
      describe(region, generation, slot, offset, isUnproven || regions.isSoft(region, slot));
      sample();
      indexHits++;
      return Found.HIT;
    }
    return Found.MISS;
  }

  /** Asks the index for a key: null where {@link #value} tells of it, else MISS or BUSY. */
  private @Nullable Found ask(long hi, long lo) {
    if (core.isLost()) {
      return Found.MISS;
    }
    return switch (cursor.get(hi, lo, value)) {
      case BUSY -> {
        busy++;
        yield Found.BUSY;
      }
      case DONE -> null;
      default -> Found.MISS;
    };
  }

  /**
   * Pins the region where the index has the record of a key, and checks the record.
   *
   * @return its slot; -1 where it has moved, was replaced or is damaged: nothing is pinned then,
   *     and the index may know better
   */
  private int pinRecord(long hi, long lo, int region, int generation, int offset) {
    if (!pinIf(region, generation)) {
      return -1;
    }
    int slot = regions.slotAt(region, generation, offset);
    if (slot < 0 || regions.isLive(region, slot)) {
      if (slot >= 0 && core.records.isIntact(region, generation, slot, offset)) {
        return slot;
      }
      // A disk may have it as well.
      forgetDamaged(hi, lo, region, generation, offset);
    }
    pins.unpin(lane, region);
    return -1;
  }

  /** Like a find without the text to compare: see {@link StoreLane#findListed}. */
  Found findListed(long hi, long lo) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Found unknown = ask(hi, lo);
      if (unknown != null) {
        return unknown;
      }
      int region = value.region();
      if (value.kind() == RecordHeader.KIND_SLICE || region < 0) {
        return Found.MISS;
      }
      int generation = value.generation();
      int offset = value.offset();
      if (!pinIf(region, generation)) {
        continue;
      }
      long record = regions.base(region) + offset;
      int slot = regions.slotAt(region, generation, offset);
      if (slot < 0 || !regions.isLive(region, slot)) {
        pins.unpin(lane, region);
        continue;
      }
      // Once more whether it lives, after the purges: see find.
      int fate =
          core.records.isIntact(region, generation, slot, offset)
              ? purges.check(memory, record)
              : Purges.DEAD;
      if (fate != Purges.DEAD && regions.isLive(region, slot)) {
        boolean isStale = fate == Purges.REVALIDATE || regions.isSoft(region, slot);
        describe(region, generation, slot, offset, isStale);
        return Found.HIT;
      }
      pins.unpin(lane, region);
      return Found.MISS;
    }
    return Found.MISS;
  }

  byte[] keyText() {
    long record = regions.base(head.region) + head.recordOffset;
    int scopes = memory.get(Layouts.INT, record + HeadRecord.SCOPE_COUNT_OFFSET);
    int length = memory.get(Layouts.INT, record + HeadRecord.KEY_LENGTH_OFFSET);
    return memory
        .asSlice(record + HeadRecord.keyOffset(scopes), length)
        .toArray(ValueLayout.JAVA_BYTE);
  }

  long[] scopes(StoredHead found) {
    TransitBuffer read = found.read();
    MemorySegment bytes = read == null ? memory : read.memory();
    long record = read == null ? regions.base(found.region) + found.recordOffset : 0;
    int count = bytes.get(Layouts.INT, record + HeadRecord.SCOPE_COUNT_OFFSET);
    long[] scopes = new long[count];
    for (int i = 0; i < count; i++) {
      scopes[i] =
          bytes.get(Layouts.LONG, record + HeadRecord.SCOPES_OFFSET + (long) i * Long.BYTES);
    }
    return scopes;
  }

  /**
   * Not in memory: what the index knows of it tells whether it is worth a read of the disk. The
   * table of the disk has no scopes; purges of these are found when the record is read.
   */
  private Found wantedHead(long hi, long lo) {
    if (core.disk.isReadable(value)) {
      long expires = Integer.toUnsignedLong(value.expiresSeconds()) * 1000;
      boolean isKept = expires + core.diskKeepMillis > core.clockMillis.getAsLong();
      int fate = purges.check(value.scope0(), value.scope1(), value.birth());
      if (fate != Purges.DEAD && isKept) {
        return wanted(hi, lo);
      }
      if (fate == Purges.DEAD) {
        long[] scopes = {value.scope0(), value.scope1()};
        if (cursor.update(hi, lo, removal.any().of(hi, lo)) == ObjectIndex.Outcome.DONE
            && value.kind() == RecordHeader.KIND_OBJECT) {
          purges.count(scopes, value.birth(), value.birth(), fate, value.length());
        }
      }
    }
    return Found.MISS;
  }

  private Found wanted(long hi, long lo) {
    wantedHigh = hi;
    wantedLow = lo;
    return Found.ON_DISK;
  }

  boolean read(DiskWaiter waiter) {
    return core.disk.read(wantedHigh, wantedLow, value, waiter);
  }

  boolean queue(DiskWaiter waiter) {
    int disk = value.diskDevice();
    if (disk != queuedOn) {
      startReads();
    }
    boolean isQueued = core.disk.queue(wantedHigh, wantedLow, value, waiter);
    if (isQueued) {
      queuedOn = disk;
    }
    return isQueued;
  }

  void startReads() {
    if (queuedOn >= 0) {
      core.disk.startReads(queuedOn);
      queuedOn = -1;
    }
  }

  @Nullable HeldRecord hold(long objectId, int sliceIndex) {
    long hi = SliceRecord.keyHigh(objectId);
    long lo = SliceRecord.keyLow(objectId, sliceIndex);
    boolean isThere =
        !core.isLost()
            && cursor.get(hi, lo, value) == ObjectIndex.Outcome.DONE
            && value.kind() == RecordHeader.KIND_SLICE
            && value.isOf(objectId)
            && value.isOnDisk();
    return isThere ? core.disk.hold(hi, lo, value) : null;
  }

  boolean mayReadAhead() {
    return core.disk.mayReadAhead(value);
  }

  @Nullable TransitBuffer readCached() {
    TransitBuffer read = core.disk.readCached(wantedHigh, wantedLow, value);
    if (read != null) {
      if (!value.isDiskTouched()) {
        touch.of(value);
        // Where the index is busy the next read does it.
        ObjectIndex.Outcome ignored = cursor.update(wantedHigh, wantedLow, touch);
      }
      if (value.kind() == RecordHeader.KIND_SLICE) {
        sampleSlice(read.memory(), 0, read.length());
      }
    }
    return read;
  }

  /**
   * Finds the head that was wanted last in what was read of it from its disk. The purges are asked
   * before the index: one that was forgotten before that had its records taken out of the index
   * earlier still, so the index does not name the record any more.
   */
  Found findRead(TransitBuffer read, byte[] keyText, int keyTextLength) {
    MemorySegment record = read.memory();
    int fate = purges.check(record, 0);
    Found unknown = ask(wantedHigh, wantedLow);
    if (unknown != null) {
      return counted(unknown);
    }
    if (value.region() >= 0) {
      return counted(findIndexed(wantedHigh, wantedLow, keyText, keyTextLength));
    }
    if (!isNamed(record) || !core.disk.isReadable(value)) {
      return Found.ON_DISK;
    }
    if (!isKey(record, 0, keyText, keyTextLength)) {
      return counted(Found.MISS);
    }
    if (fate == Purges.DEAD) {
      removal.onDiskAt(value).of(wantedHigh, wantedLow);
      if (cursor.update(wantedHigh, wantedLow, removal) == ObjectIndex.Outcome.DONE) {
        purges.count(record, 0, fate);
      }
      return counted(Found.MISS);
    }
    read.retain();
    head.read = read;
    head.region = -1;
    describe(record, 0, 0, fate != Purges.ALIVE);
    sample(record, 0);
    indexHits++;
    return Found.HIT;
  }

  /** Whether a record that was read from a disk is what the index names there now. */
  private boolean isNamed(MemorySegment record) {
    return record.get(Layouts.INT, RecordHeader.KIND_OFFSET) == value.kind()
        && record.get(Layouts.LONG, HeadRecord.KEY_HIGH_OFFSET) == wantedHigh
        && record.get(Layouts.LONG, HeadRecord.KEY_LOW_OFFSET) == wantedLow
        && record.get(Layouts.LONG, HeadRecord.BIRTH_OFFSET) == value.birth()
        && value.isOf(record.get(Layouts.LONG, HeadRecord.OBJECT_OFFSET));
  }

  /** Gives back what a find has taken for the head: a pin, or what was read from a disk. */
  void unpin(StoredHead found) {
    TransitBuffer read = found.takeRead();
    if (read == null) {
      pins.unpin(lane, found.region);
    } else {
      read.release();
    }
  }

  /** A purge matched: not live any more before the answer goes out. */
  private void purged(long hi, long lo, int region, int generation, int offset, int slot) {
    regions.live(region, slot, false);
    // Of several that found it at once one removes it, and that one counts it.
    ObjectIndex.Outcome outcome = forget(hi, lo, region, generation, offset);
    if (outcome == ObjectIndex.Outcome.DONE || outcome == ObjectIndex.Outcome.BUSY) {
      purges.count(memory, regions.base(region) + offset, Purges.DEAD);
    }
    pins.unpin(lane, region);
  }

  /** A soft purge matched: the record stores this, so that it is not evaluated again. */
  private void soften(int region, int slot, long record) {
    if (regions.soften(region, slot)) {
      purges.count(memory, record, Purges.STALE);
    }
  }

  /** Busy is good enough: the record is not live, and its region's reclaim removes the key. */
  private ObjectIndex.Outcome forget(long hi, long lo, int region, int generation, int offset) {
    if (core.isLost()) {
      return ObjectIndex.Outcome.ABSENT;
    }
    removal.at(region, generation, offset).of(hi, lo);
    return cursor.update(hi, lo, removal);
  }

  /** What the index names is not what was written; while the region is pinned. */
  private void forgetDamaged(long hi, long lo, int region, int generation, int offset) {
    removal.damaged(region, generation, offset).of(hi, lo);
    ObjectIndex.Outcome ignored = cursor.update(hi, lo, removal);
  }

  private boolean isKey(long record, byte[] keyText, int keyTextLength) {
    return isKey(memory, record, keyText, keyTextLength);
  }

  private static boolean isKey(
      MemorySegment bytes, long record, byte[] keyText, int keyTextLength) {
    if (bytes.get(Layouts.INT, record + HeadRecord.KEY_LENGTH_OFFSET) != keyTextLength) {
      return false;
    }
    int scopes = bytes.get(Layouts.INT, record + HeadRecord.SCOPE_COUNT_OFFSET);
    return Layouts.same(bytes, record + HeadRecord.keyOffset(scopes), keyText, keyTextLength);
  }

  /** Tells the eviction of the head that {@link #describe} was about, if it is one it follows. */
  private void sample() {
    sample(memory, regions.base(head.region) + head.recordOffset);
  }

  private void sample(MemorySegment bytes, long record) {
    long object = bytes.get(Layouts.LONG, record + HeadRecord.KEY_LOW_OFFSET);
    if (head.kind == HeadSpec.Kind.OBJECT && core.eviction.sample().has(object)) {
      samples.record(
          object,
          TierModel.HEAD,
          bytes.get(Layouts.INT, record + RecordHeader.LENGTH_OFFSET),
          bytes.get(Layouts.LONG, record + HeadRecord.TOTAL_LENGTH_OFFSET));
    }
  }

  private void describe(int region, int generation, int slot, int offset, boolean isStale) {
    head.region = region;
    head.generation = generation;
    head.slot = slot;
    describe(memory, regions.base(region) + offset, offset, isStale);
  }

  /**
   * Of a record that the head lies in.
   *
   * @param offset of the record in what the head's offsets refer to
   */
  private void describe(MemorySegment bytes, long record, int offset, boolean isStale) {
    int scopes = bytes.get(Layouts.INT, record + HeadRecord.SCOPE_COUNT_OFFSET);
    int keyLength = bytes.get(Layouts.INT, record + HeadRecord.KEY_LENGTH_OFFSET);
    int flags = bytes.get(Layouts.INT, record + HeadRecord.FLAGS_OFFSET);
    head.recordOffset = offset;
    head.headOffset = offset + HeadRecord.headOffset(scopes, keyLength);
    head.headLength = bytes.get(Layouts.INT, record + HeadRecord.HEAD_LENGTH_OFFSET);
    head.bodyOffset =
        (flags & HeadRecord.FLAG_INLINE) != 0
            ? offset + bytes.get(Layouts.INT, record + HeadRecord.BODY_OFFSET)
            : -1;
    head.totalLength = bytes.get(Layouts.LONG, record + HeadRecord.TOTAL_LENGTH_OFFSET);
    head.objectId = bytes.get(Layouts.LONG, record + HeadRecord.OBJECT_OFFSET);
    head.birth = bytes.get(Layouts.LONG, record + HeadRecord.BIRTH_OFFSET);
    head.bodyBirth = bytes.get(Layouts.LONG, record + HeadRecord.BODY_BIRTH_OFFSET);
    head.expiresAtMillis = bytes.get(Layouts.LONG, record + HeadRecord.EXPIRES_OFFSET);
    head.sliceBytes = bytes.get(Layouts.INT, record + HeadRecord.SLICE_BYTES_OFFSET);
    head.softPurged = isStale;
    head.mustValidate = isStale && purges.mustValidate(head.birth);
    head.kind =
        bytes.get(Layouts.INT, record + RecordHeader.KIND_OFFSET) == RecordHeader.KIND_MARKER
            ? HeadSpec.Kind.VARY_MARKER
            : HeadSpec.Kind.OBJECT;
  }

  StoredHead head() {
    return head;
  }

  Found findSlice(long objectId, int sliceIndex) {
    long hi = SliceRecord.keyHigh(objectId);
    long lo = SliceRecord.keyLow(objectId, sliceIndex);
    int entry = near.find(hi, lo);
    if (entry >= 0) {
      int region = near.region(entry);
      int slot = near.slot(entry);
      pins.pin(lane, region);
      if (regions.isReadable(region, near.generation(entry)) && regions.isLive(region, slot)) {
        regions.touch(region, slot);
        place(region, near.offset(entry));
        nearHits++;
        return Found.HIT;
      }
      pins.unpin(lane, region);
      near.clear(entry);
    }
    return counted(findSliceIndexed(hi, lo, objectId, sliceIndex));
  }

  private Found findSliceIndexed(long hi, long lo, long objectId, int sliceIndex) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Found unknown = ask(hi, lo);
      if (unknown != null) {
        return unknown;
      }
      int region = value.region();
      if (value.kind() != RecordHeader.KIND_SLICE || !value.isOf(objectId)) {
        return Found.MISS;
      }
      if (region < 0) {
        return core.disk.isReadable(value) ? wanted(hi, lo) : Found.MISS;
      }
      int generation = value.generation();
      int offset = value.offset();
      int slot = pinRecord(hi, lo, region, generation, offset);
      if (slot < 0) {
        continue;
      }
      long record = regions.base(region) + offset;
      if (memory.get(Layouts.LONG, record + SliceRecord.OBJECT_OFFSET) != objectId
          || memory.get(Layouts.INT, record + SliceRecord.SLICE_OFFSET) != sliceIndex) {
        pins.unpin(lane, region);
        return Found.MISS;
      }
      regions.touch(region, slot);
      near.put(hi, lo, region, offset, generation, slot, 0, 0);
      place(region, offset);
      indexHits++;
      return Found.HIT;
    }
    return Found.MISS;
  }

  private void place(int region, int offset) {
    slice.region = region;
    slice.offset = offset + SliceRecord.LENGTH;
    slice.length =
        memory.get(Layouts.INT, regions.base(region) + offset + SliceRecord.BODY_LENGTH_OFFSET);
    sampleSlice(memory, regions.base(region) + offset, SliceRecord.LENGTH + slice.length);
  }

  private void sampleSlice(MemorySegment bytes, long record, int length) {
    long object = bytes.get(Layouts.LONG, record + SliceRecord.HEAD_LOW_OFFSET);
    if (core.eviction.sample().has(object)) {
      int slice = bytes.get(Layouts.INT, record + SliceRecord.SLICE_OFFSET);
      long end = (long) slice * core.sliceBytes + length - SliceRecord.LENGTH;
      samples.record(object, 1 + slice, length, end);
    }
  }

  SliceLocation slice() {
    return slice;
  }

  SliceLocation slice(int region, int offset, int length) {
    slice.region = region;
    slice.offset = offset;
    slice.length = length;
    return slice;
  }

  /** Pins a region if it is still in that life. */
  public boolean pinIf(int region, int generation) {
    pins.pin(lane, region);
    if (regions.isReadable(region, generation)) {
      return true;
    }
    pins.unpin(lane, region);
    return false;
  }

  /** Whether a slice's record is in memory or on a disk: HIT or MISS, or BUSY. Touches nothing. */
  Found isStored(long hi, long lo, long objectId) {
    if (core.isLost()) {
      return Found.MISS;
    }
    return switch (cursor.get(hi, lo, value)) {
      case BUSY -> Found.BUSY;
      case DONE ->
          value.isOf(objectId)
                  && (value.region() >= 0
                      ? regions.isReadable(value.region(), value.generation())
                      : core.disk.isReadable(value))
              ? Found.HIT
              : Found.MISS;
      default -> Found.MISS;
    };
  }

  /**
   * Whether a key still names this object, or is to name it when it is finished, and no purge has
   * matched it: HIT or MISS, or BUSY. MISS of an object whose head lies on a disk only: the table
   * of the disk does not tell which object it is. Nothing is pinned.
   */
  Found names(long hi, long lo, long objectId) {
    if (core.isLost()) {
      return Found.MISS;
    }
    if (core.growing.contains(objectId)) {
      return Found.HIT;
    }
    long dead = -1;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      switch (cursor.get(hi, lo, value)) {
        case BUSY -> {
          return Found.BUSY;
        }
        case DONE -> {}
        default -> {
          return Found.MISS;
        }
      }
      int region = value.region();
      if (value.kind() == RecordHeader.KIND_SLICE || value.objectId() != objectId) {
        return Found.MISS;
      }
      if (region < 0) {
        boolean isAlive =
            core.disk.isReadable(value)
                && purges.check(value.scope0(), value.scope1(), value.birth()) != Purges.DEAD;
        return isAlive ? Found.HIT : Found.MISS;
      }
      int generation = value.generation();
      int offset = value.offset();
      if (!pinIf(region, generation)) {
        continue;
      }
      long record = regions.base(region) + offset;
      int slot = regions.slotAt(region, generation, offset);
      boolean isLive = slot >= 0 && regions.isLive(region, slot);
      boolean isSound =
          isLive
              && core.records.isIntact(region, generation, slot, offset)
              && purges.check(memory, record) != Purges.DEAD;
      pins.unpin(lane, region);
      if (isLive) {
        return isSound ? Found.HIT : Found.MISS;
      }
      if (record == dead) {
        // A kill in the middle of an install left it.
        return Found.MISS;
      }
      // It has a newer head since, of which the index tells.
      dead = record;
    }
    return Found.BUSY;
  }

  boolean invalidate(long hi, long lo) {
    if (core.isLost()) {
      // Memory opens empty at the next start; what is on a disk may be back by then.
      return core.disk.isEmpty();
    }
    boolean isComplete = core.isIndexComplete();
    ObjectIndex.Outcome outcome = cursor.update(hi, lo, removal.any().of(hi, lo));
    forgetNear(hi, lo);
    return outcome != ObjectIndex.Outcome.BUSY && isComplete;
  }

  boolean drop(long hi, long lo, long objectId) {
    if (core.isLost()) {
      return true;
    }
    ObjectIndex.Outcome outcome = cursor.update(hi, lo, removal.object(objectId).of(hi, lo));
    forgetNear(hi, lo);
    return outcome != ObjectIndex.Outcome.BUSY;
  }

  private void forgetNear(long hi, long lo) {
    int entry = near.find(hi, lo);
    if (entry >= 0) {
      near.clear(entry);
    }
  }

  /** Forgets a slice that will not be needed. */
  public void discard(StoreState.Piece at, long hi, long lo) {
    if (core.isLost()) {
      return;
    }
    regions.live(at.region(), at.slot(), false);
    ObjectIndex.Outcome ignored = forget(hi, lo, at.region(), at.generation(), at.offset());
  }
}
