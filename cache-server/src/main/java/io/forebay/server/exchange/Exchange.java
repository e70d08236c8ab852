package io.forebay.server.exchange;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.QueryRequest;
import io.forebay.core.http.RequestView;
import io.forebay.core.key.CanonicalRequest;
import io.forebay.core.policy.BodyRest;
import io.forebay.core.policy.Decider;
import io.forebay.core.policy.Decision;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.RangeFetch;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.Sharing;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.deliver.BodyBytes;
import io.forebay.server.deliver.Delivery;
import io.forebay.server.deliver.StoredBody;
import io.forebay.server.fill.FillKey;
import io.forebay.server.fill.HitForMiss;
import io.forebay.server.fill.PartialObject;
import io.forebay.server.fill.SliceFill;
import io.forebay.server.metric.Limit;
import io.forebay.server.metric.LoopCounters.CacheResult;
import io.forebay.server.origin.OriginFailure;
import io.forebay.storage.StoredHead;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request in flight, the same for every protocol: a table of named steps, each of which returns
 * the next one. It knows the request, its key and what was found out on the way, and so decides;
 * what is decided others do, and report back with the step that follows.
 *
 * <pre>
 *   ADMIT ─► LOOK_UP ─► StoredResponse ─► AWAIT
 *     │         │           └─► PartialBody ─► LOOK_UP again | FETCH
 *     │         ├─► FETCH: FillFollower ─► StoredResponse | LOOK_UP again | PASS
 *     ├─────────┴─► PASS: PassThrough ─► Transit
 *     └─► Refusals
 * </pre>
 *
 * <p>Of the response it holds how far it has come: no head yet, a head, a {@link ResponseBody} on
 * its way, over. A hit makes none of the helpers that only a miss needs.
 *
 * <p>Owner: the loop of the client's connection; fills, bodies and origins call back on it.
 */
final class Exchange implements ResponseSink.Listener, Delivery.Outcome {

  /** What is done next; AWAIT leaves it to a callback. */
  enum Step {
    ADMIT,
    LOOK_UP,
    FETCH,
    PASS,
    AWAIT
  }

  /** Looking up again is bounded: whoever keeps losing races goes to the origin by himself. */
  private static final int ROUNDS = 8;

  /** Doubled with each round: 50 ms over all of them. */
  private static final long BUSY_RETRY_MICROS = 100;

  // Fixed for the exchange.
  final LoopContext loop;
  final Snapshot snapshot;
  final ResponseSink sink;
  final ClientInfo client;
  final ExchangeRecord record;
  final long arrivalPurgeSequence;
  final boolean isHead;

  // Replaced once where the content of a QUERY is read before anything else.
  RequestView request;
  RequestBody body;
  private @Nullable QueryContent content;

  // What the steps found out.
  private @Nullable Route route;
  private long keyHi;
  private long keyLo;
  private int rounds;

  /** Why there is no plain hit; what Cache-Status says of a forwarded request. */
  private Reason reason = Reason.MISS_URI;

  /** What the next fetch may try to confirm instead of fetching it whole. */
  private @Nullable StaleObject stale;

  /** Validators of a stale object were tried and what they confirmed is gone: fetch it whole. */
  private boolean isPlainFetchNeeded;

  /** A slice of the stored object is gone, so the object only counts as a miss (I9). */
  private boolean isIncomplete;

  /** A head born at or after this was confirmed by the origin for this very exchange. */
  private long confirmedSinceBirth = Long.MAX_VALUE;

  /** A head born at or after this is what was fetched for this very exchange, or beside it. */
  private long fetchedSinceBirth = Long.MAX_VALUE;

  /** Whether it was this exchange that had it fetched. */
  private boolean isFetchOwn;

  /** Whether it was a fetch of this exchange that had it confirmed. */
  private boolean isConfirmedOwn;

  /** What the origin sends can't be shared: it is asked for this exchange alone. */
  private boolean isAlone;

  /** What the origin sends by range is of no use to the store. */
  private boolean isWholeFetchNeeded;

