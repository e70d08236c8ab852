package io.forebay.storage;

import io.forebay.storage.evict.SampleRing;
import io.forebay.storage.evict.TierModel;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.NearIndex;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.layout.Words;
import io.forebay.storage.memory.TierMemory;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.region.Pins;
import io.forebay.storage.region.Regions;
import io.forebay.storage.region.Reservation;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's way into the store. Everything here is for that loop's thread only, and nothing
 * here waits: what can't be had at once is a miss or busy.
 *
 * <p>A hit leaves one pin on the region that {@link #head} or {@link #slice} names. While it is
 * held the bytes stay as they are; the caller gives it back with {@link #unpin}, exactly once, and
 * soon: a pinned region can't be reused.
 */
public final class StoreLane {
  /** How a lookup ended. */
  public enum Found {
    HIT,
    MISS,
    /** Not in memory but on a disk: {@link #load} brings it in. */
    ON_DISK,
    /** The index was locked for longer than a loop waits: try again later, or do without. */
    BUSY
  }

  private static final int ATTEMPTS = 4;
  private static final long[] NO_SCOPES = {};

  private final Core core;
  private final int lane;
  private final MemorySegment memory;
  private final Regions regions;
  private final Pins pins;
  private final Purges purges;
  private final ObjectIndex.Cursor cursor;
  private final NearIndex near;
  private final IndexValue value = new IndexValue();
  private final StoredHead head = new StoredHead();
  private final SlicePos slice = new SlicePos();
  private final Reservation reservation = new Reservation();
  private final InstallUpdate install;
  private final Removal removal = new Removal();
  private final SampleRing samples = new SampleRing();
  private long[] births = new long[16];
  private int birthCount;
  private long wantedHigh;
  private long wantedLow;

  long nearHits;
  long indexHits;
  long misses;
  long onDisk;
  long busy;
  long installed;

  private boolean lacksRoom;

  StoreLane(Core core, int lane, int nearEntries) {
    this.core = core;
    this.lane = lane;
    this.memory = core.memory;
    this.regions = core.regions;
    this.pins = core.pins;
    this.purges = core.purges;
    this.cursor = core.index.hastyCursor();
    this.near = new NearIndex(nearEntries);
    this.install = new InstallUpdate(core.regions, core.disk);
  }

  public int index() {
    return lane;
  }

  SampleRing samples() {
    return samples;
  }

  /** Looks an object or marker up. On a hit, {@link #head} is filled and one pin is held. */
  public Found find(long hi, long lo, byte[] keyText, int keyTextLength) {
    int entry = near.find(hi, lo);
    if (entry >= 0) {
      int region = near.region(entry);
      int generation = near.generation(entry);
      int slot = near.slot(entry);
      pins.pin(lane, region);
      if (regions.isReadable(region, generation) && regions.isLive(region, slot)) {
        int offset = near.offset(entry);
        long record = regions.base(region) + offset;
        if (!isKey(record, keyText, keyTextLength)) {
          pins.unpin(lane, region);
          misses++;
          return Found.MISS;
        }
        long version = purges.version();
        if (near.purgesSeen(entry) != version) {
          long newest = purges.newestPredicate();
          int fate = purges.checkFound(memory, record, near.predicatesSeen(entry));
          if (fate == Purges.DEAD) {
            near.clear(entry);
            return purged(hi, lo, region, generation, offset, slot);
          }
          if (fate == Purges.STALE) {
            soften(region, slot, record);
          }
          near.seen(entry, version, newest);
        }
        // Once more, and softness only now: a purge marks what it applies to before it is
        // forgotten, so one that was forgotten after the first look and before the check shows.
        if (regions.isLive(region, slot)) {
          regions.touch(region, slot);
          fill(region, generation, slot, offset, regions.isSoft(region, slot));
          nearHits++;
          return Found.HIT;
        }
      }
      pins.unpin(lane, region);
      near.clear(entry);
    }
    return findIndexed(hi, lo, keyText, keyTextLength);
  }

  private Found findIndexed(long hi, long lo, byte[] keyText, int keyTextLength) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      switch (cursor.get(hi, lo, value)) {
        case BUSY -> {
          busy++;
          return Found.BUSY;
        }
        case DONE -> {}
        default -> {
          misses++;
          return Found.MISS;
        }
      }
      int region = value.region();
      if (value.kind() == RecordHeader.KIND_SLICE) {
        break;
      }
      if (region < 0) {
        return wantedHead(hi, lo);
      }
      int generation = value.generation();
      int offset = value.offset();
      pins.pin(lane, region);
      if (!regions.isReadable(region, generation)) {
        // It moved between the two reads; the index knows where to.
        pins.unpin(lane, region);
        continue;
      }
      long record = regions.base(region) + offset;
      int slot = memory.get(Words.INT, record + RecordHeader.ENTRY_OFFSET);
      if (!isLiveRecord(region, generation, offset, slot)) {
        pins.unpin(lane, region);
        continue;
      }
      if (!core.isIntact(region, slot, record)) {
        ObjectIndex.Outcome ignored = forget(hi, lo, region, generation, offset);
        pins.unpin(lane, region);
        break;
      }
      if (!isKey(record, keyText, keyTextLength)) {
        pins.unpin(lane, region);
        break;
      }
      long version = purges.version();
      long newest = purges.newestPredicate();
      int fate = purges.checkFound(memory, record, 0);
      if (fate == Purges.DEAD) {
        return purged(hi, lo, region, generation, offset, slot);
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
      near.put(hi, lo, region, offset, generation, slot, version, newest);
      fill(region, generation, slot, offset, regions.isSoft(region, slot));
      indexHits++;
      return Found.HIT;
    }
    misses++;
    return Found.MISS;
  }

  /** Not in memory: what the index knows of it tells whether it is worth a read of the disk. */
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
    misses++;
    return Found.MISS;
  }

  private Found wanted(long hi, long lo) {
    wantedHigh = hi;
    wantedLow = lo;
    onDisk++;
    return Found.ON_DISK;
  }

  /**
   * After {@link Found#ON_DISK}: brings the record into memory. The waiter is told, on some other
   * thread, when it is there or can't be had; looking it up again tells which. False if too much is
   * asked of the disk already: then it counts as a miss.
   */
  public boolean load(Runnable waiter) {
    return core.disk.load(wantedHigh, wantedLow, value, waiter);
  }

  private boolean isLiveRecord(int region, int generation, int offset, int slot) {
    return slot >= 0
        && slot < regions.slots(region)
        && RecordHeader.isRecord(
            memory, regions.base(region) + offset, generation, regions.regionBytes() - offset)
        && regions.isLive(region, slot);
  }

  /** A purge matched: not live any more before the answer goes out. */
  private Found purged(long hi, long lo, int region, int generation, int offset, int slot) {
    regions.live(region, slot, false);
    // Of several that found it at once one removes it, and that one counts it.
    ObjectIndex.Outcome outcome = forget(hi, lo, region, generation, offset);
    if (outcome == ObjectIndex.Outcome.DONE || outcome == ObjectIndex.Outcome.BUSY) {
      purges.count(memory, regions.base(region) + offset, Purges.DEAD);
    }
    pins.unpin(lane, region);
    misses++;
    return Found.MISS;
  }

  /** A soft purge matched: the record keeps it in mind, so that nobody has to ask again. */
  private void soften(int region, int slot, long record) {
    if (!regions.isSoft(region, slot)) {
      regions.soft(region, slot);
      purges.count(memory, record, Purges.STALE);
    }
  }

  /** Busy is good enough: the record is not live, and its region's reclaim removes the key. */
  private ObjectIndex.Outcome forget(long hi, long lo, int region, int generation, int offset) {
    removal.at(region, generation, offset).of(hi, lo);
    return cursor.update(hi, lo, removal);
  }

  private boolean isKey(long record, byte[] keyText, int keyTextLength) {
    if (memory.get(Words.INT, record + HeadRecord.KEY_LENGTH_OFFSET) != keyTextLength) {
      return false;
    }
    int scopes = memory.get(Words.INT, record + HeadRecord.SCOPE_COUNT_OFFSET);
    return Words.same(memory, record + HeadRecord.keyOffset(scopes), keyText, keyTextLength);
  }

  private void fill(int region, int generation, int slot, int offset, boolean isStale) {
    long record = regions.base(region) + offset;
    int scopes = memory.get(Words.INT, record + HeadRecord.SCOPE_COUNT_OFFSET);
    int keyLength = memory.get(Words.INT, record + HeadRecord.KEY_LENGTH_OFFSET);
    int flags = memory.get(Words.INT, record + HeadRecord.FLAGS_OFFSET);
    head.region = region;
    head.generation = generation;
    head.slot = slot;
    head.recordOffset = offset;
    head.headOffset = offset + HeadRecord.headOffset(scopes, keyLength);
    head.headLength = memory.get(Words.INT, record + HeadRecord.HEAD_LENGTH_OFFSET);
    head.bodyOffset =
        (flags & HeadRecord.FLAG_INLINE) != 0
            ? offset + memory.get(Words.INT, record + HeadRecord.BODY_OFFSET)
            : -1;
    head.totalLength = memory.get(Words.LONG, record + HeadRecord.TOTAL_LENGTH_OFFSET);
    head.objectId = memory.get(Words.LONG, record + HeadRecord.OBJECT_OFFSET);
    head.birth = memory.get(Words.LONG, record + HeadRecord.BIRTH_OFFSET);
    head.bodyBirth = memory.get(Words.LONG, record + HeadRecord.BODY_BIRTH_OFFSET);
    head.expiresAtMillis = memory.get(Words.LONG, record + HeadRecord.EXPIRES_OFFSET);
    head.sliceBytes = memory.get(Words.INT, record + HeadRecord.SLICE_BYTES_OFFSET);
    head.softPurged = isStale;
    head.kind =
        memory.get(Words.INT, record + RecordHeader.KIND_OFFSET) == RecordHeader.KIND_MARKER
            ? HeadSpec.Kind.VARY_MARKER
            : HeadSpec.Kind.OBJECT;
    long object = memory.get(Words.LONG, record + HeadRecord.KEY_LOW_OFFSET);
    if (head.kind == HeadSpec.Kind.OBJECT && core.eviction.sample().has(object)) {
      samples.record(
          object, TierModel.HEAD, memory.get(Words.INT, record + RecordHeader.LENGTH_OFFSET));
    }
  }

  /** What the last hit found. */
  public StoredHead head() {
    return head;
  }

  /**
   * Looks a slice up that a head just found names. On a hit, {@link #slice} is filled and one pin
   * is held.
   */
  public Found findSlice(long objectId, int sliceIndex) {
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
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      switch (cursor.get(hi, lo, value)) {
        case BUSY -> {
          busy++;
          return Found.BUSY;
        }
        case DONE -> {}
        default -> {
          misses++;
          return Found.MISS;
        }
      }
      int region = value.region();
      if (value.kind() != RecordHeader.KIND_SLICE || value.objectId() != objectId) {
        break;
      }
      if (region < 0) {
        if (core.disk.isReadable(value)) {
          return wanted(hi, lo);
        }
        break;
      }
      int generation = value.generation();
      int offset = value.offset();
      pins.pin(lane, region);
      if (!regions.isReadable(region, generation)) {
        pins.unpin(lane, region);
        continue;
      }
      long record = regions.base(region) + offset;
      int slot = memory.get(Words.INT, record + RecordHeader.ENTRY_OFFSET);
      if (!isLiveRecord(region, generation, offset, slot)) {
        pins.unpin(lane, region);
        continue;
      }
      if (!core.isIntact(region, slot, record)
          || memory.get(Words.LONG, record + SliceRecord.OBJECT_OFFSET) != objectId
          || memory.get(Words.INT, record + SliceRecord.SLICE_OFFSET) != sliceIndex) {
        pins.unpin(lane, region);
        break;
      }
      regions.touch(region, slot);
      near.put(hi, lo, region, offset, generation, slot, 0, 0);
      place(region, offset);
      indexHits++;
      return Found.HIT;
    }
    misses++;
    return Found.MISS;
  }

  private void place(int region, int offset) {
    slice.region = region;
    slice.offset = offset + SliceRecord.LENGTH;
    slice.length =
        memory.get(Words.INT, regions.base(region) + offset + SliceRecord.BODY_LENGTH_OFFSET);
    long record = regions.base(region) + offset;
    long object = memory.get(Words.LONG, record + SliceRecord.HEAD_LOW_OFFSET);
    if (core.eviction.sample().has(object)) {
      int part = 1 + memory.get(Words.INT, record + SliceRecord.SLICE_OFFSET);
      samples.record(object, part, SliceRecord.LENGTH + slice.length);
    }
  }

  /** Where the last {@link #findSlice} or {@link ObjectWriter#locate} found bytes. */
  public SlicePos slice() {
    return slice;
  }

  /** One more pin on a region that this lane has pinned already. */
  public void pin(int region) {
    if (pins.count(lane, region) <= 0) {
      throw new IllegalStateException("region " + region + " is not pinned by lane " + lane);
    }
    pins.pin(lane, region);
  }

  public void unpin(int region) {
    pins.unpin(lane, region);
  }

  /** Pins a region if it is still in that life. */
  boolean pinIf(int region, int generation) {
    pins.pin(lane, region);
    if (regions.isReadable(region, generation)) {
      return true;
    }
    pins.unpin(lane, region);
    return false;
  }

  SlicePos slice(int region, int offset, int length) {
    slice.region = region;
    slice.offset = offset;
    slice.length = length;
    return slice;
  }

  /**
   * Begins an object that is kept only as a whole. Null if it may not be stored: no space, too
   * large, or born before what purges still remember.
   */
  public @Nullable ObjectWriter begin(HeadSpec spec) {
    return begin(spec, false);
  }

  /**
   * Begins an object.
   *
   * @param mayBePartial whether it is of use also when it lacks slices; then it is never too large
   */
  public @Nullable ObjectWriter begin(HeadSpec spec, boolean mayBePartial) {
    lacksRoom = false;
    if (!core.fits(core.headLength(spec) + core.inlineBytes)
        || (!mayBePartial && spec.totalLength() > core.unfinishedLimit + core.disk.bytes())) {
      return null;
    }
    addBirth(spec.birth());
    long objectId = purges.next();
    if (objectId >= 0 && core.births.admits(spec.birth())) {
      ObjectWriter writer =
          ObjectWriter.begin(
              core,
              this,
              spec.with(spec.totalLength(), Arrays.copyOf(spec.keyText(), spec.keyTextLength())),
              mayBePartial,
              objectId);
      if (writer != null) {
        core.unfinished.add(writer.fill());
        return writer;
      }
    }
    removeBirth(spec.birth());
    return null;
  }

  /**
   * Begins to write slices that a stored object lacks. Null if there is no space for them, or too
   * much is being written already.
   */
  public @Nullable ObjectWriter beginSlices(SliceRun run) {
    lacksRoom = false;
    addBirth(run.birth());
    ObjectWriter writer = ObjectWriter.begin(core, this, run);
    if (writer == null) {
      removeBirth(run.birth());
    } else {
      core.unfinished.add(writer.fill());
    }
    return writer;
  }

  /** Whether a slice's record is in memory or on a disk: HIT or MISS, or BUSY. Touches nothing. */
  Found isStored(long hi, long lo, long objectId) {
    return switch (cursor.get(hi, lo, value)) {
      case BUSY -> Found.BUSY;
      case DONE ->
          value.objectId() == objectId
                  && (value.region() >= 0
                      ? regions.isReadable(value.region(), value.generation())
                      : core.disk.isReadable(value))
              ? Found.HIT
              : Found.MISS;
      default -> Found.MISS;
    };
  }

  /**
   * Whether a key still names this object, or is to name it when it is finished, in memory or on a
   * disk, and no purge has matched it: HIT or MISS, or BUSY. Nothing is pinned.
   */
  Found names(long hi, long lo, long objectId) {
    if (core.growing.contains(objectId)) {
      return Found.HIT;
    }
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
      int slot = memory.get(Words.INT, record + RecordHeader.ENTRY_OFFSET);
      boolean isAlive =
          isLiveRecord(region, generation, offset, slot)
              && purges.check(memory, record) != Purges.DEAD;
      pins.unpin(lane, region);
      return isAlive ? Found.HIT : Found.MISS;
    }
    return Found.BUSY;
  }

  /**
   * Whether the last {@link #begin} or {@link #beginSlices} failed only because no region was
   * spare, so that it may succeed once the reclaimer has run.
   */
  public boolean lacksRoom() {
    return lacksRoom;
  }

  void lacksRoom(boolean does) {
    lacksRoom = does;
  }

  /** Installs a head without a body, such as a vary marker. */
  public Install putMarker(HeadSpec spec) {
    return putSmall(spec, ByteBuffer.allocate(0), InstallUpdate.ANY);
  }

  /** The same, but only in the place of the one of that number: else it is GONE. */
  public Install replaceMarker(HeadSpec spec, long objectId) {
    return putSmall(spec, ByteBuffer.allocate(0), objectId);
  }

  /** Installs a head and its whole small body in one go. */
  public Install putSmall(HeadSpec spec, ByteBuffer body) {
    return putSmall(spec, body, InstallUpdate.ANY);
  }

  private Install putSmall(HeadSpec spec, ByteBuffer body, long expectedObjectId) {
    int bodyLength = body.remaining();
    int length = core.headLength(spec) + bodyLength;
    if (bodyLength > core.inlineBytes || !core.fits(length)) {
      return Install.NO_SPACE;
    }
    addBirth(spec.birth());
    try {
      long objectId = purges.next();
      if (objectId < 0) {
        return Install.NO_SPACE;
      }
      if (!core.births.admits(spec.birth()) || isDead(spec)) {
        return Install.PURGED;
      }
      if (!core.space.reserve(length, reservation)) {
        return Install.NO_SPACE;
      }
      core.enter(reservation, Core.kindByte(spec.kind()), spec, spec.hi(), spec.lo(), objectId, 0);
      long record = regions.base(reservation.region()) + reservation.offset();
      CRC32C crc = new CRC32C();
      MemorySegment.copy(
          MemorySegment.ofBuffer(body), 0, memory, record + core.headLength(spec), bodyLength);
      crc.update(body.duplicate());
      core.writeHead(reservation, spec, objectId, spec.birth(), bodyLength, true, crc);
      return installHead(spec, objectId, reservation, length, bodyLength, expectedObjectId);
    } finally {
      removeBirth(spec.birth());
    }
  }

  /**
   * Installs a new head for a body that is already there, as a 304 asks for. The length is the
   * body's own; the birth of the body stays what it was.
   */
  public Install refresh(HeadSpec newHead, long expectedObjectId) {
    addBirth(newHead.birth());
    try {
      return refreshed(newHead, expectedObjectId);
    } finally {
      removeBirth(newHead.birth());
    }
  }

  private Install refreshed(HeadSpec spec, long expectedObjectId) {
    switch (cursor.get(spec.hi(), spec.lo(), value)) {
      case BUSY -> {
        return Install.BUSY;
      }
      case DONE -> {}
      default -> {
        return Install.GONE;
      }
    }
    int region = value.region();
    int offset = value.offset();
    if (region < 0
        || value.kind() == RecordHeader.KIND_SLICE
        || value.objectId() != expectedObjectId) {
      return Install.GONE;
    }
    if (!pinIf(region, value.generation())) {
      // Moved this very moment.
      return Install.BUSY;
    }
    boolean isBodyAnnounced = false;
    long bodyBirth = 0;
    try {
      long old = regions.base(region) + offset;
      int oldSlot = memory.get(Words.INT, old + RecordHeader.ENTRY_OFFSET);
      if (!isLiveRecord(region, value.generation(), offset, oldSlot)
          || !core.isIntact(region, oldSlot, old)) {
        return Install.GONE;
      }
      boolean isInline =
          (memory.get(Words.INT, old + HeadRecord.FLAGS_OFFSET) & HeadRecord.FLAG_INLINE) != 0;
      long total = memory.get(Words.LONG, old + HeadRecord.TOTAL_LENGTH_OFFSET);
      bodyBirth = memory.get(Words.LONG, old + HeadRecord.BODY_BIRTH_OFFSET);
      int bodyLength = isInline ? (int) total : 0;
      int length = core.headLength(spec) + bodyLength;
      // Announced before the purges are looked at: a sweep that begins after that waits for it, or
      // the new head could come to lie where the sweep has passed while it was being written.
      addBirth(bodyBirth);
      isBodyAnnounced = true;
      if (!core.births.admits(spec.birth())
          || check(spec, bodyBirth) == Purges.DEAD
          || purges.check(memory, old) == Purges.DEAD) {
        return Install.PURGED;
      }
      if (!core.fits(length) || !core.space.reserve(length, reservation)) {
        return Install.NO_SPACE;
      }
      core.enter(
          reservation, Core.kindByte(spec.kind()), spec, spec.hi(), spec.lo(), expectedObjectId, 0);
      // What the old head has earned is the new one's.
      regions.touches(
          reservation.region(),
          reservation.slot(),
          core.eviction
              .policy()
              .touchesInherited(
                  regions.segment(region) == Regions.PROTECTED, regions.touches(region, oldSlot)));
      long record = regions.base(reservation.region()) + reservation.offset();
      CRC32C crc = new CRC32C();
      if (bodyLength > 0) {
        long to = record + core.headLength(spec);
        TierMemory.copy(
            memory, old + memory.get(Words.INT, old + HeadRecord.BODY_OFFSET), to, bodyLength);
        crc.update(memory.asSlice(to, bodyLength).asByteBuffer());
      }
      core.writeHead(reservation, spec, expectedObjectId, bodyBirth, total, isInline, crc);
      return installHead(spec, expectedObjectId, reservation, length, total, expectedObjectId);
    } finally {
      if (isBodyAnnounced) {
        removeBirth(bodyBirth);
      }
      pins.unpin(lane, region);
    }
  }

  /** Installs a committed head and gives up the hold on its region. */
  private Install installHead(
      HeadSpec spec,
      long objectId,
      Reservation at,
      int length,
      long totalLength,
      long expectedObjectId) {
    Install result =
        install
            .place(at.region(), at.generation(), at.offset(), at.slot(), length)
            .identity(Core.kindByte(spec.kind()), spec.birth(), objectId)
            .fate(IndexValue.seconds(spec.expiresAtMillis()), spec.scopes())
            .insteadOf(expectedObjectId)
            .run(cursor, spec.hi(), spec.lo());
    regions.release(at.region());
    if (result == Install.INSTALLED) {
      installed++;
      sample(spec, totalLength);
    }
    return result;
  }

  /** What was not there and was written counts as asked for; a replacement was counted as a hit. */
  private void sample(HeadSpec spec, long totalLength) {
    if (spec.kind() == HeadSpec.Kind.OBJECT
        && !install.hasReplaced()
        && core.eviction.sample().has(spec.lo())) {
      samples.whole(spec.lo(), core.headLength(spec), totalLength);
    }
  }

  /** For the writer: installs what it has committed. */
  Install install(HeadSpec spec, byte kind, Core.Piece at, int length, long id, long hi, long lo) {
    Install result =
        install
            .place(at.region(), at.generation(), at.offset(), at.slot(), length)
            .identity(kind, spec.birth(), id)
            .fate(
                IndexValue.seconds(spec.expiresAtMillis()),
                kind == RecordHeader.KIND_SLICE ? NO_SCOPES : spec.scopes())
            .run(cursor, hi, lo);
    if (result == Install.INSTALLED && kind != RecordHeader.KIND_SLICE) {
      installed++;
      long record = regions.base(at.region()) + at.offset();
      sample(spec, memory.get(Words.LONG, record + HeadRecord.TOTAL_LENGTH_OFFSET));
    }
    return result;
  }

  /** For the writer: forgets a slice that will not be needed. */
  void discard(Core.Piece at, long hi, long lo) {
    regions.live(at.region(), at.slot(), false);
    ObjectIndex.Outcome ignored = forget(hi, lo, at.region(), at.generation(), at.offset());
  }

  /**
   * Forgets one key, because a client's request says that it changed. Returns whether it is gone
   * for sure: false if the index was busy, or is being rebuilt and did not have the key yet.
   */
  public boolean invalidate(long hi, long lo) {
    boolean isComplete = core.isIndexComplete();
    ObjectIndex.Outcome outcome = cursor.update(hi, lo, removal.any().of(hi, lo));
    int entry = near.find(hi, lo);
    if (entry >= 0) {
      near.clear(entry);
    }
    return outcome != ObjectIndex.Outcome.BUSY && isComplete;
  }

  /**
   * Forgets one key if it names this object: its origin has another one by now. False if the index
   * was busy.
   */
  public boolean drop(long hi, long lo, long objectId) {
    ObjectIndex.Outcome outcome = cursor.update(hi, lo, removal.object(objectId).of(hi, lo));
    int entry = near.find(hi, lo);
    if (entry >= 0) {
      near.clear(entry);
    }
    return outcome != ObjectIndex.Outcome.BUSY;
  }

  /**
   * Forgets one key and everything under a base scope (its variants), also what the index does not
   * have yet. Bounded: beyond the share of the purge table that clients may fill, only the key
   * itself is forgotten, and the answer is that of {@link #invalidate(long, long)}.
   */
  public boolean invalidate(long hi, long lo, long baseScope) {
    boolean isPurged = purges.invalidate(baseScope);
    boolean isForgotten = invalidate(hi, lo);
    return isForgotten || isPurged;
  }

  /** Whether an object that is being stored is dead by a purge. */
  public boolean isDead(HeadSpec spec) {
    return check(spec, spec.birth()) == Purges.DEAD;
  }

  /** Whether a purge, hard or soft, has overruled an object that is being stored. */
  public boolean isOverruled(HeadSpec spec) {
    return check(spec, spec.birth()) != Purges.ALIVE;
  }

  private int check(HeadSpec spec, long bodyBirth) {
    return spec.kind() == HeadSpec.Kind.VARY_MARKER
        ? purges.check(spec.scopes(), spec.birth(), bodyBirth)
        : purges.check(
            spec.scopes(),
            spec.birth(),
            bodyBirth,
            spec.keyText(),
            spec.keyTextLength(),
            spec.head());
  }

  void addBirth(long birth) {
    if (birthCount == births.length) {
      births = Arrays.copyOf(births, birthCount * 2);
    }
    births[birthCount++] = birth;
    publishBirths();
  }

  void removeBirth(long birth) {
    for (int n = birthCount - 1; n >= 0; n--) {
      if (births[n] == birth) {
        births[n] = births[--birthCount];
        publishBirths();
        return;
      }
    }
    throw new IllegalStateException("birth " + birth + " was not announced by lane " + lane);
  }

  private void publishBirths() {
    long least = Long.MAX_VALUE;
    for (int n = 0; n < birthCount; n++) {
      least = Math.min(least, births[n]);
    }
    core.births.publish(lane, least);
  }

  /** Removes a key; if a place or an object is given, only while it names that. */
  private final class Removal implements ObjectIndex.Update {
    private static final long ANY = -1;

    private long objectId;
    private int region;
    private int generation;
    private int offset;

    private long high;
    private long low;

    Removal at(int newRegion, int newGeneration, int newOffset) {
      region = newRegion;
      generation = newGeneration;
      offset = newOffset;
      objectId = ANY;
      return this;
    }

    Removal any() {
      return object(ANY);
    }

    Removal object(long newObjectId) {
      region = -1;
      objectId = newObjectId;
      return this;
    }

    Removal of(long newHigh, long newLow) {
      high = newHigh;
      low = newLow;
      return this;
    }

    @Override
    public ObjectIndex.Verdict decide(boolean isPresent, IndexValue there) {
      if (!isPresent
          || (region >= 0 && !there.isAt(region, generation, offset))
          || (objectId != ANY && there.objectId() != objectId)) {
        return ObjectIndex.Verdict.KEEP;
      }
      if (there.region() >= 0) {
        int slot =
            memory.get(
                Words.INT,
                regions.base(there.region()) + there.offset() + RecordHeader.ENTRY_OFFSET);
        regions.live(there.region(), slot, false);
      }
      core.disk.bury(high, low, there);
      return ObjectIndex.Verdict.REMOVE;
    }
  }
}
