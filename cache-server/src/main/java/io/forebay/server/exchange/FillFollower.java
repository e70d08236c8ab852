package io.forebay.server.exchange;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.StatusCode;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.ProxyStatus;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.Sharing;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.fill.Fill;
import io.forebay.server.fill.FillHead;
import io.forebay.server.fill.FillLeader;
import io.forebay.server.fill.FillRequest;
import io.forebay.server.fill.Follower;
import io.forebay.server.fill.InterimResponses;
import io.forebay.server.fill.history.FillKey;
import io.forebay.server.fill.history.HitForMiss;
import io.forebay.server.http.AbortCause;
import io.forebay.server.loop.LoopTimer;
import io.forebay.server.media.ManifestLifetime;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.page.StatusPage;
import io.forebay.server.peer.Peers;
import io.forebay.storage.object.HeadSpec;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An exchange's side of the fills that it follows, one after the other: joins the one in progress
 * or starts one, sends its response, and reports its outcome.
 *
 * <p>Owner: the loop of the exchange. Fills call back on it.
 */
final class FillFollower implements Follower, FillLeader {

  private static final Logger LOG = LoggerFactory.getLogger(FillFollower.class);

  /** So much of an error is waited for that is stored and not sent. */
  private static final long MAX_AWAITED_BYTES = 1 << 20;

  private final ExchangeContext loop;
  private final Lookup lookup;
  private final ClientRequest request;
  private final ClientResponse response;
  private final ClientPermits permits;

  /** Sends what a fill brings. */
  private final FillReader reader;

  /** Receives the outcome of each fill. */
  private final FetchCoordinator fetching;

  private final Continuation exchange;

  /** The fill that is followed now. */
  private @Nullable Fill fill;

  /** Whether that fill was started by this exchange. */
  private boolean isLeader;

  /**
   * A fill that is of no use for this exchange: a purge has overtaken it, or it began too early.
   * Never joined again.
   */
  private @Nullable Fill overtaken;

  /** Whether that fill began too early, and only its head is waited for. */
  private boolean isTooEarly;

  private boolean hasJoined;

  /** Whether a response that was for its leader alone has been left for a fill without such. */
  private boolean hasLeftPersonal;

  /** The client gets a page, and the error that it stands for is only followed into the store. */
  private boolean isReplaced;

  /** Whether what is waited for is a playlist that the origin holds back. */
  private boolean isReload;

  /** Runs while another one's fetch has no head, or that of a blocking reload. */
  private final LoopTimer headTimer;

  /** How many of the interim responses of {@link #fill} are behind us. */
  private int interimSeen;

  FillFollower(
      ExchangeContext loop,
      Lookup lookup,
      ClientRequest request,
      ClientResponse response,
      ClientPermits permits,
      FillReader reader,
      FetchCoordinator fetching,
      Continuation exchange) {
    this.loop = loop;
    this.lookup = lookup;
    this.request = request;
    this.response = response;
    this.permits = permits;
    this.reader = reader;
    this.fetching = fetching;
    this.exchange = exchange;
    this.headTimer = new LoopTimer(loop.eventLoop());
  }

  /** Whether any of the fills was started by another exchange. */
  boolean hasJoined() {
    return hasJoined;
  }

  // --- joining ----------------------------------------------------------------------------------

