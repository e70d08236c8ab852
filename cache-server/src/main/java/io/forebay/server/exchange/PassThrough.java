package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.KnownField;
import io.forebay.core.http.Trailers;
import io.forebay.core.http.UpgradeOffer;
import io.forebay.core.peer.PeerRequestField;
import io.forebay.core.peer.PeerResponseField;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.ResponseFilter;
import io.forebay.core.route.Route;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.fill.PassedResponseWriter;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.page.StatusPage;
import io.forebay.server.response.HeadWriter;
import io.forebay.server.runtime.RuntimeConfig;
import io.forebay.server.tunnel.Tunnel;
import io.forebay.server.tunnel.TunnelEnd;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Forwards a request to the origin without caching: waits for the head of the response, then
 * continues with a {@link PassThroughBody}, or with a {@link Tunnel} if both sides change the
 * protocol.
 *
 * <p>Owner: the loop of the exchange, which is also that of the origin connection.
 */
final class PassThrough extends OriginRelay implements Tunnel.Outcome {

  private final ExchangeContext loop;
  private final Lookup lookup;
  private final ClientPermits permits;
  private final Continuation exchange;
  private final HeadFreshening freshening;
  private final PostStorage storage;

  /** What was sent. */
  private @Nullable OriginRequest asked;

  /** What the client offers to speak instead of HTTP, where that is passed on. */
  private final @Nullable UpgradeOffer upgrade;

  /** Whether a place among the tunnels is taken. */
  private boolean hasPlace;

  private @Nullable Tunnel tunnel;

  private PassThrough(
      ExchangeContext loop,
      ClientRequest request,
      ClientResponse response,
      Lookup lookup,
      ClientPermits permits,
      Continuation exchange,
      @Nullable UpgradeOffer upgrade) {
    super(loop.origins(), request, response);
    this.loop = loop;
    this.lookup = lookup;
    this.permits = permits;
    this.exchange = exchange;
    this.upgrade = upgrade;
    this.hasPlace = upgrade != null;
    this.freshening = HeadFreshening.begin(loop.filling(), request);
    this.storage = PostStorage.begin(loop.filling(), request);
  }

  /** Sends the request on; why it is passed is known. */
  static Step begin(
      ExchangeContext loop,
      ClientRequest request,
      ClientResponse response,
      Lookup lookup,
      ClientPermits permits,
      Continuation exchange) {
    Step answered = MaxForwardsResponder.answer(loop, request, response, exchange);
    if (answered != null) {
      return answered;
    }
    LoopCounters counters = loop.counters();
    if (loop.load().isShedding()) {
      return exchange.onOriginFailed(FetchCoordinator.overloaded(counters));
    }
    UpgradeOffer upgrade = offerOf(request, response.sink());
    // An offer holds a connection to the origin as a fetch does, until it is accepted.
    LimitKey passed = passedBy(permits);
    if (passed == null && upgrade != null && !permits.mayTunnel()) {
      counters.tunnelsRefused++;
      passed = LimitKey.TUNNELS_PER_CLIENT;
    }
    if (passed != null) {
      return exchange.onOriginFailed(permits.tooMany(passed));
    }
    if (upgrade != null && !loop.tunnels().take(request.config().config().tunnels().limit())) {
      counters.tunnelsRefused++;
      counters.hit(LimitKey.TUNNELS);
      permits.tunnelEnds();
      return exchange.refuse(
          503,
          "too many tunnels are open",
          Reason.REFUSED_OVERLOAD,
          ProxyError.CONNECTION_LIMIT_REACHED);
    }
    PassThrough passing =
        new PassThrough(loop, request, response, lookup, permits, exchange, upgrade);
    OriginRequest asked = passing.originRequest();
    passing.asked = asked;
    passing.ask(asked);
    return Step.AWAIT;
  }

  /** The bound of its client that the request would pass, or null. */
  private static @Nullable LimitKey passedBy(ClientPermits permits) {
    if (!permits.mayWait()) {
      return LimitKey.WAITING_PER_CLIENT;
    }
    return permits.mayFetch() ? null : LimitKey.FETCHES_PER_CLIENT;
  }

