package io.forebay.server.fill;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.http.ContentRange;
import io.forebay.core.http.FieldSyntax;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.StatusCode;
import io.forebay.core.policy.BodyRest;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.ResponseFilter;
import io.forebay.core.policy.ResponsePolicy;
import io.forebay.core.policy.Revalidation;
import io.forebay.core.policy.Sharing;
import io.forebay.core.policy.StoreVerdict;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.deliver.BodyBytes;
import io.forebay.server.exchange.LoopContext;
import io.forebay.server.origin.OriginCall;
import io.forebay.server.origin.OriginFailure;
import io.forebay.server.origin.OriginListener;
import io.forebay.storage.Install;
import io.forebay.storage.ObjectWriter;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Brings one response from an origin into the store while any number of followers read it.
 *
 * <p>Owner: the loop of its origin connection, which is the loop that started it. Other loops read
 * {@code state} (published last, after head and writer), the writer's watermark, and join through
 * their own {@link FollowerGroup}. A fill belongs to nobody's client: the leader is told first when
 * the response may not be stored, because only it may have that one.
 *
 * <pre>
 *   WAITING ──► STREAMING ──► COMPLETE        stored (or overtaken by a purge, but still readable)
 *      │             └──────► FAILED          the body broke off
 *      ├──► REFRESHED                         304: the stored object is fresh again
 *      ├──► VANISHED                          304, but what it confirms is gone: fetch it whole
 *      ├──► PART_STORED                       206: the head is stored, slices come by a run of their own
 *      ├──► UNSUITED                          206 or 416, but not what was asked for by range
 *      ├──► UNSTORABLE                        the leader has the stream, everybody else decides again
 *      └──► FAILED
 * </pre>
 */
public final class Fill implements OriginListener {

  /** How far a fill has come. */
  public enum State {
    WAITING,
    STREAMING,
    COMPLETE,
    REFRESHED,
    VANISHED,
    PART_STORED,
    UNSUITED,
    UNSTORABLE,
    FAILED
  }

  /** A response of the origin before the last one; a hint such as 103 (RFC 8297). */
  public record Interim(int status, HeaderFields fields) {}

  /** Interim responses that are kept for followers. */
  private static final int MOST_INTERIM = 4;

  /** The client whose miss caused the fill; on the fill's own loop. */
  public interface Leader {
    /** An interim response, before anything else. */
    void onInformational(int status, HeaderFields fields);

    /**
     * The response may not be stored. The leader may take its body over as it streams.
     *
     * @return who listens from now on, or null when the leader does not want it
     */
    @Nullable OriginListener takeOver(
        int status, HeaderFields fields, long contentLength, Reason why, OriginCall call);

    /**
     * The store has no room for the rest of the body. The leader may take it over as it streams, if
     * it has sent exactly what is stored.
     *
     * @param position where the rest begins
     * @return who listens from now on, or null when the leader cannot or does not want to
     */
    @Nullable OriginListener takeOverRest(long position, OriginCall call);
  }

  /** A deserted fill is finished when no more than this is missing. */
  private static final long FINISH_IF_MISSING_BYTES = 1 << 20;

  /** Slices that are held for those who are right behind the fastest follower. */
  private static final int NEAR_SLICES = 8;

  private static final long BUSY_RETRY_MICROS = 50;

  // Fixed.
  private final LoopContext loop;
  private final FillOrder order;
  private final long birth;

  // Published by the owner; `state` last.
  private @Nullable FillHead head;
  private @Nullable ObjectWriter writer;
  private @Nullable OriginFailure failure;
  private boolean isInstalled;
  private volatile List<Interim> interim = List.of();
  private volatile State state = State.WAITING;
  private volatile boolean isPaced;

  /**
   * The store refused more: what comes now is kept in {@code unstored} until the leader takes it.
   */
  private volatile boolean isOutOfRoom;

  // Shared.
  private final Followers followers;

