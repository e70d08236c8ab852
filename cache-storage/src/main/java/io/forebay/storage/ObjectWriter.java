package io.forebay.storage;

import io.forebay.storage.Core.Piece;
import io.forebay.storage.evict.Fill;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.memory.TierMemory;
import io.forebay.storage.region.Reservation;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * An object being written, or a run of slices that a stored one lacks. Its lane writes; any lane
 * may read what is below the watermark.
 *
 * <p>Every reservation holds its region, so nothing written so far is reclaimed before the end. The
 * reclaimer may take all of it away from a writer that makes no progress; it does so only between
 * two appends (the state word decides), and what the writer does after that is refused. Space
 * already written is never given back for reuse: readers may be reading it.
 *
 * <p>A run has no head to write: each of its slices becomes a slice of the object as soon as it is
 * whole, if the object's key still names that object then, and else never (I2). So whatever ends a
 * run early, its whole slices stay.
 */
public final class ObjectWriter {
  private static final int IDLE = 0;
  private static final int BUSY = 1;
  private static final int DONE = 2;
  private static final int REVOKED = 3;

  private static final int FIRST_PIECE = 64 << 10;

  private static final VarHandle STATE;
  private static final VarHandle WATERMARK;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      STATE = lookup.findVarHandle(ObjectWriter.class, "state", int.class);
      WATERMARK = lookup.findVarHandle(ObjectWriter.class, "watermark", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Core core;
  private final StoreLane lane;
  private final HeadSpec spec;
  private final long objectId;
  private final boolean isInline;
  private final boolean isRun;

  /** Of the object, what {@code pieces[0]} is; not 0 for some runs only. */
  private final int firstSlice;

  private final Reservation reservation = new Reservation();
  private final FillHandle fill = new FillHandle();

  /** Moves between idle and busy with acquire and release: see {@link #enter}. */
  @SuppressWarnings("unused")
  private volatile int state;

  /** Stored with release after the bytes and the pieces they are in; read with acquire. */
  @SuppressWarnings("unused")
  private volatile long watermark;

  /** One a slice, or the one inline body; replaced when one is added or grows. */
  private volatile Piece[] pieces = new Piece[0];

  /** Of each piece, whether the index names it. Owner only. */
  private boolean[] isIndexed = new boolean[1];

  /** Slices that are whole and committed. */
  private int sealed;

  private long written;
  private CRC32C crc = new CRC32C();
  private long reservedBytes;
  private boolean hasFailed;

  /** The last append left something over. */
  private boolean isShort;

  /** Why the last call failed: no region was spare, which the reclaimer may change. */
  private boolean lacksRoom;

  private @Nullable Piece headPiece;
  private int headLength;
  private volatile long progressMillis;

  private ObjectWriter(
      Core core,
      StoreLane lane,
      HeadSpec spec,
      long objectId,
      boolean isInline,
      boolean isRun,
      int firstSlice) {
    this.core = core;
    this.lane = lane;
    this.spec = spec;
    this.objectId = objectId;
    this.isInline = isInline;
    this.isRun = isRun;
    this.firstSlice = firstSlice;
    this.progressMillis = core.clockMillis.getAsLong();
  }

  static @Nullable ObjectWriter begin(Core core, StoreLane lane, HeadSpec spec, long objectId) {
    boolean isSmall = spec.totalLength() >= 0 && spec.totalLength() <= core.inlineBytes;
    ObjectWriter writer = new ObjectWriter(core, lane, spec, objectId, isSmall, false, 0);
    boolean hasBegun = isSmall ? writer.beginInline() : writer.grow();
    lane.lacksRoom(writer.lacksRoom);
    return hasBegun ? writer : null;
  }

  static @Nullable ObjectWriter begin(Core core, StoreLane lane, SliceRun run) {
    ObjectWriter writer =
        new ObjectWriter(core, lane, run.spec(), run.objectId(), false, true, run.firstSlice());
    boolean hasBegun = writer.grow();
    lane.lacksRoom(writer.lacksRoom);
    return hasBegun ? writer : null;
  }

  Fill fill() {
    return fill;
  }

  public long objectId() {
    return objectId;
  }

  /** Any thread: the position in the body before which bytes can be read. */
  public long watermark() {
    return begin() + (long) WATERMARK.getAcquire(this);
  }

  /** Position in the body of the first byte that is written here. */
  private long begin() {
    return (long) firstSlice * core.sliceBytes;
  }

  /**
   * Copies in what there is space for; the position of {@code src} tells how much that is. False if
   * something is left over: then the object will not be installed, unless {@link #lacksRoom} and
   * what is left over is appended later.
   */
  public boolean append(ByteBuffer src) {
    lacksRoom = false;
    if (!enter()) {
      return false;
    }
    boolean isTaken = !hasFailed && take(src);
    isShort = !isTaken;
    hasFailed |= isShort && !lacksRoom;
    // The pieces were stored before: who sees the watermark finds the bytes.
    WATERMARK.setRelease(this, written);
    progressMillis = core.clockMillis.getAsLong();
    leave();
    return isTaken;
  }

  /**
   * Whether the last {@link #append} or {@link #reserveHead} failed only because no region was
   * spare, so that it may succeed later. The owner's loop only.
   */
  public boolean lacksRoom() {
    return lacksRoom;
  }

  /**
   * Takes the space that the head needs, once the whole body is in, so that {@link #finish} is not
   * refused for want of it. False where there is none; {@link #lacksRoom} says if there may be
   * later. Where something else is wrong it is for finish to say.
   */
  public boolean reserveHead() {
    lacksRoom = false;
    if (!enter()) {
      return true;
    }
    boolean isWhole =
        !hasFailed && !isShort && (spec.totalLength() < 0 || written == spec.totalLength());
    boolean isReserved =
        !isWhole || headPiece != null || (isInline ? commitInline() : commitSliced());
    progressMillis = core.clockMillis.getAsLong();
    leave();
    return isReserved;
  }

  private boolean take(ByteBuffer src) {
    if (spec.totalLength() >= 0 && written + src.remaining() > spec.totalLength()) {
      return false;
    }
    while (src.hasRemaining()) {
      int within = isInline ? (int) written : (int) (written % core.sliceBytes);
      Piece piece = pieces.length == 0 ? null : pieces[pieces.length - 1];
      if (piece == null || sealed == pieces.length || within == piece.capacity()) {
        if (!grow()) {
          return false;
        }
        continue;
      }
      int length = Math.min(src.remaining(), piece.capacity() - within);
      MemorySegment.copy(
          MemorySegment.ofBuffer(src),
          0,
          core.memory,
          core.regions.base(piece.region()) + piece.bodyOffset() + within,
          length);
      ByteBuffer taken = src.slice(src.position(), length);
      crc.update(taken);
      src.position(src.position() + length);
      written += length;
      if (!isInline && within + length == core.sliceBytes) {
        seal(piece, core.sliceBytes);
      }
    }
    return true;
  }

  private boolean beginInline() {
    int length = core.headLength(spec) + (int) spec.totalLength();
    if (!reserve(length)) {
      return false;
    }
    core.enter(reservation, Core.kindByte(spec.kind()), spec, spec.hi(), spec.lo(), objectId, 0);
    Piece piece =
        new Piece(
            reservation.region(),
            reservation.generation(),
            reservation.slot(),
            reservation.offset(),
            reservation.offset() + core.headLength(spec),
            (int) spec.totalLength());
    pieces = new Piece[] {piece};
    return true;
  }

  /** A piece for the next slice, or a larger one for the slice that is being written. */
  private boolean grow() {
    Piece[] old = pieces;
    if (isInline) {
      return false;
    }
    if (old.length > sealed) {
      return enlarge(old);
    }
    int capacity;
    if (spec.totalLength() >= 0) {
      capacity = (int) Math.min(core.sliceBytes, spec.totalLength() - written);
    } else {
      // Who filled one slice is likely to fill the next.
      capacity = old.length == 0 ? Math.min(FIRST_PIECE, core.sliceBytes) : core.sliceBytes;
    }
    Piece piece = newSlice(capacity, old.length);
    if (piece == null) {
      return false;
    }
    Piece[] more = Arrays.copyOf(old, old.length + 1);
    more[old.length] = piece;
    if (isIndexed.length < more.length) {
      isIndexed = Arrays.copyOf(isIndexed, more.length * 2);
    }
    pieces = more;
    return true;
  }

  private boolean enlarge(Piece[] old) {
    int last = old.length - 1;
    Piece piece = old[last];
    int capacity = Math.min(core.sliceBytes, piece.capacity() * 2);
    if (piece.capacity() == capacity) {
      return false;
    }
    Piece larger;
    if (core.regions.extend(
        piece.region(),
        piece.offset(),
        SliceRecord.LENGTH + piece.capacity(),
        SliceRecord.LENGTH + capacity)) {
      larger = piece.grown(capacity);
      count(capacity - piece.capacity());
    } else {
      larger = newSlice(capacity, last);
      if (larger == null) {
        return false;
      }
      TierMemory.copy(
          core.memory,
          core.regions.base(piece.region()) + piece.bodyOffset(),
          core.regions.base(larger.region()) + larger.bodyOffset(),
          piece.capacity());
      // Readers of the old piece have pins; the region may be reclaimed when those are gone.
      core.regions.release(piece.region());
    }
    Piece[] changed = old.clone();
    changed[last] = larger;
    pieces = changed;
    return true;
  }

  private @Nullable Piece newSlice(int capacity, int slice) {
    if (!reserve(SliceRecord.LENGTH + capacity)) {
      return null;
    }
    core.enter(
        reservation,
        RecordHeader.KIND_SLICE,
        spec,
        SliceRecord.keyHigh(objectId),
        SliceRecord.keyLow(objectId, firstSlice + slice),
        objectId,
        firstSlice + slice);
    return Piece.slice(reservation);
  }

  private boolean reserve(int length) {
    if (core.unfinishedBytes.get() + length > core.unfinishedLimit || !takeSpace(length)) {
      return false;
    }
    count(length);
    return true;
  }

  private boolean takeSpace(int length) {
    boolean isTaken = core.space.reserve(length, reservation);
    lacksRoom |= !isTaken;
    return isTaken;
  }

  private void count(long bytes) {
    reservedBytes += bytes;
    core.unfinishedBytes.addAndGet(bytes);
  }

  private void seal(Piece piece, int bodyLength) {
    int slice = sealed;
    core.writeSlice(piece, spec, objectId, firstSlice + slice, bodyLength, crc);
    crc = new CRC32C();
    sealed++;
    // Tried now, while it costs little; what is busy is tried again at the end.
    Install ignored = index(slice);
  }

  private Install index(int slice) {
    if (isRun) {
      switch (lane.names(spec.hi(), spec.lo(), objectId)) {
        case HIT -> {}
        case BUSY -> {
          return Install.BUSY;
        }
        default -> {
          return Install.GONE;
        }
      }
    }
    Piece piece = pieces[slice];
    Install result =
        lane.install(
            spec,
            RecordHeader.KIND_SLICE,
            piece,
            SliceRecord.LENGTH + sliceLength(slice),
            objectId,
            SliceRecord.keyHigh(objectId),
            SliceRecord.keyLow(objectId, firstSlice + slice));
    isIndexed[slice] = result == Install.INSTALLED;
    return result;
  }

  private int sliceLength(int slice) {
    return (int) Math.min(core.sliceBytes, written - (long) slice * core.sliceBytes);
  }

  /**
   * Any lane: finds the byte at a position below the watermark, pins its region for the reader's
   * lane and fills that lane's {@link StoreLane#slice}. False if it is no longer where it was
   * written; if the object was finished, lookups find it.
   */
  public boolean locate(StoreLane readerLane, long position) {
    long readable = watermark();
    if (position < begin() || position >= readable) {
      return false;
    }
    Piece[] now = pieces;
    int slice = isInline ? 0 : (int) (position / core.sliceBytes);
    int within = isInline ? (int) position : (int) (position % core.sliceBytes);
    Piece piece = now[slice - firstSlice];
    if (!readerLane.pinIf(piece.region(), piece.generation())) {
      return false;
    }
    long end = isInline ? readable : Math.min(readable, (slice + 1L) * core.sliceBytes);
    int length = (int) (end - position);
    SlicePos ignored = readerLane.slice(piece.region(), piece.bodyOffset() + within, length);
    return true;
  }

  /** Ends the object. On {@link Install#BUSY}, and only then, call it again or {@link #abort}. */
  public Install finish() {
    if (!enter()) {
      if ((int) STATE.getAcquire(this) == DONE) {
        throw new IllegalStateException("finished twice");
      }
      end(false);
      return Install.NO_SPACE;
    }
    Install result = complete();
    if (result == Install.BUSY) {
      leave();
    } else {
      end(result == Install.INSTALLED);
    }
    return result;
  }

  private Install complete() {
    if (hasFailed || isShort) {
      return Install.NO_SPACE;
    }
    if (spec.totalLength() >= 0 && written != spec.totalLength()) {
      return Install.INCOMPLETE;
    }
    if (isRun) {
      sealTail();
      return indexAll();
    }
    if (lane.isDead(spec.scopes(), spec.birth())) {
      return Install.PURGED;
    }
    if (headPiece == null) {
      boolean isCommitted = isInline ? commitInline() : commitSliced();
      if (!isCommitted) {
        return Install.NO_SPACE;
      }
    }
    Install indexed = indexAll();
    if (indexed != Install.INSTALLED) {
      return indexed;
    }
    Piece head = Objects.requireNonNull(headPiece);
    return lane.install(
        spec, Core.kindByte(spec.kind()), head, headLength, objectId, spec.hi(), spec.lo());
  }

  private Install indexAll() {
    for (int slice = 0; slice < sealed; slice++) {
      if (!isIndexed[slice]) {
        Install result = index(slice);
        if (result != Install.INSTALLED) {
          return result;
        }
      }
    }
    return Install.INSTALLED;
  }

  private boolean commitInline() {
    Piece piece = pieces[0];
    Reservation at = reservation;
    core.writeHead(at, spec, objectId, spec.birth(), written, true, crc);
    headLength = core.headLength(spec) + (int) written;
    headPiece = piece;
    return true;
  }

  private boolean commitSliced() {
    Piece[] now = pieces;
    boolean becomesInline = sealed == 0 && written <= core.inlineBytes;
    if (!becomesInline) {
      sealTail();
    }
    int length = core.headLength(spec) + (becomesInline ? (int) written : 0);
    if (!takeSpace(length)) {
      return false;
    }
    core.unfinishedBytes.addAndGet(length);
    reservedBytes += length;
    core.enter(reservation, Core.kindByte(spec.kind()), spec, spec.hi(), spec.lo(), objectId, 0);
    CRC32C headCrc = new CRC32C();
    if (becomesInline && written > 0) {
      Piece piece = now[0];
      long to =
          core.regions.base(reservation.region()) + reservation.offset() + core.headLength(spec);
      TierMemory.copy(
          core.memory, core.regions.base(piece.region()) + piece.bodyOffset(), to, written);
      headCrc = crc;
    }
    core.writeHead(reservation, spec, objectId, spec.birth(), written, becomesInline, headCrc);
    headLength = length;
    headPiece =
        new Piece(
            reservation.region(),
            reservation.generation(),
            reservation.slot(),
            reservation.offset(),
            0,
            0);
    return true;
  }

  /** What there is of a last slice that is shorter than the others. */
  private void sealTail() {
    Piece[] now = pieces;
    int tail = (int) (written % core.sliceBytes);
    if (now.length > sealed && tail > 0) {
      Piece piece = now[sealed];
      core.regions.trim(
          piece.region(),
          piece.offset(),
          SliceRecord.LENGTH + piece.capacity(),
          SliceRecord.LENGTH + tail);
      seal(piece, tail);
    }
  }

  /**
   * Gives the object up. What was written stays readable until its regions are reused, and what a
   * run has brought stays the object's, unless the body was longer than it was said to be.
   */
  public void abort() {
    if (enter()) {
      end(false);
    } else if ((int) STATE.getAcquire(this) == REVOKED) {
      end(false);
    }
  }

  /** Called by the owner with the state busy, or revoked: nobody else changes anything any more. */
  private void end(boolean isInstalled) {
    boolean wasRevoked = (int) STATE.getAcquire(this) == REVOKED;
    if (!wasRevoked) {
      if (!isInstalled && (!isRun || hasFailed)) {
        for (int slice = 0; slice < sealed; slice++) {
          if (isIndexed[slice]) {
            lane.discard(
                pieces[slice],
                SliceRecord.keyHigh(objectId),
                SliceRecord.keyLow(objectId, firstSlice + slice));
          }
        }
      }
      release();
    }
    STATE.setRelease(this, DONE);
    core.unfinished.remove(fill);
    lane.removeBirth(spec.birth());
  }

  private void release() {
    for (Piece piece : pieces) {
      core.regions.release(piece.region());
    }
    if (headPiece != null && !isInline) {
      core.regions.release(headPiece.region());
    }
    core.unfinishedBytes.addAndGet(-reservedBytes);
  }

  /** Keeps the reclaimer out while the owner works; false if it was there first. */
  private boolean enter() {
    return STATE.compareAndSet(this, IDLE, BUSY);
  }

  private void leave() {
    STATE.setRelease(this, IDLE);
  }

  private final class FillHandle implements Fill {
    @Override
    public long progressMillis() {
      return progressMillis;
    }

    @Override
    public boolean revoke() {
      if (!STATE.compareAndSet(ObjectWriter.this, IDLE, REVOKED)) {
        return false;
      }
      release();
      return true;
    }
  }
}
