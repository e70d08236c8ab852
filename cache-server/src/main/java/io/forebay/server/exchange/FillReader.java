package io.forebay.server.exchange;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.http.RangeSet;
import io.forebay.core.policy.BodyRemainder;
import io.forebay.core.policy.ServePlan;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.deliver.Delivery;
import io.forebay.server.deliver.Multipart;
import io.forebay.server.deliver.StoredBody;
import io.forebay.server.fill.Fill;
import io.forebay.server.fill.FillBody;
import io.forebay.server.fill.FillContext;
import io.forebay.server.fill.FillHead;
import io.forebay.server.http.AbortCause;
import io.forebay.server.loop.LoopTimer;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.response.ResponsePlan;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends one client the response of a fill in progress: determines the requested part of the body as
 * far as its length is known, then sends head and body.
 *
 * <p>Owner: the loop of the exchange.
 */
final class FillReader {

  /** What became of a response. */
  enum Begun {
    /** It is on its way. */
    SENT,
    /** The same, and the origin's own stream would be of no use for the rest of it. */
    SENT_IN_PARTS,
    /** More of the body, or its end, has to come first; the follower is told. */
    AWAITED,
    /** The store lacks what is wanted, and won't have it. */
    LACKING,
    /** The fill is over, and what it has brought has to be looked up. */
    OVER
  }

  private final FillContext loop;
  private final StoredResponseSender responses;
  private final ClientRequest request;
  private final ClientResponse response;
  private final BodyFallback fallback;

  /** Runs while the length of the body is waited for. */
  private final LoopTimer lengthTimer;

  /** The wait timed out: the range is ignored. */
  private boolean hasWaitedForLength;

  /** Where a range begins whose end has not come yet; 0 without one. */
  private long awaitedFrom;

  /** The fill whose body is on its way, while it is followed. */
  private @Nullable Fill source;

  /** That body, once its head has been sent, and what it is read from. */
  private @Nullable Delivery delivery;

  private @Nullable FillBody body;

  /** The fill whose body stays until this has read it. */
  private @Nullable Fill followedFill;

  /** It reads that as the leader. */
  private boolean readsAsLeader;

  /** Where it begins to read, while it has no delivery; MAX_VALUE if it does not read. */
  private long beginsAt = Long.MAX_VALUE;

  /** Nothing has been sent yet. */
  FillReader(
      FillContext loop,
      StoredResponseSender responses,
      ClientRequest request,
      ClientResponse response,
      BodyFallback fallback) {
    this.loop = loop;
    this.responses = responses;
    this.request = request;
    this.response = response;
    this.fallback = fallback;
    this.lengthTimer = new LoopTimer(loop.eventLoop());
  }

  /** What a fill's head says; in the loop's one flyweight. */
  static StoredMeta meta(FillContext loop, FillHead head) {
    StoredMeta meta = loop.meta();
    if (!meta.wrap(MemorySegment.ofArray(head.meta()), 0)) {
      throw new IllegalStateException("a fill's own meta");
    }
    return meta;
  }

  // --- begin ------------------------------------------------------------------------------------

  /**
   * Begins with a fill in STREAMING or COMPLETE whose head this exchange can use.
   *
   * @param onLengthWaitedFor told when the end of a body has been waited for long enough
   */
  Begun begin(Fill followed, FillHead head, boolean isLeader, Runnable onLengthWaitedFor) {
    long total =
        followed.state() == Fill.State.COMPLETE ? followed.completeLength() : head.totalLength();
    StoredMeta meta = meta(loop, head);
    if (request.esi() != null) {
      request.found(meta.status(), StreamCoding.fields(head.block()));
    }
    ResponsePlan plan =
        total < 0
            ? planOfUnknown(followed, meta, onLengthWaitedFor)
            : StoredResponseSender.plan(request, meta, total);
    if (plan == null) {
      // Where there is no room, what is waited for will not come into the store.
      return followed.hasRunOutOfRoom() ? Begun.LACKING : Begun.AWAITED;
    }
    lengthTimer.stop();
    if (plan.hasBody() && followed.retainsUnread()) {
      Begun refused = hold(followed, plan, isLeader);
      if (refused != null) {
        return refused;
      }
    } else if (!hasBeginning(followed, plan, meta, total)) {
      return Begun.LACKING;
    }
    Multipart parts = responses.sendHeadOf(request, response, head, meta, plan, total, isLeader);
    if (plan.hasBody()) {
      sendBody(followed, plan, parts, meta, total);
    } else {
      response.over();
    }
    return parts == null ? Begun.SENT : Begun.SENT_IN_PARTS;
  }

  /**
   * Has the fill hold what is wanted until it has been read; null if it does.
   *
   * @return what happens to the response instead
   */
  private @Nullable Begun hold(Fill followed, ResponsePlan plan, boolean isLeader) {
    boolean isOver = followed.state() == Fill.State.COMPLETE;
    if (!isOver && !isAscending(plan.parts())) {
      // It would hold the beginning of the body while it waits for the end.
      return Begun.LACKING;
    }
    boolean isFirst = isLeader && plan.parts().isEmpty();
    beginsAt = plan.wanted().stream().mapToLong(Satisfiable::first).min().orElse(plan.from());
    if (!followed.beginReading(loop, isFirst, floor(isLeader))) {
      beginsAt = Long.MAX_VALUE;
      return isOver ? Begun.OVER : Begun.LACKING;
    }
    followedFill = followed;
    readsAsLeader = isFirst;
    if (beginsAt < followed.releasedBytes()) {
      endReading();
      return Begun.LACKING;
    }
    return null;
  }