  // The owner's.
  private @Nullable OriginCall call;
  private @Nullable Leader leader;
  private @Nullable OriginListener takenOver;
  private final HeldBody unstored = new HeldBody();
  private boolean isEnded;
  private boolean isSuspended;
  private long requestTimeMillis;
  private long writtenBytes;

  /** While it is on, the origin is held and what it has sent is kept in {@code unstored}. */
  private final RoomWait room;

  private boolean hasAskedForMarker;

  /** The origin says that it sends bodies in parts. */
  private boolean acceptsRanges;

  /** It counts as a fill without being registered. */
  private boolean isUnlisted;

  /** The head for which there was no room; set while waiting for that. */
  private @Nullable ReceivedHead unstoredHead;

  /**
   * A fill that has not been sent yet.
   *
   * @param birth its number in the store's sequence: a purge with a later one overrules it
   */
  public Fill(LoopContext loop, FillOrder order, long birth, @Nullable Leader leader) {
    this.loop = loop;
    this.order = order;
    this.birth = birth;
    this.leader = leader;
    this.room = new RoomWait(loop, this::onRoomHoped);
    this.followers =
        new Followers(loop, order.followerLimit(), this::onGroupAdvanced, this::onDeserted);
  }

  // --- any loop ---------------------------------------------------------------------------------

  public State state() {
    return state;
  }

  public long birth() {
    return birth;
  }

  public FillOrder order() {
    return order;
  }

  /** The response's head; set in every state from STREAMING on but FAILED before a head. */
  public @Nullable FillHead head() {
    return head;
  }

  /** Interim responses so far, for all who have joined before the head came. */
  public List<Interim> interim() {
    return interim;
  }

  /** Why it failed; set in FAILED. */
  public @Nullable OriginFailure failure() {
    return failure;
  }

  /**
   * The body as seen from a follower's loop; legal in STREAMING and COMPLETE.
   *
   * @param farBytes what lies so far behind the watermark is not waited for but read from there too
   * @param whatIsStored the object's slices as lookups find them, where they are no longer found
   *     through the fill
   */
  public FillBody body(LoopContext own, long farBytes, Supplier<BodyBytes> whatIsStored) {
    return new FillBody(this, written(), own, farBytes, whatIsStored);
  }

  /**
   * How much of the body's beginning is no longer held for followers: the store may have dropped
   * it. Legal in STREAMING and COMPLETE.
   */
  public long releasedBytes() {
    return written().releasedBytes();
  }

  /** The object it is storing; legal in STREAMING and COMPLETE. */
  public long objectId() {
    return written().objectId();
  }

  private ObjectWriter written() {
    ObjectWriter source = writer;
    if (source == null) {
      throw new IllegalStateException("no body in state " + state);
    }
    return source;
  }

  /** How much of the body has come. */
  public long receivedBytes() {
    return completeLength();
  }

  /** Length of the whole body once it is complete. */
  public long completeLength() {
    ObjectWriter source = writer;
    return source == null ? 0 : source.watermark();
  }

  /** Whether the object is in the store, so that lookups find what the writer no longer can. */
  boolean isInstalled() {
    return state == State.COMPLETE && isInstalled;
  }

  /** Whether the store could not take the body: who has not begun to send had better not begin. */
  public boolean hasRunOutOfRoom() {
    return isOutOfRoom;
  }

  /**
   * Joins. The follower must read {@link #state} afterwards, not before.
   *
   * @return false when there are too many followers already, or the fill has just been given up
   */
  public boolean join(Follower follower, LoopContext own) {
    return followers.join(follower, own);
  }

  public void leave(Follower follower, LoopContext own) {
    followers.leave(follower, own);
  }

  /** A group's fastest follower has moved on; called on the group's loop. */
  private void onGroupAdvanced() {
    if (isPaced || isOutOfRoom) {
      loop.eventLoop().execute(this::onAdvanced);
    }
  }

