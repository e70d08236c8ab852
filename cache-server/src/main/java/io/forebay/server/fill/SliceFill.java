package io.forebay.server.fill;

import io.forebay.core.http.CacheControl;
import io.forebay.core.http.ContentRange;
import io.forebay.core.http.HeaderFields;
import io.forebay.server.fill.FillTable.SliceKey;
import io.forebay.server.fill.history.FillKey;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.SliceRun;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Fetches a run of missing slices of a stored object: one range request with If-Range for whole
 * slices. Any number of followers read them as they arrive.
 *
 * <pre>
 *   body    |  0  |  1  |  2  |  3  |  4  |  5  |      stored: 0 1 . . 4 5
 *                       [-- the run --)
 *   origin              GET, Range: bytes=2s-(4s-1), If-Range: "validator"
 *
 *   WAITING ──► STREAMING ──► COMPLETE     the slices are the object's, if its key still names it
 *      │             └──────► FAILED       broken off; the slices that are whole stay
 *      ├──► DENIED                         the origin has another body, or none in parts
 *      ├──► UNSTORED                       there is no room, or this answer may not be stored
 *      └──► FAILED
 * </pre>
 *
 * <p>It is registered in the fill table for every slice of its run, before each of them is looked
 * up once more, and leaves the table after they are installed: so a slice is fetched once at a time
 * (I6), also where runs overlap. A run is so short that it needs no pacing. What answers must be a
 * 206 of exactly that range, of a body of that length, with the very validator; anything else is
 * not mixed with what is stored (I3), and if it says that the body is another one by now the stored
 * object is dropped. A purge needs no look here: slices are found through the head only, and a
 * slice whose head is gone is not installed (I2).
 *
 * <p>Owner: the loop that started it. Other loops read {@code state} (published last, after the
 * writer) and the writer's watermark, and join through their own {@link FollowerGroup}.
 */
public final class SliceFill implements OriginListener {

  /** How far it has come. */
  public enum State {
    WAITING,
    STREAMING,
    COMPLETE,
    DENIED,
    UNSTORED,
    FAILED
  }

  /** The longest run, unless a sixteenth of the memory tier is less. */
  private static final long MAX_RUN_BYTES = 32 << 20;

  /** And the most slices, for each of which it is registered. */
  private static final int MAX_RUN = 64;

  /** A deserted run is finished when no more than this is missing. */
  private static final long FINISH_IF_MISSING_BYTES = 1 << 20;

  private static final long BUSY_RETRY_MICROS = 50;

  // Fixed.
  private final FillContext loop;
  private final PartialObject object;
  private final int firstSlice;
  private final long birth;

  // Published by the owner; `state` last.
  private volatile int endSlice;
  private @Nullable ObjectWriter writer;
  private @Nullable OriginFailure failure;
  private volatile State state = State.WAITING;

  // Shared.
  private final Followers followers;

  // The owner's.
  private @Nullable OriginCall call;
  private final PendingBody pending = new PendingBody();
  private boolean isEnded;
  private boolean isAnswered;
  private long receivedBytes;
  private final SpaceRetry room;

  /**
   * A fetch that has claimed nothing yet.
   *
   * @param birth its number in the store's sequence
   */
  public SliceFill(
      FillContext loop, PartialObject object, int firstSlice, long birth, int followerLimit) {
    this.loop = loop;
    this.object = object;
    this.firstSlice = firstSlice;
    this.endSlice = firstSlice;
    this.birth = birth;
    this.room = new SpaceRetry(loop, this::onSpaceRetry);
    this.followers = new Followers(loop, followerLimit, () -> {});
  }

  /**
   * The run that an answer brings by which the object itself was begun.
   *
   * @param part whole slices of the object
   * @return null if it cannot be fetched in slices
   */
  static @Nullable SliceFill ofAnswer(
      FillContext loop,
      PartialObject object,
      ContentRange part,
      long birth,
      int followerLimit,
      OriginCall call) {
    SliceFill run = new SliceFill(loop, object, object.sliceAt(part.first()), birth, followerLimit);
    int end = object.sliceAt(part.last()) + 1;
    if (!run.claim(end)) {
      return null;
    }
    loop.counters().sliceRuns++;
    if (run.endSlice != end) {
      run.end(State.FAILED, null);
      return null;
    }
    run.call = call;
    run.isAnswered = true;
    return run;
  }

  /** The bytes of the longest run. */
  public static long longestBytes(FillContext loop) {
    int sliceBytes = loop.store().sliceBytes();
    long slices =
        Math.clamp(Math.min(loop.paceAboveBytes(), MAX_RUN_BYTES) / sliceBytes, 1, (long) MAX_RUN);
    return slices * sliceBytes;
  }

  // --- any loop ---------------------------------------------------------------------------------

