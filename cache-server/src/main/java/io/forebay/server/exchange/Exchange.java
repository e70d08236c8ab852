package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.PlainRequest;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import io.forebay.core.policy.Age;
import io.forebay.core.policy.CacheStatus;
import io.forebay.core.policy.Decider;
import io.forebay.core.policy.Decision;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.Revalidation;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.deliver.BodyBytes;
import io.forebay.server.deliver.Delivery;
import io.forebay.server.deliver.StoredBody;
import io.forebay.server.fill.Fill;
import io.forebay.server.fill.FillHead;
import io.forebay.server.fill.FillKey;
import io.forebay.server.fill.FillOrder;
import io.forebay.server.fill.Follower;
import io.forebay.server.metric.LoopCounters.CacheResult;
import io.forebay.server.origin.OriginCall;
import io.forebay.server.origin.OriginFailure;
import io.forebay.server.origin.OriginListener;
import io.forebay.storage.StoreLane;
import io.forebay.storage.StoredHead;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request in flight, the same for every protocol: a table of named steps, each of which returns
 * the next one.
 *
 * <pre>
 *   ADMIT ─► LOOK_UP ─► (serve) ─► AWAIT
 *     │         ├─► FETCH ─► follow a fill ─► (serve from it) | LOOK_UP again | PASS
 *     ├─────────┴─► PASS
 *     └─► (refuse)
 * </pre>
 *
 * <p>Owner: the loop of the client's connection; fills, deliveries and origins call back on it.
 */
