package io.forebay.server.exchange;

import io.forebay.core.http.ByteRange.Satisfiable;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.RequestView;
import io.forebay.core.policy.Decider;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.fill.Fill;
import io.forebay.server.fill.FillKey;
import io.forebay.server.fill.FillOrder;
import io.forebay.server.origin.OriginRequest;
import io.forebay.storage.StoredHead;
import org.jspecify.annotations.Nullable;

/** Makes the fill that an exchange wants; from then on the fill belongs to nobody's client. */
final class FillStart {
  private FillStart() {}

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
      @Nullable StaleObject stale,
      boolean isStaleUsable,
      @Nullable Satisfiable asked,
      boolean isShared,
      Fill.@Nullable Leader leader) {
    LoopContext loop = exchange.loop;
    Snapshot snapshot = exchange.snapshot;
    long birth = loop.store().nextBirth();
    if (birth < 0) {
      return null;
    }
    RequestView saved = exchange.question();
    FillOrder order =
        new FillOrder(
            exchange.key(),
            saved,
            exchange.route(),
            request(
                snapshot,
                exchange.route(),
                saved,
                exchange.questionBody(),
                exchange.client,
                stale != null ? stale.conditions() : rangeField(asked)),
            stale == null ? null : stale.ref(),
            stale == null ? asked : null,
            isShared,
            leader == null,
            isStaleUsable,
            snapshot.config().limits().followersPerFill());
    return new Fill(loop, order, birth, leader);
  }

  /** What a fill sends. */
  static OriginRequest request(
      Snapshot snapshot,
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

  static HeaderFields rangeField(@Nullable Satisfiable asked) {
    return asked == null
        ? HeaderFields.EMPTY
        : HeaderFields.builder()
            .add("range", "bytes=" + asked.first() + "-" + asked.last())
            .build();
  }

  /**
   * Refreshes an object that has been found good enough for this request. Returns whether this
   * request began it: there is one at a time.
   */
  static boolean inBackground(Exchange exchange, StoredHead head, StoredMeta meta) {
    LoopContext loop = exchange.loop;
    FillKey key = exchange.key();
    if (loop.fills().find(key) != null
        || loop.load().isShedding()
        || loop.fills().isFull()
        || loop.hitForMiss().isKnown(key, exchange.request, loop.nowMillis())) {
      // The last: what came could not be stored lately, so for a while nobody asks in vain.
      return false;
    }
    boolean isStaleUsable =
        Decider.mayServeStaleOnError(exchange.request, meta, exchange.route(), loop.nowMillis());
    Fill refresh =
        of(exchange, StaleObject.of(exchange, head, meta), isStaleUsable, null, true, null);
    if (refresh == null || loop.fills().register(key, refresh) != null) {
      return false;
    }
    refresh.start();
    return true;
  }
}