  public State state() {
    return state;
  }

  /** Why it failed, where that was the origin's connection; legal in FAILED. */
  public @Nullable OriginFailure failure() {
    return failure;
  }

  public boolean covers(int slice) {
    return slice >= firstSlice && slice < endSlice;
  }

  /** The position in the body before which bytes of the run can be read. */
  public long watermark() {
    ObjectWriter source = writer;
    return source == null ? 0 : source.watermark();
  }

  /**
   * Finds the byte at a position of the run where it was written: pins it and fills the lane's
   * slice. False if it is not there (any more).
   */
  public boolean locate(StoreLane lane, long position) {
    ObjectWriter source = writer;
    return source != null && source.locate(lane, position);
  }

  /**
   * Joins. The follower must read {@link #state} afterwards, not before.
   *
   * @return false when there are too many followers already, or it has just been given up
   */
  public boolean join(Follower follower, FillContext own) {
    return followers.join(follower, own);
  }

  /** Whether none can join any more because all followers have left. */
  public boolean isGivenUp() {
    return followers.isClosed();
  }

  public void leave(Follower follower, FillContext own) {
    if (followers.leave(follower, own)) {
      loop.eventLoop().execute(this::onNoFollowers);
    }
  }

  // --- the owner's loop -------------------------------------------------------------------------

  /**
   * Takes on the missing slices, from its first one on, that no other fetch has.
   *
   * @param wantedEnd slices from this one on are not wanted
   * @return false when the first of them is there by now, or on its way
   */
  public boolean claim(int wantedEnd) {
    int longest = (int) (longestBytes(loop) / loop.store().sliceBytes());
    int limit = Math.min(Math.min(wantedEnd, firstSlice + longest), endOfReleased());
    int next = firstSlice;
    while (next < limit && claimOne(next)) {
      next++;
    }
    if (next > firstSlice) {
      loop.fills().beginUnregistered();
      return true;
    }
    // Requests that found it in the table meanwhile look the slice up again.
    isEnded = true;
    publish(State.COMPLETE);
    return false;
  }

  /**
   * The end of the bytes that a fill in progress has released. Bytes that the fill retains are read
   * from it. Bytes that it has not fetched yet are fetched here only for readers far ahead of it.
   */
  private int endOfReleased() {
    Fill growing = loop.fills().find(new FillKey(object.hi(), object.lo()));
    return growing != null
            && growing.state() == Fill.State.STREAMING
            && growing.objectId() == object.objectId()
            && firstSlice <= object.sliceAt(growing.receivedBytes())
        ? object.sliceAt(growing.releasedBytes())
        : Integer.MAX_VALUE;
  }

  private boolean claimOne(int slice) {
    SliceKey key = new SliceKey(object.objectId(), slice);
    // Before it can be found: who finds it in the table sees that the slice is covered.
    endSlice = slice + 1;
    if (loop.fills().register(key, this)) {
      StoreLane.Found found = loop.lane().findSlice(object.objectId(), slice);
      if (found == StoreLane.Found.MISS) {
        return true;
      }
      if (found == StoreLane.Found.HIT) {
        loop.lane().unpin(loop.lane().slice().region());
      }
      loop.fills().leave(key, this);
    }
    endSlice = slice;
    return false;
  }

  /** The fields by which the run is asked for. */
  public HeaderFields requestFields() {
    return object.rest().requestFields(firstByte(), lastByte());
  }

  /** Sends the request, which has those fields. */
  public void start(String origin, OriginRequest request) {
    loop.counters().sliceRuns++;
    call = loop.origins().send(origin, request, this);
  }

  private long firstByte() {
    return object.begin(firstSlice);
  }

  private long lastByte() {
    return object.end(endSlice) - 1;
  }

  private void cancel() {
    OriginCall current = call;
    if (current != null) {
      current.cancel();
    }
  }

  @Override
  public void onInformational(int status, HeaderFields fields) {}

  @Override
  public void onHead(
      int status, HeaderFields fields, long contentLength, boolean isCloseDelimited) {
    if (isEnded) {
      return;
    }
    boolean isOfThatLength = contentLength < 0 || contentLength == lastByte() + 1 - firstByte();
    if (!isOfThatLength || !object.rest().isAnsweredBy(status, fields, firstByte(), lastByte())) {
      cancel();
      if (object.rest().isDeniedBy(status, fields)) {
        deny();
      } else {
        end(State.FAILED, null);
      }
      return;
    }
    CacheControl control = CacheControl.of(fields);
    if (control.noStore() || control.isPrivate()) {
      cancel();
      end(State.UNSTORED, null);
      return;
    }
    isAnswered = true;
    store();
  }

