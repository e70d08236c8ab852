package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.BodyRemainder;
import io.forebay.server.deliver.ResponseBody;
import io.forebay.server.http.AbortCause;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.OriginCall;
import io.forebay.server.origin.OriginFailure;
import io.forebay.server.origin.OriginListener;
import io.forebay.server.runtime.RuntimeConfig;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Goes on with a body whose stored bytes left memory while a slow client read them (I9): asks the
 * origin for the rest by range, and lets it follow what has been sent only when it is of that very
 * body. Any other answer breaks the transfer off, which the client sees (I3). What is fetched so is
 * not stored: it is the tail of an object that memory has just let go.
 *
 * <p>Owner: the loop of the exchange, which is also that of the origin connection.
 */
final class RemainderFetch implements OriginListener, ResponseBody {

  private final Exchange exchange;
  private final BodyRemainder rest;

  // Both included.
  private final long first;
  private final long last;

  /** Set before the first call back. */
  private @Nullable OriginCall call;

  private @Nullable PassThroughBody transit;

  private RemainderFetch(Exchange exchange, BodyRemainder rest, long first, long last) {
    this.exchange = exchange;
    this.rest = rest;
    this.first = first;
    this.last = last;
  }

  /** Asks for the bytes from {@code from} up to {@code to}, exclusive; there is at least one. */
  static void begin(Exchange exchange, BodyRemainder rest, long from, long to) {
    RemainderFetch fetch = new RemainderFetch(exchange, rest, from, to - 1);
    exchange.sends(fetch);
    exchange.record.forwarded();
    RuntimeConfig snapshot = exchange.snapshot;
    String origin = exchange.route().originName();
    // As a fill asks: nothing of the client's own range or conditions goes with it.
    fetch.call =
        exchange
            .loop
            .origins()
            .send(
                origin,
                snapshot
                    .upstream()
                    .fill(
                        exchange.question(),
                        RequestBody.NONE,
                        exchange.client,
                        snapshot.hostFor(origin),
                        rest.requestFields(fetch.first, fetch.last)),
                fetch);
  }

  // --- the origin's side ------------------------------------------------------------------------

  @Override
  public void onInformational(int status, HeaderFields fields) {}

  @Override
  public void onHead(
      int status, HeaderFields fields, long contentLength, boolean isCloseDelimited) {
    OriginCall current = call;
    if (exchange.isOver() || current == null) {
      return;
    }
    long wanted = last + 1 - first;
    boolean isDeclared = contentLength >= 0;
    if (!rest.isAnsweredBy(status, fields, first, last)
        || (isDeclared && contentLength != wanted)) {
      current.cancel();
      breakOff(
          rest.isDeniedBy(status, fields) ? AbortCause.BODY_CHANGED : AbortCause.ORIGIN_FAILED);
      return;
    }
    exchange.loop.counters().restsFetched++;
    exchange.record.restFetched();
    // A declared length is held to by the origin's framing, and then the connection can stay.
    transit =
        PassThroughBody.ofRest(
            exchange.sink, current, 0, isDeclared ? Long.MAX_VALUE : wanted, exchange);
    exchange.sends(transit);
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
      breakOff(AbortCause.ORIGIN_FAILED);
    }
  }

  private void breakOff(AbortCause cause) {
    exchange.loop.counters().restsLost++;
    exchange.sink.abort(cause);
    exchange.onBodyBroken(cause.name());
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