  /** The origin failed, so stale may do where the rules allow it. */
  private @Nullable OriginFailure originFailure;

  private boolean mayServeStaleOnError;

  /** Made by the first fetch. */
  private @Nullable FillFollower follower;

  /** Made where a stored object lacks slices. */
  private @Nullable PartialBody parts;

  // How far the response has come.
  private @Nullable ResponseBody sending;

  /** Body bytes sent before {@link #sending} took over. */
  private long sentBefore;

  /** How what is sent could be gone on with if its bytes leave memory; null: not at all. */
  private @Nullable BodyRest rest;

  // Of the object that is sent, for the same purpose.
  private List<Satisfiable> restParts = List.of();
  private long restObjectId;
  private int restSliceBytes;

  private boolean isHeadSent;
  private boolean isOver;

  Exchange(
      LoopContext loop,
      Snapshot snapshot,
      RequestView request,
      RequestBody body,
      ResponseSink sink,
      ClientInfo client) {
    this.loop = loop;
    this.snapshot = snapshot;
    this.request = request;
    this.body = body;
    this.sink = sink;
    this.client = client;
    this.record = new ExchangeRecord(loop, request, client, loop.nowMillis());
    this.arrivalPurgeSequence = loop.store().purgeSequence();
    this.isHead = request.method().equals("HEAD");
  }

  void start() {
    sink.listener(this);
    run(Step.ADMIT);
  }

  void run(Step first) {
    Step step = first;
    while (step != Step.AWAIT && !isOver) {
      step =
          switch (step) {
            case ADMIT -> admit();
            case LOOK_UP -> lookUp();
            case FETCH -> fetch();
            case PASS -> PassThrough.begin(this);
            case AWAIT -> Step.AWAIT;
          };
    }
  }

  /** The route, or null where none was found or looked for yet. */
  @Nullable Route routeIfAny() {
    return route;
  }

  Route route() {
    Route found = route;
    if (found == null) {
      throw new IllegalStateException("no route yet");
    }
    return found;
  }

  long keyHi() {
    return keyHi;
  }

  long keyLo() {
    return keyLo;
  }

  void key(long hi, long lo) {
    keyHi = hi;
    keyLo = lo;
  }

  FillKey key() {
    return new FillKey(keyHi, keyLo);
  }

  /** What a fill asks of the origin for all who have this request's key; a copy. */
  RequestView question() {
    String method = hasParts() ? "GET" : request.method();
    return CanonicalRequest.of(request, method, route().keyRecipe());
  }

  /** The content that goes with the question; of its own, since it may outlive the exchange. */
  RequestBody questionBody() {
    QueryContent read = content;
    byte[] bytes = read == null ? new byte[0] : read.bytes();
    return bytes.length == 0 ? RequestBody.NONE : new QueryContent.Replay(bytes);
  }

  /** From now on the request's content is held. */
  void holds(QueryContent held) {
    content = held;
    body = held;
  }

  /** Whether the body of what is asked for can be had in parts: not that of an answer to QUERY. */
  boolean hasParts() {
    return !QueryRequest.isQuery(request);
  }

  Reason reason() {
    return reason;
  }

  // --- admit ------------------------------------------------------------------------------------

  private Step admit() {
    Step looped = LoopDetection.refuse(this);
    if (looped != null) {
      return looped;
    }
    route = snapshot.routes().match(request.authority(), request.path());
    if (route == null) {
      return Refusals.refuse(
          this,
          404,
          "no route serves " + request.authority() + request.path(),
          Reason.REFUSED_NO_ROUTE,
          ProxyError.DESTINATION_NOT_FOUND);
    }
    record.route(route);
    request = route.settings().cookies().request().requestWithout(request);
    return switch (Decider.decideBeforeLookup(request, route)) {
      case null -> {
        if (QueryRequest.isQuery(request)) {
          yield QueryContent.read(this);
        }
        body.cancel();
        yield Step.LOOK_UP;
      }
      case Decision.Refuse refused -> Refusals.refuse(this, refused);
      case Decision decision -> passBecause(decision.reason());
    };
  }