  /** The stored object is outdated, or cannot be completed: no request shall start to use it. */
  private void deny() {
    if (!loop.lane().drop(object.hi(), object.lo(), object.objectId())) {
      isEnded = true;
      loop.eventLoop().schedule(this::deny, BUSY_RETRY_MICROS, TimeUnit.MICROSECONDS);
      return;
    }
    end(State.DENIED, null);
  }

  @Override
  public void onData(ByteBuf data) {
    if (isEnded || !isAnswered) {
      data.release();
      return;
    }
    receivedBytes += data.readableBytes();
    pending.add(data);
    if (!room.isOn()) {
      store();
    }
  }

  @Override
  public void onReadComplete() {
    if (state == State.STREAMING) {
      followers.wakeAll();
    }
  }

  /** Writes what there is; waits, or gives up, where there is no room for it. */
  private void store() {
    ObjectWriter into = writer;
    if (into == null) {
      into =
          loop.lane()
              .beginSlices(
                  new SliceRun(
                      object.hi(),
                      object.lo(),
                      object.objectId(),
                      firstSlice,
                      lastByte() + 1 - firstByte(),
                      birth,
                      object.storageClass()));
      if (into == null) {
        refused(loop.lane().lacksRoom());
        return;
      }
      writer = into;
      publish(State.STREAMING);
    }
    long moved = pending.moveTo(into);
    if (moved > 0) {
      room.moved();
    }
    if (pending.isEmpty()) {
      room.end();
    } else {
      refused(into.lacksRoom());
    }
  }

  /**
   * The store has not taken all there is: holds the origin, and tries again soon, if that helps.
   */
  private void refused(boolean isForRoom) {
    boolean begins = !room.isOn();
    if (isForRoom && room.goOn()) {
      OriginCall current = call;
      if (begins && current != null && !isEnded) {
        current.suspend();
      }
    } else {
      cancel();
      boolean isTooLong = receivedBytes > lastByte() + 1 - firstByte();
      end(isTooLong ? State.FAILED : State.UNSTORED, null);
    }
  }

  private void onSpaceRetry() {
    if (!room.isOn()) {
      return;
    }
    store();
    if (room.isOn()) {
      return;
    }
    followers.wakeAll();
    if (state != State.STREAMING) {
      return;
    }
    if (isEnded) {
      finish();
    } else if (call != null) {
      call.resume();
    }
  }

  @Override
  public void onEnd(HeaderFields trailers) {
    if (!isEnded && isAnswered) {
      isEnded = true;
      if (!room.isOn()) {
        finish();
      }
    }
  }

  private void finish() {
    ObjectWriter done = writer;
    if (done == null || state != State.STREAMING) {
      return;
    }
    InstallOutcome outcome = done.finish();
    switch (outcome) {
      case BUSY ->
          loop.eventLoop().schedule(this::finish, BUSY_RETRY_MICROS, TimeUnit.MICROSECONDS);
      case INCOMPLETE ->
          end(
              State.FAILED,
              new OriginFailure(OriginFailure.Kind.TRUNCATED, "the range ended too early"));
      default -> {
        if (outcome == InstallOutcome.INSTALLED) {
          loop.counters().slicesFetched += endSlice - firstSlice;
        }
        leaveTable();
        publish(State.COMPLETE);
      }
    }
  }

  @Override
  public void onFailure(OriginFailure reason) {
    if (!isEnded) {
      end(State.FAILED, reason);
    }
  }

  private void end(State last, @Nullable OriginFailure why) {
    isEnded = true;
    failure = why;
    if (last == State.DENIED) {
      loop.counters().sliceRunsDenied++;
    } else {
      loop.counters().sliceRunsFailed++;
    }
    ObjectWriter partial = writer;
    if (partial != null) {
      partial.abort();
    }
    room.end();
    pending.release();
    leaveTable();
    publish(last);
  }

  /** Nobody waits any more: worth finishing only when most of it is here. */
  private void onNoFollowers() {
    if (isEnded) {
      return;
    }
    long missing = lastByte() + 1 - Math.max(firstByte(), watermark());
    boolean isNearlyDone =
        state == State.STREAMING
            && (missing <= FINISH_IF_MISSING_BYTES
                || missing <= (lastByte() + 1 - firstByte()) / 2);
    if (!isNearlyDone && followers.closeIfEmpty()) {
      cancel();
      end(
          State.FAILED,
          new OriginFailure(OriginFailure.Kind.TRUNCATED, "every client disconnected"));
    }
  }

  private void leaveTable() {
    for (int slice = firstSlice; slice < endSlice; slice++) {
      loop.fills().leave(new SliceKey(object.objectId(), slice), this);
    }
    loop.fills().endUnregistered();
  }

  private void publish(State next) {
    state = next;
    followers.wakeAll();
  }
}
