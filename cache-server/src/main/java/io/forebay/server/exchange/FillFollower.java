package io.forebay.server.exchange;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RangeSet;
import io.forebay.core.http.StatusCode;
import io.forebay.core.policy.BodyRest;
import io.forebay.core.policy.ProxyStatus;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.ServePlan;
import io.forebay.core.policy.Sharing;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.deliver.Delivery;
import io.forebay.server.deliver.Multipart;
import io.forebay.server.deliver.StoredBody;
import io.forebay.server.exchange.Exchange.Step;
import io.forebay.server.fill.Fill;
import io.forebay.server.fill.FillBody;
import io.forebay.server.fill.FillHead;
import io.forebay.server.fill.FillKey;
import io.forebay.server.fill.FillLeader;
import io.forebay.server.fill.Follower;
import io.forebay.server.fill.InterimResponses;
import io.forebay.server.metric.Limit;
import io.forebay.server.metric.LoopCounters.CacheResult;
import io.forebay.server.origin.OriginCall;
import io.forebay.server.origin.OriginFailure;
import io.forebay.server.origin.OriginListener;
import io.forebay.storage.HeadSpec;
import io.netty.util.concurrent.ScheduledFuture;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An exchange's end of the fills it waits for and reads from, one after the other: joins the one in
 * progress or starts one, sends what it brings, and reports to the exchange what became of it.
 *
 * <p>Owner: the loop of the exchange. Fills call back on it.
 */
final class FillFollower implements Follower, FillLeader {

  private static final Logger LOG = LoggerFactory.getLogger(FillFollower.class);

  private final Exchange exchange;
  private final LoopContext loop;

  /** The fill that is followed now. */
  private @Nullable Fill fill;

  /** Whether that fill was started by this exchange. */
  private boolean isLeader;

  /** A fill that a purge has overtaken for this exchange; never joined again. */
  private @Nullable Fill overtaken;

  private boolean hasJoined;

  /** Ends a wait: for a head, or for the length of a body. */
  private @Nullable ScheduledFuture<?> timer;

  private boolean isTimerForLength;

  /** The length of the body was waited for in vain: the range is not cut out. */
  private boolean hasWaitedForLength;

  /** Where a range begins whose end has not come yet; 0 without one. */
  private long awaitedFrom;

  /** How many of the interim responses of {@link #fill} are behind us. */
  private int interimSeen;

  /** The body of {@link #fill} on its way to the client, once its head has been sent. */
  private @Nullable Delivery delivery;

  /** What it reads from. */
  private @Nullable FillBody body;

  FillFollower(Exchange exchange) {
    this.exchange = exchange;
    this.loop = exchange.loop;
  }

  /** Whether any of the fills was somebody else's. */
  boolean hasJoined() {
    return hasJoined;
  }

  // --- joining ----------------------------------------------------------------------------------

  /**
   * Follows the fill in progress under the exchange's key, or starts it.
   *
   * @param asked the bytes to ask for by range, or null for a whole response
   */
  Step fetch(@Nullable StaleObject stale, @Nullable Satisfiable asked) {
    if (exchange.isAlone()) {
      return fetchAlone(stale);
    }
    FillKey key = exchange.key();
    Fill running = loop.fills().find(key);
    if (running != null && running != overtaken) {
      return follow(running);
    }
    if (loop.load().isShedding()) {
      return exchange.shed();
    }
    if (loop.fills().isFull()) {
      loop.counters().hit(Limit.FILLS);
      return exchange.passBecause(Reason.PASS_STORE_FULL);
    }
    Fill own = FillStart.of(exchange, stale, exchange.mayServeStaleOnError(), asked, true, this);
    if (own == null) {
      return exchange.passBecause(Reason.PASS_STORE_FULL);
    }
    // Before anybody else can: a fill that is full already would go on without its leader.
    own.join(this, loop);
    if (running != null && !loop.fills().replace(key, running, own)) {
      own.leave(this, loop);
      // The overtaken one has left by itself, or somebody else has put his in its place.
      return Step.FETCH;
    }
    Fill before = running == null ? loop.fills().register(key, own) : null;
    if (before != null) {
      own.leave(this, loop);
      return before == overtaken ? Step.FETCH : follow(before);
    }
    if (exchange.wasInstalledMeanwhile()) {
      own.leave(this, loop);
      own.withdraw();
      return Step.LOOK_UP;
    }
    isLeader = true;
    // A leader is told directly.
    interimSeen = Integer.MAX_VALUE;
    exchange.fetchBegun();
    fill = own;
    own.start();
    return Step.AWAIT;
  }

