package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.ResponseFilter;
import io.forebay.server.exchange.Exchange.Step;
import io.forebay.server.metric.LoopCounters.CacheResult;
import io.forebay.server.origin.OriginCall;
import io.forebay.server.origin.OriginFailure;
import io.forebay.server.origin.OriginListener;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A request that goes to the origin as it is: waits for the head of the response, then hands over
 * to a {@link Transit}.
 *
 * <p>Owner: the loop of the exchange, which is also that of the origin connection.
 */
final class PassThrough implements OriginListener, ResponseBody {

  private final Exchange exchange;

  /** Set before the first call back. */
  private @Nullable OriginCall call;

  private @Nullable Transit transit;
  private HeadFreshening freshening = HeadFreshening.NONE;

  private PassThrough(Exchange exchange) {
    this.exchange = exchange;
  }

  /** Sends the exchange's request on; the reason is the exchange's own. */
  static Step begin(Exchange exchange) {
    exchange.record.forwarded();
    PassThrough passing = new PassThrough(exchange);
    Snapshot snapshot = exchange.snapshot;
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
                        exchange.request, exchange.client, snapshot.hostFor(origin), exchange.body),
                passing);
    return Step.AWAIT;
  }

  /**
   * Sends the head of a response that is not stored, as it came from the origin.
   *
   * @param notStored why a fill could not keep it, or null when it was passed from the start
   * @return who listens to the origin from now on
   */
  static Transit beginTransit(
      Exchange exchange,
      int status,
      HeaderFields fields,
      long contentLength,
      CacheResult result,
      @Nullable Reason notStored,
      OriginCall call) {
    ResponseSink sink = exchange.sink;
    Reason reason = exchange.reason();
    ByteBuf out = sink.beginHead(status);
    EndToEnd.copy(
        out, ResponseFilter.forwarded(exchange.route(), fields), exchange.loop.nowMillis());
    out.writeBytes(exchange.snapshot.viaLine());
    HeadLines.cacheStatus(
        out, exchange.snapshot.cacheStatus().forwarded(reason, status, false, false, notStored));
    boolean hasBody = !exchange.isHead && status != 204 && status != 304;
    sink.head(
        out, hasBody ? contentLength : lengthNamed(exchange.isHead, status, fields), !hasBody);
    exchange.onHeadSent(status, result, notStored == null ? reason : notStored);
    if (!hasBody) {
      sink.flush();
    }
    Transit begun = new Transit(sink, call, hasBody, exchange);
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
    if (!exchange.isOver() && !exchange.isHeadSent() && status == 103) {
      exchange.sink.informational(status, fields);
    }
  }

  @Override
  public void onHead(
      int status, HeaderFields received, long contentLength, boolean isCloseDelimited) {
    HeaderFields fields = ResponseFilter.received(exchange.route(), received);
    OriginCall current = call;
    if (exchange.isOver() || current == null) {
      return;
    }
    Invalidation.apply(exchange.loop, exchange.snapshot, exchange.request, status, fields);
    freshening.apply(exchange, status, fields);
    transit =
        beginTransit(exchange, status, fields, contentLength, CacheResult.PASS, null, current);
  }

  @Override
  public void onData(ByteBuf data) {
    if (transit == null) {
      data.release();
    } else {
      transit.onData(data);
    }
  }

  @Override
  public void onReadComplete() {
    if (transit != null) {
      transit.onReadComplete();
    }
  }

  @Override
  public void onEnd(HeaderFields trailers) {
    if (transit != null) {
      transit.onEnd(trailers);
    }
  }

  @Override
  public void onFailure(OriginFailure failure) {
    if (transit != null) {
      transit.onFailure(failure);
    } else if (!exchange.isOver()) {
      Refusals.refuse(exchange, failure);
    }
  }

  // --- the client's side, until the transit stands in its place ---------------------------------

  @Override
  public long sentBytes() {
    return 0;
  }

  @Override
  public void onWritable() {}

  @Override
  public void onClientGone() {
    if (call != null) {
      call.cancel();
    }
  }
}