  // --- look up ----------------------------------------------------------------------------------

  private Step lookUp() {
    if (++rounds > ROUNDS) {
      return passBecause(Reason.PASS_STORE_BUSY);
    }
    return switch (Lookup.find(this)) {
      case OBJECT -> decideWith(loop.lane().head(), loop.meta());
      case NOTHING -> decideWithout(false);
      case OTHER_VARIANTS -> decideWithout(true);
      case BUSY -> lookUpSoon();
      case ON_DISK -> lookUpLoaded();
      case KEY_TOO_LONG -> passBecause(Reason.PASS_KEY_TOO_LONG);
    };
  }

  private Step lookUpSoon() {
    // Whoever holds the index up may have lost its CPU: the rounds together last long enough for it
    // to get one again.
    loop.eventLoop()
        .schedule(() -> run(Step.LOOK_UP), BUSY_RETRY_MICROS << rounds, TimeUnit.MICROSECONDS);
    return Step.AWAIT;
  }

  /** Waits until what was found is in memory, or can't be had. */
  private Step lookUpLoaded() {
    Runnable again = () -> loop.eventLoop().execute(() -> run(Step.LOOK_UP));
    return loop.lane().load(again) ? Step.AWAIT : decideWithout(false);
  }

  // --- decide -----------------------------------------------------------------------------------

  private Step decideWithout(boolean hasOtherVariants) {
    if (originFailure != null) {
      return Refusals.refuse(this, originFailure);
    }
    return switch (Decider.decide(request, route(), null, false, loop.nowMillis())) {
      case Decision.Refuse refused -> Refusals.refuse(this, refused);
      case Decision.Pass pass -> passBecause(pass.reason());
      case Decision decision -> {
        if (!isIncomplete) {
          reason = hasOtherVariants ? Reason.MISS_VARY : decision.reason();
        }
        yield Step.FETCH;
      }
    };
  }

  /** The head is pinned; every path below gives the pin back or passes it on. */
  private Step decideWith(StoredHead head, StoredMeta meta) {
    long now = loop.nowMillis();
    if (head.birth() >= confirmedSinceBirth
        && !isSoftPurgedBefore(head)
        && (isConfirmedOwn || !Sharing.isNeverFresh(meta))) {
      return serve(head, meta, CacheResult.REVALIDATED, reason, now);
    }
    if (isFetchedFor(head, meta, now)) {
      return serve(head, meta, isFetchOwn ? CacheResult.MISS : CacheResult.JOINED, reason, now);
    }
    if (originFailure != null && mayServeStaleOnError) {
      loop.counters().staleServed++;
      return serve(head, meta, CacheResult.STALE, Reason.HIT_STALE_IF_ERROR, now);
    }
    Decision decision = Decider.decide(request, route(), meta, head.softPurged(), now);
    if (decision instanceof Decision.Serve serve) {
      if (serve.reason() == Reason.HIT_FRESH) {
        boolean isRefreshed =
            Decider.isEarlyRefreshDue(request, meta, route(), now, loop.random())
                && FillStart.inBackground(this, head, meta) == FillStart.Refreshing.BEGUN;
        Reason why = isRefreshed ? Reason.HIT_EARLY_REFRESH : Reason.HIT_FRESH;
        return serve(head, meta, CacheResult.HIT, why, now);
      }
      boolean isHeldBack =
          serve.isRefreshDue()
              && FillStart.inBackground(this, head, meta) == FillStart.Refreshing.HELD_BACK;
      Reason why = isHeldBack ? Reason.HIT_STALE_REFRESH_FAILED : serve.reason();
      loop.counters().staleServed++;
      return serve(head, meta, CacheResult.STALE, why, now);
    }
    if (decision instanceof Decision.Revalidate || decision instanceof Decision.Fetch) {
      reason = decision.reason();
      isAlone |= Sharing.isNeverFresh(meta);
      mayServeStaleOnError = Decider.mayServeStaleOnError(request, meta, route(), now);
      stale =
          decision instanceof Decision.Revalidate && !isPlainFetchNeeded
              ? StaleObject.of(this, head, meta)
              : null;
    }
    loop.lane().unpin(head.region());
    if (originFailure != null) {
      return Refusals.refuse(this, originFailure);
    }
    return switch (decision) {
      case Decision.Pass pass -> passBecause(pass.reason());
      case Decision.Refuse refused -> Refusals.refuse(this, refused);
      default -> Step.FETCH;
    };
  }