  private void onAdvanced() {
    ObjectWriter into = writer;
    if (into != null) {
      // Held back by a follower who reads on, it makes progress.
      into.touch();
    }
    pace();
    handRestOver();
  }

  /**
   * A follower asks for bytes; lets an origin that was held go on. Called on the follower's loop.
   */
  void onFollowerAdvanced(LoopContext own) {
    if (isPaced || isOutOfRoom) {
      followers.publishFastest(own);
      onGroupAdvanced();
    }
  }

  // --- the owner's loop -------------------------------------------------------------------------

  /** Sends the request. */
  public void start() {
    loop.counters().fillsStarted++;
    if (order.isConditional()) {
      loop.counters().revalidations++;
    }
    if (!order.isShared()) {
      isUnlisted = true;
      loop.fills().unlistedBegins();
    }
    requestTimeMillis = loop.nowMillis();
    call = loop.origins().send(order.route().originName(), order.originRequest(), this);
  }

  /** The leader's client is gone, or the leader needs no stream of its own any more. */
  public void leaderGone() {
    leader = null;
    if (isOutOfRoom) {
      // Nobody is left who could take the rest, and the origin is held: that must not last.
      loop.eventLoop().execute(this::handRestOver);
    }
  }

  private OriginCall call() {
    OriginCall current = call;
    if (current == null) {
      throw new IllegalStateException("not started");
    }
    return current;
  }

  @Override
  public void onInformational(int status, HeaderFields fields) {
    Leader first = leader;
    if (first != null) {
      first.onInformational(status, fields);
    }
    // What an origin says to who is known to it is not for others; they have no head yet that
    // would say so (I7).
    boolean isForAll =
        !order.request().has(KnownField.COOKIE) && !order.request().has(KnownField.AUTHORIZATION);
    if (isForAll && !order.isBackground() && interim.size() < MOST_INTERIM) {
      List<Interim> all = new ArrayList<>(interim);
      all.add(new Interim(status, fields));
      interim = List.copyOf(all);
      followers.wakeAll();
    }
  }

  @Override
  public void onHead(
      int status, HeaderFields received, long contentLength, boolean isCloseDelimited) {
    HeaderFields fields = ResponseFilter.received(order.route(), received);
    if (status == 304 && order.isConditional()) {
      onNotModified(fields);
      return;
    }
    if (order.isStaleUsable() && StatusCode.isOriginFailure(status)) {
      // Whatever it says of itself: what is stored is better than a failure.
      becomeUnstorable(status, fields, contentLength, Reason.NOT_STORED_STALE_IF_ERROR);
      return;
    }
    Satisfiable asked = order.asked();
    if (asked != null && (status == 206 || status == 416)) {
      onPart(asked, status, fields, contentLength);
      return;
    }
    StoreVerdict verdict =
        ResponsePolicy.judge(
            order.request(),
            order.route(),
            status,
            fields,
            requestTimeMillis,
            loop.nowMillis(),
            order.key().lo() ^ birth);
    switch (verdict) {
      case StoreVerdict.DoNotStore refused ->
          becomeUnstorable(status, fields, contentLength, refused.reason());
      case StoreVerdict.Store stored -> {
        if (isCloseDelimited) {
          becomeUnstorable(status, fields, contentLength, Reason.NOT_STORED_CLOSE_DELIMITED);
        } else {
          begin(new ReceivedHead(status, fields, contentLength, stored, loop.nowMillis()));
        }
      }
    }
  }

