package io.forebay.server.exchange;

import io.forebay.core.http.CdnLoop;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.Reason;
import io.forebay.server.exchange.Exchange.Step;
import org.jspecify.annotations.Nullable;

/** Refuses requests that go in circles, or have gone through too many hands (RFC 8586). */
final class LoopDetection {
  private LoopDetection() {}

  /** The refusal, or null when the request may go on. */
  static @Nullable Step refuse(Exchange exchange) {
    if (exchange.request.fields().first("cdn-loop") == null) {
      return null;
    }
    String nodeId = exchange.snapshot.nodeId();
    CdnLoop passed = CdnLoop.of(exchange.request.fields().all("cdn-loop"), nodeId);
    // First, because what is malformed behind our own id may be meant to hide it.
    if (passed.isThroughHere()) {
      return Refusals.refuse(
          exchange,
          508,
          "this request has been through " + nodeId,
          Reason.REFUSED_LOOP,
          ProxyError.PROXY_LOOP_DETECTED);
    }
    if (passed.isMalformed()) {
      return Refusals.refuse(
          exchange,
          400,
          "CDN-Loop is malformed",
          Reason.REFUSED_FIELDS,
          ProxyError.HTTP_REQUEST_ERROR);
    }
    int most = exchange.snapshot.config().forwarding().maxHops();
    return passed.hops() <= most
        ? null
        : Refusals.refuse(
            exchange,
            508,
            "this request has been through more than " + most + " nodes",
            Reason.REFUSED_LOOP,
            ProxyError.PROXY_LOOP_DETECTED);
  }
}
