package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.BodyRemainder;
import io.forebay.server.http.AbortCause;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.OriginCall;
import io.forebay.server.origin.OriginFailure;
import io.forebay.server.runtime.RuntimeConfig;

/**
 * Goes on with a body whose stored bytes left memory while a slow client read them (I9): asks the
 * origin for the rest by range, and lets it follow what has been sent only when it is of that very
 * body. Any other answer breaks the transfer off, which the client sees (I3). What is fetched so is
 * not stored: it is the tail of an object that memory has just let go.
 *
 * <p>Owner: the loop of the exchange, which is also that of the origin connection.
 */
final class RemainderFetch extends OriginRelay {

  private final BodyRemainder rest;

  // Both included.
  private final long first;
  private final long last;

  private RemainderFetch(Exchange exchange, BodyRemainder rest, long first, long last) {
    super(exchange);
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
    PassThroughBody body =
        PassThroughBody.ofRest(
            exchange.sink, current, 0, isDeclared ? Long.MAX_VALUE : wanted, exchange);
    relayTo(body);
    exchange.sends(body);
  }

  @Override
  void onNoHead(OriginFailure failure) {
    breakOff(AbortCause.ORIGIN_FAILED);
  }

  private void breakOff(AbortCause cause) {
    exchange.loop.counters().restsLost++;
    exchange.sink.abort(cause);
    exchange.onBodyBroken(cause.name());
  }
}