  /**
   * What was asked for by range: the head is stored by itself, and the slices that come with it are
   * a run like any other. Only where the answer is what was asked for, and what else comes of this
   * body later can be told to be of the same (I3).
   */
  private void onPart(Satisfiable asked, int status, HeaderFields fields, long contentLength) {
    ContentRange part = status == 206 ? ContentRange.of(fields) : null;
    if (part == null
        || !part.answers(asked)
        || (contentLength >= 0 && contentLength != part.length())
        || part.totalLength() / loop.store().sliceBytes() >= Integer.MAX_VALUE) {
      becomeUnsuited(status);
      return;
    }
    HeaderFields ofWhole = fields.without(name -> name.equals("content-range"));
    long now = loop.nowMillis();
    switch (ResponsePolicy.judge(
        order.request(),
        order.route(),
        200,
        ofWhole,
        requestTimeMillis,
        now,
        order.key().lo() ^ birth)) {
      case StoreVerdict.DoNotStore refused -> {
        // Nobody has asked for these very bytes.
        leader = null;
        becomeUnstorable(status, fields, contentLength, refused.reason());
      }
      case StoreVerdict.Store stored -> {
        ReceivedHead whole = new ReceivedHead(200, ofWhole, part.totalLength(), stored, now);
        if (part.isWhole()) {
          begin(whole);
        } else {
          beginPart(whole, part);
        }
      }
    }
  }

  private void beginPart(ReceivedHead whole, ContentRange part) {
    if (isMarkerComing(whole)
        || !(NewHead.of(loop, order, whole, birth) instanceof NewHead.Made made)) {
      becomeUnsuited(206);
      return;
    }
    BodyRest rest = made.rest(loop, order);
    if (rest == null) {
      becomeUnsuited(206);
      return;
    }
    switch (loop.lane().putHead(made.spec())) {
      case INSTALLED -> {
        made.writeMarkers(loop, order, birth);
        noteWhetherShared(made);
        head = made.head();
        goOnWithRun(
            new PartialObject(
                made.spec().hi(),
                made.spec().lo(),
                loop.lane().partialObjectId(),
                loop.store().sliceBytes(),
                rest),
            part);
      }
      case PURGED, OLDER, GONE, INCOMPLETE -> {
        call().cancel();
        isEnded = true;
        leaveTable();
        publish(State.VANISHED);
      }
      case NO_SPACE, BUSY -> {
        leader = null;
        becomeUnstorable(206, whole.fields(), part.length(), Reason.NOT_STORED_NO_ROOM);
      }
    }
  }

  private void goOnWithRun(PartialObject object, ContentRange part) {
    SliceFill run =
        followers.closeIfEmpty()
            ? null
            : SliceFill.ofAnswer(loop, object, part, birth, order.followerLimit(), call());
    if (run == null) {
      call().cancel();
      isEnded = true;
    } else {
      takenOver = run;
    }
    // The run is registered by now: who looks the object up finds both.
    leaveTable();
    publish(State.PART_STORED);
  }

  /** The answer to a range is of no use to the store: everybody decides again. */
  private void becomeUnsuited(int status) {
    loop.counters().fillsUnstored++;
    call().cancel();
    isEnded = true;
    leader = null;
    head = FillHead.unstorable(status, order.key());
    leaveTable();
    publish(State.UNSUITED);
  }

  private void begin(ReceivedHead received) {
    if (isMarkerComing(received) && awaitRoom()) {
      unstoredHead = received;
      return;
    }
    Reason refusal = beginStoring(received);
    if (refusal == null) {
      return;
    }
    boolean isForRoom = refusal == Reason.NOT_STORED_NO_ROOM && loop.lane().lacksRoom();
    if (isForRoom && awaitRoom()) {
      unstoredHead = received;
    } else {
      stopAwaiting();
      becomeUnstorable(received.status(), received.fields(), received.totalLength(), refusal);
    }
  }

  /** Whether the names that variants here are told apart by are on their way from a disk. */
  private boolean isMarkerComing(ReceivedHead received) {
    if (received.verdict().selectingFields().isEmpty()
        || !NewHead.buildBase(loop, order, received.fields())
        || !VaryMarker.isOnDisk(loop)) {
      return false;
    }
    if (!hasAskedForMarker) {
      hasAskedForMarker = true;
      // Looked for again soon, as room is.
      return loop.lane().load(() -> {});
    }
    return true;
  }

