package io.forebay.server.exchange;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.http.KnownField;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.policy.Decider;
import io.forebay.core.policy.RangeFetch;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.Sharing;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.fill.Fill;
import io.forebay.server.fill.SliceFill;
import io.forebay.server.fill.history.FillKey;
import io.forebay.server.fill.history.HitForMiss;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.storage.object.StoredHead;
import org.jspecify.annotations.Nullable;

/**
 * Coordinates the fetches of an exchange that the store alone cannot answer: selects how the origin
 * is asked, separately or shared with other requests, and what follows from the response. Created
 * on first use, so not for a hit.
 *
 * <p>Owner: the loop of the exchange.
 */
final class FetchCoordinator {

  private final ExchangeContext loop;
  private final Lookup lookup;
  private final ClientRequest request;
  private final ClientResponse response;
  private final RequestRecord record;
  private final ClientPermits permits;
  private final Continuation exchange;
  private final RecoveryPlace recovery;
  private final FillFollower follower;
  private final FetchOutcome results = new FetchOutcome();

  /** What the next fetch may try to confirm instead of fetching it whole. */
  private @Nullable RevalidationCandidate stale;

  /** What the client is told if it has to wait for the origin, once. */
  private @Nullable StoredEarlyHints hints;

  /** What the origin sends can't be shared: it is asked for this exchange alone. */
  private boolean isAlone;

  /** A slice of the stored object is gone, so the object only counts as a miss (I9). */
  private boolean isIncomplete;

  private boolean mayServeStaleOnError;

  /** The node may not know all purges. */
  private boolean isFenced;

  /**
   * A number of the store's sequence from after this request came, where the node is fenced: what
   * is born later was asked for later.
   */
  private long fencedSince = Long.MIN_VALUE;

  /** One of the places for fetches of what a disk refuses to load is taken. */
  private boolean holdsRefusedLoad;

  /**
   * Nothing has been asked for.
   *
   * @param reader sends the response that fills bring
   * @param recovery of the exchange, which also gives it back
   */
  FetchCoordinator(
      ExchangeContext loop,
      Lookup lookup,
      ClientRequest request,
      ClientResponse response,
      ClientPermits permits,
      FillReader reader,
      RecoveryPlace recovery,
      Continuation exchange) {
    this.loop = loop;
    this.lookup = lookup;
    this.request = request;
    this.response = response;
    this.record = response.record();
    this.permits = permits;
    this.recovery = recovery;
    this.exchange = exchange;
    this.follower =
        new FillFollower(loop, lookup, request, response, permits, reader, this, exchange);
  }

  FetchOutcome results() {
    return results;
  }

  boolean isIncomplete() {
    return isIncomplete;
  }

  void isIncomplete(boolean isNow) {
    isIncomplete = isNow;
  }

  /** Whether the origin's failure, or an answer that amounts to one, is made up for from here. */
  boolean mayServeStaleOnError() {
    return mayServeStaleOnError;
  }

  boolean isAlone() {
    return isAlone;
  }

  /** This exchange shares no fetch with others from now on. */
  void stopSharing() {
    isAlone = true;
  }

  /** Whether it ever waited for, or read from, a fill of another exchange. */
  boolean hasJoined() {
    return follower.hasJoined();
  }

  /** No fill is followed any more. */
  void leave() {
    follower.leave();
  }

  /** The response that was begun is taken back: there may be another one. */
  void takenBack() {
    follower.takenBack();
  }

  // --- before the fetch -------------------------------------------------------------------------

  /** What is stored does not do without the origin; its head is pinned. */
  void decided(StoredHead head, StoredMeta meta, boolean isRevalidation, long now) {
    isAlone |= Sharing.isNeverFresh(meta);
    mayServeStaleOnError = Decider.mayServeStaleOnError(request.view(), meta, request.route(), now);
    stale =
        isRevalidation && !results.isPlainFetchNeeded()
            ? RevalidationCandidate.of(request, loop.keys(), head, meta)
            : null;
    if (hints == null) {
      hints = StoredEarlyHints.of(loop, request, head, meta);
    }
  }

  /**
   * The node may not know all purges: a fetch that began before this request came may bring what
   * was purged in between, and nothing stale makes up for the origin. A fetch that began later
   * cannot, whichever request began it.
   */
  void fence() {
    mayServeStaleOnError = false;
    hints = null;
    if (isFenced) {
      return;
    }
    isFenced = true;
    loop.counters().fenced++;
    fencedSince = loop.store().nextBirth();
    if (fencedSince < 0) {
      // None can be told from the others.
      isAlone = true;
    }
  }

  /**
   * Whether a stored head is as good as on a node that is not fenced: the origin gave or confirmed
   * it after this request had come.
   */
  boolean isProven(StoredHead head) {
    return fencedSince >= 0 && head.birth() > fencedSince;
  }

  /** Whether the response of a fill may be used: it was asked for late enough. */
  boolean mayUse(Fill running) {
    return running.birth() > fencedSince;
  }

  Step fetch() {
    HitForMiss.Kind known = known();
    if (known == HitForMiss.Kind.UNCACHEABLE) {
      return exchange.passBecause(Reason.PASS_UNCACHEABLE);
    }
    if (mayTurnUp() && !mayFetchUnknown()) {
      return awaitRecovery();
    }
    isAlone |= known == HitForMiss.Kind.NEVER_FRESH;
    boolean isWhole = stale != null || results.isWholeFetchNeeded();
    return follower.fetch(stale, isWhole ? null : rangeToFetch());
  }