  /**
   * Follows the fill in progress under the exchange's key, or starts it.
   *
   * @param asked the bytes to ask for by range, or null for a whole response
   */
  Step fetch(@Nullable RevalidationCandidate stale, @Nullable Satisfiable asked) {
    if (fetching.isAlone()) {
      return fetchAlone(stale);
    }
    FillKey key = request.key();
    Fill running = loop.fills().find(key);
    if (running != null && running != overtaken) {
      return follow(running);
    }
    Step instead = insteadOfFill();
    if (instead != null) {
      return instead;
    }
    Fill own = fill(stale, asked, true);
    if (own == null) {
      return exchange.passBecause(Reason.PASS_STORE_FULL);
    }
    isReload = isBlockingReload();
    // Before any other follower: a fill that is already full would continue without its leader.
    own.join(this, loop.filling());
    if (running != null && !loop.fills().replace(key, running, own)) {
      own.leave(this, loop.filling());
      permits.fetchEnds();
      // The overtaken fill has left by itself, or another one has replaced it.
      return Step.FETCH;
    }
    Fill before = running == null ? loop.fills().register(key, own) : null;
    if (before != null) {
      own.leave(this, loop.filling());
      permits.fetchEnds();
      return before == overtaken ? Step.FETCH : follow(before);
    }
    LookupSteps.Found meanwhile = fetching.foundMeanwhile();
    boolean isUnknown = meanwhile == LookupSteps.Found.BUSY && exchange.mayLookUpAgain();
    if (meanwhile == LookupSteps.Found.OBJECT || isUnknown) {
      own.leave(this, loop.filling());
      own.withdraw();
      permits.fetchEnds();
      // In a busy index there may be what was installed a moment ago: it would be fetched twice.
      return isUnknown ? exchange.lookUpSoon() : Step.LOOK_UP;
    }
    isLeader = true;
    // A leader is told directly.
    interimSeen = Integer.MAX_VALUE;
    if (isReload) {
      headTimer.start(patience(), () -> onWaitedTooLong(own));
    }
    begin(own);
    return Step.AWAIT;
  }

  /** Whether the origin holds the request until the playlist has what it names. */
  private boolean isBlockingReload() {
    return request.route().settings().media().isLive()
        && ManifestLifetime.isBlockingReload(request.view());
  }

  /** For how long a head is waited for. */
  private Duration patience() {
    return isReload
        ? loop.history().playlists().patience(request.view())
        : request.route().sharing().patience();
  }

  private void begin(Fill own) {
    fetching.begun();
    fill = own;
    response.record().follows(own.birth());
    // What the leader takes over is its fetch until it ends.
    own.whenOver(() -> {
      if (fill == own && own.state() != Fill.State.UNSTORABLE) {
        permits.fetchEnds();
      }
    });
    own.start();
  }

  /** What follows where no fill may be started now; null where one may be. */
  private @Nullable Step insteadOfFill() {
    if (loop.load().isShedding()) {
      return fetching.shed();
    }
    if (!permits.mayFetch()) {
      return fetching.refuseClient(LimitKey.FETCHES_PER_CLIENT);
    }
    if (loop.fills().isFull()) {
      loop.counters().hit(LimitKey.FILLS);
      return exchange.passBecause(Reason.PASS_STORE_FULL);
    }
    return null;
  }

  private @Nullable Fill fill(
      @Nullable RevalidationCandidate stale, @Nullable Satisfiable asked, boolean isShared) {
    return FillStarter.of(
        loop.filling(),
        request,
        stale,
        fetching.mayServeStaleOnError(),
        asked,
        isShared,
        !fetching.results().isPlainFetchNeeded(),
        this);
  }

  /** Nobody else could use what comes, so it is neither waited for nor to be found by others. */
  private Step fetchAlone(@Nullable RevalidationCandidate stale) {
    Step instead = insteadOfFill();
    if (instead != null) {
      return instead;
    }
    Fill own = fill(stale, null, false);
    if (own == null || !own.join(this, loop.filling())) {
      return exchange.passBecause(Reason.PASS_STORE_FULL);
    }
    isLeader = true;
    begin(own);
    return Step.AWAIT;
  }

