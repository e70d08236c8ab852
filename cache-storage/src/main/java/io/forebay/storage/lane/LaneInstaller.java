package io.forebay.storage.lane;

import io.forebay.storage.evict.SampleRing;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.memory.TierMemory;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.region.RegionPins;
import io.forebay.storage.region.Regions;
import io.forebay.storage.region.Reservation;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Installs under their keys what one lane has written: small objects in one step, the updated heads
 * for a 304, and committed writes. Confined to its lane.
 */
public final class LaneInstaller {
  private static final long[] NO_SCOPES = {};

  private final StoreState core;
  private final int lane;
  private final MemorySegment memory;
  private final Regions regions;
  private final RegionPins pins;
  private final Purges purges;
  private final ObjectIndex.Cursor cursor;
  private final LaneLookup lookup;
  private final LaneBirths births;
  private final SampleRing samples;
  private final InstallUpdate install;
  private final IndexValue value = new IndexValue();
  private final Reservation reservation = new Reservation();

  private long partialObjectId;

  public long installed;

  /** Times the index was locked for longer than a loop waits. */
  public long busy;

  LaneInstaller(
      StoreState core,
      int lane,
      ObjectIndex.Cursor cursor,
      LaneLookup lookup,
      LaneBirths births,
      SampleRing samples) {
    this.core = core;
    this.lane = lane;
    this.memory = core.memory;
    this.regions = core.regions;
    this.pins = core.pins;
    this.purges = core.purges;
    this.cursor = cursor;
    this.lookup = lookup;
    this.births = births;
    this.samples = samples;
    this.install = new InstallUpdate(core.regions, core.disk);
  }

  /** Only in the place of that object, unless it is {@link InstallUpdate#ANY}. */
  InstallOutcome putSmall(HeadSpec spec, ByteBuffer body, long expectedObjectId) {
    return body.remaining() > core.inlineBytes
        ? InstallOutcome.NO_SPACE
        : put(spec, body, expectedObjectId);
  }

  /** A head without its slices; {@link #partialObjectId} names its object then. */
  InstallOutcome putHead(HeadSpec spec) {
    return spec.totalLength() <= 0 ? InstallOutcome.NO_SPACE : put(spec, null, InstallUpdate.ANY);
  }

  /** Stores a head of an object of its own, with its small body where that is not null. */
  private InstallOutcome put(HeadSpec spec, @Nullable ByteBuffer body, long expectedObjectId) {
    // Of a body that is not there nothing is written: it is counted as it comes.
    int bodyLength = body == null ? 0 : body.remaining();
    int length = core.headLength(spec) + bodyLength;
    if (core.isLost() || !core.fits(length)) {
      return InstallOutcome.NO_SPACE;
    }
    births.add(spec.birth());
    try {
      long objectId = purges.next();
      if (objectId < 0) {
        return InstallOutcome.NO_SPACE;
      }
      if (!core.births.admits(spec.birth()) || check(spec, spec.birth()) == Purges.DEAD) {
        return InstallOutcome.PURGED;
      }
      if (!core.space.reserve(lane, length, reservation)) {
        return InstallOutcome.NO_SPACE;
      }
      core.enter(
          reservation, StoreState.kindByte(spec.kind()), spec, spec.hi(), spec.lo(), objectId);
      CRC32C crc = new CRC32C();
      if (body == null) {
        core.writeHead(reservation, spec, objectId, spec.birth(), spec.totalLength(), false, crc);
        partialObjectId = objectId;
      } else {
        long record = regions.base(reservation.region()) + reservation.offset();
        MemorySegment.copy(
            MemorySegment.ofBuffer(body), 0, memory, record + core.headLength(spec), bodyLength);
        crc.update(body.duplicate());
        core.writeHead(reservation, spec, objectId, spec.birth(), bodyLength, true, crc);
      }
      return installHead(spec, objectId, reservation, length, bodyLength, expectedObjectId);
    } finally {
      births.remove(spec.birth());
    }
  }

  long partialObjectId() {
    return partialObjectId;
  }

  InstallOutcome refresh(HeadSpec newHead, long expectedObjectId) {
    if (core.isLost()) {
      return InstallOutcome.GONE;
    }
    births.add(newHead.birth());
    try {
      return refreshed(newHead, expectedObjectId);
    } finally {
      births.remove(newHead.birth());
    }
  }

