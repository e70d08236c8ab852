package io.forebay.server.fill;

import io.forebay.core.http.FieldSyntax;
import io.forebay.core.policy.Reason;
import io.forebay.server.digest.DigestAlgorithm;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.object.InstallOutcome;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes the response of a fill into the store: the head, the body as it arrives, and last the
 * index entry. If the store has no space it waits, and pauses the origin meanwhile.
 *
 * <pre>
 *   begin ──► onBegun ──► add* ──► end ──► onFinished
 *     │                    └─────────────► onOutOfRoom     what comes now is kept until it is handed over
 *     └─────► onRefused
 * </pre>
 *
 * <p>Owner: the fill's loop.
 */
final class FillWriter {

  /** The fill whose response it takes in. */
  interface Owner {
    /** Bytes can be written, and read, from now on. */
    void onBegun(StorableHead.Made made, ObjectWriter writer);

    /** It can't be stored after all. */
    void onRefused(ReceivedHead received, Reason why);

    /** The body is not what its digest says; nothing of it is to be stored. */
    void onWrongDigest(String detail);

    /** It has begun to wait for room, or tried again. */
    void onRoomChanged();

    /** The store takes the body no longer, but holds it for those who read. */
    void onStreamOnly();

    /** The store takes no more of the body. */
    void onOutOfRoom();

    /** All of the body is written; INSTALLED if it can be found by now. */
    void onFinished(InstallOutcome outcome);
  }

  private static final long BUSY_RETRY_MICROS = 50;

  private final FillContext loop;
  private final FillRequest order;
  private final long birth;
  private final Owner owner;

  /** What has come and is not written. */
  private final PendingBody pending = new PendingBody();

  private final SpaceRetry room;

  /** The head for which there was no room; set while that is waited for. */
  private @Nullable ReceivedHead unbegun;

  private @Nullable ObjectWriter writer;

  /** Set with the writer where the body has digests to compare or to compute. */
  private @Nullable FillDigest digest;

  private boolean hasAskedForMarker;

  /** The origin says that it sends bodies in parts. */
  private boolean acceptsRanges;

  /** The whole response has come. */
  private boolean isWhole;

  private boolean isOutOfRoom;

  /** Nothing more is written, whatever is waited for. */
  private boolean isOver;

  FillWriter(FillContext loop, FillRequest order, long birth, Owner owner) {
    this.loop = loop;
    this.order = order;
    this.birth = birth;
    this.owner = owner;
    this.room = new SpaceRetry(loop, this::onSpaceRetry);
  }

  /** What has been written so far can be read from it; null before it has begun. */
  @Nullable ObjectWriter writer() {
    return writer;
  }

  /** Whether it may hold the last bytes that have come, though there is room. */
  boolean holdsBytes() {
    return digest != null;
  }

  /** Whether bytes are to be handed to it: before it has a writer only while it waits for one. */
  boolean isOpen() {
    return !isOver && (writer != null || room.isOn());
  }

  /** Whether the origin is to wait, though there is room. */
  boolean isBehind() {
    FillDigest known = digest;
    return known != null && known.isBehind();
  }

  /** Whether the origin is paused, for a while or until another listener takes the rest. */
  boolean isFull() {
    return isOutOfRoom || room.isOn();
  }

  // --- the head ---------------------------------------------------------------------------------

  void begin(ReceivedHead received) {
    if (isMarkerComing(received) && awaitRoom()) {
      unbegun = received;
      return;
    }
    CharSequence ranges = received.fields().first("accept-ranges");
    acceptsRanges = ranges != null && FieldSyntax.equalsIgnoreCase(ranges, "bytes");
    List<DigestAlgorithm> added = FillDigest.addedTo(loop, order, received);
    switch (StorableHead.of(loop, order, received, birth, added)) {
      case StorableHead.Refused(Reason reason) -> refuse(received, reason);
      case StorableHead.Made made -> begin(received, made);
    }
  }

  private void begin(ReceivedHead received, StorableHead.Made made) {
    boolean mayBePartial = made.rest(loop, order) != null;
    ObjectWriter begun =
        mayBePartial
            ? loop.lane().begin(made.spec(), true)
            : loop.lane().beginRetaining(made.spec());
    if (begun == null) {
      if (loop.lane().lacksRoom() && awaitRoom()) {
        unbegun = received;
      } else {
        refuse(received, Reason.NOT_STORED_NO_ROOM);
      }
      return;
    }
    digest = FillDigest.of(loop, order, received, made, owner::onRoomChanged);
    digestPending();
    if (mayBePartial
        && digest == null
        && made.head().totalLength() > order.route().ranges().farBytes()) {
      // Who wants what lies far ahead fetches it by slice, and it is stored.
      begun.announce();
    }
    made.writeMarkers(loop, order, birth);
    writer = begun;
    owner.onBegun(made, begun);
  }

  private void refuse(ReceivedHead received, Reason why) {
    isOver = true;
    stopAwaiting();
    owner.onRefused(received, why);
  }

  /** Whether the names that variants here are told apart by are on their way from a disk. */
  private boolean isMarkerComing(ReceivedHead received) {
    if (!StorableHead.isMarkerOnDisk(loop, order, received)) {
      return false;
    }
    if (!hasAskedForMarker) {
      hasAskedForMarker = true;
      // Looked for again soon, as room is.
      return loop.lane().load(() -> {});
    }
    return true;
  }

  // --- the body ---------------------------------------------------------------------------------

  /** Takes over a buffer. */
  void add(ByteBuf data) {
    FillDigest of = digest;
    ByteBuf next = of == null ? data : of.add(data);
    if (next == null) {
      return;
    }
    pending.add(next);
    if (!isFull()) {
      store();
    }
  }