  /**
   * Follows a fill. Of one that began before this request came to a fenced node, only the head is
   * waited for: so one request for a key is on its way to the origin at a time, and what arrives
   * meanwhile shares the next one.
   */
  private Step follow(Fill running) {
    isReload = isBlockingReload();
    if (!running.join(this, loop.filling())) {
      return isReload
          ? refuseReload(Reason.REFUSED_OVERLOAD)
          : exchange.passBecause(Reason.PASS_STORE_BUSY);
    }
    fill = running;
    response.record().follows(running.birth());
    isLeader = false;
    isTooEarly = !fetching.mayUse(running);
    interimSeen = running.state() == Fill.State.WAITING && !isTooEarly ? 0 : Integer.MAX_VALUE;
    if (!isTooEarly) {
      hasJoined = true;
      loop.counters().joined++;
    }
    if (running.state() == Fill.State.WAITING) {
      fetching.awaitsHead();
      headTimer.start(patience(), () -> onWaitedTooLong(running));
    }
    return afterProgress();
  }

  /**
   * The origin has not answered the one who asked it: it is asked once more, past the store. A
   * blocking reload ends (RFC 8216bis §6.2.5.2).
   */
  private void onWaitedTooLong(Fill awaited) {
    if (isFollowing(awaited) && awaited.state() == Fill.State.WAITING && !response.isOver()) {
      leave();
      loop.counters().waitsGivenUp++;
      exchange.run(
          isReload
              ? refuseReload(Reason.REFUSED_RELOAD)
              : exchange.passBecause(Reason.PASS_WAITED));
    }
  }

  /** Thousands may wait for one playlist: passed to the origin they would all ask it at once. */
  private Step refuseReload(Reason why) {
    return exchange.refuse(503, why.explanation(), why, ProxyError.HTTP_RESPONSE_TIMEOUT);
  }

  @SuppressWarnings("ReferenceEquality") // that very fill
  private boolean isFollowing(Fill awaited) {
    return fill == awaited;
  }

  /** Leaves the fill; a fill without followers may end then. */
  void leave() {
    headTimer.stop();
    reader.leave();
    isReplaced = false;
    isTooEarly = false;
    Fill followed = fill;
    if (followed != null) {
      fill = null;
      declineStream(followed);
      followed.leave(this, loop.filling());
    }
  }

  /** The response that was begun is taken back: there may be another one. */
  void takenBack() {
    leave();
    reader.forget();
  }

  // --- following --------------------------------------------------------------------------------

  @Override
  public void onFillProgress() {
    if (response.isOver() || fill == null) {
      return;
    }
    try {
      exchange.run(afterProgress());
    } catch (RuntimeException e) {
      // The other followers of this loop are told by the same call: they must not pay for it.
      LOG.error(
          "{} {} failed while following a fill", request.view().method(), request.view().path(), e);
      breakOffForDefect();
    }
  }

  private void breakOffForDefect() {
    leave();
    if (!reader.breakOff(AbortCause.INTERNAL) && !response.isOver()) {
      response.breakOff(AbortCause.INTERNAL);
    }
  }

  @Override
  public long position() {
    Fill followed = fill;
    return isReplaced && followed != null ? followed.receivedBytes() : reader.position();
  }

  @Override
  public long floor() {
    return isReplaced ? Long.MAX_VALUE : reader.floor(isLeader);
  }

  private Step afterProgress() {
    Fill followed = fill;
    if (followed == null) {
      return Step.AWAIT;
    }
    Fill.State state = followed.state();
    if (isTooEarly) {
      return afterEarlier(followed, state);
    }
    sendInterim(followed);
    if (state != Fill.State.WAITING && state != Fill.State.STREAMING) {
      fetching.endRefusedLoad();
    }
    return switch (state) {
      case WAITING -> Step.AWAIT;
      case STREAMING, COMPLETE -> readFrom(followed);
      case REFRESHED -> {
        boolean isOwn = isLeader;
        leave();
        FillRequest.StoredRef confirmed = followed.order().stale();
        yield fetching.onConfirmed(
            followed.birth(), isOwn, confirmed == null ? 0 : confirmed.objectId());
      }
      case VANISHED -> {
        leave();
        yield fetching.onVanished();
      }
      case PART_STORED -> {
        boolean isOwn = isLeader;
        leave();
        yield fetching.onPartStored(followed.birth(), isOwn);
      }
      case UNSUITED -> {
        leave();
        FillHead head = followed.head();
        yield fetching.onRangeUnsuited(head == null ? 0 : head.status());
      }
      case UNSTORABLE -> afterUnstorable(followed);
      case FAILED -> afterFailure(followed);
    };
  }

