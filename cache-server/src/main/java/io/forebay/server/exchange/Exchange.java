package io.forebay.server.exchange;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.http.QueryRequest;
import io.forebay.core.http.RequestView;
import io.forebay.core.policy.BodyRemainder;
import io.forebay.core.policy.Decider;
import io.forebay.core.policy.Decision;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.cluster.member.Fence;
import io.forebay.server.compress.DictionarySettings;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.deliver.BodyBytes;
import io.forebay.server.deliver.DiskReads;
import io.forebay.server.fill.PartialObject;
import io.forebay.server.http.AbortCause;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.page.StatusPage;
import io.forebay.storage.disk.DiskWaiter;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.transit.TransitBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request in flight, the same for every protocol: a table of named steps, each of which returns
 * the next one. It holds the {@link ClientRequest}, its key and what the steps found, and makes the
 * decisions. Other classes execute them and tell the next step through its {@link Continuation}.
 *
 * <pre>
 *   ADMIT ─► Admission ─► AWAIT
 *     ▼
 *   ADMITTED ─► LOOK_UP ─► StoredResponseSender ─► AWAIT
 *     │         │           └─► PartialBody ─► LOOK_UP again | FETCH
 *     │         ├─► FETCH: FillFollower ─► StoredResponseSender | LOOK_UP again | PASS
 *     ├─────────┴─► PASS: PassThrough ─► PassThroughBody
 *     └─► LocalReplies
 * </pre>
 *
 * <p>How far the response has come is the {@link ClientResponse}'s. A hit makes none of the helpers
 * that only a miss needs.
 *
 * <p>Owner: the loop of the client's connection; fills, bodies and origins call back on it.
 */
