package io.forebay.server.exchange;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.policy.Decider;
import io.forebay.core.policy.Revalidation;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.fill.Fill;
import io.forebay.server.fill.FillLeader;
import io.forebay.server.fill.FillRequest;
import io.forebay.server.fill.OtherVariants;
import io.forebay.server.fill.history.FillHistory;
import io.forebay.server.fill.history.FillKey;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.OriginRequest;
import io.forebay.server.runtime.RuntimeConfig;
import io.forebay.storage.object.StoredHead;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the fill that an exchange wants; from then on the fill belongs to nobody's client. */
public final class FillStarter {
  private FillStarter() {}

  /**
   * A fill under the exchange's key, neither registered nor sent.
   *
   * @param stale what to confirm, or null to fetch it whole
   * @param isStaleUsable whether what is stored may be served while the origin fails
   * @param asked the bytes to ask for by range, or null for a whole response
   * @param isShared whether it is to be registered, so that others may join it
   * @param leader who is offered what may not be stored, or null for a refresh in the background
   * @return null when the store gives out no births now
   */
  static @Nullable Fill of(
      Exchange exchange,
      @Nullable RevalidationCandidate stale,
      boolean isStaleUsable,
      @Nullable Satisfiable asked,
      boolean isShared,
      @Nullable FillLeader leader) {
    ExchangeContext loop = exchange.loop;
    RuntimeConfig snapshot = exchange.snapshot;
    long birth = loop.store().nextBirth();
    if (birth < 0) {
      return null;
    }
    HeaderFields own = stale == null ? HeaderFields.EMPTY : stale.conditions();
    List<FillRequest.Other> others =
        leader == null || asked != null || exchange.isPlainFetchNeeded()
            ? List.of()
            : OtherVariants.of(
                loop.filling(),
                exchange.request,
                exchange.route().keyRecipe(),
                exchange.key(),
                own);
    HeaderFields conditions =
        Revalidation.conditionalFields(own, others.stream().map(FillRequest.Other::etag).toList());
    RequestView saved = exchange.question();
    FillRequest order =
        new FillRequest(
            exchange.key(),
            saved,
            exchange.route(),
            request(
                snapshot,
                exchange.route(),
                saved,
                exchange.questionBody(),
                exchange.client,
                conditions.size() > 0 ? conditions : rangeField(asked)),
            stale == null ? null : stale.ref(),
            others,
            stale == null ? asked : null,
            isShared,
            leader == null,
            isStaleUsable,
            snapshot.config().limits().followersPerFill());
    return new Fill(loop.filling(), order, birth, leader);
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
        .fill(question, body, client, snapshot.hostFor(route.originName()), conditions)
        .takingTrailers(!route.forwarding().trailers().isEmpty());
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
    /** The last one was in vain, so the next one waits. */
    HELD_BACK
  }

  /** Refreshes an object that has been found good enough for this request. */
  static Refreshing inBackground(Exchange exchange, StoredHead head, StoredMeta meta) {
    ExchangeContext loop = exchange.loop;
    FillKey key = exchange.key();
    if (isHeldBack(loop.history(), key, exchange.request, loop.nowMillis())) {
      return Refreshing.HELD_BACK;
    }
    if (loop.fills().find(key) != null || loop.load().isShedding() || loop.fills().isFull()) {
      return Refreshing.NOT_NOW;
    }
    boolean isStaleUsable =
        Decider.mayServeStaleOnError(exchange.request, meta, exchange.route(), loop.nowMillis());
    if (!exchange.share().mayFetch()) {
      return Refreshing.NOT_NOW;
    }
    Fill refresh =
        of(
            exchange,
            RevalidationCandidate.of(exchange, head, meta),
            isStaleUsable,
            null,
            true,
            null);
    if (refresh == null || loop.fills().register(key, refresh) != null) {
      return Refreshing.NOT_NOW;
    }
    exchange.share().leaveFetchTo(refresh);
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