  /** Gives the reason when it turns out that it cannot be stored after all. */
  private @Nullable Reason beginStoring(ReceivedHead received) {
    CharSequence ranges = received.fields().first("accept-ranges");
    acceptsRanges = ranges != null && FieldSyntax.equalsIgnoreCase(ranges, "bytes");
    return switch (NewHead.of(loop, order, received, birth)) {
      case NewHead.Refused(Reason reason) -> reason;
      case NewHead.Made made -> beginStoring(made);
    };
  }

  private @Nullable Reason beginStoring(NewHead.Made made) {
    boolean mayBePartial = made.rest(loop, order) != null;
    ObjectWriter begun = loop.lane().begin(made.spec(), mayBePartial);
    if (begun == null) {
      return Reason.NOT_STORED_NO_ROOM;
    }
    if (mayBePartial && made.head().totalLength() > order.route().ranges().farBytes()) {
      // Who wants what lies far ahead fetches it by slice, and it is stored.
      begun.announce();
    }
    made.writeMarkers(loop, order, birth);
    noteWhetherShared(made);
    writer = begun;
    head = made.head();
    if (order.isShared() && !made.head().variantKey().equals(order.key())) {
      loop.fills().register(made.head().variantKey(), this);
    }
    publish(State.STREAMING);
    abandonIfDeserted();
    return null;
  }

  /** What can't be used without being validated keeps nobody waiting from now on. */
  private void noteWhetherShared(NewHead.Made made) {
    StoredMeta stored = loop.meta();
    if (stored.wrap(MemorySegment.ofArray(made.head().meta()), 0) && Sharing.isNeverFresh(stored)) {
      remember(order.key(), HitForMiss.Kind.NEVER_FRESH);
    } else {
      loop.hitForMiss().forget(order.key(), order.request());
    }
  }

  private void remember(FillKey key, HitForMiss.Kind kind) {
    loop.hitForMiss()
        .remember(
            key,
            order.request(),
            loop.nowMillis(),
            order.route().sharing().hitForMiss().toMillis(),
            kind);
  }

  /** Nobody but the leader may have this response; the others decide again. */
  private void becomeUnstorable(int status, HeaderFields fields, long contentLength, Reason why) {
    loop.counters().fillsUnstored++;
    if (why != Reason.NOT_STORED_NO_ROOM && status < 500) {
      remember(uncacheableKey(why, fields), HitForMiss.Kind.UNCACHEABLE);
    }
    head = FillHead.unstorable(status, order.key());
    leaveTable();
    publish(State.UNSTORABLE);
    Leader first = leader;
    leader = null;
    OriginListener listener =
        first == null ? null : first.takeOver(status, fields, contentLength, why, call());
    if (listener == null) {
      call().cancel();
      isEnded = true;
      unstored.release();
    } else {
      takeOver(listener);
    }
  }

  /**
   * The key whose requests need not queue. What does not fit this class of encodings may fit
   * others: with a marker that says so each class has a key of its own.
   */
  private FillKey uncacheableKey(Reason why, HeaderFields fields) {
    var keys = loop.keys();
    if (why != Reason.NOT_STORED_ENCODING || !NewHead.buildBase(loop, order, fields)) {
      return order.key();
    }
    FillKey base = new FillKey(keys.hi(), keys.lo());
    List<String> names =
        VaryMarker.union(
            VaryMarker.read(loop), NewHead.BY_ENCODING, order.route().keyRecipe().fields());
    if (!keys.variant(order.request(), names)) {
      return order.key();
    }
    FillKey variant = new FillKey(keys.hi(), keys.lo());
    VaryMarker.enter(
        loop,
        VaryMarker.Place.of(loop, base, order.request(), order.route().keyRecipe()),
        names,
        null,
        birth,
        loop.nowMillis() + order.route().sharing().hitForMiss().toMillis());
    return variant;
  }