final class Exchange extends ClientResponse
    implements Continuation, StoredResponseSender.Owner, BodyFallback.Fetches {

  /** Limit of repeated lookups: an exchange that keeps losing races goes to the origin alone. */
  private static final int ROUNDS = 8;

  /** Doubled with each round: 50 ms over all of them. */
  private static final long BUSY_RETRY_MICROS = 100;

  private final ExchangeContext loop;
  private final Lookup lookup;
  private final CopyLookup copies;
  private final StoredResponseSender responses;
  private final ClientRequest request;

  private byte rounds;

  /** Made where the origin has to be asked. */
  private @Nullable FetchCoordinator fetching;

  private @Nullable RecoveryPlace recovery;

  /** Made where there is no hit. */
  private @Nullable ClientPermits permits;

  /** Created if bytes of the body may have to come from elsewhere. */
  private @Nullable BodyFallback fallback;

  /** Made when the body is read from a disk. */
  private @Nullable DiskReads diskReads;

  /** Whether a head was read from a disk: what else has to be found there comes into memory. */
  private boolean hasReadHead;

  /** Whether what is sent is a coded copy of what was looked up. */
  private boolean isCopy;

  /** Made where another node asks and this one fetches. */
  private @Nullable FetchProgressSignal progress;

  /** Whether the node may not know all purges: nothing stored is used without validation. */
  private boolean isFenced;

  Exchange(
      ExchangeContext loop,
      Lookup lookup,
      CopyLookup copies,
      StoredResponseSender responses,
      ClientRequest request,
      ResponseSink sink,
      RequestRecord record) {
    super(sink, record);
    this.loop = loop;
    this.lookup = lookup;
    this.copies = copies;
    this.responses = responses;
    this.request = request;
  }

  void start() {
    sink().listener(this);
    run(Step.ADMIT);
  }

  @Override
  public void run(Step first) {
    Step step = first;
    while (step != Step.AWAIT && !isOver()) {
      step =
          switch (step) {
            case ADMIT -> admit();
            case ADMITTED -> admitted();
            case LOOK_UP -> lookUp();
            case FETCH -> fetch();
            case PASS -> pass();
            case AWAIT -> Step.AWAIT;
          };
    }
  }

  // --- admit ------------------------------------------------------------------------------------

  private Step admit() {
    if (request.isFromPeer()) {
      return admitPeer();
    }
    Step validated = ChallengeResponder.answer(loop, request, this);
    if (validated != null) {
      return validated;
    }
    LoopDetection.Verdict looped = LoopDetection.judge(request.view(), request.config());
    if (looped != null) {
      return refuse(looped.status(), looped.text(), looped.reason(), looped.error());
    }
    Step purged = PurgeResponder.answer(loop, request, this, this);
    if (purged != null) {
      return purged;
    }
    RequestView view = request.view();
    Route route = request.config().routes().match(view.authority(), view.path());
    if (route == null) {
      return refuse(
          404,
          "no route serves " + view.authority() + view.path(),
          Reason.REFUSED_NO_ROUTE,
          ProxyError.DESTINATION_NOT_FOUND);
    }
    request.route(route);
    record().routed();
    RuleResponder.applyPresets(loop, request);
    Step bounded = RequestBounds.apply(loop, request, this, this);
    if (bounded != null) {
      return bounded;
    }
    Step redirected = HttpsRedirect.answer(loop, request, this);
    if (redirected != null) {
      return redirected;
    }
    Step allowed = PreflightResponder.answer(loop, request, this);
    if (allowed != null) {
      return allowed;
    }
    return Admission.judge(loop, request, this, this);
  }

  /**
   * Another node has admitted the request: its protection, redirects and bounds are that node's.
   * What is left is what determines the key and what the origin is asked.
   */
  private Step admitPeer() {
    LoopDetection.Verdict looped = LoopDetection.judge(request.view(), request.config());
    if (looped != null) {
      return refuse(looped.status(), looped.text(), looped.reason(), looped.error());
    }
    Route route =
        request.config().routes().match(request.view().authority(), request.view().path());
    if (route == null) {
      return decline();
    }
    request.route(route);
    record().routed();
    boolean isStorable =
        RuleResponder.admits(loop, request)
            && Decider.decideBeforeLookup(request.view(), request.route()) == null
            && PeerRequestHandler.isSameKey(loop.filling(), request);
    return isStorable ? Step.LOOK_UP : decline();
  }

  /** The other node asks the origin itself. */
  private Step decline() {
    return refuse(
        421,
        Reason.REFUSED_NODE.explanation(),
        Reason.REFUSED_NODE,
        ProxyError.HTTP_REQUEST_DENIED);
  }

  /** The protection of the route has nothing against the request. */
  private Step admitted() {
    Step ruled = RuleResponder.answer(loop, request, this, this);
    if (ruled != null) {
      return ruled;
    }
    if (PassThrough.lacksTunnel(request, sink())) {
      return refuse(
          501,
          "this protocol is not forwarded here",
          Reason.REFUSED_UPGRADE,
          ProxyError.HTTP_REQUEST_DENIED);
    }
    return switch (Decider.decideBeforeLookup(request.view(), request.route())) {
      case null -> {
        if (QueryRequest.isQuery(request.view())) {
          yield QueryContent.read(loop.fills(), request, this, this);
        }
        request.body().cancel();
        yield Step.LOOK_UP;
      }
      case Decision.Refuse decided -> refuse(decided);
      case Decision decision -> passBecause(RuleResponder.passing(request, decision.reason()));
    };
  }

  // --- look up ----------------------------------------------------------------------------------

  private Step lookUp() {
    if (++rounds > ROUNDS) {
      return passBecause(Reason.PASS_STORE_BUSY);
    }
    Fence fence = loop.fence();
    isFenced = fence != null && fence.isPast(System.nanoTime());
    if (fence != null && isFenced && fence.isRefusing()) {
      return refuse(
          503,
          Reason.REFUSED_CUT_OFF.explanation(),
          Reason.REFUSED_CUT_OFF,
          ProxyError.PROXY_INTERNAL_RESPONSE);
    }
    request.looksUp();
    return switch (lookup.find(request)) {
      case OBJECT -> decideWith(loop.lane().head(), loop.meta());
      case NOTHING -> decideWithout(false);
      case OTHER_VARIANTS -> decideWithout(true);
      case BUSY -> lookUpSoon();
      case ON_DISK -> lookUpLoaded();
      case KEY_TOO_LONG -> passBecause(Reason.PASS_KEY_TOO_LONG);
    };
  }

  @Override
  public boolean mayLookUpAgain() {
    return rounds < ROUNDS;
  }

  @Override
  public Step lookUpSoon() {
    // The thread that locks the index may have been descheduled: the rounds together last long
    // enough for it to run again.
    loop.eventLoop().schedule(this::onLoaded, BUSY_RETRY_MICROS << rounds, TimeUnit.MICROSECONDS);
    return Step.AWAIT;
  }

  @Override
  public Step lookUpIn(long millis) {
    // It has lost no race.
    rounds--;
    loop.eventLoop().schedule(this::onLoaded, millis, TimeUnit.MILLISECONDS);
    return Step.AWAIT;
  }

  /** Waits until the found object has been read, or is in memory, or cannot be had. */
  private Step lookUpLoaded() {
    DiskWaiter waiter =
        hasReadHead
            ? DiskWaiter.inMemory(() -> loop.eventLoop().execute(this::onLoaded))
            : new HeadWaiter();
    hasReadHead = true;
    return queueRead(waiter)
        ? Step.AWAIT
        : fetching().mayFetchRefused() ? decideWithout(false) : fetching().refuseLoad();
  }

  /** Asks for what was found on a disk; false if that does not accept it. */
  private boolean queueRead(DiskWaiter waiter) {
    if (!loop.lane().queueRead(waiter)) {
      return false;
    }
    loop.leases().startReads(loop.eventLoop());
    readFromDisk();
    return true;
  }

  private void readFromDisk() {
    DebugFields debug = request.debug();
    if (debug != null) {
      debug.fromDisk();
    }
  }

  /** Looks up again, also in what was read; this is held until then. */
  private void onHeadRead(@Nullable TransitBuffer read) {
    request.headRead(read);
    try {
      onLoaded();
    } finally {
      request.headRead(null);
      if (read != null) {
        read.release();
      }
    }
  }

  /** Waits for a head that is read from a disk. */
  private final class HeadWaiter implements DiskWaiter {
    @Override
    public boolean needsMemory() {
      return false;
    }

    @Override
    public void onRead(@Nullable TransitBuffer read) {
      loop.eventLoop().execute(() -> onHeadRead(read));
    }
  }

  // --- decide -----------------------------------------------------------------------------------

  private Step decideWithout(boolean hasOtherVariants) {
    OriginFailure failure = originFailure();
    if (failure != null) {
      return refuse(failure);
    }
    return switch (Decider.decide(request.view(), request.route(), null, false, loop.nowMillis())) {
      case Decision.Refuse refused -> refuse(refused);
      case Decision.Pass pass -> passBecause(pass.reason());
      case Decision decision -> {
        if (!isIncomplete()) {
          request.reason(hasOtherVariants ? Reason.MISS_VARY : decision.reason());
        }
        if (isFenced) {
          fetching().fence();
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
      CacheResult result = begun.results().resultOf(head, meta, request, now);
      if (result != null) {
        return serve(head, meta, result, request.reason(), now);
      }
    }
    OriginFailure failure = originFailure();
    // To another node a soft purge must not look as if it had not been: it stores what it gets.
    boolean isHidden = request.isFromPeer() && head.softPurged();
    if (failure != null && mayServeStaleOnError() && !isHidden) {
      loop.counters().staleServed++;
      return serve(head, meta, CacheResult.STALE, Reason.HIT_STALE_IF_ERROR, now);
    }
    boolean isUnproven = isFenced && (begun == null || !begun.isProven(head));
    Decision decision =
        (isUnproven || isHidden) && !meta.isVaryMarker()
            ? Decider.decideFenced(request.view(), request.route(), meta, now)
            : Decider.decide(request.view(), request.route(), meta, head.softPurged(), now);
    if (decision instanceof Decision.Serve serve) {
      if (serve.reason() == Reason.HIT_FRESH) {
        boolean isRefreshed =
            Decider.isEarlyRefreshDue(request.view(), meta, request.route(), now, loop.random())
                && refresh(head, meta) == FillStarter.Refreshing.BEGUN;
        Reason why = isRefreshed ? Reason.HIT_EARLY_REFRESH : Reason.HIT_FRESH;
        return serve(head, meta, CacheResult.HIT, why, now);
      }
      boolean isHeldBack =
          serve.isRefreshDue() && refresh(head, meta) == FillStarter.Refreshing.HELD_BACK;
      Reason why = isHeldBack ? Reason.HIT_STALE_REFRESH_FAILED : serve.reason();
      loop.counters().staleServed++;
      return serve(head, meta, CacheResult.STALE, why, now);
    }
    if (decision instanceof Decision.Revalidate || decision instanceof Decision.Fetch) {
      request.reason(decision.reason());
      fetching().decided(head, meta, decision instanceof Decision.Revalidate, now);
      if (isFenced) {
        fetching().fence();
      }
    }
    loop.lane().unpin(head);
    if (failure != null) {
      return refuse(failure);
    }
    return switch (decision) {
      case Decision.Pass pass -> passBecause(pass.reason());
      case Decision.Refuse refused -> refuse(refused);
      default -> Step.FETCH;
    };
  }

  private FillStarter.Refreshing refresh(StoredHead head, StoredMeta meta) {
    FillStarter.Refreshing hindrance = FillStarter.hindrance(loop, request);
    return hindrance == null
        ? FillStarter.inBackground(loop.filling(), request, permits(), head, meta)
        : hindrance;
  }

  private Step serve(StoredHead head, StoredMeta meta, CacheResult result, Reason why, long now) {
    StatusPage page = OriginErrorPage.of(request, meta.status());
    if (page != null) {
      String member = responses.cacheStatus(request, this, meta, result, why, now);
      OriginErrorPage.sendStored(loop, request, this, page, head, meta, member, result, why);
      return Step.AWAIT;
    }
    isCopy = false;
    record().coding(null);
    if (request.esi() != null) {
      request.found(meta.status(), responses.fields(head, meta));
    }
    if (meta.isCompressible() && !request.isPage()) {
      switch (copies.find(request, head)) {
        case COPY -> isCopy = true;
        case SOURCE -> {
          return send(copies.source(), meta, result, why, now);
        }
        case ON_DISK -> {
          return readCopy(copies.takeSource());
        }
        case AGAIN -> {
          return lookUpSoon();
        }
      }
    }
    // The lane's head, and its meta, are those of the copy by now if there is one.
    return send(head, meta, result, why, now);
  }

  private Step send(StoredHead head, StoredMeta meta, CacheResult result, Reason why, long now) {
    if (isCopy) {
      // A small body is sent, and logged, at once.
      record().coding(copies.token());
    }
    StoredResponseSender.Sent sent =
        responses.send(request, this, this, head, meta, result, why, now);
    if (isCopy) {
      switch (sent) {
        case BEGUN -> (copies.isDelta() ? loop.counters().deltas : loop.counters().copies).served++;
        case INCOMPLETE -> {
          copies.forget();
          return serveIdentity();
        }
        case HELD_BACK, UNKEPT, REFUSED -> {
          return serveIdentity();
        }
        case AWAITED, BUSY -> {}
      }
    }
    return switch (sent) {
      case BEGUN -> Step.AWAIT;
      case AWAITED -> {
        readFromDisk();
        yield Step.AWAIT;
      }
      case BUSY -> lookUpSoon();
      case INCOMPLETE -> onPartsRefused();
      case HELD_BACK -> {
        RecoveryPlace place = recoveryPlace();
        yield place.mayWait() ? lookUpIn(RecoveryPlace.WAIT_MILLIS) : refuse(place.refuse());
      }
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

  /** The copy can't be sent, so what it was made of is. */
  private Step serveIdentity() {
    isCopy = false;
    record().coding(null);
    request.identityOnly();
    return Step.LOOK_UP;
  }

  /**
   * Waits until the copy has been read from its disk; what was read of its source is held
   * meanwhile.
   */
  private Step readCopy(@Nullable TransitBuffer ofSource) {
    if (queueRead(new CopyWaiter(ofSource))) {
      return Step.AWAIT;
    }
    if (ofSource != null) {
      ofSource.release();
    }
    return serveIdentity();
  }

  /** Waits for a copy that is read from a disk. */
  private final class CopyWaiter implements DiskWaiter {
    private final @Nullable TransitBuffer ofSource;

    CopyWaiter(@Nullable TransitBuffer ofSource) {
      this.ofSource = ofSource;
    }

    @Override
    public boolean needsMemory() {
      return false;
    }

    @Override
    public void onRead(@Nullable TransitBuffer read) {
      loop.eventLoop()
          .execute(() -> {
            request.copyRead(read);
            try {
              onHeadRead(ofSource);
            } finally {
              request.copyRead(null);
              if (read != null) {
                read.release();
              }
            }
          });
    }
  }

  @Override
  public void onLoaded() {
    run(Step.LOOK_UP);
  }

  // --- other sources of the body ----------------------------------------------------------------

  @Override
  public @Nullable DiskReads diskReadsIfAny() {
    return diskReads;
  }

  @Override
  public DiskReads diskReads() {
    DiskReads known = diskReads;
    if (known == null) {
      known = new DiskReads(loop.lane(), loop.eventLoop(), loop.leases());
      diskReads = known;
    }
    return known;
  }

  @Override
  public @Nullable BodyFallback fallbackIfAny() {
    return fallback;
  }

  @Override
  public BodyFallback fallback() {
    BodyFallback known = fallback;
    if (known == null) {
      known = new BodyFallback(loop.filling(), this, this);
      fallback = known;
    }
    return known;
  }

  @Override
  public PartialBody slices(
      long objectId,
      int sliceBytes,
      BodyRemainder validator,
      List<Satisfiable> wanted,
      boolean isRest) {
    PartialObject object =
        new PartialObject(
            request.keyHi(),
            request.keyLo(),
            objectId,
            sliceBytes,
            validator,
            FillStarter.storageClass(loop.filling(), request));
    return new PartialBody(
        loop.filling(),
        request,
        this,
        permits(),
        recoveryPlace(),
        this,
        object,
        this,
        wanted,
        isRest);
  }

  @Override
  public void sendRest(BodyRemainder rest, long from, long to) {
    new RemainderFetch(loop, request, this, rest, from, to).start();
  }

  /** No fill is followed any more; what is being sent goes on without. */
  @Override
  public void leaveFill() {
    if (fetching != null) {
      fetching.leave();
    }
  }

  private void leaveParts() {
    if (fallback != null) {
      fallback.leaveParts();
    }
  }

  @Override
  public Step onPartsRefused() {
    leaveParts();
    fetching().isIncomplete(true);
    request.reason(Reason.MISS_PARTIAL);
    OriginFailure failure = originFailure();
    return failure == null ? Step.FETCH : refuse(failure);
  }

  @Override
  public Step passBecause(Reason why) {
    request.reason(why);
    return Step.PASS;
  }

  private Step pass() {
    if (request.isFromPeer()) {
      return decline();
    }
    Step holding = HeldBody.hold(loop, request, this, this);
    return holding != null
        ? holding
        : PassThrough.begin(loop, request, this, lookup, permits(), this);
  }

  // --- fetch ------------------------------------------------------------------------------------

  private Step fetch() {
    if (request.isHead()) {
      return passBecause(Reason.PASS_HEAD);
    }
    if (request.isFromPeer() && progress == null) {
      progress = new FetchProgressSignal(loop.eventLoop(), this);
    }
    return permits().mayWait()
        ? fetching().fetch()
        : fetching().refuseClient(LimitKey.WAITING_PER_CLIENT);
  }

  /** What this exchange has of the places of its client. */
  private ClientPermits permits() {
    ClientPermits known = permits;
    if (known == null) {
      known = new ClientPermits(loop.clients(), loop.gatekeeper(), loop.counters(), request);
      permits = known;
    }
    return known;
  }

  /** What this exchange has of the places for fetches while the index is rebuilt. */
  private RecoveryPlace recoveryPlace() {
    RecoveryPlace known = recovery;
    if (known == null) {
      known = new RecoveryPlace(loop.fills().recovery(), loop.store(), loop.counters());
      recovery = known;
    }
    return known;
  }

  /** What the origin is asked for. */
  private FetchCoordinator fetching() {
    FetchCoordinator begun = fetching;
    if (begun == null) {
      FillReader reader = new FillReader(loop.filling(), responses, request, this, fallback());
      begun =
          new FetchCoordinator(
              loop, lookup, request, this, permits(), reader, recoveryPlace(), this);
      fetching = begun;
    }
    return begun;
  }

  @Override
  public boolean isIncomplete() {
    return fetching != null && fetching.isIncomplete();
  }

  private boolean mayServeStaleOnError() {
    return fetching != null && fetching.mayServeStaleOnError();
  }

  private @Nullable OriginFailure originFailure() {
    return fetching == null ? null : fetching.results().originFailure();
  }

  @Override
  public boolean hasJoined() {
    return fetching != null && fetching.hasJoined();
  }

  @Override
  public Step fetchBecause(Reason why) {
    request.reason(why);
    return Step.FETCH;
  }

  @Override
  public Step onOriginFailed(OriginFailure failure) {
    return fetching().onOriginFailed(failure);
  }

  // --- the response -----------------------------------------------------------------------------

  @Override
  public void onBodyUnseen(OriginFailure failure) {
    onHeadTakenBack();
    run(fetching().onOriginFailed(failure));
  }

  @Override
  public @Nullable BodyBytes elsewhere(long from, long to) {
    return fallback == null ? null : fallback.elsewhere(to);
  }

  @Override
  public boolean onBytesLost(long from, long to) {
    boolean isGoneOnWith = fallback != null && fallback.fetchRest(from, to);
    if (isGoneOnWith || isBegunAnew()) {
      return true;
    }
    loop.counters().remaindersLost++;
    return false;
  }

  /** If the transport has seen nothing of the response yet, what was found is a miss (I9). */
  private boolean isBegunAnew() {
    if (!takeBackUnsent()) {
      return false;
    }
    leaveParts();
    if (isCopy) {
      Step again = serveIdentity();
      loop.eventLoop().execute(() -> run(again));
      return true;
    }
    fetching().takenBack();
    fetching().isIncomplete(true);
    request.reason(Reason.MISS_PARTIAL);
    loop.eventLoop().execute(this::onLoaded);
    return true;
  }

  @Override
  public boolean onLoadRefused(long from, long to) {
    return fallback != null && fetching().mayFetchRefused() && fallback.fetchRefused(from, to);
  }

  @Override
  public AbortCause causeOfLoss() {
    return fallback == null ? AbortCause.STORAGE_LOST : fallback.causeOfLoss();
  }

  private Step refuse(Decision.Refuse refused) {
    LocalReplies.refuse(loop, request, this, refused);
    return Step.AWAIT;
  }

  @Override
  public Step refuse(OriginFailure failure) {
    LocalReplies.refuse(loop, request, this, failure);
    return Step.AWAIT;
  }

  @Override
  public Step refuse(int status, String text, Reason why, ProxyError error) {
    LocalReplies.refuse(loop, request, this, status, text, why, error);
    return Step.AWAIT;
  }

  /** What was just stored may be a dictionary for the next requests. */
  private void learnDictionary() {
    Route route = request.routeIfAny();
    DictionarySettings settings =
        fetching == null || route == null ? null : request.config().dictionary(route);
    if (settings != null && request.view().scheme().equals("https") && request.hasParts()) {
      RequestView question = request.question();
      loop.eventLoop().execute(() -> copies.learnStored(question, request.route(), settings));
    }
  }

  @Override
  void release() {
    learnDictionary();
    request.unbounded();
    leaveFill();
    if (fetching != null) {
      fetching.endRefusedLoad();
    }
    if (recovery != null) {
      recovery.end();
    }
    leaveParts();
    if (diskReads != null) {
      diskReads.end();
    }
    if (permits != null) {
      permits.ends();
    }
    if (progress != null) {
      progress.end();
    }
    if (request.body() instanceof HeldBody held) {
      held.release();
    }
    if (!isOver() && request.hasHeldContent()) {
      loop.fills().endContent();
    }
  }
}
