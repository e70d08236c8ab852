package io.forebay.server.exchange;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.policy.CacheStatus;
import io.forebay.core.policy.Reason;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.deliver.DiskReads;
import io.forebay.server.deliver.Leases;
import io.forebay.server.deliver.StoredBody;
import io.forebay.server.fill.FillBody;
import io.forebay.server.fill.FillContext;
import io.forebay.server.fill.Follower;
import io.forebay.server.fill.PartialObject;
import io.forebay.server.fill.SliceFill;
import io.forebay.server.http.AbortCause;
import io.forebay.server.http.LeaseHolder;
import io.forebay.server.origin.call.OriginFailure;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the body of a stored object with missing slices: present slices are read from the store,
 * missing ones are fetched as runs of slices, by this exchange or by an earlier one.
 *
 * <pre>
 *   wanted          [----------------------)
 *   stored    |  x  |  x  |     |     |  x  |     |        x: in memory, or on a disk
 *   fetched                [-- run ---)
 * </pre>
 *
 * <p>If a slice is missing among the first {@link #LOOKED_FOR}, its run is requested before the
 * head is sent, and the head waits until the origin has answered with the stored validator. If the
 * body has changed, the request is an ordinary miss. Runs requested after the head compare the
 * validator again, and a body that has changed breaks the transfer off (I3).
 *
 * <p>Owner: the loop of the exchange; fetches call back on it.
 */
public final class PartialBody implements FillBody.Slices, Follower {

  private static final Logger LOG = LoggerFactory.getLogger(PartialBody.class);

  /** Slices that are looked for before the head is sent; what lacks further on is seen later. */
  public static final int LOOKED_FOR = 64;

  /** Looking again, when others were quicker, is bounded; then it counts as busy. */
  private static final int ATTEMPTS = 3;

  private static final int NONE = Integer.MAX_VALUE;

  /** Whether a response can be begun. */
  enum Readiness {
    READY,
    /** The origin is being asked: the exchange is told to look up again, or to fetch. */
    AWAITED,
    /** The index was busy: ask again in a moment. */
    BUSY,
    /** The store may turn out to have it, and too many ask origins meanwhile: ask again later. */
    HELD_BACK,
    /** The missing slices cannot be fetched separately. */
    REFUSED
  }

  private final FillContext loop;
  private final ClientRequest request;
  private final ClientResponse response;
  private final ClientPermits permits;
  private final RecoveryPlace recovery;
  private final Continuation exchange;
  private final PartialObject object;
  private final StoredBody stored;

  /** What is wanted of the body; slices that have nothing of it are not fetched. */
  private final List<Satisfiable> wanted;

  /** What it goes on with a body that had been begun in another way. */
  private final boolean isRest;

  /** The fetch that is followed now. */
  private @Nullable SliceFill fill;

  private boolean isAwaitingHead;

  /** The origin has answered for a run with the stored validator. */
  private boolean isConfirmed;

  /** Why no further fetch will be tried. */
  private AbortCause causeOfLoss = AbortCause.STORAGE_LOST;

  private boolean hasFetched;
  private boolean hasJoined;

  /** No further fetch will be tried. */
  private boolean hasFailed;

  /** The store could not take it, or not so many at once: the origin may still be asked. */
  private boolean isUnstored;

  /** The origin was not asked, since the store may turn out to have what is missing. */
  private boolean isHeldBack;

  /** The store will be asked again for what was held back. */
  private boolean isLookingAgain;

  private boolean isRestNoted;
  private Runnable onArrival = () -> {};
  private long position;

  // What was located last: in the store, or where the fetch has written it.
  private boolean isInStore;
  private int region;
  private int offset;

  /**
   * Parts of a body.
   *
   * @param recovery of the exchange, which also gives it back
   * @param reads holds what is read from a disk
   * @param wanted what is to be read
   * @param isRest whether the response had begun without this
   */
  PartialBody(
      FillContext loop,
      ClientRequest request,
      ClientResponse response,
      ClientPermits permits,
      RecoveryPlace recovery,
      Continuation exchange,
      PartialObject object,
      DiskReads.Owner reads,
      List<Satisfiable> wanted,
      boolean isRest) {
    this.loop = loop;
    this.request = request;
    this.response = response;
    this.permits = permits;
    this.recovery = recovery;
    this.exchange = exchange;
    this.object = object;
    this.stored =
        new StoredBody(
            loop.lane(), loop.eventLoop(), object.objectId(), object.sliceBytes(), reads);
    this.wanted = wanted;
    this.isRest = isRest;
  }

  boolean isOf(long objectId) {
    return object.objectId() == objectId;
  }

  /** The first slice after one that is wanted, of which nothing is. */
  private int endOfWanted(int slice) {
    int end = slice + 1;
    for (boolean isLonger = true; isLonger; ) {
      isLonger = false;
      for (Satisfiable part : wanted) {
        int partEnd = object.sliceAt(part.last()) + 1;
        if (object.sliceAt(part.first()) <= end && partEnd > end) {
          end = partEnd;
          isLonger = true;
        }
      }
    }
    return end;
  }

  // --- before the head --------------------------------------------------------------------------

  /** Sees to it that what is missing first is on its way and confirmed, if anything is missing. */
  Readiness prepare(long from) {
    int first = object.sliceAt(from);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int missing = firstMissing(first);
      if (missing == NONE) {
        return Readiness.READY;
      }
      if (missing < 0) {
        return Readiness.BUSY;
      }
      if (missing != first && isConfirmed) {
        return Readiness.READY;
      }
      if (!isFollowing(missing) && !fetch(missing)) {
        return isHeldBack ? Readiness.HELD_BACK : Readiness.REFUSED;
      }
      SliceFill running = fill;
      if (running != null) {
        return readiness(running);
      }
    }
    return Readiness.BUSY;
  }

  /**
   * Pins the slice at the beginning of what is wanted, unless a run that has been answered brings
   * it.
   */
  StoredBody.Keeping keepFirst(long from, Runnable onceLoaded) {
    return isFollowing(object.sliceAt(from))
        ? StoredBody.Keeping.KEPT
        : stored.keepAt(from, onceLoaded);
  }

  void release() {
    stored.release();
  }

  private Readiness readiness(SliceFill running) {
    return switch (running.state()) {
      case WAITING -> {
        isAwaitingHead = true;
        yield Readiness.AWAITED;
      }
      case STREAMING, COMPLETE -> {
        isConfirmed = true;
        yield Readiness.READY;
      }
      case DENIED, UNSTORED, FAILED -> {
        leave();
        yield Readiness.REFUSED;
      }
    };
  }

  /** The first wanted slice that is not stored, among those looked for; NONE, or -1 if busy. */
  private int firstMissing(int first) {
    int missing = NONE;
    for (Satisfiable part : wanted) {
      int end = Math.min(object.sliceAt(part.last()) + 1, first + LOOKED_FOR);
      for (int slice = object.sliceAt(part.first()); slice < Math.min(end, missing); slice++) {
        switch (loop.lane().findSlice(object.objectId(), slice)) {
          case HIT -> loop.lane().unpin(loop.lane().slice().region());
          case ON_DISK -> {}
          case BUSY -> {
            return -1;
          }
          case MISS -> missing = slice;
        }
      }
    }
    return missing;
  }

  private boolean isFollowing(int slice) {
    SliceFill running = fill;
    return running != null && running.covers(slice);
  }

  /** What Cache-Status says of a response of which a part is fetched; null of one that is whole. */
  @Nullable String cacheStatus() {
    SliceFill running = fill;
    if (running == null) {
      return null;
    }
    boolean isAnswered = running.state() != SliceFill.State.WAITING;
    return request
        .config()
        .cacheStatus()
        .forwarded(
            Reason.MISS_PARTIAL, isAnswered ? 206 : CacheStatus.NO_STATUS, true, !hasFetched, null);
  }

  CacheResult result() {
    return hasFetched ? CacheResult.MISS : CacheResult.JOINED;
  }

  // --- following --------------------------------------------------------------------------------

  /** Follows the fetch of a missing slice, or begins it; false if that can't be. */
  private boolean fetch(int slice) {
    leave();
    isHeldBack = false;
    SliceFill running = loop.fills().find(object.objectId(), slice);
    if (running != null) {
      return follow(running);
    }
    if (!mayAsk()) {
      isHeldBack = true;
      return false;
    }
    // Behind the head there is no refusing any more.
    boolean mayFetch = !loop.fills().isFull() && (response.isHeadSent() || permits.mayFetch());
    long birth = mayFetch ? loop.store().nextBirth() : -1;
    if (birth < 0) {
      isUnstored = true;
      return false;
    }
    SliceFill own =
        new SliceFill(
            loop, object, slice, birth, request.config().config().limits().followersPerFill());
    // Before any other follower: a fetch that is already full would continue without this exchange.
    if (!own.join(this, loop)) {
      isUnstored = true;
      return false;
    }
    if (!own.claim(endOfWanted(slice))) {
      // Somebody was quicker: the next look finds the slice, or who brings it.
      own.leave(this, loop);
      return true;
    }
    fill = own;
    hasFetched = true;
    response.record().forwarded();
    response.record().partRequested();
    own.start(
        request.route().originName(), FillStarter.rangeRequest(loop, request, own.requestFields()));
    return true;
  }

  /**
   * Whether the origin may be asked for what the store may turn out to have. Behind the head, which
   * cannot be taken back, only the time to wait is bounded.
   */
  private boolean mayAsk() {
    return !recovery.isNeeded()
        || recovery.take()
        || (response.isHeadSent() && !isLookingAgain && !recovery.mayWait());
  }

  private boolean follow(SliceFill running) {
    if (!running.join(this, loop)) {
      // Given up this very moment: the next look finds the table without it.
      isUnstored = !running.isGivenUp();
      return !isUnstored;
    }
    fill = running;
    if (!hasJoined) {
      hasJoined = true;
      loop.counters().sliceRunsJoined++;
    }
    return true;
  }

  /** Leaves the fetch; one without followers may end then. */
  void leave() {
    SliceFill followed = fill;
    if (followed != null) {
      fill = null;
      followed.leave(this, loop);
    }
  }

  @Override
  public void onFillProgress() {
    if (fill != null) {
      goOn();
    }
  }

  /** Goes on with the response, in a call that is not its own. */
  private void goOn() {
    if (response.isOver()) {
      return;
    }
    try {
      if (isAwaitingHead) {
        exchange.run(afterAnswer());
      } else {
        onArrival.run();
      }
    } catch (RuntimeException e) {
      // The other followers of this loop are told by the same call: they must not pay for it.
      LOG.error(
          "{} {} failed while slices were fetched",
          request.view().method(),
          request.view().path(),
          e);
      leave();
      response.breakOff(AbortCause.INTERNAL);
    }
  }

  private Step afterAnswer() {
    SliceFill running = fill;
    if (running == null || running.state() == SliceFill.State.WAITING) {
      return Step.AWAIT;
    }
    isAwaitingHead = false;
    return switch (running.state()) {
      // Still followed, so that it goes on until the response reads from it.
      case WAITING, STREAMING, COMPLETE -> {
        isConfirmed = true;
        yield Step.LOOK_UP;
      }
      case DENIED, UNSTORED -> {
        leave();
        yield exchange.onPartsRefused();
      }
      case FAILED -> {
        OriginFailure failure = running.failure();
        leave();
        yield failure == null ? exchange.onPartsRefused() : exchange.onOriginFailed(failure);
      }
    };
  }

  @Override
  public long position() {
    return position;
  }

  // --- reading ----------------------------------------------------------------------------------

  @Override
  public int locate(long at) {
    return locate(at, true);
  }

  @Override
  public int locateWithoutFetch(long at) {
    return locate(at, false);
  }

  private int locate(long at, boolean mayFetch) {
    position = at;
    int slice = object.sliceAt(at);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      SliceFill running = fill;
      if (running != null && running.covers(slice)) {
        int length = readFrom(running, at);
        if (length != LOST) {
          return length;
        }
      }
      int length = stored.locate(at);
      isInStore = true;
      if (length != LOST) {
        return length;
      }
      if (hasFailed || !mayFetch) {
        return LOST;
      }
      if (!fetch(slice)) {
        return isHeldBack ? lookAgainLater() : LOST;
      }
    }
    return BUSY;
  }

  /** The slice may turn up in the store. */
  private int lookAgainLater() {
    if (!isLookingAgain) {
      isLookingAgain = true;
      loop.eventLoop().schedule(this::lookAgain, RecoveryPlace.WAIT_MILLIS, TimeUnit.MILLISECONDS);
    }
    return NOT_YET;
  }

  private void lookAgain() {
    isLookingAgain = false;
    goOn();
  }

  /** What a fetch has of a position: bytes, not yet, or LOST where the store has to be asked. */
  private int readFrom(SliceFill running, long at) {
    // Read before the watermark: what comes after both of them wakes us.
    SliceFill.State state = running.state();
    boolean isGoingOn = state == SliceFill.State.WAITING || state == SliceFill.State.STREAMING;
    if (running.locate(loop.lane(), at)) {
      isInStore = false;
      region = loop.lane().slice().region();
      offset = loop.lane().slice().offset();
      noteRest();
      return loop.lane().slice().length();
    }
    if (isGoingOn && at >= running.watermark()) {
      return NOT_YET;
    }
    if (!isGoingOn) {
      leave();
      hasFailed |= state != SliceFill.State.COMPLETE;
      if (state == SliceFill.State.DENIED) {
        causeOfLoss = AbortCause.BODY_CHANGED;
      } else if (state == SliceFill.State.FAILED) {
        causeOfLoss = AbortCause.ORIGIN_FAILED;
      }
      isUnstored |= state == SliceFill.State.UNSTORED;
    }
    return LOST;
  }

  private void noteRest() {
    if (isRest && !isRestNoted) {
      isRestNoted = true;
      loop.counters().remaindersFetched++;
      response.record().restFetched();
    }
  }

  AbortCause causeOfLoss() {
    return causeOfLoss;
  }

  /**
   * Whether bytes were lost because the store had no space, so that they may be fetched past it.
   */
  boolean isUnstored() {
    return isUnstored;
  }

  @Override
  public void onArrival(Runnable told) {
    onArrival = told;
    stored.onArrival(told);
  }

  @Override
  public ByteBuf take(Leases leases, int lengthBytes, LeaseHolder holder) {
    return isInStore
        ? stored.take(leases, lengthBytes, holder)
        : leases.take(region, offset, lengthBytes, holder);
  }
}
