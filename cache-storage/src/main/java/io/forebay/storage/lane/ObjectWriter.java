package io.forebay.storage.lane;

import io.forebay.storage.evict.UnfinishedObject;
import io.forebay.storage.lane.StoreState.Piece;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.SliceLocation;
import io.forebay.storage.object.SliceRun;
import io.forebay.storage.region.Reservation;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * An object being written, or a run of slices that a stored one lacks. Its lane writes; any lane
 * may read what is below the watermark.
 *
 * <pre>
 *   ObjectWriter ─┬─ InlineObjectWriter      one record: head and body
 *                 └─ SlicesWriter ─┬─ SlicedObjectWriter   slices, then a head
 *                                  └─ SliceRunWriter       slices of a stored object
 * </pre>
 *
 * <p>Every reservation keeps its region, so nothing written so far is reclaimed before the end,
 * except slices that {@link #release} has released.
 *
 * <p>The reclaimer may take all of it away from a writer that makes no progress; it does so only
 * between two appends (the state word decides), and what the writer does after that is refused.
 * Space already written is never given back for reuse: readers may be reading it.
 *
 * <p>A body that cannot be fetched again {@linkplain #retainsUnread retains its unread bytes}:
 * while anybody reads, bytes that a reader has not read are not released, and the reclaimer takes
 * nothing away. So what they read does not depend on whether it is installed.
 *
 * <pre>
 *   beginReading*, endReading* ──► finish or abort ──► endReading* ──► close, and the last has ended
 *            └── refuseNewReaders: nobody new may read, so bytes that all have read can be released
 * </pre>
 */
public abstract sealed class ObjectWriter permits InlineObjectWriter, SlicesWriter {
  private static final int IDLE = 0;
  private static final int BUSY = 1;
  private static final int DONE = 2;
  private static final int REVOKED = 3;

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

  final StoreState core;
  final StoreLane lane;
  final HeadSpec spec;
  final long objectId;

  private final ReaderCount readers = new ReaderCount();

  /** Whether readers depend on it. */
  private final boolean retainsUnread;

  /** The reclaimer has taken it away. Owner only, until the end. */
  private boolean wasRevoked;

  /** It goes on beyond the bounds, at the pace of its readers; it won't be stored. */
  private boolean isStreamOnly;

  /** The latest space taken. Owner only. */
  final Reservation reservation = new Reservation();

  private final FillHandle fill = new FillHandle();

  /** Moves between idle and busy with acquire and release: see {@link #enter}. */
  @SuppressWarnings("unused")
  private volatile int state;

  /** Stored with release after the bytes and the pieces they are in; read with acquire. */
  @SuppressWarnings("unused")
  private volatile long watermark;

  /** Bytes of the body so far. Owner only. */
  long written;

  /** Of the record being written. Owner only. */
  CRC32C crc = new CRC32C();

  private long reservedBytes;
  private boolean hasFailed;

  /** The part that was written is kept. */
  private boolean isCut;

  /** The last append left something over. */
  private boolean isShort;

  /** Why the last call failed: no region was spare, which the reclaimer may change. */
  private boolean lacksRoom;

  private @Nullable Piece headPiece;
  private int headLength;
  private volatile long progressMillis;

  ObjectWriter(
      StoreState core, StoreLane lane, HeadSpec spec, long objectId, boolean retainsUnread) {
    this.core = core;
    this.lane = lane;
    this.spec = spec;
    this.objectId = objectId;
    this.retainsUnread = retainsUnread;
    this.progressMillis = core.clockMillis.getAsLong();
  }

  static @Nullable ObjectWriter begin(
      StoreState core,
      StoreLane lane,
      HeadSpec spec,
      boolean mayBePartial,
      boolean retainsUnread,
      long objectId) {
    boolean isSmall = spec.totalLength() >= 0 && spec.totalLength() <= core.inlineBytes;
    return begun(
        isSmall
            ? new InlineObjectWriter(core, lane, spec, retainsUnread, objectId)
            : new SlicedObjectWriter(core, lane, spec, mayBePartial, retainsUnread, objectId));
  }

  static @Nullable ObjectWriter begin(StoreState core, StoreLane lane, SliceRun run) {
    return begun(new SliceRunWriter(core, lane, run));
  }

  private static @Nullable ObjectWriter begun(ObjectWriter writer) {
    boolean hasBegun = writer.begin();
    writer.lane.lacksRoom(writer.lacksRoom);
    return hasBegun ? writer : null;
  }

  // ---- what differs between the three

  /** Takes the first space; false where there is none. */
  abstract boolean begin();

  /** Copies all of {@code src} in; false if some is left over. */
  abstract boolean take(ByteBuffer src);

  /** Takes space for the head and writes it; false where there is none. */
  abstract boolean commitHead();

  /** The body is in: makes the object findable. */
  abstract InstallOutcome complete();

  /** Spaces that are not released. */
  abstract Piece[] pieces();

  /** Whether an object that ends before its body is useful. */
  boolean isUsefulWhenCut() {
    return false;
  }

  /** The object is given up: what the index names of it is removed. */
  void discard() {}

  /** After the end. */
  void ended() {}

  /** Position in the body of the first byte that is written here. */
  long firstByte() {
    return 0;
  }

  // ---- writing

  UnfinishedObject fill() {
    return fill;
  }

  public long objectId() {
    return objectId;
  }

  /** Any thread: the position in the body before which bytes can be read. */
  public long watermark() {
    return firstByte() + (long) WATERMARK.getAcquire(this);
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
            && !isStreamOnly
            && (spec.totalLength() < 0 || written == spec.totalLength());
    boolean isReserved = !isWhole || core.isLost() || headPiece != null || commitHead();
    progressMillis = core.clockMillis.getAsLong();
    leave();
    return isReserved;
  }

  private boolean taken(ByteBuffer src) {
    try {
      boolean isTooMuch = spec.totalLength() >= 0 && written + src.remaining() > spec.totalLength();
      return !isTooMuch && take(src);
    } catch (InternalError e) {
      core.lose(String.valueOf(e.getMessage()));
      lacksRoom = false;
      return false;
    }
  }

  /** Copies what fits behind {@code within} bytes of the piece. */
  final void copy(ByteBuffer src, Piece piece, int within) {
    int length = Math.min(src.remaining(), piece.capacity() - within);
    MemorySegment.copy(
        MemorySegment.ofBuffer(src),
        0,
        core.memory,
        core.regions.base(piece.region()) + piece.bodyOffset() + within,
        length);
    crc.update(src.slice(src.position(), length));
    src.position(src.position() + length);
    written += length;
  }

  /** Takes space within the bound on what is unfinished; {@code hasBegun}: not the first space. */
  final boolean reserve(int length, boolean hasBegun) {
    if (core.unfinishedBytes.get() + length > core.unfinishedLimit() && !isStreamOnly) {
      // Of what readers depend on the rest may find room when others have ended.
      lacksRoom |= retainsUnread && hasBegun;
      return false;
    }
    if (!takeSpace(length)) {
      return false;
    }
    count(length);
    return true;
  }

  /** Takes space whatever the bound. */
  final boolean takeSpace(int length) {
    boolean isTaken = core.space.reserve(lane.index(), length, reservation);
    lacksRoom |= !isTaken;
    return isTaken;
  }

  final void count(long bytes) {
    reservedBytes += bytes;
    core.unfinishedBytes.addAndGet(bytes);
  }

  /** Enters a record for the head at the space that was taken last. */
  final void enterHead() {
    core.enter(reservation, StoreState.kindByte(spec.kind()), spec, spec.hi(), spec.lo(), objectId);
  }

  /** The head is written. */
  final void committed(Piece head, int length) {
    headPiece = head;
    headLength = length;
  }

  final boolean hasHead() {
    return headPiece != null;
  }

  final InstallOutcome installHead() {
    Piece head = Objects.requireNonNull(headPiece);
    return lane.installs.install(
        spec, StoreState.kindByte(spec.kind()), head, headLength, objectId, spec.hi(), spec.lo());
  }

  final boolean hasFailed() {
    return hasFailed;
  }

  final boolean isCut() {
    return isCut;
  }

  // ---- reading

  /**
   * Any lane: finds the byte at a position below the watermark, pins its region for the reader's
   * lane and fills that lane's {@link StoreLane#slice}. False if it is no longer where it was
   * written; if it was released, or the object was finished, lookups find it.
   */
  public abstract boolean locate(StoreLane readerLane, long position);

  final boolean locate(StoreLane readerLane, Piece piece, int within, int length) {
    if (!readerLane.lookup.pinIf(piece.region(), piece.generation())) {
      return false;
    }
    SliceLocation ignored =
        readerLane.lookup.slice(piece.region(), piece.bodyOffset() + within, length);
    return true;
  }

  /** Any thread: the position in the body before which slices were released. */
  public long releasedBytes() {
    return 0;
  }

  /**
   * Releases the whole slices that end at or before a position of the body; a writer without slices
   * of its own object does nothing. The owner's loop only.
   */
  public void release(long position) {}

  /**
   * Lets runs of slices that lie ahead be stored while the object is written, if an object that
   * lacks slices is useful. The owner's loop only.
   */
  public void announce() {}

  final boolean isDone() {
    return (int) STATE.getAcquire(this) == DONE;
  }

  /** Somebody still reads what is written here, so that it is not given up for want of bytes. */
  public void touch() {
    progressMillis = core.clockMillis.getAsLong();
  }

  /**
   * Ends the object where it is: complete slices are kept, if an object that lacks slices is useful
   * and its length is known. Otherwise as {@link #finish}; if nothing can be kept the result is
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
      if (isDone()) {
        throw new IllegalStateException("finished twice");
      }
      end(false);
      return InstallOutcome.NO_SPACE;
    }
    InstallOutcome result = completed();
    if (result == InstallOutcome.BUSY) {
      leave();
    } else {
      end(result == InstallOutcome.INSTALLED);
    }
    return result;
  }

  private InstallOutcome completed() {
    if (hasFailed || isStreamOnly || core.isLost() || (isShort && !isCut)) {
      return InstallOutcome.NO_SPACE;
    }
    boolean isUseful =
        isCut ? isUsefulWhenCut() : spec.totalLength() < 0 || written == spec.totalLength();
    return isUseful ? complete() : InstallOutcome.INCOMPLETE;
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
      if (!isInstalled) {
        discard();
      }
      releaseHead();
      if (retainsUnread) {
        keepPieces();
      } else {
        releasePieces();
      }
    }
    STATE.setRelease(this, DONE);
    ended();
    if (!retainsUnread || wasRevoked) {
      core.unfinished.remove(fill);
    }
    lane.births.remove(spec.bodyBirth());
  }

  /** Releases the space of a head that has a record of its own. */
  void releaseHead() {
    if (headPiece != null) {
      core.regions.release(headPiece.region());
    }
  }

  private void releasePieces() {
    for (Piece piece : pieces()) {
      core.regions.release(piece.region());
    }
    core.unfinishedBytes.addAndGet(-reservedBytes);
  }

  // --- readers that depend on it ----------------------------------------------------------------

  /** Whether readers depend on it: {@link #close} has to be called after its end. */
  public boolean retainsUnread() {
    return retainsUnread;
  }

  /**
   * Any lane: begins to read. What is not released by now stays until {@link #endReading}.
   *
   * @param isFirst whether it is the one reader who may begin whatever was released
   * @return false where nobody may begin any more
   */
  public boolean beginReading(boolean isFirst) {
    return readers.begin(isFirst);
  }

  /** Any lane: exactly once after each {@link #beginReading}. */
  public void endReading(boolean isFirst) {
    if (readers.end(isFirst)) {
      releaseUnread();
    }
  }

  /** Whether others than the first one read. */
  public boolean hasReaders() {
    return readers.hasOthers();
  }

  /** Nobody but the first reader may begin from now on. The owner's loop. */
  public void refuseNewReaders() {
    readers.refuseNewReaders();
  }

  public boolean refusesNewReaders() {
    return readers.refusesNewReaders();
  }

  /**
   * It can't be stored, but its readers are to have all of it: it goes on beyond the bounds on what
   * is unfinished, and bytes that all have read are released. The owner's loop.
   */
  public void becomeStreamOnly() {
    refuseNewReaders();
    isStreamOnly = true;
  }

  public boolean isStreamOnly() {
    return isStreamOnly;
  }

  /**
   * After the end: nobody begins to read any more, and when the last has ended everything is
   * released. Any thread; of no effect where {@link #retainsUnread} is false, and the second time.
   */
  public void close() {
    if (readers.close() == ReaderCount.Close.UNREAD && retainsUnread && !wasRevoked) {
      releaseUnread();
    }
  }

  private void releaseUnread() {
    for (Piece piece : pieces()) {
      core.regions.kept().release(piece.region());
    }
    releasePieces();
    core.unfinished.remove(fill);
  }

  /** What readers make stay is counted; it was let in when there was room for it. */
  private void keepPieces() {
    for (Piece piece : pieces()) {
      core.regions.kept().keepAnyway(piece.region());
    }
  }

  /** Keeps the reclaimer out while the owner works; false if it was there first. */
  final boolean enter() {
    return STATE.compareAndSet(this, IDLE, BUSY);
  }

  final void leave() {
    STATE.setRelease(this, IDLE);
  }

  private final class FillHandle implements UnfinishedObject {
    /** Of an identity, the first one asked for is made by the JVM, outside compiled code. */
    @Override
    public int hashCode() {
      return Long.hashCode(objectId);
    }

    @Override
    public long progressMillis() {
      return progressMillis;
    }

    @Override
    public boolean isReadFrom() {
      return retainsUnread && readers.isAny();
    }

    @Override
    public boolean revoke() {
      if (retainsUnread && !readers.tryRevoke()) {
        return false;
      }
      if (!STATE.compareAndSet(ObjectWriter.this, IDLE, REVOKED)) {
        readers.undoRevoke();
        return false;
      }
      releaseHead();
      releasePieces();
      return true;
    }
  }
}
