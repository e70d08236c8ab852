package io.forebay.storage.lane;

import io.forebay.storage.evict.UnfinishedObject;
import io.forebay.storage.lane.StoreState.Piece;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.memory.TierMemory;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.SliceLocation;
import io.forebay.storage.object.SliceRun;
import io.forebay.storage.region.Reservation;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * An object being written, or a run of slices that a stored one lacks. Its lane writes; any lane
 * may read what is below the watermark.
 *
 * <p>Every reservation holds its region, so nothing written so far is reclaimed before the end, but
 * for what is let go with {@link #release}: those slices are records like any other from then on,
 * which are moved, written to a disk or dropped, and which lookups find. So an object may be larger
 * than memory.
 *
 * <pre>
 *   slice   | 0 | 1 | 2 | 3 | 4 | 5 | 6 |
 *             let go    |   held    | being written
 *                       first       sealed
 * </pre>
 *
 * At the end the head is installed if every slice that was let go is still somewhere, or if an
 * object that lacks slices is of use too.
 *
 * <p>The reclaimer may take all of it away from a writer that makes no progress; it does so only
 * between two appends (the state word decides), and what the writer does after that is refused.
 * Space already written is never given back for reuse: readers may be reading it.
 *
 * <p>Where what is lost could not be had again, the writer is {@linkplain #isHeld held} for those
 * who read: from begin to end of their reading nothing of it is let go that they have not passed,
 * and the reclaimer takes nothing away. So what they read does not depend on whether it is
 * installed.
 *
 * <pre>
 *   beginReading*, endReading* ──► finish or abort ──► endReading* ──► close, and the last has ended
 *            └── narrow: nobody new may read, so that what all have passed can be let go
 * </pre>
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

  // Of the word of readers, above their number.
  private static final int FIRST = 1 << 27;
  private static final int NARROW = 1 << 28;
  private static final int REVOKING = 1 << 29;
  private static final int CLOSED = 1 << 30;
  private static final int NUMBER = FIRST - 1;

  private static final int FIRST_PIECE = 64 << 10;

  /** Slices looked for in one turn of the loop. */
  private static final int ACCOUNTED_AT_ONCE = 256;

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

  private final StoreState core;
  private final StoreLane lane;
  private final HeadSpec spec;
  private final long objectId;
  private final boolean isInline;
  private final boolean isRun;

  /** Whether an object that lacks slices can be completed, so that it is kept as well. */
  private final boolean mayBePartial;

  /** Of the object, the first slice that is written here; not 0 for some runs only. */
  private final int firstSlice;

  /** Those who read and depend on it, and who may. */
  private final AtomicInteger readers = new AtomicInteger();

  /** Whether readers depend on it. */
  private final boolean isHeld;

  /** The reclaimer has taken it away. Owner only, until the end. */
  private boolean wasRevoked;

  /** It goes on beyond the bounds, at the pace of its readers; it won't be stored. */
  private boolean isSliding;

  private final Reservation reservation = new Reservation();
  private final FillHandle fill = new FillHandle();

  /** Moves between idle and busy with acquire and release: see {@link #enter}. */
  @SuppressWarnings("unused")
  private volatile int state;

  /** Stored with release after the bytes and the pieces they are in; read with acquire. */
  @SuppressWarnings("unused")
  private volatile long watermark;

  /** Replaced when a piece is added, grows or is let go. */
  private volatile Window window = new Window(0, new Piece[0]);

  /** Of each slice, whether the index has named it. Owner only. */
  private boolean[] isIndexed = new boolean[1];

  /** Whether slices may have been let go. */
  private boolean isGrowing;

  /** Slices that were let go and are known to be somewhere still, at the end. */
  private int accounted;

  /** Slices that are whole and committed. */
  private int sealed;

  private long written;
  private CRC32C crc = new CRC32C();
  private long reservedBytes;
  private boolean hasFailed;

  /** It is to be kept as far as it has come. */
  private boolean isCut;

  /** The last append left something over. */
  private boolean isShort;

  /** Why the last call failed: no region was spare, which the reclaimer may change. */
  private boolean lacksRoom;

  private @Nullable Piece headPiece;
  private int headLength;
  private volatile long progressMillis;

  /**
   * The pieces that are held, one a slice or the one inline body; {@code first} were let go before.
   */
  @SuppressWarnings("ArrayRecordComponent")
  private record Window(int first, Piece[] pieces) {
    /** Slices that have, or had, a piece. */
    int end() {
      return first + pieces.length;
    }

    Piece piece(int slice) {
      return pieces[slice - first];
    }

    Piece last() {
      return pieces[pieces.length - 1];
    }

    Window with(Piece piece) {
      Piece[] more = Arrays.copyOf(pieces, pieces.length + 1);
      more[pieces.length] = piece;
      return new Window(first, more);
    }

    Window withLast(Piece piece) {
      Piece[] changed = pieces.clone();
      changed[pieces.length - 1] = piece;
      return new Window(first, changed);
    }

    Window from(int slice) {
      return new Window(slice, Arrays.copyOfRange(pieces, slice - first, pieces.length));
    }
  }

  private ObjectWriter(
      StoreState core,
      StoreLane lane,
      HeadSpec spec,
      long objectId,
      boolean isInline,
      boolean mayBePartial,
      boolean isHeld,
      boolean isRun,
      int firstSlice) {
    this.core = core;
    this.lane = lane;
    this.spec = spec;
    this.objectId = objectId;
    this.isInline = isInline;
    this.mayBePartial = mayBePartial;
    this.isHeld = isHeld;
    this.isRun = isRun;
    this.firstSlice = firstSlice;
    this.progressMillis = core.clockMillis.getAsLong();
  }

  static @Nullable ObjectWriter begin(
      StoreState core,
      StoreLane lane,
      HeadSpec spec,
      boolean mayBePartial,
      boolean isHeld,
      long objectId) {
    boolean isSmall = spec.totalLength() >= 0 && spec.totalLength() <= core.inlineBytes;
    ObjectWriter writer =
        new ObjectWriter(core, lane, spec, objectId, isSmall, mayBePartial, isHeld, false, 0);
    boolean hasBegun = isSmall ? writer.beginInline() : writer.grow();
    lane.lacksRoom(writer.lacksRoom);
    return hasBegun ? writer : null;
  }

  static @Nullable ObjectWriter begin(StoreState core, StoreLane lane, SliceRun run) {
    ObjectWriter writer =
        new ObjectWriter(
            core, lane, run.spec(), run.objectId(), false, false, false, true, run.firstSlice());
    boolean hasBegun = writer.grow();
    lane.lacksRoom(writer.lacksRoom);
    return hasBegun ? writer : null;
  }

  UnfinishedObject fill() {
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
    boolean isTaken = !hasFailed && !core.isLost() && taken(src);
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
        !hasFailed
            && !isShort
            && !isSliding
            && (spec.totalLength() < 0 || written == spec.totalLength());
    boolean isReserved =
        !isWhole
            || core.isLost()
            || headPiece != null
            || (isInline ? commitInline() : commitSliced());
    progressMillis = core.clockMillis.getAsLong();
    leave();
    return isReserved;
  }

  private boolean taken(ByteBuffer src) {
    try {
      return take(src);
    } catch (InternalError e) {
      core.lose(String.valueOf(e.getMessage()));
      lacksRoom = false;
      return false;
    }
  }

  private boolean take(ByteBuffer src) {
    if (spec.totalLength() >= 0 && written + src.remaining() > spec.totalLength()) {
      return false;
    }
    while (src.hasRemaining()) {
      int within = isInline ? (int) written : (int) (written % core.sliceBytes);
      if (!isInline && (sealed == window.end() || within == window.last().capacity())) {
        if (!grow()) {
          return false;
        }
        continue;
      }
      Piece piece = window.last();
      if (within == piece.capacity()) {
        return false;
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
    core.enter(reservation, StoreState.kindByte(spec.kind()), spec, spec.hi(), spec.lo(), objectId);
    Piece piece =
        new Piece(
            reservation.region(),
            reservation.generation(),
            reservation.slot(),
            reservation.offset(),
            reservation.offset() + core.headLength(spec),
            (int) spec.totalLength());
    window = window.with(piece);
    return true;
  }

  /** A piece for the next slice, or a larger one for the slice that is being written. */
  private boolean grow() {
    int slice = window.end();
    if (slice > sealed) {
      return enlarge();
    }
    int capacity;
    if (spec.totalLength() >= 0) {
      capacity = (int) Math.min(core.sliceBytes, spec.totalLength() - written);
    } else {
      // Who filled one slice is likely to fill the next.
      capacity = slice == 0 ? Math.min(FIRST_PIECE, core.sliceBytes) : core.sliceBytes;
    }
    Piece piece = newSlice(capacity, slice);
    if (piece == null) {
      return false;
    }
    if (isIndexed.length <= slice) {
      isIndexed = Arrays.copyOf(isIndexed, (slice + 1) * 2);
    }
    window = window.with(piece);
    return true;
  }

  private boolean enlarge() {
    Piece piece = window.last();
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
      larger = newSlice(capacity, sealed);
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
    window = window.withLast(larger);
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
        objectId);
    return Piece.slice(reservation);
  }

  private boolean reserve(int length) {
    if (core.unfinishedBytes.get() + length > core.unfinishedLimit && !isSliding) {
      // Of what readers depend on the rest may find room when others have ended.
      lacksRoom |= isHeld && window.end() > 0;
      return false;
    }
    if (!takeSpace(length)) {
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
    InstallOutcome ignored = index(slice);
  }

  private InstallOutcome index(int slice) {
    if (isRun) {
      switch (lane.lookup.names(spec.hi(), spec.lo(), objectId)) {
        case HIT -> {}
        case BUSY -> {
          return InstallOutcome.BUSY;
        }
        default -> {
          return InstallOutcome.GONE;
        }
      }
    }
    Piece piece = window.piece(slice);
    InstallOutcome result =
        lane.installs.install(
            spec,
            RecordHeader.KIND_SLICE,
            piece,
            SliceRecord.LENGTH + sliceLength(slice),
            objectId,
            SliceRecord.keyHigh(objectId),
            SliceRecord.keyLow(objectId, firstSlice + slice));
    if (result == InstallOutcome.OLDER && !isRun) {
      // A run has brought this very slice ahead of us: what is there serves as well.
      result = InstallOutcome.INSTALLED;
    }
    isIndexed[slice] = result == InstallOutcome.INSTALLED;
    return result;
  }

  private int sliceLength(int slice) {
    return (int) Math.min(core.sliceBytes, written - (long) slice * core.sliceBytes);
  }

  /**
   * Any lane: finds the byte at a position below the watermark, pins its region for the reader's
   * lane and fills that lane's {@link StoreLane#slice}. False if it is no longer where it was
   * written; if it was let go, or the object was finished, lookups find it.
   */
  public boolean locate(StoreLane readerLane, long position) {
    long readable = watermark();
    if (position < begin() || position >= readable) {
      return false;
    }
    Window now = window;
    int slice = isInline ? 0 : (int) (position / core.sliceBytes);
    int within = isInline ? (int) position : (int) (position % core.sliceBytes);
    if (slice - firstSlice < now.first()) {
      return false;
    }
    Piece piece = now.piece(slice - firstSlice);
    if (!readerLane.lookup.pinIf(piece.region(), piece.generation())) {
      return false;
    }
    long end = isInline ? readable : Math.min(readable, (slice + 1L) * core.sliceBytes);
    int length = (int) (end - position);
    SliceLocation ignored =
        readerLane.lookup.slice(piece.region(), piece.bodyOffset() + within, length);
    return true;
  }

  /** Any thread: the position in the body before which slices were let go. */
  public long releasedBytes() {
    return (long) window.first() * core.sliceBytes;
  }

  /**
   * Lets the whole slices go that end at or before a position of the body. The owner's loop only.
   */
  public void release(long position) {
    int wanted = (int) Math.min(sealed, position / core.sliceBytes);
    int first = window.first();
    if (isInline || isRun || wanted <= first || core.isLost() || !enter()) {
      return;
    }
    // Before a slice can be taken for one of an object that is no more.
    announce();
    Window now = window;
    int next = first;
    // In order, and only what lookups find.
    while (next < wanted
        && (isIndexed[next] || isSliding || index(next) == InstallOutcome.INSTALLED)) {
      Piece piece = now.piece(next);
      core.regions.release(piece.region());
      count(-(SliceRecord.LENGTH + piece.capacity()));
      next++;
    }
    if (next > first) {
      window = now.from(next);
    }
    leave();
  }

  /**
   * Lets runs of slices that lie ahead be stored while the object is written, if one that lacks
   * slices is of use. The owner's loop only.
   */
  public void announce() {
    if (!isInline && !isRun && (int) STATE.getAcquire(this) != DONE) {
      core.growing.add(objectId);
      isGrowing = true;
    }
  }

  /** Somebody still reads what is written here, so that it is not given up for want of bytes. */
  public void touch() {
    progressMillis = core.clockMillis.getAsLong();
  }

  /**
   * Ends the object where it is: the slices that are whole are kept, if one that lacks slices is of
   * use and its length is known. Otherwise as {@link #finish}, and where nothing can be kept it is
   * {@link InstallOutcome#INCOMPLETE}.
   */
  public InstallOutcome keep() {
    isCut = true;
    return finish();
  }

  /**
   * Ends the object. On {@link InstallOutcome#BUSY}, and only then, call it again or {@link
   * #abort}.
   */
  public InstallOutcome finish() {
    if (!enter()) {
      if ((int) STATE.getAcquire(this) == DONE) {
        throw new IllegalStateException("finished twice");
      }
      end(false);
      return InstallOutcome.NO_SPACE;
    }
    InstallOutcome result = complete();
    if (result == InstallOutcome.BUSY) {
      leave();
    } else {
      end(result == InstallOutcome.INSTALLED);
    }
    return result;
  }

  private InstallOutcome complete() {
    if (hasFailed || isSliding || core.isLost() || (isShort && !isCut)) {
      return InstallOutcome.NO_SPACE;
    }
    boolean isUseful =
        isCut
            ? mayBePartial && !isInline && spec.totalLength() >= 0 && sealed > 0
            : spec.totalLength() < 0 || written == spec.totalLength();
    if (!isUseful) {
      return InstallOutcome.INCOMPLETE;
    }
    if (isRun) {
      sealTail();
      return indexAll();
    }
    if (lane.isDead(spec)) {
      return InstallOutcome.PURGED;
    }
    InstallOutcome released = mayBePartial ? InstallOutcome.INSTALLED : accountForReleased();
    if (released != InstallOutcome.INSTALLED) {
      return released;
    }
    if (headPiece == null) {
      boolean isCommitted = isInline ? commitInline() : commitSliced();
      if (!isCommitted) {
        return InstallOutcome.NO_SPACE;
      }
    }
    InstallOutcome indexed = indexAll();
    if (indexed != InstallOutcome.INSTALLED) {
      return indexed;
    }
    Piece head = Objects.requireNonNull(headPiece);
    return lane.installs.install(
        spec, StoreState.kindByte(spec.kind()), head, headLength, objectId, spec.hi(), spec.lo());
  }

  /** Whether every slice that was let go is still somewhere: a part at a time, busy in between. */
  private InstallOutcome accountForReleased() {
    int end = Math.min(window.first(), accounted + ACCOUNTED_AT_ONCE);
    while (accounted < end) {
      switch (lane.lookup.isStored(
          SliceRecord.keyHigh(objectId), SliceRecord.keyLow(objectId, accounted), objectId)) {
        case HIT -> accounted++;
        case BUSY -> {
          return InstallOutcome.BUSY;
        }
        default -> {
          return InstallOutcome.NO_SPACE;
        }
      }
    }
    return end == window.first() ? InstallOutcome.INSTALLED : InstallOutcome.BUSY;
  }

  private InstallOutcome indexAll() {
    for (int slice = window.first(); slice < sealed; slice++) {
      if (!isIndexed[slice]) {
        InstallOutcome result = index(slice);
        if (result != InstallOutcome.INSTALLED) {
          return result;
        }
      }
    }
    return InstallOutcome.INSTALLED;
  }

  private boolean commitInline() {
    Piece piece = window.last();
    Reservation at = reservation;
    core.writeHead(at, spec, objectId, spec.bodyBirth(), written, true, crc);
    headLength = core.headLength(spec) + (int) written;
    headPiece = piece;
    return true;
  }

  private boolean commitSliced() {
    boolean becomesInline = sealed == 0 && written <= core.inlineBytes;
    if (!becomesInline && !isCut) {
      sealTail();
    }
    int length = core.headLength(spec) + (becomesInline ? (int) written : 0);
    if (!takeSpace(length)) {
      return false;
    }
    core.unfinishedBytes.addAndGet(length);
    reservedBytes += length;
    core.enter(reservation, StoreState.kindByte(spec.kind()), spec, spec.hi(), spec.lo(), objectId);
    CRC32C headCrc = new CRC32C();
    if (becomesInline && written > 0) {
      Piece piece = window.last();
      long to =
          core.regions.base(reservation.region()) + reservation.offset() + core.headLength(spec);
      TierMemory.copy(
          core.memory, core.regions.base(piece.region()) + piece.bodyOffset(), to, written);
      headCrc = crc;
    }
    long totalLength = isCut ? spec.totalLength() : written;
    core.writeHead(
        reservation, spec, objectId, spec.bodyBirth(), totalLength, becomesInline, headCrc);
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
    int tail = (int) (written % core.sliceBytes);
    if (window.end() > sealed && tail > 0) {
      Piece piece = window.last();
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
    wasRevoked = (int) STATE.getAcquire(this) == REVOKED;
    if (!wasRevoked) {
      if (!isInstalled && (!isRun || hasFailed)) {
        for (int slice = window.first(); slice < sealed; slice++) {
          if (isIndexed[slice]) {
            lane.lookup.discard(
                window.piece(slice),
                SliceRecord.keyHigh(objectId),
                SliceRecord.keyLow(objectId, firstSlice + slice));
          }
        }
      }
      releaseHead();
      if (isHeld) {
        keepPieces();
      } else {
        releasePieces();
      }
    }
    STATE.setRelease(this, DONE);
    // After the head, if there is one, is what its key names; what was let go is nobody's else.
    if (isGrowing) {
      core.growing.remove(objectId);
    }
    if (!isHeld || wasRevoked) {
      core.unfinished.remove(fill);
    }
    lane.births.remove(spec.bodyBirth());
  }

  private void releaseHead() {
    if (headPiece != null && !isInline) {
      core.regions.release(headPiece.region());
    }
  }

  private void releasePieces() {
    for (Piece piece : window.pieces()) {
      core.regions.release(piece.region());
    }
    core.unfinishedBytes.addAndGet(-reservedBytes);
  }

  // --- readers that depend on it ----------------------------------------------------------------

  /** Whether readers depend on it: {@link #close} has to be called after its end. */
  public boolean isHeld() {
    return isHeld;
  }

  /**
   * Any lane: begins to read. What is not let go by now stays until {@link #endReading}.
   *
   * @param isFirst whether it is the one reader who may begin whatever was let go
   * @return false where nobody may begin any more
   */
  public boolean beginReading(boolean isFirst) {
    int refused = CLOSED | REVOKING | (isFirst ? 0 : NARROW);
    int now;
    do {
      now = readers.get();
      if ((now & refused) != 0) {
        return false;
      }
    } while (!readers.compareAndSet(now, isFirst ? now | FIRST : now + 1));
    return true;
  }

  /** Any lane: exactly once after each {@link #beginReading}. */
  public void endReading(boolean isFirst) {
    int after = readers.addAndGet(isFirst ? -FIRST : -1);
    releaseIfUnread(after);
  }

  /** Whether others than the first one read. */
  public boolean hasReaders() {
    return (readers.get() & NUMBER) != 0;
  }

  /** Nobody but the first reader may begin from now on. The owner's loop. */
  public void narrow() {
    readers.getAndUpdate(word -> word | NARROW);
  }

  public boolean isNarrow() {
    return (readers.get() & NARROW) != 0;
  }

  /**
   * It can't be stored, but its readers are to have all of it: it goes on beyond the bounds on what
   * is unfinished, and what all have passed is let go. The owner's loop.
   */
  public void slide() {
    narrow();
    isSliding = true;
  }

  public boolean isSliding() {
    return isSliding;
  }

  /**
   * After the end: nobody begins to read any more, and when the last has ended all is let go. Any
   * thread; of no effect where it is not held, and the second time.
   */
  public void close() {
    int before = readers.getAndUpdate(word -> word | CLOSED);
    if (isHeld && !wasRevoked && (before & CLOSED) == 0) {
      releaseIfUnread(before | CLOSED);
    }
  }

  private void releaseIfUnread(int word) {
    if ((word & CLOSED) != 0 && (word & (FIRST | NUMBER)) == 0) {
      for (Piece piece : window.pieces()) {
        core.regions.kept().release(piece.region());
      }
      releasePieces();
      core.unfinished.remove(fill);
    }
  }

  /** What readers make stay is counted; it was let in when there was room for it. */
  private void keepPieces() {
    for (Piece piece : window.pieces()) {
      core.regions.kept().keepAnyway(piece.region());
    }
  }

  /** Keeps the reclaimer out while the owner works; false if it was there first. */
  private boolean enter() {
    return STATE.compareAndSet(this, IDLE, BUSY);
  }

  private void leave() {
    STATE.setRelease(this, IDLE);
  }

  private final class FillHandle implements UnfinishedObject {
    @Override
    public long progressMillis() {
      return progressMillis;
    }

    @Override
    public boolean isReadFrom() {
      return isHeld && (readers.get() & (FIRST | NUMBER)) != 0;
    }

    @Override
    public boolean revoke() {
      if (isHeld
          && !readers.compareAndSet(0, REVOKING)
          && !readers.compareAndSet(NARROW, NARROW | REVOKING)) {
        return false;
      }
      if (!STATE.compareAndSet(ObjectWriter.this, IDLE, REVOKED)) {
        readers.getAndUpdate(word -> word & ~REVOKING);
        return false;
      }
      releaseHead();
      releasePieces();
      return true;
    }
  }
}