  private InstallOutcome refreshed(HeadSpec spec, long expectedObjectId) {
    switch (cursor.get(spec.hi(), spec.lo(), value)) {
      case BUSY -> {
        busy++;
        return InstallOutcome.BUSY;
      }
      case DONE -> {}
      default -> {
        return InstallOutcome.GONE;
      }
    }
    int region = value.region();
    int offset = value.offset();
    if (region < 0
        || value.kind() == RecordHeader.KIND_SLICE
        || value.objectId() != expectedObjectId) {
      return InstallOutcome.GONE;
    }
    if (!lookup.pinIf(region, value.generation())) {
      // Moved this very moment.
      return InstallOutcome.BUSY;
    }
    boolean isBodyAnnounced = false;
    long bodyBirth = 0;
    try {
      long old = regions.base(region) + offset;
      int oldSlot = regions.slotAt(region, value.generation(), offset);
      if (oldSlot < 0 || !regions.isLive(region, oldSlot)) {
        return hasMoved(spec, region, offset) ? InstallOutcome.BUSY : InstallOutcome.GONE;
      }
      // Its bytes get a checksum of their own: what was damaged since they were looked at last must
      // not pass for sound with that.
      if (!core.records.check(region, value.generation(), oldSlot, offset)) {
        return InstallOutcome.GONE;
      }
      boolean isInline =
          (memory.get(Layouts.INT, old + HeadRecord.FLAGS_OFFSET) & HeadRecord.FLAG_INLINE) != 0;
      long total = memory.get(Layouts.LONG, old + HeadRecord.TOTAL_LENGTH_OFFSET);
      bodyBirth = memory.get(Layouts.LONG, old + HeadRecord.BODY_BIRTH_OFFSET);
      int bodyLength = isInline ? (int) total : 0;
      int length = core.headLength(spec) + bodyLength;
      // Announced before the purges are looked at: a sweep that begins after that waits for it, or
      // the new head could come to lie where the sweep has passed while it was being written.
      births.add(bodyBirth);
      isBodyAnnounced = true;
      if (!core.births.admits(spec.birth())
          || check(spec, bodyBirth) == Purges.DEAD
          || purges.check(memory, old) == Purges.DEAD) {
        return InstallOutcome.PURGED;
      }
      if (!core.fits(length) || !core.space.reserve(lane, length, reservation)) {
        return InstallOutcome.NO_SPACE;
      }
      core.enter(
          reservation,
          StoreState.kindByte(spec.kind()),
          spec,
          spec.hi(),
          spec.lo(),
          expectedObjectId);
      // What the old head has earned is the new one's.
      regions.touches(
          reservation.region(),
          reservation.slot(),
          core.eviction
              .policy()
              .touchesInherited(
                  regions.segment(region) == Regions.PROTECTED && regions.isProven(region, oldSlot),
                  regions.touches(region, oldSlot)));
      long record = regions.base(reservation.region()) + reservation.offset();
      CRC32C crc = new CRC32C();
      if (bodyLength > 0) {
        long to = record + core.headLength(spec);
        TierMemory.copy(
            memory, old + memory.get(Layouts.INT, old + HeadRecord.BODY_OFFSET), to, bodyLength);
        crc.update(memory.asSlice(to, bodyLength).asByteBuffer());
      }
      core.writeHead(reservation, spec, expectedObjectId, bodyBirth, total, isInline, crc);
      return installHead(spec, expectedObjectId, reservation, length, total, expectedObjectId);
    } finally {
      if (isBodyAnnounced) {
        births.remove(bodyBirth);
      }
      pins.unpin(lane, region);
    }
  }

  /**
   * Whether a head is elsewhere by now than where the index had it: another lane was quicker. A
   * kill in the middle of an install leaves a dead one that the index names.
   */
  private boolean hasMoved(HeadSpec spec, int region, int offset) {
    return switch (cursor.get(spec.hi(), spec.lo(), value)) {
      case BUSY -> true;
      case DONE -> value.region() != region || value.offset() != offset;
      default -> false;
    };
  }

  /** Installs a committed head and releases its reservation of the region. */
  private InstallOutcome installHead(
      HeadSpec spec,
      long objectId,
      Reservation at,
      int length,
      long totalLength,
      long expectedObjectId) {
    InstallOutcome result =
        install
            .place(at.region(), at.generation(), at.offset(), at.slot(), length)
            .identity(StoreState.kindByte(spec.kind()), spec.birth(), objectId)
            .fate(IndexValue.seconds(spec.expiresAtMillis()), spec.scopes())
            .insteadOf(expectedObjectId)
            .run(cursor, spec.hi(), spec.lo());
    regions.release(at.region());
    if (result == InstallOutcome.BUSY) {
      busy++;
    }
    if (result == InstallOutcome.INSTALLED) {
      core.installs.add(spec.lo());
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

  /** Installs what a writer has committed. */
  InstallOutcome install(
      HeadSpec spec, byte kind, StoreState.Piece at, int length, long id, long hi, long lo) {
    InstallOutcome result =
        install
            .place(at.region(), at.generation(), at.offset(), at.slot(), length)
            .identity(kind, spec.birth(), id)
            .fate(
                IndexValue.seconds(spec.expiresAtMillis()),
                kind == RecordHeader.KIND_SLICE ? NO_SCOPES : spec.scopes())
            .run(cursor, hi, lo);
    if (result == InstallOutcome.BUSY) {
      busy++;
    }
    if (result == InstallOutcome.INSTALLED && kind != RecordHeader.KIND_SLICE) {
      core.installs.add(lo);
      installed++;
      long record = regions.base(at.region()) + at.offset();
      sample(spec, memory.get(Layouts.LONG, record + HeadRecord.TOTAL_LENGTH_OFFSET));
    }
    return result;
  }

  /** What purges say of a head that is being stored. */
  int check(HeadSpec spec, long bodyBirth) {
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
}
