package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.Trailers;
import io.forebay.core.http.UpgradeOffer;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.ResponseFilter;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.exchange.Exchange.Step;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.origin.OriginCall;
import io.forebay.server.origin.OriginFailure;
import io.forebay.server.origin.OriginRequest;
import io.forebay.server.response.HeadWriter;
import io.forebay.server.runtime.RuntimeConfig;
import io.forebay.server.tunnel.Tunnel;
import io.forebay.server.tunnel.TunnelEnd;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request that goes to the origin as it is: waits for the head of the response, then hands over
 * to a {@link PassThroughBody}, or where both sides change the protocol to a {@link Tunnel}.
 *
 * <p>Owner: the loop of the exchange, which is also that of the origin connection.
 */
final class PassThrough extends OriginRelay implements Tunnel.Outcome {

  private HeadFreshening freshening = HeadFreshening.NONE;

  /** What the client offers to speak instead of HTTP, where that is passed on. */
  private final @Nullable UpgradeOffer upgrade;

  /** Whether a place among the tunnels is taken. */
  private boolean hasPlace;

  private @Nullable Tunnel tunnel;

  private PassThrough(Exchange exchange, @Nullable UpgradeOffer upgrade) {
    super(exchange);
    this.upgrade = upgrade;
    this.hasPlace = upgrade != null;
  }

  /** Sends the exchange's request on; the reason is the exchange's own. */
  static Step begin(Exchange exchange) {
    Step answered = MaxForwardsResponder.answer(exchange);
    if (answered != null) {
      return answered;
    }
    if (exchange.loop.load().isShedding()) {
      return exchange.fetching().shed();
    }
    RuntimeConfig snapshot = exchange.snapshot;
    UpgradeOffer upgrade = offerOf(exchange);
    // An offer holds a connection to the origin as a fetch does, until it is accepted.
    LimitKey passed = passedBy(exchange);
    if (passed == null && upgrade != null) {
      passed = passedByTunnel(exchange);
    }
    if (passed != null) {
      return exchange.fetching().refuseClient(passed);
    }
    if (upgrade != null && !exchange.loop.tunnels().take(snapshot.config().tunnels().limit())) {
      exchange.loop.counters().tunnelsRefused++;
      exchange.loop.counters().hit(LimitKey.TUNNELS);
      exchange.share().tunnelEnds();
      return LocalReplies.refuse(
          exchange,
          503,
          "too many tunnels are open",
          Reason.REFUSED_OVERLOAD,
          ProxyError.CONNECTION_LIMIT_REACHED);
    }
    exchange.record.forwarded();
    PassThrough passing = new PassThrough(exchange, upgrade);
    String origin = exchange.route().originName();
    passing.freshening = HeadFreshening.begin(exchange);
    exchange.sends(passing);
    passing.call =
        exchange
            .loop
            .origins()
            .send(
                origin,
                snapshot
                    .upstream()
                    .pass(
                        exchange.route(),
                        exchange.request,
                        exchange.client,
                        snapshot.hostFor(origin),
                        exchange.body,
                        hop(exchange, upgrade)),
                passing);
    return Step.AWAIT;
  }

  /** The bound of its client that the request would pass, or null. */
  private static @Nullable LimitKey passedBy(Exchange exchange) {
    ClientPermits share = exchange.share();
    if (!share.mayWait()) {
      return LimitKey.WAITING_PER_CLIENT;
    }
    return share.mayFetch() ? null : LimitKey.FETCHES_PER_CLIENT;
  }

  private static @Nullable LimitKey passedByTunnel(Exchange exchange) {
    if (exchange.share().mayTunnel()) {
      return null;
    }
    exchange.loop.counters().tunnelsRefused++;
    return LimitKey.TUNNELS_PER_CLIENT;
  }

  private static OriginRequest.Hop hop(Exchange exchange, @Nullable UpgradeOffer upgrade) {
    boolean expectsContinue =
        exchange.request.has(KnownField.EXPECT)
            && exchange.body.lengthBytes() != 0
            && exchange.sink.acceptsInterim();
    return new OriginRequest.Hop(
        upgrade, expectsContinue, !exchange.route().forwarding().trailers().isEmpty());
  }

  private static @Nullable UpgradeOffer offerOf(Exchange exchange) {
    UpgradeOffer offer =
        UpgradeOffer.of(exchange.request, exchange.route().forwarding().upgrades());
    return offer != null && exchange.sink.readyForTunnel() ? offer : null;
  }