  /** Once it has a head, the origin may be asked again; what it has stored is the candidate. */
  private Step afterEarlier(Fill earlier, Fill.State state) {
    if (state == Fill.State.WAITING) {
      return Step.AWAIT;
    }
    leave();
    overtaken = earlier;
    return exchange.lookUpIn(0);
  }

  private void sendInterim(Fill followed) {
    List<InterimResponses.Interim> all = followed.interim();
    while (interimSeen < all.size()) {
      InterimResponses.Interim next = all.get(interimSeen++);
      EndToEndFields.interim(request, response, next.status(), next.fields());
    }
  }

  private Step afterUnstorable(Fill followed) {
    leave();
    FillHead head = followed.head();
    if (head != null
        && StatusCode.isOriginFailure(head.status())
        && fetching.mayServeStaleOnError()) {
      return fetching.onOriginFailed(serverError(head.status()));
    }
    if (head != null && head.status() < 500 && mayBePersonal(followed)) {
      hasLeftPersonal = true;
      return Step.FETCH;
    }
    if (isReload && head != null && head.status() >= 500) {
      return refuseReload(Reason.REFUSED_RELOAD);
    }
    return exchange.passBecause(Reason.PASS_UNCACHEABLE);
  }

  /**
   * Whether the response may be for its leader's credentials alone, so that the one to this request
   * can be shared with others: once, since there may be no end of such leaders (I6).
   */
  private boolean mayBePersonal(Fill followed) {
    return !hasLeftPersonal && !HitForMiss.concerns(followed.order().request(), request.view());
  }

  private static OriginFailure serverError(int status) {
    return new OriginFailure(
        OriginFailure.Kind.SERVER_ERROR,
        "the origin answered with status " + status,
        ProxyStatus.receivedStatus(status));
  }