  /** Whoever had it fetched may use it in any case, others where it may be used at all. */
  private boolean isFetchedFor(StoredHead head, StoredMeta meta, long now) {
    return head.birth() >= fetchedSinceBirth
        && !isSoftPurgedBefore(head)
        && (isFetchOwn
            || Decider.decide(request, route(), meta, head.softPurged(), now)
                instanceof Decision.Serve);
  }

  /** A soft purge that this request came after and the head did not: confirmed, but too early. */
  private boolean isSoftPurgedBefore(StoredHead head) {
    return head.softPurged() && arrivalPurgeSequence > head.birth();
  }

  private Step serve(StoredHead head, StoredMeta meta, CacheResult result, Reason why, long now) {
    return switch (StoredResponse.send(this, head, meta, result, why, now)) {
      case BEGUN, AWAITED -> Step.AWAIT;
      case BUSY -> lookUpSoon();
      case INCOMPLETE -> onPartsRefused();
    };
  }

  /**
   * What serves a stored object that lacks slices; null where nothing says for sure that what the
   * origin sends of it is of the same body, or where that has been tried.
   */
  @Nullable PartialBody partsOf(StoredHead head, StoredMeta meta, ResponsePlan plan) {
    BodyRest validator = BodyRest.of(meta, head.totalLength());
    if (validator == null || !mayComplete(head, meta)) {
      return null;
    }
    PartialBody known = partsKnownOf(head.objectId());
    if (known == null) {
      known =
          new PartialBody(
              this,
              new PartialObject(keyHi, keyLo, head.objectId(), head.sliceBytes(), validator),
              plan.wanted(),
              false);
      parts = known;
    }
    return known;
  }

  boolean mayComplete(StoredHead head, StoredMeta meta) {
    return !isIncomplete
        && hasParts()
        && head.sliceBytes() == loop.store().sliceBytes()
        && BodyRest.of(meta, head.totalLength()) != null;
  }

  /** What fetches slices of an object, if it has been begun with. */
  @Nullable PartialBody partsKnownOf(long objectId) {
    PartialBody known = parts;
    if (known != null && !known.isOf(objectId)) {
      leaveParts();
      return null;
    }
    return known;
  }

  private void leaveParts() {
    PartialBody leaving = parts;
    if (leaving != null) {
      parts = null;
      leaving.leave();
    }
  }

  /** What the stored object lacks can't be had by itself: it is fetched whole. */
  Step onPartsRefused() {
    leaveParts();
    isIncomplete = true;
    reason = Reason.MISS_PARTIAL;
    return originFailure == null ? Step.FETCH : Refusals.refuse(this, originFailure);
  }

  Step passBecause(Reason why) {
    reason = why;
    return Step.PASS;
  }

  // --- fetch ------------------------------------------------------------------------------------

  private Step fetch() {
    if (isHead) {
      return passBecause(Reason.PASS_HEAD);
    }
    HitForMiss.Kind known = loop.history().hitForMiss().find(key(), request, loop.nowMillis());
    if (known == HitForMiss.Kind.UNCACHEABLE) {
      return passBecause(Reason.PASS_UNCACHEABLE);
    }
    isAlone |= known == HitForMiss.Kind.NEVER_FRESH;
    FillFollower fetching = follower;
    if (fetching == null) {
      fetching = new FillFollower(this);
      follower = fetching;
    }
    return fetching.fetch(stale, stale == null && !isWholeFetchNeeded ? rangeToFetch() : null);
  }

  /** Whether what a question with validators was answered could not be used. */
  boolean isPlainFetchNeeded() {
    return isPlainFetchNeeded;
  }