  private void giveBackPlace() {
    if (hasPlace) {
      hasPlace = false;
      exchange.loop.tunnels().giveBack();
      exchange.share().tunnelEnds();
    }
  }

  /**
   * Sends the head of a response that is not stored, as it came from the origin.
   *
   * @param notStored why a fill could not keep it, or null when it was passed from the start
   * @return who listens to the origin from now on
   */
  static PassThroughBody beginTransit(
      Exchange exchange,
      int status,
      HeaderFields fields,
      long contentLength,
      CacheResult result,
      @Nullable Reason notStored,
      OriginCall call) {
    ResponseSink sink = exchange.sink;
    Reason reason = exchange.reason();
    HeadWriter out = exchange.loop.heads().begin(sink, status);
    HstsLine.write(exchange, out);
    EndToEndFields.copy(
        out.fields(),
        HstsLine.forwarded(exchange, ResponseFilter.forwarded(exchange.route(), fields)),
        exchange.loop.nowMillis());
    out.via(exchange.snapshot.viaLine());
    boolean hasBody = !exchange.isHead && status != 204 && status != 304;
    Set<String> trailers =
        hasBody && contentLength < 0 && sink.acceptsTrailers()
            ? exchange.route().forwarding().trailers()
            : Set.of();
    out.trailer(Trailers.announced(fields.all("trailer"), trailers));
    out.cacheStatus(
        exchange.snapshot.cacheStatus().forwarded(reason, status, false, false, notStored));
    out.send(hasBody ? contentLength : lengthNamed(exchange.isHead, status, fields), !hasBody);
    exchange.onHeadSent(status, result, notStored == null ? reason : notStored);
    if (!hasBody) {
      sink.flush();
    }
    PassThroughBody begun = new PassThroughBody(sink, call, hasBody, trailers, exchange);
    exchange.sends(begun);
    return begun;
  }

  /** What a response without a body says of the length that one with a body would have. */
  private static long lengthNamed(boolean isHead, int status, HeaderFields fields) {
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

  // --- the origin's side ------------------------------------------------------------------------

  @Override
  public void onInformational(int status, HeaderFields fields) {
    EndToEndFields.interim(exchange, status, fields);
  }

  @Override
  public void onHead(
      int status, HeaderFields received, long contentLength, boolean isCloseDelimited) {
    HeaderFields fields = ResponseFilter.received(exchange.route(), received);
    OriginCall current = call;
    giveBackPlace();
    if (exchange.isOver() || current == null) {
      return;
    }
    Invalidation.apply(
        exchange.loop, exchange.snapshot, exchange.route(), exchange.request, status, fields);
    freshening.apply(exchange, status, fields);
    relayTo(beginTransit(exchange, status, fields, contentLength, CacheResult.PASS, null, current));
  }

  @Override
  public void onTunnel(HeaderFields fields, TunnelEnd origin) {
    UpgradeOffer offered = upgrade;
    if (exchange.isOver() || offered == null) {
      giveBackPlace();
      origin.abort();
      return;
    }
    RuntimeConfig snapshot = exchange.snapshot;
    HeadWriter head = exchange.loop.heads().begin(exchange.sink, 101);
    HstsLine.write(exchange, head);
    EndToEndFields.copy(head.fields(), HstsLine.forwarded(exchange, fields));
    head.via(snapshot.viaLine());
    exchange.onHeadSent(101, CacheResult.PASS, exchange.reason());
    Tunnel begun =
        new Tunnel(
            exchange.sink.tunnel(head.end(), offered.chosen(fields)),
            origin,
            exchange.loop.eventLoop(),
            snapshot.config().tunnels().idleTimeout(),
            exchange.loop.counters(),
            this);
    tunnel = begun;
    exchange.share().tunnelBegins();
    begun.start();
  }

  @Override
  public void onTunnelOver(@Nullable String why) {
    giveBackPlace();
    Tunnel over = tunnel;
    if (over != null) {
      exchange.record.tunnelled(over.bytesToClient(), over.bytesToOrigin());
    }
    exchange.onTunnelOver(why);
  }

  @Override
  public void onFailure(OriginFailure failure) {
    giveBackPlace();
    super.onFailure(failure);
  }

  @Override
  void onNoHead(OriginFailure failure) {
    LocalReplies.refuse(exchange, failure);
  }

  @Override
  public void onClientGone() {
    giveBackPlace();
    super.onClientGone();
  }
}
