package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.PlainRequest;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.TargetUri;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.fill.Fill;
import io.forebay.server.fill.FillKey;
import io.forebay.server.fill.FillOrder;
import io.forebay.storage.StoredHead;
import org.jspecify.annotations.Nullable;

/** Makes the fill that an exchange wants; from then on the fill belongs to nobody's client. */
final class FillStart {
  private FillStart() {}

  /**
   * A fill under the exchange's key, neither registered nor sent.
   *
   * @param stale what to confirm, or null to fetch it whole
   * @param leader who is offered what may not be stored, or null for a refresh in the background
   * @return null when the store gives out no births now
   */
  static @Nullable Fill of(
      Exchange exchange, @Nullable StaleObject stale, Fill.@Nullable Leader leader) {
    LoopContext loop = exchange.loop;
    Snapshot snapshot = exchange.snapshot;
    long birth = loop.store().nextBirth();
    if (birth < 0) {
      return null;
    }
    RequestView saved = copyOf(exchange.request);
    FillOrder order =
        new FillOrder(
            exchange.key(),
            saved,
            exchange.route(),
            snapshot
                .upstream()
                .fill(
                    saved,
                    exchange.client,
                    snapshot.hostFor(exchange.route().originName()),
                    stale == null ? HeaderFields.EMPTY : stale.conditions())
                .takingTrailers(!exchange.route().forwarding().trailers().isEmpty()),
            stale == null ? null : stale.ref(),
            leader == null,
            snapshot.config().limits().followersPerFill());
    return new Fill(loop, order, birth, leader);
  }

  /** Refreshes a stale object that has been found good enough for this request. */
  static void inBackground(Exchange exchange, StoredHead head, StoredMeta meta) {
    LoopContext loop = exchange.loop;
    FillKey key = exchange.key();
    if (loop.fills().find(key) != null || loop.fills().isFull()) {
      return;
    }
    Fill refresh = of(exchange, StaleObject.of(exchange, head, meta), null);
    if (refresh != null && loop.fills().register(key, refresh) == null) {
      refresh.start();
    }
  }

  /** What a fill keeps of the request: it outlives the one that caused it. */
  private static RequestView copyOf(RequestView request) {
    HeaderFields.Builder fields = HeaderFields.builder();
    request.fields().forEach(fields::add);
    return PlainRequest.of("GET", TargetUri.of(request), fields.build());
  }
}