  private static boolean isAscending(List<Satisfiable> parts) {
    for (int i = 1; i < parts.size(); i++) {
      if (parts.get(i).first() < parts.get(i - 1).first()) {
        return false;
      }
    }
    return true;
  }

  private void endReading() {
    beginsAt = Long.MAX_VALUE;
    Fill read = followedFill;
    if (read != null) {
      followedFill = null;
      read.endReading(readsAsLeader);
    }
  }

  /** First byte that the fill must retain; MAX_VALUE if it may release everything. */
  long floor(boolean isLeader) {
    Delivery current = delivery;
    if (current != null) {
      return followedFill == null ? Long.MAX_VALUE : current.floor();
    }
    // Who waits for the length of the body may be told later that its beginning has gone.
    return isLeader && !lengthTimer.isOn() ? Math.min(beginsAt, awaitedFrom) : beginsAt;
  }

  private void sendBody(
      Fill followed, ResponsePlan plan, @Nullable Multipart parts, StoredMeta meta, long total) {
    BodyRemainder rest = request.hasParts() ? BodyRemainder.of(meta, total) : null;
    fallback.mayFetchRest(rest, plan, followed.objectId(), loop.store().sliceBytes());
    long far = rest == null || total < 0 ? Long.MAX_VALUE : request.route().ranges().farBytes();
    boolean isRest = plan.from() - followed.receivedBytes() < far;
    FillBody bytes = followed.body(loop, far, () -> fallback.storedBytes(endOf(plan), isRest));
    Delivery begun = responses.delivery(response, bytes, plan, parts);
    source = followed;
    body = bytes;
    // Before it starts: the fill asks for its position while it looks for bytes.
    delivery = begun;
    response.sends(begun);
    begun.onProgress();
  }

  /**
   * What is sent of a body whose length is not known yet, or null while that is waited for. A
   * closed range is sent once all of it has come, so that it is known to exist; what depends on the
   * end of the body waits for that, but not for long.
   */
  private @Nullable ResponsePlan planOfUnknown(
      Fill followed, StoredMeta meta, Runnable onLengthWaitedFor) {
    ResponsePlan whole = StoredResponseSender.plan(request, meta, -1);
    RangeSet ranges =
        whole.hasBody() && !hasWaitedForLength
            ? ServePlan.rangesOf(request.view(), meta, request.route().ranges().maxRanges())
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
    if (!lengthTimer.isOn()) {
      lengthTimer.start(
          request.route().ranges().patience(),
          () -> {
            hasWaitedForLength = true;
            onLengthWaitedFor.run();
          });
    }
    return null;
  }

  /**
   * Whether a late follower of a large fill can get its range: bytes that the fill has released are
   * stored, or can be fetched (I9).
   */
  private boolean hasBeginning(Fill followed, ResponsePlan plan, StoredMeta meta, long total) {
    long released = followed.releasedBytes();
    if (!plan.hasBody()
        || (total >= 0 && request.hasParts() && BodyRemainder.of(meta, total) != null)) {
      return true;
    }
    StoredBody stored = fallback.stored(followed.objectId(), loop.store().sliceBytes());
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
    Fill followed = source;
    return plan.to() == Long.MAX_VALUE
            && followed != null
            && followed.state() == Fill.State.COMPLETE
        ? followed.completeLength()
        : plan.to();
  }

  // --- go on ------------------------------------------------------------------------------------

  boolean isSending() {
    return delivery != null;
  }

  /** The fill it is sending from has more, or its end. */
  void onProgress(Fill followed) {
    Delivery current = delivery;
    if (current != null) {
      if (followed.state() == Fill.State.COMPLETE) {
        current.endsAt(followed.completeLength());
      }
      current.onProgress();
    }
  }

  /** What is being sent goes on without what the fill has not brought yet, if it can. */
  void continueWithoutFill() {
    Delivery current = delivery;
    FillBody reading = body;
    if (current != null && reading != null) {
      reading.cutOff();
      current.onProgress();
    }
  }

  /** First byte of the fill's body that it has not taken, or begins with. */
  long position() {
    Delivery current = delivery;
    FillBody reading = body;
    return current == null || reading == null
        ? awaitedFrom
        : reading.positionInFill(current.position());
  }

  /** It follows no fill any more; what it is sending goes on if it can without. */
  void leave() {
    lengthTimer.stop();
    awaitedFrom = 0;
    source = null;
    endReading();
  }

  /** What it was sending has ended in another way. */
  void forget() {
    delivery = null;
    body = null;
  }

  // --- other ends -------------------------------------------------------------------------------

  /** Breaks off what it is sending; false if there is nothing. */
  boolean breakOff(AbortCause cause) {
    Delivery current = delivery;
    if (current == null) {
      return false;
    }
    current.breakOff(cause);
    return true;
  }

  /** Whether the response that was begun can still become another one. */
  boolean takeBackHead() {
    Delivery current = delivery;
    if (current == null || !response.sink().retractHead()) {
      return false;
    }
    current.onClientGone();
    delivery = null;
    response.onHeadTakenBack();
    return true;
  }

  /**
   * The rest of the body is to come straight from the origin.
   *
   * @param position where that begins
   * @return what sends it; null if what is sent has not come so far, or is none
   */
  @Nullable PassThroughBody yieldAt(long position, FillHead head, OriginCall call) {
    Delivery current = delivery;
    if (current == null || !current.yieldAt(position)) {
      return null;
    }
    delivery = null;
    boolean isToTheEnd = current.missingBytes() == head.totalLength() - current.position();
    return PassThroughBody.ofRest(
        response.sink(),
        call,
        current.position() - position,
        isToTheEnd ? Long.MAX_VALUE : current.missingBytes(),
        response);
  }
}
