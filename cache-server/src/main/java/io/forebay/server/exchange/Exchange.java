package io.forebay.server.exchange;

import io.forebay.core.http.QueryRequest;
import io.forebay.core.http.RequestView;
import io.forebay.core.key.CanonicalRequest;
import io.forebay.core.policy.Decider;
import io.forebay.core.policy.Decision;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.counters.AbortLabel;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.deliver.BodyBytes;
import io.forebay.server.deliver.Delivery;
import io.forebay.server.deliver.ResponseBody;
import io.forebay.server.fill.history.FillKey;
import io.forebay.server.http.AbortCause;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.RequestBody;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.origin.OriginFailure;
import io.forebay.server.runtime.RuntimeConfig;
import io.forebay.storage.object.StoredHead;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request in flight, the same for every protocol: a table of named steps, each of which returns
 * the next one. It knows the request, its key and what was found out on the way, and so decides;
 * what is decided others do, and report back with the step that follows.
 *
 * <pre>
 *   ADMIT ─► LOOK_UP ─► StoredResponseSender ─► AWAIT
 *     │         │           └─► PartialBody ─► LOOK_UP again | FETCH
 *     │         ├─► FETCH: FillFollower ─► StoredResponseSender | LOOK_UP again | PASS
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
  final ExchangeContext loop;
  final RuntimeConfig snapshot;
  final ResponseSink sink;
  final ClientInfo client;
  final RequestRecord record;
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

  /** Made where the origin has to be asked. */
  private @Nullable FetchCoordinator fetching;

  /** Made where there is no hit. */
  private @Nullable ClientPermits share;

  /** Made where bytes of the body may have to be had elsewhere. */
  private @Nullable BodyFallback sources;

  // How far the response has come.
  private @Nullable ResponseBody sending;

  /** Body bytes sent before {@link #sending} took over. */
  private long sentBefore;

  private boolean isHeadSent;
  private boolean isOver;

  Exchange(
      ExchangeContext loop,
      RuntimeConfig snapshot,
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
    this.record = new RequestRecord(loop, request, client, loop.nowMillis());
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
      return LocalReplies.refuse(
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
      case Decision.Refuse refused -> LocalReplies.refuse(this, refused);
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

  boolean mayLookUpAgain() {
    return rounds < ROUNDS;
  }

  Step lookUpSoon() {
    // Whoever holds the index up may have lost its CPU: the rounds together last long enough for it
    // to get one again.
    loop.eventLoop()
        .schedule(() -> run(Step.LOOK_UP), BUSY_RETRY_MICROS << rounds, TimeUnit.MICROSECONDS);
    return Step.AWAIT;
  }

  /** Waits until what was found is in memory, or can't be had. */
  private Step lookUpLoaded() {
    Runnable again = () -> loop.eventLoop().execute(() -> run(Step.LOOK_UP));
    if (loop.lane().load(again)) {
      return Step.AWAIT;
    }
    return fetching().mayFetchRefused() ? decideWithout(false) : fetching().refuseLoad();
  }

  // --- decide -----------------------------------------------------------------------------------

  private Step decideWithout(boolean hasOtherVariants) {
    OriginFailure failure = originFailure();
    if (failure != null) {
      return LocalReplies.refuse(this, failure);
    }
    return switch (Decider.decide(request, route(), null, false, loop.nowMillis())) {
      case Decision.Refuse refused -> LocalReplies.refuse(this, refused);
      case Decision.Pass pass -> passBecause(pass.reason());
      case Decision decision -> {
        if (!isIncomplete()) {
          reason = hasOtherVariants ? Reason.MISS_VARY : decision.reason();
        }
        yield Step.FETCH;
      }
    };
  }

  /** The head is pinned; every path below gives the pin back or passes it on. */
  private Step decideWith(StoredHead head, StoredMeta meta) {
    long now = loop.nowMillis();
    FetchCoordinator begun = fetching;
    if (begun != null) {
      CacheResult result = begun.results().resultOf(head, meta, this, arrivalPurgeSequence, now);
      if (result != null) {
        return serve(head, meta, result, reason, now);
      }
    }
    OriginFailure failure = originFailure();
    if (failure != null && mayServeStaleOnError()) {
      loop.counters().staleServed++;
      return serve(head, meta, CacheResult.STALE, Reason.HIT_STALE_IF_ERROR, now);
    }
    Decision decision = Decider.decide(request, route(), meta, head.softPurged(), now);
    if (decision instanceof Decision.Serve serve) {
      if (serve.reason() == Reason.HIT_FRESH) {
        boolean isRefreshed =
            Decider.isEarlyRefreshDue(request, meta, route(), now, loop.random())
                && FillStarter.inBackground(this, head, meta) == FillStarter.Refreshing.BEGUN;
        Reason why = isRefreshed ? Reason.HIT_EARLY_REFRESH : Reason.HIT_FRESH;
        return serve(head, meta, CacheResult.HIT, why, now);
      }
      boolean isHeldBack =
          serve.isRefreshDue()
              && FillStarter.inBackground(this, head, meta) == FillStarter.Refreshing.HELD_BACK;
      Reason why = isHeldBack ? Reason.HIT_STALE_REFRESH_FAILED : serve.reason();
      loop.counters().staleServed++;
      return serve(head, meta, CacheResult.STALE, why, now);
    }
    if (decision instanceof Decision.Revalidate || decision instanceof Decision.Fetch) {
      reason = decision.reason();
      fetching().decided(head, meta, decision instanceof Decision.Revalidate, now);
    }
    loop.lane().unpin(head.region());
    if (failure != null) {
      return LocalReplies.refuse(this, failure);
    }
    return switch (decision) {
      case Decision.Pass pass -> passBecause(pass.reason());
      case Decision.Refuse refused -> LocalReplies.refuse(this, refused);
      default -> Step.FETCH;
    };
  }

  private Step serve(StoredHead head, StoredMeta meta, CacheResult result, Reason why, long now) {
    return switch (StoredResponseSender.send(this, head, meta, result, why, now)) {
      case BEGUN, AWAITED -> Step.AWAIT;
      case BUSY -> lookUpSoon();
      case INCOMPLETE -> onPartsRefused();
      case UNKEPT -> {
        leaveParts();
        loop.counters().bodiesNotKept++;
        yield passBecause(Reason.PASS_NOT_KEPT);
      }
      case REFUSED -> {
        leaveParts();
        yield fetching().mayFetchRefused() ? onPartsRefused() : fetching().refuseLoad();
      }
    };
  }

  /** Where else bytes of the body may be had; null where nobody has asked yet. */
  @Nullable BodyFallback sourcesIfAny() {
    return sources;
  }

  /** The same, for whoever asks. */
  BodyFallback sources() {
    BodyFallback known = sources;
    if (known == null) {
      known = new BodyFallback(this);
      sources = known;
    }
    return known;
  }

  private void leaveParts() {
    if (sources != null) {
      sources.leaveParts();
    }
  }

  /** What the stored object lacks can't be had by itself: it is fetched whole. */
  Step onPartsRefused() {
    leaveParts();
    fetching().isIncomplete(true);
    reason = Reason.MISS_PARTIAL;
    OriginFailure failure = originFailure();
    return failure == null ? Step.FETCH : LocalReplies.refuse(this, failure);
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
    return share().mayWait()
        ? fetching().fetch()
        : fetching().refuseClient(LimitKey.WAITING_PER_CLIENT);
  }

  /** What this exchange has of the places of its client. */
  ClientPermits share() {
    ClientPermits known = share;
    if (known == null) {
      known = new ClientPermits(this);
      share = known;
    }
    return known;
  }

  /** What the origin is asked for. */
  FetchCoordinator fetching() {
    FetchCoordinator begun = fetching;
    if (begun == null) {
      begun = new FetchCoordinator(this);
      fetching = begun;
    }
    return begun;
  }

  /** Whether what the stored object lacks could not be had by itself. */
  boolean isIncomplete() {
    return fetching != null && fetching.isIncomplete();
  }

  private boolean mayServeStaleOnError() {
    return fetching != null && fetching.mayServeStaleOnError();
  }

  private @Nullable OriginFailure originFailure() {
    return fetching == null ? null : fetching.results().originFailure();
  }

  /** Whether what a question with validators was answered could not be used. */
  boolean isPlainFetchNeeded() {
    return fetching != null && fetching.results().isPlainFetchNeeded();
  }

  /** Whether it waited for, or read from, somebody else's fill at any time. */
  boolean hasJoined() {
    return fetching != null && fetching.hasJoined();
  }

  /** The next fetch is for that reason. */
  Step fetchBecause(Reason why) {
    reason = why;
    return Step.FETCH;
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
    run(fetching().onOriginFailed(failure));
  }

  /** From now on that body is on its way; what another had sent before stays counted. */
  void sends(ResponseBody next) {
    if (sending != null) {
      sentBefore += sending.sentBytes();
    }
    sending = next;
  }

  @Override
  public @Nullable BodyBytes elsewhere(long from, long to) {
    return sources == null ? null : sources.elsewhere(to);
  }

  @Override
  public boolean onBytesLost(long from, long to) {
    boolean isGoneOnWith = sources != null && sources.fetchRest(from, to);
    if (isGoneOnWith || isBegunAnew()) {
      return true;
    }
    loop.counters().restsLost++;
    return false;
  }

  /** If the transport has seen nothing of the response yet, what was found is a miss (I9). */
  private boolean isBegunAnew() {
    if (sending == null || sentBefore + sending.sentBytes() > 0 || !sink.retractHead()) {
      return false;
    }
    onHeadTakenBack();
    leaveParts();
    fetching().takenBack();
    fetching().isIncomplete(true);
    reason = Reason.MISS_PARTIAL;
    loop.eventLoop().execute(() -> run(Step.LOOK_UP));
    return true;
  }

  @Override
  public boolean onLoadRefused(long from, long to) {
    return sources != null && fetching().mayFetchRefused() && sources.fetchRefused(from, to);
  }

  @Override
  public AbortCause causeOfLoss() {
    return sources == null ? AbortCause.STORAGE_LOST : sources.causeOfLoss();
  }

  /** No fill is followed any more; what is being sent goes on without. */
  void leaveFill() {
    if (fetching != null) {
      fetching.leave();
    }
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
    countAborted(why);
    record.aborted(why);
    over();
  }

  private void countAborted(String why) {
    AbortLabel cause = AbortLabel.of(why);
    loop.counters().countAborted(cause);
    if (cause.isOurs()) {
      loop.failures().aborted(record.requestId(), request, why);
    }
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
    endWithoutClient();
  }

  @Override
  public void onRefused(int status, String detail) {
    if (isOver) {
      return;
    }
    if (isHeadSent) {
      countAborted("REQUEST_REFUSED");
      record.aborted("REQUEST_REFUSED");
    } else {
      record.refused(status, detail);
    }
    endWithoutClient();
  }

  /** There is no client any more; whatever goes on for it alone ends. */
  private void endWithoutClient() {
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
    leaveFill();
    if (fetching != null) {
      fetching.endRefusedLoad();
    }
    leaveParts();
    if (share != null) {
      share.ends();
    }
    if (!isOver) {
      isOver = true;
      if (content != null) {
        content = null;
        loop.fills().endContent();
      }
      record.finish();
    }
  }
}