  /** From now on somebody else listens to the origin, and holds it where it has to be held. */
  private void takeOver(OriginListener listener) {
    takenOver = listener;
    boolean wasHeld = isSuspended;
    if (wasHeld && !isEnded) {
      isSuspended = false;
      call().resume();
    }
    if (wasHeld || isEnded) {
      unstored.moveTo(listener, isEnded);
    }
  }

  /** 304: it is about what the request selects, or about another variant that it named. */
  private void onNotModified(HeaderFields fields) {
    FillOrder.StoredRef other = order.otherNamedBy(fields);
    FillOrder.StoredRef stale = order.stale();
    if (other != null) {
      VariantCopy copy =
          VariantCopy.of(loop, order, other, fields, requestTimeMillis, order.key().lo() ^ birth);
      if (copy != null) {
        loop.counters().revalidated++;
        loop.counters().variantsCopied++;
        begin(copy.head());
        // As if the origin had sent it.
        onData(copy.body());
        onReadComplete();
        return;
      }
    } else if (stale != null && (order.others().isEmpty() || Revalidation.namesOne(fields))) {
      refresh(stale, fields, 0, false);
      return;
    }
    isEnded = true;
    leaveTable();
    publish(State.VANISHED);
  }

  /** 304: writes the stored object's head anew with what the origin says now. */
  private void refresh(
      FillOrder.StoredRef stale, HeaderFields fields304, int attempt, boolean isLoaded) {
    if (isEnded) {
      // The connection broke between two attempts.
      return;
    }
    Runnable onLoaded =
        () -> loop.eventLoop().execute(() -> refresh(stale, fields304, attempt, true));
    Install outcome =
        Refresh.apply(
            loop, order, stale, fields304, requestTimeMillis, birth, isLoaded ? null : onLoaded);
    if (outcome == null) {
      return;
    }
    if (outcome == Install.BUSY && attempt < 20) {
      loop.eventLoop()
          .schedule(
              () -> refresh(stale, fields304, attempt + 1, isLoaded),
              BUSY_RETRY_MICROS,
              TimeUnit.MICROSECONDS);
      return;
    }
    isEnded = true;
    // Where fetches are not shared another 304 may have been quicker: it is as good as this one.
    boolean isFresh = outcome == Install.INSTALLED || outcome == Install.OLDER;
    if (isFresh) {
      loop.counters().revalidated++;
    }
    leaveTable();
    publish(isFresh ? State.REFRESHED : State.VANISHED);
  }

  @Override
  public void onData(ByteBuf data) {
    if (takenOver != null) {
      takenOver.onData(data);
      return;
    }
    if ((writer == null && !room.isOn()) || isEnded) {
      data.release();
      return;
    }
    unstored.add(data);
    if (!isOutOfRoom && !room.isOn()) {
      store();
    }
  }

  /** Writes what there is; waits, or gives up, where there is no room for it. */
  private void store() {
    ObjectWriter into = writer;
    if (into == null) {
      return;
    }
    long moved = unstored.moveTo(into);
    writtenBytes += moved;
    if (moved > 0) {
      room.moved();
    }
    if (unstored.isEmpty()) {
      stopAwaiting();
    } else if (!into.lacksRoom() || !awaitRoom()) {
      stopAwaiting();
      runOutOfRoom();
    }
  }

  // --- waiting for room -------------------------------------------------------------------------

  /**
   * Holds the origin and tries again soon: what has refused had {@code lacksRoom}.
   *
   * @return false when that is of no use any more
   */
  private boolean awaitRoom() {
    boolean begins = !room.isOn();
    if (!room.goOn()) {
      return false;
    }
    if (begins) {
      updateSuspension();
      followers.wakeAll();
    }
    return true;
  }

  private void stopAwaiting() {
    if (room.isOn()) {
      unstoredHead = null;
      room.end();
    }
  }

