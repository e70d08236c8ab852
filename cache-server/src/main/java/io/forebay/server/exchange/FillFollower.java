package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.BodyRest;
import io.forebay.core.policy.ProxyStatus;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.deliver.Delivery;
import io.forebay.server.deliver.StoredBody;
import io.forebay.server.exchange.Exchange.Step;
import io.forebay.server.fill.Fill;
import io.forebay.server.fill.FillHead;
import io.forebay.server.fill.FillKey;
import io.forebay.server.fill.Follower;
import io.forebay.server.metric.LoopCounters.CacheResult;
import io.forebay.server.origin.OriginCall;
import io.forebay.server.origin.OriginFailure;
import io.forebay.server.origin.OriginListener;
import io.forebay.storage.HeadSpec;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An exchange's end of the fills it waits for and reads from, one after the other: joins the one in
 * progress or starts one, sends what it brings, and reports to the exchange what became of it.
 *
 * <p>Owner: the loop of the exchange. Fills call back on it.
 */
final class FillFollower implements Follower, Fill.Leader {

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

  /** How many of the interim responses of {@link #fill} are behind us. */
  private int interimSeen;

  /** The body of {@link #fill} on its way to the client, once its head has been sent. */
  private @Nullable Delivery delivery;

  FillFollower(Exchange exchange) {
    this.exchange = exchange;
    this.loop = exchange.loop;
  }

  /** Whether any of the fills was somebody else's. */
  boolean hasJoined() {
    return hasJoined;
  }

  // --- joining ----------------------------------------------------------------------------------

  /** Follows the fill in progress under the exchange's key, or starts it. */
  Step fetch(@Nullable StaleObject stale) {
    FillKey key = exchange.key();
    Fill running = loop.fills().find(key);
    if (running != null && running != overtaken) {
      return follow(running);
    }
    if (loop.fills().isFull()) {
      return exchange.passBecause(Reason.PASS_STORE_FULL);
    }
    Fill own = FillStart.of(exchange, stale, this);
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

  private Step follow(Fill running) {
    if (!running.join(this, loop)) {
      return exchange.passBecause(Reason.PASS_STORE_BUSY);
    }
    fill = running;
    isLeader = false;
    interimSeen = running.state() == Fill.State.WAITING ? 0 : Integer.MAX_VALUE;
    hasJoined = true;
    loop.counters().joined++;
    return afterProgress();
  }

  /** Goes away from the fill; a fill that nobody else follows may end then. */
  void leave() {
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
    return current == null ? 0 : current.position();
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
        leave();
        yield exchange.onConfirmed(followed.birth());
      }
      case VANISHED -> {
        leave();
        yield exchange.onVanished();
      }
      case UNSTORABLE -> afterUnstorable(followed);
      case FAILED -> afterFailure(followed);
    };
  }

  private void sendInterim(Fill followed) {
    List<Fill.Interim> all = followed.interim();
    while (interimSeen < all.size()) {
      Fill.Interim next = all.get(interimSeen++);
      EndToEnd.interim(exchange, next.status(), next.fields());
    }
  }

  private Step afterUnstorable(Fill followed) {
    leave();
    FillHead head = followed.head();
    if (head != null && head.status() >= 500 && exchange.mayServeStaleOnError()) {
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
    if (isOvertakenByPurge(followed, head)) {
      leave();
      overtaken = followed;
      return Step.LOOK_UP;
    }
    if (followed.hasRunOutOfRoom() && !isLeader) {
      leave();
      return exchange.passBecause(Reason.PASS_STORE_FULL);
    }
    if (!head.selectingFields().isEmpty() && !isOfOurVariant(head)) {
      leave();
      return exchange.onOtherVariant();
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

  /** Afterwards the exchange's key is that of its own variant. */
  private boolean isOfOurVariant(FillHead head) {
    return Lookup.selectVariant(exchange, head.selectingFields())
        && exchange.keyHi() == head.variantKey().hi()
        && exchange.keyLo() == head.variantKey().lo();
  }

  private Step serve(Fill followed, FillHead head) {
    long total =
        followed.state() == Fill.State.COMPLETE ? followed.completeLength() : head.totalLength();
    StoredMeta meta = loop.meta();
    if (!meta.wrap(MemorySegment.ofArray(head.meta()), 0)) {
      throw new IllegalStateException("a fill's own meta");
    }
    if (!hasBeginning(followed, ResponsePlan.of(exchange.request, meta, total), meta, total)) {
      leave();
      return exchange.passBecause(Reason.PASS_STORE_FULL);
    }
    ResponsePlan plan = StoredResponse.sendHeadOf(exchange, head, meta, total, isLeader);
    if (!plan.hasBody()) {
      exchange.over();
      return Step.AWAIT;
    }
    exchange.mayFetchRest(BodyRest.of(meta, total), followed.objectId(), loop.store().sliceBytes());
    Delivery begun =
        new Delivery(
            loop.leases(),
            loop.eventLoop(),
            exchange.sink,
            followed.body(loop, () -> exchange.storedBytes(endOf(plan))),
            plan.from(),
            plan.to(),
            exchange);
    // Before it starts: the fill asks for its position while it looks for bytes.
    delivery = begun;
    exchange.sends(begun);
    begun.onProgress();
    return Step.AWAIT;
  }

  /**
   * Whether who comes late to a large fill can have what he wants: what is no longer held for
   * followers is there, or can be fetched (I9).
   */
  private boolean hasBeginning(Fill followed, ResponsePlan plan, StoredMeta meta, long total) {
    long released = followed.releasedBytes();
    if (!plan.hasBody()
        || plan.from() >= released
        || (total >= 0 && BodyRest.of(meta, total) != null)) {
      return true;
    }
    return new StoredBody(
                loop.lane(), loop.eventLoop(), followed.objectId(), loop.store().sliceBytes())
            .presence(plan.from(), Math.min(plan.to(), released))
        == StoredBody.Presence.ALL;
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
    if (status >= 500 && exchange.mayServeStaleOnError()) {
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