final class Exchange
    implements ResponseSink.Listener, Follower, Fill.Leader, Delivery.Outcome, Transit.Outcome {

  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

  private enum Step {
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
  private final LoopContext loop;
  private final Snapshot snapshot;
  private final RequestView request;
  private final RequestBody body;
  private final ResponseSink sink;
  private final ClientInfo client;
  private final ExchangeRecord record;
  private final long arrivalPurgeSequence;
  private final boolean isHead;

  // What the steps found out.
  private @Nullable Route route;
  private long keyHi;
  private long keyLo;
  private int rounds;

  /** Why there is no plain hit; what Cache-Status says of a forwarded request. */
  private Reason reason = Reason.MISS_URI;

  /** Validators of a stale object were tried and what they confirmed is gone: fetch it whole. */
  private boolean isPlainFetchNeeded;

  /** A head born at or after this was confirmed by the origin for this very exchange. */
  private long confirmedSinceBirth = Long.MAX_VALUE;

  /** The origin failed, so stale may do where the rules allow it. */
  private @Nullable OriginFailure originFailure;

  private boolean mayServeStaleOnError;

  /** A fill that a purge has overtaken for this exchange; never joined again. */
  private @Nullable Fill overtaken;

  // What is going on now; at most one of them.
  private @Nullable Fill fill;
  private boolean isLeader;
  private @Nullable Delivery delivery;
  private @Nullable Transit transit;
  private @Nullable OriginCall passCall;

  /** What a delivery had sent before a transit took over the rest. */
  private long deliveredBytes;

  private boolean isJoined;
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

  private void run(Step first) {
    Step step = first;
    while (step != Step.AWAIT && !isOver) {
      step =
          switch (step) {
            case ADMIT -> admit();
            case LOOK_UP -> lookUp();
            case FETCH -> fetch();
            case PASS -> pass();
            case AWAIT -> Step.AWAIT;
          };
    }
  }

  private Route route() {
    Route found = route;
    if (found == null) {
      throw new IllegalStateException("no route yet");
    }
    return found;
  }

  // --- steps ------------------------------------------------------------------------------------

  private Step admit() {
    if (LoopDetection.hasPassedHere(request, snapshot.nodeId())) {
      return refuse(508, "this request has been through " + snapshot.nodeId(), Reason.REFUSED_LOOP);
    }
    route = snapshot.routes().match(request.authority(), request.path());
    if (route == null) {
      return refuse(
          404, "no route serves " + request.authority() + request.path(), Reason.REFUSED_NO_ROUTE);
    }
    record.route(route);
    return switch (Decider.decideBeforeLookup(request, route)) {
      case null -> {
        body.cancel();
        yield Step.LOOK_UP;
      }
      case Decision.Refuse refused -> refuse(refused);
      case Decision decision -> passBecause(decision.reason());
    };
  }

  private Step lookUp() {
    if (++rounds > ROUNDS) {
      return passBecause(Reason.PASS_STORE_BUSY);
    }
    var keys = loop.keys();
    if (!keys.build(request, route().keyRecipe())) {
      return passBecause(Reason.PASS_KEY_TOO_LONG);
    }
    keyHi = keys.hi();
    keyLo = keys.lo();
    StoreLane lane = loop.lane();
    StoredMeta meta = loop.meta();
    switch (lane.find(keyHi, keyLo, keys.text(), keys.textLength())) {
      case BUSY -> {
        return lookUpSoon();
      }
      case MISS -> {
        return decideWithout(null);
      }
      case HIT -> {}
    }
    if (!wrap(meta, lane.head())) {
      return decideWithout(null);
    }
    if (!meta.isVaryMarker()) {
      return decideWith(lane.head(), meta);
    }
    List<String> selectingFields = meta.selectingFields();
    lane.unpin(lane.head().region());
    if (!becomeVariant(selectingFields)) {
      return passBecause(Reason.PASS_KEY_TOO_LONG);
    }
    return switch (lane.find(keyHi, keyLo, keys.text(), keys.textLength())) {
      case BUSY -> lookUpSoon();
      case MISS -> decideWithout(selectingFields);
      case HIT ->
          wrap(meta, lane.head()) ? decideWith(lane.head(), meta) : decideWithout(selectingFields);
    };
  }

  /** Reads the meta of a found head; gives its pin back when it is not one this version wrote. */
  private boolean wrap(StoredMeta meta, StoredHead head) {
    if (meta.wrap(loop.store().region(head.region()), head.headOffset())) {
      return true;
    }
    loop.lane().unpin(head.region());
    return false;
  }

  /** Goes from the base key to the variant's; the builder holds the base key's text. */
  private boolean becomeVariant(List<String> selectingFields) {
    var keys = loop.keys();
    if (!keys.variant(request, selectingFields)) {
      return false;
    }
    keyHi = keys.hi();
    keyLo = keys.lo();
    return true;
  }

  private Step lookUpSoon() {
    // Whoever holds the index up may have lost its CPU: the rounds together last long enough for it
    // to get one again.
    loop.eventLoop()
        .schedule(() -> run(Step.LOOK_UP), BUSY_RETRY_MICROS << rounds, TimeUnit.MICROSECONDS);
    return Step.AWAIT;
  }

  /** Nothing is stored for this request; a marker's selecting fields say that variants are. */
  private Step decideWithout(@Nullable List<String> selectingFields) {
    if (originFailure != null) {
      return refuseForOrigin(originFailure);
    }
    return switch (Decider.decide(request, route(), null, false, loop.nowMillis())) {
      case Decision.Refuse refused -> refuse(refused);
      case Decision.Pass pass -> passBecause(pass.reason());
      case Decision decision -> {
        if (!isIncomplete) {
          reason = selectingFields == null ? decision.reason() : Reason.MISS_VARY;
        }
        yield Step.FETCH;
      }
    };
  }

  /** The head is pinned; every path below gives the pin back or passes it on. */
  private Step decideWith(StoredHead head, StoredMeta meta) {
    long now = loop.nowMillis();
    if (head.birth() >= confirmedSinceBirth && !isSoftPurgedBefore(head)) {
      return serve(head, meta, CacheResult.REVALIDATED, reason, now);
    }
    if (originFailure != null && mayServeStaleOnError) {
      loop.counters().staleServed++;
      return serve(head, meta, CacheResult.STALE, Reason.HIT_STALE_IF_ERROR, now);
    }
    Decision decision = Decider.decide(request, route(), meta, head.softPurged(), now);
    if (decision instanceof Decision.Serve serve) {
      if (serve.reason() == Reason.HIT_FRESH) {
        return serve(head, meta, CacheResult.HIT, serve.reason(), now);
      }
      if (serve.isRefreshDue()) {
        refreshInBackground(head, meta);
      }
      loop.counters().staleServed++;
      return serve(head, meta, CacheResult.STALE, serve.reason(), now);
    }
    if (decision instanceof Decision.Revalidate || decision instanceof Decision.Fetch) {
      reason = decision.reason();
      mayServeStaleOnError = Decider.mayServeStaleOnError(meta, route(), now);
      stale =
          decision instanceof Decision.Revalidate && !isPlainFetchNeeded
              ? new Stale(storedRef(head), Revalidation.conditionalFields(meta))
              : null;
    }
    loop.lane().unpin(head.region());
    if (originFailure != null) {
      return refuseForOrigin(originFailure);
    }
    return switch (decision) {
      case Decision.Pass pass -> passBecause(pass.reason());
      case Decision.Refuse refused -> refuse(refused);
      default -> Step.FETCH;
    };
  }

  /** A soft purge that this request came after and the head did not: confirmed, but too early. */
  private boolean isSoftPurgedBefore(StoredHead head) {
    return head.softPurged() && arrivalPurgeSequence > head.birth();
  }

  private Step passBecause(Reason why) {
    reason = why;
    return Step.PASS;
  }

  /** A stored object that may be confirmed instead of fetched. */
  private record Stale(FillOrder.StoredRef ref, HeaderFields conditions) {}

  private @Nullable Stale stale;

  private FillOrder.StoredRef storedRef(StoredHead head) {
    return new FillOrder.StoredRef(
        keyHi, keyLo, Arrays.copyOf(loop.keys().text(), loop.keys().textLength()), head.objectId());
  }

  private void refreshInBackground(StoredHead head, StoredMeta meta) {
    FillKey key = new FillKey(keyHi, keyLo);
    if (loop.fills().find(key) != null || loop.fills().isFull()) {
      return;
    }
    Fill refresh = newFill(new Stale(storedRef(head), Revalidation.conditionalFields(meta)), true);
    if (refresh != null && loop.fills().register(key, refresh) == null) {
      refresh.start();
    }
  }

  private @Nullable Fill newFill(@Nullable Stale confirmed, boolean isBackground) {
    long birth = loop.store().nextBirth();
    if (birth < 0) {
      return null;
    }
    RequestView saved = copyOf(request);
    FillOrder order =
        new FillOrder(
            new FillKey(keyHi, keyLo),
            saved,
            route(),
            snapshot
                .upstream()
                .fill(
                    saved,
                    client,
                    snapshot.hostFor(route().originName()),
                    confirmed == null ? HeaderFields.EMPTY : confirmed.conditions()),
            confirmed == null ? null : confirmed.ref(),
            isBackground,
            snapshot.config().limits().followersPerFill());
    return new Fill(loop, order, birth, isBackground ? null : this);
  }

  /** What a fill keeps of the request: it belongs to nobody's client and outlives this one's. */
  private static RequestView copyOf(RequestView request) {
    HeaderFields.Builder fields = HeaderFields.builder();
    request.fields().forEach(fields::add);
    return PlainRequest.of("GET", TargetUri.of(request), fields.build());
  }

  private Step fetch() {
    FillKey key = new FillKey(keyHi, keyLo);
    if (isHead) {
      return passBecause(Reason.PASS_HEAD);
    }
    if (loop.hitForMiss().isKnown(key, request, loop.nowMillis())) {
      return passBecause(Reason.PASS_UNCACHEABLE);
    }
    Fill running = loop.fills().find(key);
    if (running != null && running != overtaken) {
      return follow(running);
    }
    if (loop.fills().isFull()) {
      return passBecause(Reason.PASS_STORE_FULL);
    }
    Fill own = newFill(stale, false);
    if (own == null) {
      return passBecause(Reason.PASS_STORE_FULL);
    }
    if (running != null && !loop.fills().replace(key, running, own)) {
      // The overtaken one has left by itself, or somebody else has put his in its place.
      return Step.FETCH;
    }
    Fill before = running == null ? loop.fills().register(key, own) : null;
    if (before != null) {
      return before == overtaken ? Step.FETCH : follow(before);
    }
    if (stale == null && originFailure == null && wasInstalledMeanwhile()) {
      own.withdraw();
      return Step.LOOK_UP;
    }
    stale = null;
    isLeader = true;
    record.forwarded();
    fill = own;
    own.join(this, loop);
    own.start();
    return Step.AWAIT;
  }

  /**
   * Whether a fill that has just left the table installed what is wanted: looked at after our own
   * is registered, so that there is no moment in which neither is seen (I6).
   */
  private boolean wasInstalledMeanwhile() {
    var keys = loop.keys();
    StoredMeta meta = loop.meta();
    if (isIncomplete
        || loop.lane().find(keyHi, keyLo, keys.text(), keys.textLength()) != StoreLane.Found.HIT
        || !wrap(meta, loop.lane().head())) {
      return false;
    }
    StoredHead head = loop.lane().head();
    boolean isServable =
        meta.isVaryMarker()
            || Decider.decide(request, route(), meta, head.softPurged(), loop.nowMillis())
                instanceof Decision.Serve;
    loop.lane().unpin(head.region());
    return isServable;
  }

  /** A slice of the stored object is gone, so the object only counts as a miss (I9). */
  private boolean isIncomplete;

  private Step follow(Fill running) {
    if (!running.join(this, loop)) {
      return passBecause(Reason.PASS_STORE_BUSY);
    }
    fill = running;
    isLeader = false;
    isJoined = true;
    loop.counters().joined++;
    return afterFillProgress();
  }

  // --- serving what is stored -------------------------------------------------------------------

  private Step serve(StoredHead head, StoredMeta meta, CacheResult result, Reason why, long now) {
    long total = head.totalLength();
    ResponsePlan plan = ResponsePlan.of(request, meta, total);
    StoredBody slices = null;
    if (plan.hasBody() && head.bodyOffset() < 0) {
      slices = new StoredBody(loop.lane(), head.objectId(), head.sliceBytes());
      StoredBody.Presence presence = slices.presence(plan.from(), plan.to());
      if (presence != StoredBody.Presence.ALL) {
        loop.lane().unpin(head.region());
        if (presence == StoredBody.Presence.BUSY) {
          return lookUpSoon();
        }
        isIncomplete = true;
        return fetchBecause(Reason.MISS_PARTIAL);
      }
    }
    ByteBuf out = sink.beginHead(plan.status());
    int blockOffset = head.headOffset() + meta.length();
    int blockLength = head.headLength() - meta.length();
    if (plan.sendsAllFields()) {
      loop.leases().copyTo(out, head.region(), blockOffset, blockLength);
    } else {
      NotModifiedLines.copy(out, loop.leases().copy(head.region(), blockOffset, blockLength));
    }
    HeadLines.age(out, Age.currentAgeSeconds(meta, now));
    out.writeBytes(snapshot.viaLine());
    if (result == CacheResult.REVALIDATED) {
      HeadLines.cacheStatus(out, snapshot.cacheStatus().forwarded(why, 304, true, isJoined, null));
    } else {
      HeadLines.cacheStatusHit(
          out, snapshot.cacheStatus(), why, Age.timeToLiveSeconds(meta, now), loop.scratch());
    }
    sendHead(out, plan, total, result, why);
    if (!plan.hasBody()) {
      loop.lane().unpin(head.region());
      over();
    } else if (slices == null) {
      // The head's pin goes with the body.
      record.bodyBytes(plan.to() - plan.from());
      Delivery.sendPinned(
          loop.leases(),
          sink,
          head.region(),
          head.bodyOffset() + (int) plan.from(),
          (int) (plan.to() - plan.from()));
      over();
    } else {
      loop.lane().unpin(head.region());
      deliver(slices, plan.from(), plan.to());
    }
    return Step.AWAIT;
  }

  private Step fetchBecause(Reason why) {
    reason = why;
    return Step.FETCH;
  }

  private void sendHead(
      ByteBuf out, ResponsePlan plan, long total, CacheResult result, Reason why) {
    if (plan.status() == 206) {
      HeadLines.contentRange(out, plan.from(), plan.to() - 1, total);
    } else if (plan.status() == 416) {
      HeadLines.unsatisfiedRange(out, total);
    }
    sink.head(out, plan.contentLength(), !plan.hasBody());
    isHeadSent = true;
    record.head(plan.status(), result, why);
    if (!plan.hasBody()) {
      sink.flush();
    }
  }

  private void deliver(BodyBytes source, long from, long to) {
    delivery = new Delivery(loop.leases(), loop.eventLoop(), sink, source, from, to, this);
    delivery.onProgress();
  }

  // --- following a fill -------------------------------------------------------------------------

  @Override
  public void onFillProgress() {
    if (isOver || fill == null) {
      return;
    }
    try {
      run(afterFillProgress());
    } catch (RuntimeException e) {
      // The other followers of this loop are told by the same call: they must not pay for it.
      LOG.error("{} {} failed while following a fill", request.method(), request.path(), e);
      breakOffForDefect();
    }
  }

  private void breakOffForDefect() {
    leaveFill();
    Delivery current = delivery;
    if (current != null) {
      current.breakOff(AbortCause.INTERNAL);
    } else if (!isOver) {
      sink.abort(AbortCause.INTERNAL);
      onBrokenOff(AbortCause.INTERNAL);
    }
  }

  @Override
  public long position() {
    Delivery current = delivery;
    return current == null ? 0 : current.position();
  }

  private Step afterFillProgress() {
    Fill followed = fill;
    if (followed == null) {
      return Step.AWAIT;
    }
    return switch (followed.state()) {
      case WAITING -> Step.AWAIT;
      case STREAMING, COMPLETE -> readFrom(followed);
      case REFRESHED -> {
        leaveFill();
        confirmedSinceBirth = followed.birth();
        yield Step.LOOK_UP;
      }
      case VANISHED -> {
        leaveFill();
        isPlainFetchNeeded = true;
        yield Step.LOOK_UP;
      }
      case UNSTORABLE -> transit != null ? Step.AWAIT : afterUnstorable(followed);
      case FAILED -> afterFailure(followed);
    };
  }

  private Step afterUnstorable(Fill followed) {
    leaveFill();
    FillHead head = followed.head();
    if (head != null && head.status() >= 500 && mayServeStaleOnError) {
      originFailure = serverError(head.status());
      return Step.LOOK_UP;
    }
    return passBecause(Reason.PASS_UNCACHEABLE);
  }

  private static OriginFailure serverError(int status) {
    return new OriginFailure(
        OriginFailure.Kind.INVALID_RESPONSE, "the origin answered with status " + status);
  }

  private Step afterFailure(Fill followed) {
    leaveFill();
    if (isHeadSent && !takeBackHead()) {
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
      return passBecause(Reason.PASS_STORE_FULL);
    }
    return insteadOf(failure);
  }

  /** What to do about an origin that failed while nothing has been sent. */
  private Step insteadOf(OriginFailure failure) {
    originFailure = failure;
    return mayServeStaleOnError ? Step.LOOK_UP : refuseForOrigin(failure);
  }

  /** Whether the response that was begun can still become another one. */
  private boolean takeBackHead() {
    Delivery current = delivery;
    if (current == null || !sink.retractHead()) {
      return false;
    }
    current.onClientGone();
    delivery = null;
    isHeadSent = false;
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
    if (isHeadSent || head == null) {
      return Step.AWAIT;
    }
    if (isOvertakenByPurge(followed, head)) {
      leaveFill();
      overtaken = followed;
      return Step.LOOK_UP;
    }
    if (followed.hasRunOutOfRoom() && !isLeader) {
      leaveFill();
      return passBecause(Reason.PASS_STORE_FULL);
    }
    if (!head.selectingFields().isEmpty() && !isOfSameVariant(head)) {
      leaveFill();
      // It was stale under another key.
      stale = null;
      return fetchBecause(Reason.MISS_VARY);
    }
    return serveFrom(followed, head);
  }

  /** A purge acknowledged before this request arrived kills what the fill brings (I2). */
  private boolean isOvertakenByPurge(Fill followed, FillHead head) {
    return arrivalPurgeSequence > followed.birth()
        && loop.lane().isOverruled(head.scopes(), followed.birth());
  }

  /** Afterwards the exchange's key is that of its own variant. */
  private boolean isOfSameVariant(FillHead head) {
    return loop.keys().build(request, route().keyRecipe())
        && becomeVariant(head.selectingFields())
        && keyHi == head.variantKey().hi()
        && keyLo == head.variantKey().lo();
  }

  private Step serveFrom(Fill followed, FillHead head) {
    long total =
        followed.state() == Fill.State.COMPLETE ? followed.completeLength() : head.totalLength();
    StoredMeta meta = loop.meta();
    if (!meta.wrap(MemorySegment.ofArray(head.meta()), 0)) {
      throw new IllegalStateException("a fill's own meta");
    }
    ResponsePlan plan = ResponsePlan.of(request, meta, total);
    ByteBuf out = sink.beginHead(plan.status());
    if (plan.sendsAllFields()) {
      out.writeBytes(head.block());
    } else {
      NotModifiedLines.copy(out, head.block());
    }
    HeadLines.age(out, Age.currentAgeSeconds(meta, loop.nowMillis()));
    out.writeBytes(snapshot.viaLine());
    HeadLines.cacheStatus(
        out, snapshot.cacheStatus().forwarded(reason, head.status(), true, !isLeader, null));
    sendHead(out, plan, total, isLeader ? CacheResult.MISS : CacheResult.JOINED, reason);
    if (plan.hasBody()) {
      deliver(followed.body(loop), plan.from(), plan.to());
    } else {
      leaveFill();
      over();
    }
    return Step.AWAIT;
  }

  private void leaveFill() {
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

  @Override
  public @Nullable OriginListener takeOver(
      int status, HeaderFields fields, long contentLength, Reason why, OriginCall call) {
    if (isOver) {
      return null;
    }
    if (status >= 500 && mayServeStaleOnError) {
      // The wake-up of the followers finds the state and serves what is stale.
      return null;
    }
    Fill followed = fill;
    fill = null;
    isLeader = false;
    if (followed != null) {
      followed.leave(this, loop);
    }
    return beginTransit(status, fields, contentLength, CacheResult.MISS, reason, why, call);
  }

  @Override
  public @Nullable OriginListener takeOverRest(long position, OriginCall call) {
    Delivery current = delivery;
    Fill followed = fill;
    FillHead head = followed == null ? null : followed.head();
    if (isOver || current == null || followed == null || head == null) {
      return null;
    }
    if (!current.yieldAt(position)) {
      return null;
    }
    fill = null;
    isLeader = false;
    followed.leave(this, loop);
    delivery = null;
    deliveredBytes = current.sentBytes();
    boolean isToTheEnd = current.missingBytes() == head.totalLength() - current.position();
    Transit rest =
        Transit.ofRest(
            sink,
            call,
            current.position() - position,
            isToTheEnd ? Long.MAX_VALUE : current.missingBytes(),
            this);
    transit = rest;
    return rest;
  }

  // --- passing through --------------------------------------------------------------------------

  private Step pass() {
    record.forwarded();
    passCall =
        loop.origins()
            .send(
                route().originName(),
                snapshot
                    .upstream()
                    .pass(request, client, snapshot.hostFor(route().originName()), body),
                new PassListener());
    return Step.AWAIT;
  }

  private Transit beginTransit(
      int status,
      HeaderFields fields,
      long contentLength,
      CacheResult result,
      Reason forwardReason,
      @Nullable Reason notStored,
      OriginCall call) {
    ByteBuf out = sink.beginHead(status);
    EndToEnd.copy(out, fields, loop.nowMillis());
    out.writeBytes(snapshot.viaLine());
    HeadLines.cacheStatus(
        out, snapshot.cacheStatus().forwarded(forwardReason, status, false, false, notStored));
    boolean hasBody = !isHead && status != 204 && status != 304;
    sink.head(out, hasBody ? contentLength : lengthNamed(status, fields), !hasBody);
    isHeadSent = true;
    record.head(status, result, notStored == null ? forwardReason : notStored);
    if (!hasBody) {
      sink.flush();
    }
    Transit begun = new Transit(sink, call, hasBody, this);
    transit = begun;
    return begun;
  }

  /** What a response without a body says of the length that one with a body would have. */
  private long lengthNamed(int status, HeaderFields fields) {
    CharSequence named = isHead && status != 204 ? fields.first("content-length") : null;
    if (named == null) {
      return ResponseSink.LENGTH_ABSENT;
    }
    try {
      return Math.max(ResponseSink.LENGTH_ABSENT, Long.parseLong(named, 0, named.length(), 10));
    } catch (NumberFormatException e) {
      return ResponseSink.LENGTH_ABSENT;
    }
  }

  /** Waits for the head of a passed response, then hands over to the transit. */
  private final class PassListener implements OriginListener {

    @Override
    public void onInformational(int status, HeaderFields fields) {
      if (!isOver && !isHeadSent && status == 103) {
        sink.informational(status, fields);
      }
    }

    @Override
    public void onHead(
        int status, HeaderFields fields, long contentLength, boolean isCloseDelimited) {
      OriginCall call = passCall;
      if (isOver || call == null) {
        return;
      }
      Invalidation.apply(loop, snapshot, request, status, fields);
      beginTransit(status, fields, contentLength, CacheResult.PASS, reason, null, call);
    }

    @Override
    public void onData(ByteBuf data) {
      if (transit == null) {
        data.release();
      } else {
        transit.onData(data);
      }
    }

    @Override
    public void onReadComplete() {
      if (transit != null) {
        transit.onReadComplete();
      }
    }

    @Override
    public void onEnd(HeaderFields trailers) {
      if (transit != null) {
        transit.onEnd(trailers);
      }
    }

    @Override
    public void onFailure(OriginFailure failure) {
      if (transit != null) {
        transit.onFailure(failure);
      } else if (!isOver) {
        passCall = null;
        refuseForOrigin(failure);
      }
    }
  }

  // --- ends -------------------------------------------------------------------------------------

  private Step refuseForOrigin(OriginFailure failure) {
    Reason why =
        switch (failure.kind()) {
          case NAME_NOT_RESOLVED -> Reason.ORIGIN_UNRESOLVED;
          case CONNECT_TIMEOUT, FIRST_BYTE_TIMEOUT, IDLE_TIMEOUT, TOTAL_TIMEOUT ->
              Reason.ORIGIN_TIMEOUT;
          case CLOSED_BEFORE_RESPONSE, INVALID_RESPONSE, TRUNCATED -> Reason.ORIGIN_BROKEN;
          default -> Reason.ORIGIN_UNREACHABLE;
        };
    return refuse(failure.kind().isTimeout() ? 504 : 502, failure.detail(), why);
  }

  private Step refuse(Decision.Refuse refused) {
    return refuse(refused.status(), refused.reason().explanation(), refused.reason());
  }

  private Step refuse(int status, String text, Reason why) {
    body.cancel();
    int bodyBytes =
        ErrorPage.send(
            sink,
            status,
            text,
            snapshot.cacheStatus().forwarded(why, CacheStatus.NO_STATUS, false, false, null),
            isHead,
            loop.nowMillis());
    isHeadSent = true;
    record.bodyBytes(bodyBytes);
    record.head(status, CacheResult.REFUSED, why);
    over();
    return Step.AWAIT;
  }

  @Override
  public void onDelivered() {
    noteDelivered();
    leaveFill();
    over();
  }

  @Override
  public void onBrokenOff(AbortCause cause) {
    noteDelivered();
    leaveFill();
    loop.counters().responsesAborted++;
    record.aborted(cause.name());
    over();
  }

  @Override
  public void onTransitDone(long bodyBytes) {
    record.bodyBytes(deliveredBytes + bodyBytes);
    over();
  }

  @Override
  public void onTransitBroken(OriginFailure failure, long bodyBytes) {
    record.bodyBytes(deliveredBytes + bodyBytes);
    record.aborted(failure.kind().name());
    loop.counters().responsesAborted++;
    over();
  }

  @Override
  public void onTransitUnseen(OriginFailure failure) {
    transit = null;
    passCall = null;
    isHeadSent = false;
    run(insteadOf(failure));
  }

  @Override
  public void onWritable() {
    if (transit != null) {
      transit.onWritable();
    } else if (delivery != null) {
      delivery.onProgress();
    }
  }

  @Override
  public void onClosed() {
    if (isOver) {
      return;
    }
    loop.counters().clientAborts++;
    record.aborted("CLIENT_GONE");
    leave();
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
    leave();
  }

  /** There is no client any more; whatever goes on for it alone ends. */
  private void leave() {
    if (delivery != null) {
      noteDelivered();
      delivery.onClientGone();
    }
    if (transit != null) {
      record.bodyBytes(deliveredBytes + transit.bodyBytes());
      transit.onClientGone();
    } else if (passCall != null) {
      passCall.cancel();
    }
    leaveFill();
    over();
  }

  private void noteDelivered() {
    Delivery current = delivery;
    if (current != null) {
      record.bodyBytes(current.sentBytes());
    }
  }

  private void over() {
    if (!isOver) {
      isOver = true;
      record.finish();
    }
  }
}
