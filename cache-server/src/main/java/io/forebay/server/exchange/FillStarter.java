package io.forebay.server.exchange;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.policy.Decider;
import io.forebay.core.policy.Revalidation;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.core.route.UpstreamEdits;
import io.forebay.server.fill.Fill;
import io.forebay.server.fill.FillContext;
import io.forebay.server.fill.FillLeader;
import io.forebay.server.fill.FillRequest;
import io.forebay.server.fill.OtherVariants;
import io.forebay.server.fill.history.FillHistory;
import io.forebay.server.fill.history.FillKey;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.RequestBody;
import io.forebay.server.http.WarmUpAgent;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.call.PeerQuestion;
import io.forebay.server.origin.call.Priority;
import io.forebay.server.peer.PeerPlan;
import io.forebay.server.peer.PeerRouter;
import io.forebay.server.runtime.RuntimeConfig;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.StoredHead;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Starts the fill that an exchange needs. From then on the fill is independent of this client. */
public final class FillStarter {
  private FillStarter() {}

  /**
   * A fill under the request's key, neither registered nor sent.
   *
   * @param stale what to confirm, or null to fetch it whole
   * @param isStaleUsable whether what is stored may be served while the origin fails
   * @param asked the bytes to ask for by range, or null for a whole response
   * @param isShared whether it is to be registered, so that others may join it
   * @param mayConfirmOthers whether the origin may name another stored variant instead
   * @param leader who is offered what may not be stored, or null for a refresh in the background
   * @return null when the store gives out no births now
   */
  static @Nullable Fill of(
      FillContext loop,
      ClientRequest request,
      @Nullable RevalidationCandidate stale,
      boolean isStaleUsable,
      @Nullable Satisfiable asked,
      boolean isShared,
      boolean mayConfirmOthers,
      @Nullable FillLeader leader) {
    long birth = loop.store().nextBirth();
    if (birth < 0) {
      return null;
    }
    RequestView saved = request.question();
    PeerPlan peers = plan(loop, request, saved);
    Route route = stored(request.route(), peers);
    HeaderFields own = stale == null ? HeaderFields.EMPTY : stale.conditions();
    List<FillRequest.Other> others =
        !mayConfirmOthers || asked != null || request.hasBaseKey()
            ? List.of()
            : OtherVariants.of(loop, request.view(), route.keyRecipe(), request.key(), own);
    HeaderFields conditions =
        others.isEmpty()
            ? own
            : Revalidation.conditionalFields(
                own, others.stream().map(FillRequest.Other::etag).toList());
    OriginRequest sent =
        request(
            request.config(),
            route,
            saved,
            request.questionBody(),
            request.client(),
            conditions.size() > 0 ? conditions : rangeField(asked));
    FillRequest order =
        new FillRequest(
            request.key(),
            saved,
            route,
            asking(request, saved, sent, peers)
                .with(leader == null ? Priority.REFRESH : priority(request)),
            stale == null ? null : stale.ref(),
            others,
            stale == null ? asked : null,
            isShared,
            leader == null,
            isStaleUsable,
            request.config().config().limits().followersPerFill(),
            request.absentAt());
    return new Fill(loop, order, birth, leader);
  }

  /**
   * A fill ahead of clients, which keeps only a whole response that is not longer than that.
   *
   * @return null when the store gives out no births now
   */
  static @Nullable Fill ahead(FillContext loop, ClientRequest request, long mostBytes) {
    long birth = loop.store().nextBirth();
    if (birth < 0) {
      return null;
    }
    RequestView saved = request.question();
    PeerPlan peers = plan(loop, request, saved);
    Route route = stored(request.route(), peers);
    OriginRequest sent =
        request(
            request.config(), route, saved, RequestBody.NONE, request.client(), HeaderFields.EMPTY);
    FillRequest order =
        new FillRequest(
            request.key(),
            saved,
            route,
            asking(request, saved, sent, peers).with(Priority.PREFETCH),
            null,
            List.of(),
            null,
            true,
            true,
            false,
            request.config().config().limits().followersPerFill(),
            StoreLane.UNKNOWN,
            mostBytes);
    return new Fill(loop, order, birth, null);
  }

  /** Which other nodes are asked before the origin; null where none is. */
  private static @Nullable PeerPlan plan(
      FillContext loop, ClientRequest request, RequestView saved) {
    PeerRouter router = loop.peers();
    Route route = request.route();
    return router != null && route.sharing().withPeers() && saved.method().equals("GET")
        ? router.plan(saved, route.keyRecipe(), request.isFromPeer())
        : null;
  }

  /** The route by which the response is stored: what another node owns goes to no disk here. */
  private static Route stored(Route route, @Nullable PeerPlan peers) {
    return peers == null || peers.isDown()
        ? route
        : route.withSettings(route.settings().toBuilder().storageClass(FillContext.COPIES).build());
  }