  private static @Nullable UpgradeOffer offerOf(ClientRequest request, ResponseSink sink) {
    UpgradeOffer offer = UpgradeOffer.of(request.view(), request.route().forwarding().upgrades());
    return offer != null && sink.readyForTunnel() ? offer : null;
  }

  /** Whether the client asks for nothing but a tunnel that the route does not allow. */
  static boolean lacksTunnel(ClientRequest request, ResponseSink sink) {
    return sink.needsTunnel()
        && UpgradeOffer.of(request.view(), request.route().forwarding().upgrades()) == null;
  }

  private OriginRequest originRequest() {
    Route route = request.route();
    boolean expectsContinue =
        request.view().has(KnownField.EXPECT)
            && request.body().lengthBytes() != 0
            // What is held was asked for already.
            && !(request.body() instanceof HeldBody)
            && response.sink().acceptsInterim();
    RuntimeConfig config = request.config();
    OriginRequest plain =
        config
            .upstream()
            .pass(
                route,
                request.view(),
                request.client(),
                config.hostFor(route.originName()),
                request.body(),
                new OriginRequest.Hop(
                    upgrade, expectsContinue, !route.forwarding().trailers().isEmpty()));
    return config.compression(route).isOn() ? StreamCoding.asked(plain) : plain;
  }

  private void giveBackPlace() {
    if (hasPlace) {
      hasPlace = false;
      loop.tunnels().giveBack();
      permits.tunnelEnds();
    }
  }

  /**
   * Sends the head of a response as it came from the origin.
   *
   * @param storing stores the body on its way, or null where the response is not stored
   * @param notStored why a fill could not keep it, or null when it was passed from the start
   * @return who listens to the origin from now on
   */
  static PassThroughBody beginTransit(
      ExchangeContext loop,
      ClientRequest request,
      ClientResponse response,
      int status,
      HeaderFields fields,
      long contentLength,
      CacheResult result,
      @Nullable PassedResponseWriter storing,
      @Nullable Reason notStored,
      OriginCall call) {
    Route route = request.route();
    Reason reason = request.reason();
    RuntimeConfig config = request.config();
    boolean isHead = request.isHead();
    boolean hasBody = !isHead && status != 204 && status != 304;
    if (request.isFromPeer()) {
      return relayToPeer(
          loop, request, response, status, fields, contentLength, hasBody, notStored, call);
    }
    request.because(notStored == null ? reason : notStored);
    request.found(status, fields);
    HeaderFields sent =
        StreamCoding.apply(
            loop, request, response, status, fields, contentLength, hasBody, storing != null);
    long length = response.isCoded() ? ResponseSink.LENGTH_UNKNOWN : contentLength;
    ResponseSink sink = response.sink();
    HeadWriter out = loop.heads().begin(sink, status, request.rules());
    HstsLine.write(request, out);
    EndToEndFields.copy(
        out.fields(),
        HstsLine.forwarded(request, ResponseFilter.forwarded(route, sent)),
        loop.nowMillis());
    TagFields.filter(out, config, request.client());
    PlayerReports.tell(
        out, config, route, loop.load().isShedding(), false, response.record().nanosSoFar());
    out.via(config.viaLine());
    Set<String> trailers =
        hasBody && contentLength < 0 && sink.acceptsTrailers()
            ? route.forwarding().trailers()
            : Set.of();
    out.trailer(Trailers.announced(fields.all("trailer"), trailers));
    out.cacheStatus(
        config.cacheStatus().forwarded(reason, status, storing != null, false, notStored));
    out.send(hasBody ? length : lengthNamed(isHead, status, sent), !hasBody);
    response.onHeadSent(status, result, notStored == null ? reason : notStored);
    if (!hasBody) {
      sink.flush();
    }
    PassThroughBody begun = new PassThroughBody(sink, call, hasBody, trailers, storing, response);
    response.sends(begun);
    return begun;
  }