  private void onRoomHoped() {
    if (!room.isOn()) {
      // It failed, or everybody left.
      return;
    }
    ReceivedHead received = unstoredHead;
    if (received != null) {
      unstoredHead = null;
      begin(received);
      if (unstoredHead != null || state != State.STREAMING) {
        return;
      }
    }
    if (!unstored.isEmpty()) {
      store();
    } else if (isEnded) {
      finish();
      return;
    } else {
      stopAwaiting();
    }
    followers.wakeAll();
    if (room.isOn() || isOutOfRoom) {
      return;
    }
    updateSuspension();
    if (isEnded) {
      finish();
    }
  }

  /**
   * The origin waits until the leader has sent all that is stored, then the rest goes straight to
   * it (I9). Followers other than the leader are broken off: they cannot all be given the stream.
   */
  private void runOutOfRoom() {
    if (!isOutOfRoom) {
      isOutOfRoom = true;
      leaveTable();
      updateSuspension();
      followers.wakeAll();
      loop.eventLoop().execute(this::handRestOver);
    }
  }

  private void handRestOver() {
    if (!isOutOfRoom || takenOver != null || state != State.STREAMING) {
      return;
    }
    Leader first = leader;
    ObjectWriter partial = writer;
    if (first == null || partial == null) {
      call().cancel();
      fail(new OriginFailure(OriginFailure.Kind.TRUNCATED, "the store has no room for the rest"));
      return;
    }
    OriginListener rest = first.takeOverRest(partial.watermark(), call());
    if (rest == null) {
      return;
    }
    leader = null;
    partial.abort();
    failure = new OriginFailure(OriginFailure.Kind.TRUNCATED, "the store has no room for the rest");
    loop.counters().fillsUnstored++;
    publish(State.FAILED);
    takeOver(rest);
  }

  @Override
  public void onReadComplete() {
    if (takenOver != null) {
      takenOver.onReadComplete();
    } else if (writer != null && !isEnded) {
      followers.wakeAll();
      pace();
    }
  }

  /**
   * Stops reading the origin while even the fastest follower is far behind; what that one has
   * passed is let go.
   */
  private void pace() {
    if (isEnded || takenOver != null) {
      return;
    }
    releasePassed();
    boolean isFar = false;
    if (state == State.STREAMING
        && !order.isBackground()
        && writtenBytes > loop.paceAboveBytes()
        && !followers.isEmpty()) {
      isFar = writtenBytes - followers.fastest() > loop.paceAboveBytes();
    }
    boolean begins = isFar && !isPaced;
    isPaced = isFar;
    updateSuspension();
    if (begins) {
      // Whoever advanced before it could see that the fill is paced says so now.
      followers.wakeAll();
    }
  }

  /**
   * A large body does not stay in memory for its fill: what the fastest follower has taken, but for
   * a few slices for those right behind it, may leave. Whoever comes to it later finds it where the
   * store has it by then, or fetches it by slice. So what is held is no more than what pacing lets
   * the origin be ahead.
   */
  private void releasePassed() {
    ObjectWriter into = writer;
    if (into == null || writtenBytes <= loop.paceAboveBytes()) {
      return;
    }
    long near = Math.min(NEAR_SLICES * (long) loop.store().sliceBytes(), loop.paceAboveBytes() / 2);
    boolean isFollowed = !followers.isEmpty() && !order.isBackground();
    long passed = isFollowed ? followers.fastest() : Long.MAX_VALUE;
    into.release(Math.min(passed, writtenBytes - near));
  }

  private void updateSuspension() {
    boolean wanted = isPaced || isOutOfRoom || room.isOn();
    if (wanted != isSuspended && !isEnded && takenOver == null) {
      isSuspended = wanted;
      if (wanted) {
        call().suspend();
      } else {
        call().resume();
      }
    }
  }