  boolean isAlone() {
    return isAlone;
  }

  /** Nothing that another exchange has fetched is of use to this one, nor the other way round. */
  void goAlone() {
    isAlone = true;
  }

  private @Nullable Satisfiable rangeToFetch() {
    return RangeFetch.of(
        request, route().ranges(), loop.store().sliceBytes(), SliceFill.longestBytes(loop));
  }

  /** A fill has stored the head of the object and brings slices of it. */
  Step onPartStored(long birth, boolean isOwn) {
    fetchedSinceBirth = birth;
    isFetchOwn = isOwn;
    // What was found out of another object says nothing of this one.
    isIncomplete = false;
    return Step.LOOK_UP;
  }

  /** The origin did not answer a range as it was asked for. */
  Step onRangeUnsuited(int status) {
    if (status == 416 && request.has(KnownField.RANGE)) {
      return passBecause(Reason.PASS_RANGE);
    }
    isWholeFetchNeeded = true;
    return Step.LOOK_UP;
  }

  /**
   * Whether a fill that has just left the table installed what is wanted: looked at after our own
   * is registered, so that there is no moment in which neither is seen (I6).
   */
  boolean wasInstalledMeanwhile() {
    return stale == null && originFailure == null && !isIncomplete && Lookup.isServable(this);
  }

  /** A fill of ours is on its way, so what it was to confirm is in its hands. */
  void fetchBegun() {
    stale = null;
    record.forwarded();
  }

  /** Whether it waited for, or read from, somebody else's fill at any time. */
  boolean hasJoined() {
    FillFollower fetching = follower;
    return fetching != null && fetching.hasJoined();
  }

  /** A fill confirmed the stored object. */
  Step onConfirmed(long birth, boolean isOwn) {
    confirmedSinceBirth = birth;
    isConfirmedOwn = isOwn;
    return Step.LOOK_UP;
  }

  /** A fill confirmed an object that is no longer stored. */
  Step onVanished() {
    isPlainFetchNeeded = true;
    return Step.LOOK_UP;
  }

  /** What a fill brings is for others; the key is our own by now. */
  Step onOtherKey(Lookup.Match match) {
    // It was stale under another key.
    stale = null;
    reason = match == Lookup.Match.OTHER_VARIANT ? Reason.MISS_VARY : Reason.MISS_URI;
    return Step.FETCH;
  }

  /** Whether the origin's failure, or an answer that amounts to one, is made up for from here. */
  boolean mayServeStaleOnError() {
    return mayServeStaleOnError;
  }

  /** The loop cannot keep up, and an origin would have to be asked. */
  Step shed() {
    loop.counters().hit(Limit.OVERLOAD);
    return onOriginFailed(
        new OriginFailure(OriginFailure.Kind.OVERLOADED, "the node has too much to do"));
  }

  /** The origin failed before there was a head. */
  Step onOriginFailed(OriginFailure failure) {
    originFailure = failure;
    return mayServeStaleOnError ? Step.LOOK_UP : Refusals.refuse(this, failure);
  }

  // --- the response -----------------------------------------------------------------------------

  boolean isHeadSent() {
    return isHeadSent;
  }

  boolean isOver() {
    return isOver;
  }

  void onHeadSent(int status, CacheResult result, Reason why) {
    isHeadSent = true;
    record.head(status, result, why);
  }

  /** What was begun is unseen by the client: there may be another response. */
  void onHeadTakenBack() {
    isHeadSent = false;
    sending = null;
  }

  @Override
  public void onBodyUnseen(OriginFailure failure) {
    onHeadTakenBack();
    run(onOriginFailed(failure));
  }

  /** From now on that body is on its way; what another had sent before stays counted. */
  void sends(ResponseBody next) {
    if (sending != null) {
      sentBefore += sending.sentBytes();
    }
    sending = next;
  }