  private Step afterFailure(Fill followed) {
    leave();
    if (response.isHeadSent() && !reader.takeBackHead()) {
      if (followed.hasRunOutOfRoom()) {
        reader.continueWithoutFill();
      } else {
        boolean ignored = reader.breakOff(AbortCause.ORIGIN_FAILED);
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
    return fetching.onOriginFailed(failure);
  }

  private Step readFrom(Fill followed) {
    if (reader.isSending()) {
      if (followed.hasRunOutOfRoom() && !isLeader) {
        // The rest is the leader's, who may take minutes to come to it.
        reader.continueWithoutFill();
      } else {
        reader.onProgress(followed);
      }
      return Step.AWAIT;
    }
    FillHead head = followed.head();
    if (response.isHeadSent() || head == null) {
      return Step.AWAIT;
    }
    headTimer.stop();
    if (isOvertakenByPurge(followed, head)) {
      leave();
      overtaken = followed;
      return Step.LOOK_UP;
    }
    if ((followed.hasRunOutOfRoom() || followed.isStreamOnly()) && !isLeader) {
      leave();
      return exchange.passBecause(Reason.PASS_STORE_FULL);
    }
    Lookup.Match match = lookup.match(request, head);
    if (match != Lookup.Match.YES) {
      leave();
      return fetching.onOtherKey(match);
    }
    if (!isUsable(head)) {
      return onUnusable(followed, head);
    }
    StatusPage page = OriginErrorPage.of(request, head.status());
    return page == null ? serve(followed, head) : replace(followed, head, page);
  }

  /**
   * The page is sent once the error is stored: without followers its fill would be given up. A
   * large one is not waited for.
   */
  private Step replace(Fill followed, FillHead head, StatusPage page) {
    boolean isAwaited =
        followed.state() == Fill.State.STREAMING
            && !followed.hasRunOutOfRoom()
            && !followed.isStreamOnly()
            && followed.receivedBytes() <= MAX_AWAITED_BYTES;
    if (isAwaited) {
      if (!isReplaced) {
        isReplaced = true;
        followed.onFollowerAdvanced(loop.filling());
      }
      return Step.AWAIT;
    }
    boolean isOwn = isLeader;
    leave();
    OriginErrorPage.sendFilled(loop, request, response, page, head, isOwn);
    return Step.AWAIT;
  }

  /** A purge acknowledged before this request arrived kills what the fill brings (I2). */
  private boolean isOvertakenByPurge(Fill followed, FillHead head) {
    HeadSpec stored = head.spec();
    return request.arrivalPurgeSequence() > followed.birth()
        && stored != null
        && loop.lane().isOverruled(stored);
  }

  /** Others than who asked for it use it where they could use what is stored (RFC 9111 §4). */
  private boolean isUsable(FillHead head) {
    return isLeader
        || Sharing.isUsable(request.view(), request.route(), meta(head), loop.nowMillis());
  }

  private Step onUnusable(Fill followed, FillHead head) {
    if (Sharing.isNeverFresh(meta(head))) {
      fetching.stopSharing();
    } else {
      // It was fresh once: what is fetched now can be shared again.
      overtaken = followed;
    }
    leave();
    return Step.FETCH;
  }

  private StoredMeta meta(FillHead head) {
    return FillReader.meta(loop.filling(), head);
  }

  private Step serve(Fill followed, FillHead head) {
    return switch (reader.begin(followed, head, isLeader, this::onFillProgress)) {
      case SENT, AWAITED -> Step.AWAIT;
      case SENT_IN_PARTS -> {
        // The rest of the origin's stream is of no use to who wants parts of it.
        declineStream(followed);
        yield Step.AWAIT;
      }
      case LACKING -> {
        leave();
        yield exchange.passBecause(Reason.PASS_STORE_FULL);
      }
      case OVER -> {
        overtaken = followed;
        leave();
        yield Step.LOOK_UP;
      }
    };
  }

  private void declineStream(Fill followed) {
    if (isLeader) {
      isLeader = false;
      followed.leaderGone();
      permits.leaveFetchTo(followed);
    }
  }

  // --- leading ----------------------------------------------------------------------------------

  @Override
  public void onFallback(String origin) {
    response.record().answeredBy(origin);
  }

  @Override
  public void onPeer(String node) {
    response.record().answeredBy(Peers.originName(node));
  }

  @Override
  public void onInformational(int status, HeaderFields fields) {
    EndToEndFields.interim(request, response, status, fields);
  }

  @Override
  public @Nullable OriginListener takeOver(
      int status, HeaderFields fields, long contentLength, Reason why, OriginCall call) {
    if (response.isOver()) {
      return null;
    }
    if (StatusCode.isOriginFailure(status) && fetching.mayServeStaleOnError()) {
      // The wake-up of the followers finds the state and serves what is stale.
      return null;
    }
    leaveToTakeOver();
    StatusPage page = OriginErrorPage.of(request, status);
    if (page != null) {
      OriginErrorPage.sendFetched(
          loop, request, response, page, status, fields, CacheResult.MISS, why);
      return null;
    }
    return PassThrough.beginTransit(
        loop, request, response, status, fields, contentLength, CacheResult.MISS, null, why, call);
  }

  @Override
  public @Nullable OriginListener takeOverRest(long position, OriginCall call) {
    Fill followed = fill;
    FillHead head = followed == null ? null : followed.head();
    if (response.isOver() || head == null) {
      return null;
    }
    PassThroughBody rest = reader.yieldAt(position, head, call);
    if (rest != null) {
      leaveToTakeOver();
      response.sends(rest);
    }
    return rest;
  }

  /** The fill knows: it has just offered its stream to this leader. */
  private void leaveToTakeOver() {
    headTimer.stop();
    Fill followed = fill;
    fill = null;
    isLeader = false;
    reader.leave();
    if (followed != null) {
      followed.leave(this, loop.filling());
    }
  }
}
