package io.forebay.server.fill;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.KnownField;
import io.forebay.core.key.ResponseTags;
import io.forebay.core.policy.BodyRest;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.ResponsePolicy;
import io.forebay.core.policy.StoreVerdict;
import io.forebay.core.policy.StoredHeader;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.deliver.BodyBytes;
import io.forebay.server.exchange.LoopContext;
import io.forebay.server.origin.OriginCall;
import io.forebay.server.origin.OriginFailure;
import io.forebay.server.origin.OriginListener;
import io.forebay.storage.HeadSpec;
import io.forebay.storage.Install;
import io.forebay.storage.ObjectWriter;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
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

  /** How long an uncacheable answer keeps requests for its key from queueing. */
  private static final long HIT_FOR_MISS_MILLIS = 60_000;

  /** A deserted fill is finished when no more than this is missing. */
  private static final long FINISH_IF_MISSING_BYTES = 1 << 20;

  /** Slices that are held for those who are right behind the fastest follower. */
  private static final int NEAR_SLICES = 8;

  private static final long BUSY_RETRY_MICROS = 50;

  /** How long the origin is held for the reclaimer to make room. */
  private static final long ROOM_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long ROOM_RETRY_MICROS = 2_000;

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

  /**
   * The store has no room at this moment: the origin is held and what it has sent is kept in {@code
   * unstored}, until there is room or patience is at its end.
   */
  private boolean isAwaitingRoom;

  private boolean hasAskedForMarker;

  private long awaitingSinceNanos;

  /** The head for which there was no room; set while waiting for that. */
  private @Nullable ReceivedHead unstoredHead;

  private record ReceivedHead(
      int status,
      HeaderFields fields,
      long contentLength,
      StoreVerdict.Store verdict,
      long nowMillis) {}

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
   * @param whatIsStored the object's slices as lookups find them, where they are no longer found
   *     through the fill
   */
  public BodyBytes body(LoopContext own, Supplier<BodyBytes> whatIsStored) {
    return new FillBody(this, written(), own, whatIsStored);
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
    if (order.stale() != null) {
      loop.counters().revalidations++;
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
      int status, HeaderFields fields, long contentLength, boolean isCloseDelimited) {
    if (status == 304 && order.stale() != null) {
      refresh(order.stale(), fields, 0, false);
      return;
    }
    StoreVerdict verdict =
        ResponsePolicy.judge(
            order.request(), order.route(), status, fields, requestTimeMillis, loop.nowMillis());
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
      becomeUnstorable(received.status(), received.fields(), received.contentLength(), refusal);
    }
  }

  /** Whether the names that variants here are told apart by are on their way from a disk. */
  private boolean isMarkerComing(ReceivedHead received) {
    if (received.verdict().selectingFields().isEmpty()
        || !loop.keys().build(order.request(), order.route().keyRecipe())
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
    int status = received.status();
    HeaderFields fields = received.fields();
    StoreVerdict.Store verdict = received.verdict();
    long now = received.nowMillis();
    byte[] block = StoredHeader.encode(status, fields, verdict.omittedFields(), now);
    if (block == null) {
      return Reason.NOT_STORED_FIELDS;
    }
    var keys = loop.keys();
    if (!keys.build(order.request(), order.route().keyRecipe())) {
      return Reason.PASS_KEY_TOO_LONG;
    }
    FillKey base = new FillKey(keys.hi(), keys.lo());
    byte[] baseText = Arrays.copyOf(keys.text(), keys.textLength());
    List<String> selecting = verdict.selectingFields();
    boolean isVarying = !selecting.isEmpty();
    if (isVarying) {
      selecting = VaryMarker.union(loop, selecting);
      if (!keys.variant(order.request(), selecting)) {
        return Reason.PASS_KEY_TOO_LONG;
      }
    }
    FillKey key = new FillKey(keys.hi(), keys.lo());
    byte[] meta = verdict.meta();
    HeadSpec spec =
        new HeadSpec(
            key.hi(),
            key.lo(),
            isVarying ? Arrays.copyOf(keys.text(), keys.textLength()) : baseText,
            keys.textLength(),
            HeadBytes.join(meta, block),
            loop.scopes()
                .ofResponse(order.request(), order.route().keyRecipe(), ResponseTags.of(fields)),
            birth,
            now + verdict.freshnessLifetimeMillis(),
            HeadSpec.Kind.OBJECT,
            received.contentLength());
    StoredMeta stored = loop.meta();
    boolean mayBePartial =
        stored.wrap(MemorySegment.ofArray(meta), 0)
            && BodyRest.of(stored, received.contentLength()) != null;
    ObjectWriter begun = loop.lane().begin(spec, mayBePartial);
    if (begun == null) {
      return Reason.NOT_STORED_NO_ROOM;
    }
    if (isVarying) {
      // Before the head is published: whoever leaves because his variant differs finds the marker.
      VaryMarker.write(loop, spec, base, baseText, selecting);
    }
    loop.hitForMiss().forget(order.key(), order.request());
    writer = begun;
    head = new FillHead(status, meta, block, received.contentLength(), spec, selecting, key);
    if (!key.equals(order.key())) {
      loop.fills().register(key, this);
    }
    publish(State.STREAMING);
    abandonIfDeserted();
    return null;
  }

  /** Nobody but the leader may have this response; the others decide again. */
  private void becomeUnstorable(int status, HeaderFields fields, long contentLength, Reason why) {
    loop.counters().fillsUnstored++;
    if (why != Reason.NOT_STORED_NO_ROOM && status < 500) {
      loop.hitForMiss()
          .remember(order.key(), order.request(), loop.nowMillis(), HIT_FOR_MISS_MILLIS);
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
    if (outcome == Install.INSTALLED) {
      loop.counters().revalidated++;
    }
    leaveTable();
    publish(outcome == Install.INSTALLED ? State.REFRESHED : State.VANISHED);
  }

  @Override
  public void onData(ByteBuf data) {
    if (takenOver != null) {
      takenOver.onData(data);
      return;
    }
    if ((writer == null && !isAwaitingRoom) || isEnded) {
      data.release();
      return;
    }
    unstored.add(data);
    if (!isOutOfRoom && !isAwaitingRoom) {
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
    if (isAwaitingRoom && moved > 0) {
      awaitingSinceNanos = loop.eventLoop().ticker().nanoTime();
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
   * Holds the origin and tries again soon: what has refused had {@code lacksRoom}. A fast turnover
   * of a small tier is a matter of milliseconds to the reclaimer, and a fill given up costs the
   * origin another.
   *
   * @return false when nothing has moved for too long, or too many wait already
   */
  private boolean awaitRoom() {
    long now = loop.eventLoop().ticker().nanoTime();
    if (!isAwaitingRoom) {
      if (!loop.fills().mayAwaitRoom()) {
        return false;
      }
      isAwaitingRoom = true;
      awaitingSinceNanos = now;
      updateSuspension();
      followers.wakeAll();
    } else if (now - awaitingSinceNanos > ROOM_PATIENCE_NANOS) {
      return false;
    }
    loop.eventLoop().schedule(this::onRoomHoped, ROOM_RETRY_MICROS, TimeUnit.MICROSECONDS);
    return true;
  }

  private void stopAwaiting() {
    if (isAwaitingRoom) {
      isAwaitingRoom = false;
      unstoredHead = null;
      loop.fills().awaitsRoomNoLonger();
    }
  }

  private void onRoomHoped() {
    if (!isAwaitingRoom) {
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
    if (isAwaitingRoom || isOutOfRoom) {
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
    boolean wanted = isPaced || isOutOfRoom || isAwaitingRoom;
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
    if (isEnded || (writer == null && !isAwaitingRoom)) {
      return;
    }
    isEnded = true;
    if (!isOutOfRoom && !isAwaitingRoom) {
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
      fail(new OriginFailure(OriginFailure.Kind.TRUNCATED, "every client left"));
    }
  }

  private void leaveTable() {
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