  /** What came before there was a writer. */
  private void digestPending() {
    FillDigest of = digest;
    if (of != null) {
      pending.replaceEach(of::add);
    }
  }

  /** The response is whole. */
  void end() {
    isWhole = true;
    if (!isFull()) {
      settle();
    }
  }

  /** Ends it, once the digests of the body are known. */
  private void settle() {
    FillDigest of = digest;
    if (of == null || of.isSettled()) {
      finish();
      return;
    }
    of.settle(
        new FillDigest.Outcome() {
          @Override
          public void onRight(@Nullable ByteBuf held) {
            onSettled(held);
          }

          @Override
          public void onWrong(String detail) {
            if (!isOver) {
              owner.onWrongDigest(detail);
            }
          }
        });
  }

  private void onSettled(@Nullable ByteBuf held) {
    if (held != null) {
      pending.add(held);
    }
    if (isOver) {
      pending.release();
      return;
    }
    if (!pending.isEmpty()) {
      store();
    }
    if (pending.isEmpty()) {
      finish();
    }
  }

  /** Writes what there is; waits, or gives up, where there is no room for it. */
  private void store() {
    ObjectWriter into = writer;
    if (into == null) {
      return;
    }
    long moved = pending.moveTo(into);
    if (moved > 0) {
      room.moved();
    }
    if (pending.isEmpty()) {
      stopAwaiting();
    } else if (into.lacksRoom() && (!into.isStreamOnly() && awaitRoom())) {
      return;
    } else if (into.lacksRoom() && becomesStreamOnly(into)) {
      boolean begins = !room.isOn();
      room.waitIndefinitely();
      if (begins) {
        owner.onRoomChanged();
      }
    } else {
      stopAwaiting();
      isOutOfRoom = true;
      owner.onOutOfRoom();
    }
  }

  /**
   * Whether others than the leader read what they could not have from anywhere else. Then it is not
   * stored, but goes on in the room that all of them have passed (I9).
   */
  private boolean becomesStreamOnly(ObjectWriter into) {
    if (!into.retainsUnread()) {
      return false;
    }
    into.refuseNewReaders();
    if (!into.hasReaders()) {
      return false;
    }
    into.becomeStreamOnly();
    owner.onStreamOnly();
    return true;
  }

  private void finish() {
    ObjectWriter done = writer;
    if (done == null || isOver) {
      return;
    }
    if (!done.reserveHead() && done.lacksRoom() && awaitRoom()) {
      return;
    }
    stopAwaiting();
    InstallOutcome outcome = done.finish();
    if (outcome == InstallOutcome.BUSY) {
      loop.eventLoop().schedule(this::finish, BUSY_RETRY_MICROS, TimeUnit.MICROSECONDS);
    } else {
      isOver = true;
      owner.onFinished(outcome);
    }
  }

  // --- waiting for room -------------------------------------------------------------------------

  /**
   * Pauses the origin and retries soon, after a refusal with {@code lacksRoom}.
   *
   * @return false if a retry is not useful any more
   */
  private boolean awaitRoom() {
    boolean begins = !room.isOn();
    if (!room.goOn()) {
      return false;
    }
    if (begins) {
      owner.onRoomChanged();
    }
    return true;
  }

  private void stopAwaiting() {
    unbegun = null;
    room.end();
  }

  private void onSpaceRetry() {
    if (!room.isOn()) {
      // It failed, or everybody left.
      return;
    }
    ReceivedHead received = unbegun;
    if (received != null) {
      unbegun = null;
      begin(received);
      if (writer == null || isOver) {
        return;
      }
    }
    if (!pending.isEmpty()) {
      store();
    } else if (isWhole) {
      settle();
      return;
    } else {
      stopAwaiting();
    }
    owner.onRoomChanged();
    if (!isFull() && isWhole) {
      settle();
    }
  }

  // --- other ends -------------------------------------------------------------------------------

  /**
   * Everybody has left: the slices that are whole stay, where a validator says that the others can
   * be fetched. Where the origin does not say that it sends parts, the next one would be served a
   * beginning and broken off.
   *
   * @param onDone told when what is to stay has been kept
   */
  void finishWithoutFollowers(Runnable onDone) {
    isOver = true;
    stopAwaiting();
    pending.release();
    ObjectWriter partial = writer;
    // Of a part there is no digest.
    InstallOutcome kept =
        partial == null || !acceptsRanges || digest != null ? InstallOutcome.GONE : partial.keep();
    if (kept == InstallOutcome.BUSY) {
      loop.eventLoop()
          .schedule(() -> finishWithoutFollowers(onDone), BUSY_RETRY_MICROS, TimeUnit.MICROSECONDS);
      return;
    }
    if (kept == InstallOutcome.INSTALLED) {
      loop.counters().fillsKept++;
    }
    onDone.run();
  }

  /** Nothing of it is to stay in the store. */
  void abort() {
    abort(null);
  }

  /**
   * The same.
   *
   * @param listener gets what has come and is not written, and the end if that has come; or null
   */
  void abort(@Nullable OriginListener listener) {
    isOver = true;
    ObjectWriter partial = writer;
    if (partial != null) {
      partial.abort();
      partial.close();
    }
    stopAwaiting();
    FillDigest of = digest;
    if (of != null) {
      ByteBuf held = of.takeHeld();
      if (held != null) {
        pending.add(held);
      }
      of.cancel();
    }
    if (listener == null) {
      pending.release();
    } else {
      pending.moveTo(listener, isWhole);
    }
  }
}
