package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.BodyRemainder;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.fill.FillContext;
import io.forebay.server.http.AbortCause;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure;

/**
 * Continues a body whose stored bytes were evicted while a slow client read them (I9): requests the
 * rest from the origin by range, and appends it only if it belongs to the same representation. Any
 * other response aborts the transfer visibly (I3). The fetched rest is not stored, because it is
 * the tail of an object that memory has just evicted.
 *
 * <p>Owner: the loop of the exchange, which is also that of the origin connection.
 */
final class RemainderFetch extends OriginRelay {

  private final FillContext loop;
  private final LoopCounters counters;
  private final BodyRemainder rest;

  // Both included.
  private final long first;
  private final long last;

  /** The bytes from {@code from} up to {@code to}, exclusive; there is at least one. */
  RemainderFetch(
      ExchangeContext loop,
      ClientRequest request,
      ClientResponse response,
      BodyRemainder rest,
      long from,
      long to) {
    super(loop.origins(), request, response);
    this.loop = loop.filling();
    this.counters = loop.counters();
    this.rest = rest;
    this.first = from;
    this.last = to - 1;
  }

  /** Asks for those bytes. */
  void start() {
    response.record().partRequested();
    ask(FillStarter.rangeRequest(loop, request, rest.requestFields(first, last)));
  }

  // --- the origin's side ------------------------------------------------------------------------

  @Override
  public void onInformational(int status, HeaderFields fields) {}

  @Override
  public void onHead(
      int status, HeaderFields fields, long contentLength, boolean isCloseDelimited) {
    OriginCall current = call;
    if (response.isOver() || current == null) {
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
    counters.remaindersFetched++;
    response.record().restFetched();
    // A declared length is held to by the origin's framing, and then the connection can stay.
    PassThroughBody body =
        PassThroughBody.ofRest(
            response.sink(), current, 0, isDeclared ? Long.MAX_VALUE : wanted, response);
    relayTo(body);
    response.sends(body);
  }

  @Override
  void onNoHead(OriginFailure failure) {
    breakOff(AbortCause.ORIGIN_FAILED);
  }

  private void breakOff(AbortCause cause) {
    counters.remaindersLost++;
    response.breakOff(cause);
  }
}