  /** If stored bytes of the body are lost from now on, the rest may be fetched so. */
  void mayFetchRest(
      @Nullable BodyRest fetchable, ResponsePlan plan, long objectId, int sliceBytes) {
    rest = hasParts() ? fetchable : null;
    restParts = plan.parts();
    restObjectId = objectId;
    restSliceBytes = sliceBytes;
  }

  /**
   * The bytes of the object that is sent as the store has them and, where it may be, the origin.
   *
   * @param to end of what is wanted, exclusive; {@link Long#MAX_VALUE} while that is not known
   * @param isRest whether what is missing has been there
   */
  BodyBytes storedBytes(long to, boolean isRest) {
    PartialBody known = parts;
    if (known != null) {
      return known;
    }
    BodyRest fetchable = restTo(to);
    if (fetchable == null
        || restSliceBytes != loop.store().sliceBytes()
        || fetchable.totalLength() <= loop.store().inlineBytes()) {
      return new StoredBody(loop.lane(), loop.eventLoop(), restObjectId, restSliceBytes);
    }
    known =
        new PartialBody(
            this,
            new PartialObject(keyHi, keyLo, restObjectId, restSliceBytes, fetchable),
            restParts.isEmpty()
                ? List.of(new Satisfiable(0, Math.min(to, fetchable.totalLength()) - 1))
                : restParts,
            isRest);
    parts = known;
    return known;
  }

  private @Nullable BodyRest restTo(long to) {
    BodyRest fetchable = rest;
    if (fetchable == null || fetchable.totalLength() >= 0) {
      return fetchable;
    }
    // A range is cut out of a body of known length only: else what is wanted is the whole.
    return to == Long.MAX_VALUE ? null : fetchable.withTotalLength(to);
  }

  @Override
  public @Nullable BodyBytes elsewhere(long from, long to) {
    if (restTo(to) == null || to == Long.MAX_VALUE || parts != null) {
      return null;
    }
    if (follower != null) {
      follower.leave();
    }
    return storedBytes(to, true) instanceof PartialBody begun ? begun : null;
  }

  @Override
  public boolean onBytesLost(long from, long to) {
    BodyRest fetchable = restTo(to);
    PartialBody tried = parts;
    if (fetchable == null || to == Long.MAX_VALUE || (tried != null && !tried.isUnstored())) {
      loop.counters().restsLost++;
      return false;
    }
    if (follower != null) {
      follower.leave();
    }
    leaveParts();
    RestFetch.begin(this, fetchable, from, to);
    return true;
  }

  private void noteSentBytes() {
    if (sending != null) {
      record.bodyBytes(sentBefore + sending.sentBytes());
    }
  }

  @Override
  public void onBodySent() {
    noteSentBytes();
    over();
  }

  @Override
  public void onBodyBroken(String why) {
    noteSentBytes();
    loop.counters().responsesAborted++;
    record.aborted(why);
    over();
  }

  @Override
  public void onWritable() {
    if (sending != null) {
      sending.onWritable();
    }
  }

  @Override
  public void onClosed() {
    if (isOver) {
      return;
    }
    loop.counters().clientAborts++;
    record.aborted("CLIENT_GONE");
    endForNobody();
  }

  @Override
  public void onRefused(int status, String detail) {
    if (isOver) {
      return;
    }
    if (isHeadSent) {
      loop.counters().responsesAborted++;
      record.aborted("REQUEST_REFUSED");
    } else {
      record.refused(status, detail);
    }
    endForNobody();
  }

  /** There is no client any more; whatever goes on for it alone ends. */
  private void endForNobody() {
    if (sending != null) {
      noteSentBytes();
      sending.onClientGone();
    }
    over();
  }

  /** What the connection became after it spoke HTTP has ended. */
  void onTunnelOver(@Nullable String why) {
    if (why != null) {
      record.aborted(why);
    }
    over();
  }

  /** The last word: the response is complete, broken off, or wanted by nobody. */
  void over() {
    if (follower != null) {
      follower.leave();
    }
    leaveParts();
    if (!isOver) {
      isOver = true;
      if (content != null) {
        content = null;
        loop.fills().holdsContentNoLonger();
      }
      record.finish();
    }
  }
}