  /** Nobody else could use what comes, so it is neither waited for nor to be found by others. */
  private Step fetchAlone(@Nullable StaleObject stale) {
    if (loop.load().isShedding()) {
      return exchange.shed();
    }
    Fill own =
        loop.fills().isFull()
            ? null
            : FillStart.of(exchange, stale, exchange.mayServeStaleOnError(), null, false, this);
    if (own == null || !own.join(this, loop)) {
      return exchange.passBecause(Reason.PASS_STORE_FULL);
    }
    isLeader = true;
    exchange.fetchBegun();
    fill = own;
    own.start();
    return Step.AWAIT;
  }

  private Step follow(Fill running) {
    if (!running.join(this, loop)) {
      return exchange.passBecause(Reason.PASS_STORE_BUSY);
    }
    fill = running;
    isLeader = false;
    interimSeen = running.state() == Fill.State.WAITING ? 0 : Integer.MAX_VALUE;
    hasJoined = true;
    loop.counters().joined++;
    if (running.state() == Fill.State.WAITING) {
      timer = schedule(() -> onWaitedTooLong(running), exchange.route().sharing().patience());
    }
    return afterProgress();
  }

  private ScheduledFuture<?> schedule(Runnable task, Duration after) {
    return loop.eventLoop().schedule(task, after.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void stopTimer() {
    ScheduledFuture<?> running = timer;
    if (running != null) {
      timer = null;
      isTimerForLength = false;
      boolean ignored = running.cancel(false);
    }
  }

  /** The origin has not answered the one who asked it: it is asked once more, past the store. */
  private void onWaitedTooLong(Fill awaited) {
    timer = null;
    if (isFollowing(awaited) && awaited.state() == Fill.State.WAITING && !exchange.isOver()) {
      leave();
      loop.counters().waitsGivenUp++;
      exchange.run(exchange.passBecause(Reason.PASS_WAITED));
    }
  }

  @SuppressWarnings("ReferenceEquality") // that very fill
  private boolean isFollowing(Fill awaited) {
    return fill == awaited;
  }

  /** Goes away from the fill; a fill that nobody else follows may end then. */
  void leave() {
    stopTimer();
    awaitedFrom = 0;
    Fill followed = fill;
    if (followed != null) {
      fill = null;
      if (isLeader) {
        followed.leaderGone();
        isLeader = false;
      }
      followed.leave(this, loop);
    }
  }

  // --- following --------------------------------------------------------------------------------

  @Override
  public void onFillProgress() {
    if (exchange.isOver() || fill == null) {
      return;
    }
    try {
      exchange.run(afterProgress());
    } catch (RuntimeException e) {
      // The other followers of this loop are told by the same call: they must not pay for it.
      LOG.error(
          "{} {} failed while following a fill",
          exchange.request.method(),
          exchange.request.path(),
          e);
      breakOffForDefect();
    }
  }

  private void breakOffForDefect() {
    leave();
    Delivery current = delivery;
    if (current != null) {
      current.breakOff(AbortCause.INTERNAL);
    } else if (!exchange.isOver()) {
      exchange.sink.abort(AbortCause.INTERNAL);
      exchange.onBodyBroken(AbortCause.INTERNAL.name());
    }
  }

  @Override
  public long position() {
    Delivery current = delivery;
    FillBody reading = body;
    return current == null || reading == null
        ? awaitedFrom
        : reading.positionInFill(current.position());
  }

  private Step afterProgress() {
    Fill followed = fill;
    if (followed == null) {
      return Step.AWAIT;
    }
    Fill.State state = followed.state();
    sendInterim(followed);
    return switch (state) {
      case WAITING -> Step.AWAIT;
      case STREAMING, COMPLETE -> readFrom(followed);
      case REFRESHED -> {
        boolean isOwn = isLeader;
        leave();
        yield exchange.onConfirmed(followed.birth(), isOwn);
      }
      case VANISHED -> {
        leave();
        yield exchange.onVanished();
      }
      case PART_STORED -> {
        boolean isOwn = isLeader;
        leave();
        yield exchange.onPartStored(followed.birth(), isOwn);
      }
      case UNSUITED -> {
        leave();
        FillHead head = followed.head();
        yield exchange.onRangeUnsuited(head == null ? 0 : head.status());
      }
      case UNSTORABLE -> afterUnstorable(followed);
      case FAILED -> afterFailure(followed);
    };
  }

  private void sendInterim(Fill followed) {
    List<InterimResponses.Interim> all = followed.interim();
    while (interimSeen < all.size()) {
      InterimResponses.Interim next = all.get(interimSeen++);
      EndToEnd.interim(exchange, next.status(), next.fields());
    }
  }

  private Step afterUnstorable(Fill followed) {
    leave();
    FillHead head = followed.head();
    if (head != null
        && StatusCode.isOriginFailure(head.status())
        && exchange.mayServeStaleOnError()) {
      return exchange.onOriginFailed(serverError(head.status()));
    }
    return exchange.passBecause(Reason.PASS_UNCACHEABLE);
  }

  private static OriginFailure serverError(int status) {
    return new OriginFailure(
        OriginFailure.Kind.SERVER_ERROR,
        "the origin answered with status " + status,
        ProxyStatus.receivedStatus(status));
  }

  private Step afterFailure(Fill followed) {
    leave();
    if (exchange.isHeadSent() && !takeBackHead()) {
      Delivery current = delivery;
      if (current != null) {
        current.breakOff(AbortCause.ORIGIN_FAILED);
      }
      return Step.AWAIT;
    }
    OriginFailure failure = followed.failure();
    if (failure == null) {
      throw new IllegalStateException("failed without a reason");
    }
    if (followed.hasRunOutOfRoom()) {
      // Not the origin's fault, and the store's can't fail a request before its head (I9).
      return exchange.passBecause(Reason.PASS_STORE_FULL);
    }
    return exchange.onOriginFailed(failure);
  }

  /** Whether the response that was begun can still become another one. */
  private boolean takeBackHead() {
    Delivery current = delivery;
    if (current == null || !exchange.sink.retractHead()) {
      return false;
    }
    current.onClientGone();
    delivery = null;
    exchange.onHeadTakenBack();
    return true;
  }

  private Step readFrom(Fill followed) {
    Delivery current = delivery;
    if (current != null) {
      if (followed.state() == Fill.State.COMPLETE) {
        current.endsAt(followed.completeLength());
      }
      current.onProgress();
      return Step.AWAIT;
    }
    FillHead head = followed.head();
    if (exchange.isHeadSent() || head == null) {
      return Step.AWAIT;
    }
    if (!isTimerForLength) {
      stopTimer();
    }
    if (isOvertakenByPurge(followed, head)) {
      leave();
      overtaken = followed;
      return Step.LOOK_UP;
    }
    if (followed.hasRunOutOfRoom() && !isLeader) {
      leave();
      return exchange.passBecause(Reason.PASS_STORE_FULL);
    }
    Lookup.Match match = Lookup.match(exchange, head);
    if (match != Lookup.Match.YES) {
      leave();
      return exchange.onOtherKey(match);
    }
    if (!isUsable(head)) {
      return onUnusable(followed, head);
    }
    return serve(followed, head);
  }

  /** A purge acknowledged before this request arrived kills what the fill brings (I2). */
  private boolean isOvertakenByPurge(Fill followed, FillHead head) {
    HeadSpec stored = head.spec();
    return exchange.arrivalPurgeSequence > followed.birth()
        && stored != null
        && loop.lane().isOverruled(stored);
  }

  /** Others than who asked for it use it where they could use what is stored (RFC 9111 §4). */
  private boolean isUsable(FillHead head) {
    return isLeader
        || Sharing.isUsable(exchange.request, exchange.route(), meta(head), loop.nowMillis());
  }

  private Step onUnusable(Fill followed, FillHead head) {
    if (Sharing.isNeverFresh(meta(head))) {
      exchange.goAlone();
    } else {
      // It was fresh once: what is fetched now can be shared again.
      overtaken = followed;
    }
    leave();
    return Step.FETCH;
  }

  private StoredMeta meta(FillHead head) {
    StoredMeta meta = loop.meta();
    if (!meta.wrap(MemorySegment.ofArray(head.meta()), 0)) {
      throw new IllegalStateException("a fill's own meta");
    }
    return meta;
  }

  private Step serve(Fill followed, FillHead head) {
    long total =
        followed.state() == Fill.State.COMPLETE ? followed.completeLength() : head.totalLength();
    StoredMeta meta = meta(head);
    ResponsePlan plan =
        total < 0 ? planOfUnknown(followed, meta) : StoredResponse.plan(exchange, meta, total);
    if (plan == null && followed.hasRunOutOfRoom()) {
      // What is waited for will not come into the store.
      leave();
      return exchange.passBecause(Reason.PASS_STORE_FULL);
    }
    if (plan == null) {
      return Step.AWAIT;
    }
    stopTimer();
    if (!hasBeginning(followed, plan, meta, total)) {
      leave();
      return exchange.passBecause(Reason.PASS_STORE_FULL);
    }
    Multipart parts = StoredResponse.sendHeadOf(exchange, head, meta, plan, total, isLeader);
    if (!plan.hasBody()) {
      exchange.over();
      return Step.AWAIT;
    }
    if (parts != null) {
      // The rest of the origin's stream is of no use to who wants parts of it.
      declineStream(followed);
    }
    BodyRest rest = exchange.hasParts() ? BodyRest.of(meta, total) : null;
    exchange.mayFetchRest(rest, plan, followed.objectId(), loop.store().sliceBytes());
    long far = rest == null || total < 0 ? Long.MAX_VALUE : exchange.route().ranges().farBytes();
    boolean isRest = plan.from() - followed.receivedBytes() < far;
    FillBody bytes = followed.body(loop, far, () -> exchange.storedBytes(endOf(plan), isRest));
    body = bytes;
    Delivery begun = StoredResponse.delivery(exchange, bytes, plan, parts);
    // Before it starts: the fill asks for its position while it looks for bytes.
    delivery = begun;
    exchange.sends(begun);
    begun.onProgress();
    return Step.AWAIT;
  }

  /**
   * What is sent of a body whose length is not known yet, or null while that is waited for. A
   * closed range is sent once all of it has come, so that it is known to exist; what depends on the
   * end of the body waits for that, but not for long.
   */
  private @Nullable ResponsePlan planOfUnknown(Fill followed, StoredMeta meta) {
    ResponsePlan whole = StoredResponse.plan(exchange, meta, -1);
    RangeSet ranges =
        whole.hasBody() && !hasWaitedForLength
            ? ServePlan.rangesOf(exchange.request, meta, exchange.route().ranges().maxRanges())
            : null;
    if (ranges == null) {
      return whole;
    }
    RangeSet.Spec first = ranges.specs().getFirst();
    boolean isOne = ranges.specs().size() == 1;
    if (isOne && first.first() == 0 && !first.isClosed()) {
      return whole;
    }
    if (isOne && first.isClosed() && first.last() - first.first() < loop.paceAboveBytes()) {
      if (followed.receivedBytes() > first.last()) {
        return ResponsePlan.range(first.first(), first.last());
      }
      awaitedFrom = first.first();
      return null;
    }
    if (!isTimerForLength) {
      isTimerForLength = true;
      timer = schedule(this::onLengthWaitedFor, exchange.route().ranges().patience());
    }
    return null;
  }

  private void onLengthWaitedFor() {
    timer = null;
    hasWaitedForLength = true;
    onFillProgress();
  }

  private void declineStream(Fill followed) {
    if (isLeader) {
      isLeader = false;
      followed.leaderGone();
    }
  }

  /**
   * Whether who comes late to a large fill can have what he wants: what is no longer held for
   * followers is there, or can be fetched (I9).
   */
  private boolean hasBeginning(Fill followed, ResponsePlan plan, StoredMeta meta, long total) {
    long released = followed.releasedBytes();
    if (!plan.hasBody()
        || (total >= 0 && exchange.hasParts() && BodyRest.of(meta, total) != null)) {
      return true;
    }
    StoredBody stored =
        new StoredBody(
            loop.lane(), loop.eventLoop(), followed.objectId(), loop.store().sliceBytes());
    for (Satisfiable part : plan.wanted()) {
      if (part.first() < released
          && stored.presence(part.first(), Math.min(part.end(), released))
              != StoredBody.Presence.ALL) {
        return false;
      }
    }
    return true;
  }

  /** Where what is wanted ends, as far as that is known by now. */
  private long endOf(ResponsePlan plan) {
    Fill followed = fill;
    return plan.to() == Long.MAX_VALUE
            && followed != null
            && followed.state() == Fill.State.COMPLETE
        ? followed.completeLength()
        : plan.to();
  }

  // --- leading ----------------------------------------------------------------------------------

  @Override
  public void onInformational(int status, HeaderFields fields) {
    EndToEnd.interim(exchange, status, fields);
  }

  @Override
  public @Nullable OriginListener takeOver(
      int status, HeaderFields fields, long contentLength, Reason why, OriginCall call) {
    if (exchange.isOver()) {
      return null;
    }
    if (StatusCode.isOriginFailure(status) && exchange.mayServeStaleOnError()) {
      // The wake-up of the followers finds the state and serves what is stale.
      return null;
    }
    leaveToTakeOver();
    return PassThrough.beginTransit(
        exchange, status, fields, contentLength, CacheResult.MISS, why, call);
  }

  @Override
  public @Nullable OriginListener takeOverRest(long position, OriginCall call) {
    Delivery current = delivery;
    Fill followed = fill;
    FillHead head = followed == null ? null : followed.head();
    if (exchange.isOver() || current == null || head == null) {
      return null;
    }
    if (!current.yieldAt(position)) {
      return null;
    }
    leaveToTakeOver();
    delivery = null;
    boolean isToTheEnd = current.missingBytes() == head.totalLength() - current.position();
    Transit rest =
        Transit.ofRest(
            exchange.sink,
            call,
            current.position() - position,
            isToTheEnd ? Long.MAX_VALUE : current.missingBytes(),
            exchange);
    exchange.sends(rest);
    return rest;
  }

  /** The fill knows: it has just offered its stream to this leader. */
  private void leaveToTakeOver() {
    Fill followed = fill;
    fill = null;
    isLeader = false;
    if (followed != null) {
      followed.leave(this, loop);
    }
  }
}