  /** Of its key, and of its URL's where what is known of that is true of requests with cookies. */
  private HitForMiss.@Nullable Kind known() {
    HitForMiss history = loop.history().hitForMiss();
    HitForMiss.Kind known = history.find(request.key(), request.view(), loop.nowMillis());
    KeyBuilder keys = loop.keys();
    return known == null
            && request.view().has(KnownField.COOKIE)
            && keys.build(request.view(), request.route().keyRecipe())
        ? history.find(new FillKey(keys.hi(), keys.lo()), request.view(), loop.nowMillis())
        : known;
  }

  private @Nullable Satisfiable rangeToFetch() {
    return RangeFetch.of(
        request.view(),
        request.route().ranges(),
        loop.store().sliceBytes(),
        SliceFill.longestBytes(loop.filling()));
  }

  /**
   * What a fill that has just left the table installed of what is wanted: looked at after our own
   * is registered, so that there is no moment in which neither is seen (I6).
   */
  LookupSteps.Found foundMeanwhile() {
    return stale == null && results.originFailure() == null && !isIncomplete
        ? lookup.findServable(request)
        : LookupSteps.Found.NOTHING;
  }

  /** A fill of ours is on its way, so what it was to confirm is in its hands. */
  void begun() {
    stale = null;
    record.forwarded();
    awaitsHead();
  }

  /** The client waits for the head of a fetch from now on. */
  void awaitsHead() {
    if (hints != null) {
      hints.send(loop, request, response);
    }
  }

  // --- loads that a disk refuses ----------------------------------------------------------------

  /**
   * Whether the origin may be asked for what a disk refuses to load: so many at once may, and each
   * that joins a fill in progress.
   */
  boolean mayFetchRefused() {
    if (!holdsRefusedLoad && loop.fills().find(request.key()) == null) {
      holdsRefusedLoad = loop.fills().tryBeginRefusedLoad();
      return holdsRefusedLoad;
    }
    return true;
  }

  /** So many ask the origin for what disks refuse to load that this one may not. */
  Step refuseLoad() {
    loop.counters().hit(LimitKey.REFUSED_LOADS);
    return onOriginFailed(
        new OriginFailure(
            OriginFailure.Kind.OVERLOADED,
            "the disk refuses loads, and the limit on requests to the origin is reached"));
  }

  /** The origin is not asked any more. */
  void endRefusedLoad() {
    if (holdsRefusedLoad) {
      holdsRefusedLoad = false;
      loop.fills().endRefusedLoad();
    }
  }

  // --- while the index is rebuilt ---------------------------------------------------------------

  /** Whether the store may turn out to have what is wanted, and fetches of that have a limit. */
  private boolean mayTurnUp() {
    return stale == null && !isIncomplete && recovery.isNeeded();
  }

  /** Whether the origin may be asked: so many at once may, and each that joins a fill. */
  private boolean mayFetchUnknown() {
    return recovery.isTaken() || loop.fills().find(request.key()) != null || recovery.take();
  }

  private Step awaitRecovery() {
    return recovery.mayWait()
        ? exchange.lookUpIn(RecoveryPlace.WAIT_MILLIS)
        : onOriginFailed(recovery.refuse());
  }

  // --- what it came to --------------------------------------------------------------------------

  /** A fill confirmed the stored object. */
  Step onConfirmed(long birth, boolean isOwn, long objectId) {
    results.confirmed(birth, isOwn, objectId);
    return Step.LOOK_UP;
  }

  /** A fill confirmed an object that is no longer stored. */
  Step onVanished() {
    results.vanished();
    return Step.LOOK_UP;
  }

  /** A fill has stored the head of the object and brings slices of it. */
  Step onPartStored(long birth, boolean isOwn) {
    results.fetched(birth, isOwn);
    // What was found out of another object says nothing of this one.
    isIncomplete = false;
    return Step.LOOK_UP;
  }

  /** The origin did not answer a range as it was asked for. */
  Step onRangeUnsuited(int status) {
    if (status == 416 && request.view().has(KnownField.RANGE)) {
      return exchange.passBecause(Reason.PASS_RANGE);
    }
    results.rangeUnsuited();
    return Step.LOOK_UP;
  }

  /** What a fill brings is for others; the key is our own by now. */
  Step onOtherKey(Lookup.Match match) {
    // It was stale under another key.
    stale = null;
    return exchange.fetchBecause(
        match == Lookup.Match.OTHER_VARIANT ? Reason.MISS_VARY : Reason.MISS_URI);
  }

  /** The loop cannot keep up, and an origin would have to be asked. */
  Step shed() {
    return onOriginFailed(overloaded(loop.counters()));
  }

  /** Counts a request that would have to ask an origin while the loop cannot keep up. */
  static OriginFailure overloaded(LoopCounters counters) {
    counters.hit(LimitKey.OVERLOAD);
    return new OriginFailure(OriginFailure.Kind.OVERLOADED, "the node is overloaded");
  }

  /** The client has so many requests in progress that this one has to wait its turn elsewhere. */
  Step refuseClient(LimitKey limit) {
    return onOriginFailed(permits.tooMany(limit));
  }

  /** The origin failed before there was a head. */
  Step onOriginFailed(OriginFailure failure) {
    results.failed(failure);
    return mayServeStaleOnError ? Step.LOOK_UP : exchange.refuse(failure);
  }
}