  /** Sends another node what the origin has sent, and this node may not store. */
  private static PassThroughBody relayToPeer(
      ExchangeContext loop,
      ClientRequest request,
      ClientResponse response,
      int status,
      HeaderFields fields,
      long contentLength,
      boolean hasBody,
      @Nullable Reason notStored,
      OriginCall call) {
    Reason why = notStored == null ? request.reason() : notStored;
    ResponseSink sink = response.sink();
    HeadWriter out = loop.heads().begin(sink, status, null);
    EndToEndFields.copy(
        out.fields(), fields.without(PeerRequestField.NAME::equals), loop.nowMillis());
    PeerRequestHandler.mark(out, request, PeerResponseField.Source.PASS);
    out.cacheStatus(
        request.config().cacheStatus().forwarded(request.reason(), status, false, false, why));
    out.send(hasBody ? contentLength : ResponseSink.LENGTH_ABSENT, !hasBody);
    response.onHeadSent(status, CacheResult.MISS, why);
    if (!hasBody) {
      sink.flush();
    }
    PassThroughBody begun = new PassThroughBody(sink, call, hasBody, Set.of(), null, response);
    response.sends(begun);
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
    EndToEndFields.interim(request, response, status, fields);
  }

  @Override
  public void onHead(
      int status, HeaderFields received, long contentLength, boolean isCloseDelimited) {
    HeaderFields fields = ResponseFilter.received(request.route(), received);
    OriginCall current = call;
    giveBackPlace();
    if (response.isOver() || current == null) {
      return;
    }
    if (response.sink().needsTunnel() && status / 100 == 2) {
      // To the client it would mean that the tunnel is open.
      current.cancel();
      exchange.refuse(
          new OriginFailure(
              OriginFailure.Kind.UPGRADE_FAILED, "the origin answered the upgrade with " + status));
      return;
    }
    StatusPage page = OriginErrorPage.of(request, status);
    if (page != null) {
      // What is left of the error is not waited for.
      current.cancel();
      OriginErrorPage.sendFetched(
          loop, request, response, page, status, fields, CacheResult.PASS, null);
      return;
    }
    OriginRequest sent = asked;
    if (sent == null) {
      throw new IllegalStateException("not started");
    }
    // What it stores gets its birth now, however early it was asked for: on a fenced node it would
    // stand in for a validation.
    PostStorage storable = loop.isFenced(System.nanoTime()) ? PostStorage.NONE : storage;
    PassedResponseWriter storing =
        storable.apply(loop, request, sent, status, fields, contentLength, isCloseDelimited);
    freshening.apply(loop.filling(), lookup, request, status, fields);
    relayTo(
        beginTransit(
            loop,
            request,
            response,
            status,
            fields,
            contentLength,
            CacheResult.PASS,
            storing,
            null,
            current));
  }

  @Override
  public void onTunnel(HeaderFields fields, TunnelEnd origin) {
    UpgradeOffer offered = upgrade;
    if (response.isOver() || offered == null) {
      giveBackPlace();
      origin.abort();
      return;
    }
    RuntimeConfig config = request.config();
    HeadWriter head = loop.heads().begin(response.sink(), 101, request.rules());
    HstsLine.write(request, head);
    EndToEndFields.copy(head.fields(), HstsLine.forwarded(request, fields));
    TagFields.filter(head, config, request.client());
    head.via(config.viaLine());
    response.onHeadSent(101, CacheResult.PASS, request.reason());
    request.unbounded();
    Tunnel begun =
        new Tunnel(
            response.sink().tunnel(head.end(), offered.chosen(fields)),
            origin,
            loop.eventLoop(),
            config.config().tunnels().idleTimeout(),
            loop.counters(),
            this);
    tunnel = begun;
    permits.tunnelBegins();
    begun.start();
  }

  @Override
  public void onTunnelOver(@Nullable String why) {
    giveBackPlace();
    Tunnel over = tunnel;
    if (over != null) {
      response.record().tunnelled(over.bytesToClient(), over.bytesToOrigin());
    }
    response.onTunnelOver(why);
  }

  @Override
  public void onFailure(OriginFailure failure) {
    giveBackPlace();
    super.onFailure(failure);
  }

  @Override
  void onNoHead(OriginFailure failure) {
    exchange.refuse(failure);
  }

  @Override
  public void onClientGone() {
    giveBackPlace();
    super.onClientGone();
  }
}