  /** The route by which what comes for a request is stored. */
  static Route storedBy(FillContext loop, ClientRequest request) {
    return loop.peers() == null
        ? request.route()
        : stored(request.route(), plan(loop, request, request.question()));
  }

  /** The number of the storage class of what is stored under the key of a request. */
  static int storageClass(FillContext loop, ClientRequest request) {
    return loop.storageClass(storedBy(loop, request));
  }

  private static OriginRequest asking(
      ClientRequest request, RequestView saved, OriginRequest sent, @Nullable PeerPlan peers) {
    if (peers == null) {
      return sent;
    }
    HeaderFields fields =
        request.config().upstream().ofNodes(request.route(), saved, request.client());
    return sent.mirroredTo(null)
        .asking(
            new PeerQuestion(
                peers.nodes(),
                peers.isDown(),
                peers.key(),
                saved.scheme(),
                UpstreamEdits.Edited.none(saved, fields).target(),
                fields,
                request.config().timeoutsOf(request.route().originName(), sent.timeouts())));
  }

  /** What a fill sends. */
  public static OriginRequest request(
      RuntimeConfig snapshot,
      Route route,
      RequestView question,
      RequestBody body,
      ClientInfo client,
      HeaderFields conditions) {
    return snapshot
        .upstream()
        .fill(route, question, body, client, snapshot.hostFor(route.originName()), conditions)
        .takingTrailers(!route.forwarding().trailers().isEmpty());
  }

  /**
   * What is sent for bytes of a body that is stored or on its way: as a fill asks, with nothing of
   * the client's own range or conditions.
   */
  static OriginRequest rangeRequest(
      FillContext loop, ClientRequest request, HeaderFields rangeFields) {
    RuntimeConfig config = request.config();
    RequestView saved = request.question();
    OriginRequest sent =
        config
            .upstream()
            .fill(
                request.route(),
                saved,
                RequestBody.NONE,
                request.client(),
                config.hostFor(request.route().originName()),
                rangeFields);
    return asking(request, saved, sent, plan(loop, request, saved)).with(priority(request));
  }

  /**
   * The node's own warm-up says who it is. A client that says the same waits longer itself, no one
   * else does.
   */
  private static Priority priority(ClientRequest request) {
    CharSequence agent = request.view().fields().first("user-agent");
    return agent != null && WarmUpAgent.is(agent) ? Priority.WARM_UP : Priority.CLIENT;
  }

  public static HeaderFields rangeField(@Nullable Satisfiable asked) {
    return asked == null
        ? HeaderFields.EMPTY
        : HeaderFields.builder()
            .add("range", "bytes=" + asked.first() + "-" + asked.last())
            .build();
  }

  /** What becomes of a refresh in the background. */
  enum Refreshing {
    /** This request began it. */
    BEGUN,
    /** There is one at a time, or no room for one. */
    NOT_NOW,
    /** The last one was wasted, so the next one waits (backoff). */
    HELD_BACK
  }

  /** Why what is stored is not refreshed in the background now; null if it may be. */
  static @Nullable Refreshing hindrance(ExchangeContext loop, ClientRequest request) {
    FillKey key = request.key();
    if (isHeldBack(loop.history(), key, request.view(), loop.nowMillis())) {
      return Refreshing.HELD_BACK;
    }
    return loop.fills().find(key) != null || loop.load().isShedding() || loop.fills().isFull()
        ? Refreshing.NOT_NOW
        : null;
  }

  /** Refreshes an object that has been found good enough for this request, and is pinned. */
  static Refreshing inBackground(
      FillContext loop,
      ClientRequest request,
      ClientPermits permits,
      StoredHead head,
      StoredMeta meta) {
    boolean isStaleUsable =
        Decider.mayServeStaleOnError(request.view(), meta, request.route(), loop.nowMillis());
    if (!permits.mayFetch()) {
      return Refreshing.NOT_NOW;
    }
    Fill refresh =
        of(
            loop,
            request,
            RevalidationCandidate.of(request, loop.keys(), head, meta),
            isStaleUsable,
            null,
            true,
            false,
            null);
    if (refresh == null || loop.fills().register(request.key(), refresh) != null) {
      permits.fetchEnds();
      return Refreshing.NOT_NOW;
    }
    permits.leaveFetchTo(refresh);
    refresh.start();
    return Refreshing.BEGUN;
  }

  /** Whether it failed, or what came could not be stored, so lately that nobody asks again yet. */
  public static boolean isHeldBack(
      FillHistory history, FillKey key, RequestView request, long nowMillis) {
    return history.refreshes().heldMillis(key, request, nowMillis) > 0
        || history.hitForMiss().isKnown(key, request, nowMillis);
  }
}