  @Override
  public void onEnd(HeaderFields trailers) {
    if (takenOver != null) {
      isEnded = true;
      takenOver.onEnd(trailers);
      return;
    }
    if (isEnded || (writer == null && !room.isOn())) {
      return;
    }
    isEnded = true;
    if (!isOutOfRoom && !room.isOn()) {
      finish();
    }
  }

  private void finish() {
    ObjectWriter done = writer;
    if (done == null) {
      return;
    }
    if (!done.reserveHead() && done.lacksRoom() && awaitRoom()) {
      return;
    }
    stopAwaiting();
    Install outcome = done.finish();
    if (outcome == Install.BUSY) {
      loop.eventLoop().schedule(this::finish, BUSY_RETRY_MICROS, TimeUnit.MICROSECONDS);
      return;
    }
    if (outcome == Install.INSTALLED) {
      isInstalled = true;
      loop.counters().fillsInstalled++;
    } else if (outcome == Install.NO_SPACE) {
      loop.counters().fillsUnstored++;
    }
    leaveTable();
    publish(State.COMPLETE);
  }

  @Override
  public void onFailure(OriginFailure reason) {
    if (takenOver != null) {
      isEnded = true;
      takenOver.onFailure(reason);
      return;
    }
    if (!isEnded) {
      fail(reason);
    }
  }

  private void fail(OriginFailure reason) {
    isEnded = true;
    loop.counters().fillsFailed++;
    failure = reason;
    if (writer != null) {
      writer.abort();
    }
    stopAwaiting();
    unstored.release();
    leaveTable();
    publish(State.FAILED);
  }

  private void onDeserted() {
    abandonIfDeserted();
    // What goes on without followers must not wait for one to advance.
    pace();
  }

  /** Never sent: what it was to bring is in the store already. */
  public void withdraw() {
    isEnded = true;
    leaveTable();
    // Whoever joined meanwhile looks up again and finds it.
    publish(State.VANISHED);
  }

  /** Nobody waits any more: worth finishing only when most of it is here. */
  private void abandonIfDeserted() {
    ObjectWriter partial = writer;
    if (isEnded || takenOver != null || partial == null || order.isBackground()) {
      return;
    }
    FillHead current = head;
    long total = current == null ? -1 : current.totalLength();
    boolean isNearlyDone =
        total >= 0
            && (total - writtenBytes <= FINISH_IF_MISSING_BYTES || writtenBytes >= total / 2);
    if (!isNearlyDone && followers.closeIfEmpty()) {
      call().cancel();
      isEnded = true;
      stopAwaiting();
      unstored.release();
      if (acceptsRanges) {
        keepWhatIsWhole(partial);
      } else {
        fail(everybodyLeft());
      }
    }
  }

  private static OriginFailure everybodyLeft() {
    return new OriginFailure(OriginFailure.Kind.TRUNCATED, "every client left");
  }

  /**
   * The slices that are whole stay, where a validator says that the others can be fetched. Where
   * the origin does not say that it sends parts, the next one would be served a beginning and
   * broken off.
   */
  private void keepWhatIsWhole(ObjectWriter partial) {
    Install kept = partial.keep();
    if (kept == Install.BUSY) {
      loop.eventLoop()
          .schedule(() -> keepWhatIsWhole(partial), BUSY_RETRY_MICROS, TimeUnit.MICROSECONDS);
      return;
    }
    if (kept == Install.INSTALLED) {
      loop.counters().fillsKept++;
    }
    fail(everybodyLeft());
  }

  private void leaveTable() {
    if (isUnlisted) {
      isUnlisted = false;
      loop.fills().unlistedEnds();
    }
    loop.fills().leave(order.key(), this);
    FillHead current = head;
    if (current != null && !current.variantKey().equals(order.key())) {
      loop.fills().leave(current.variantKey(), this);
    }
  }

  private void publish(State next) {
    state = next;
    followers.wakeAll();
  }
}
