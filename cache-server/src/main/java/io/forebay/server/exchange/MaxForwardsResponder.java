package io.forebay.server.exchange;

import io.forebay.core.http.HttpDate;
import io.forebay.core.http.MaxForwards;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.Reason;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.exchange.Exchange.Step;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.response.HeadLines;
import io.forebay.server.response.HeadWriter;
import org.jspecify.annotations.Nullable;

/**
 * OPTIONS requests that are not to be sent on any more: by Max-Forwards a client asks one of those
 * on the way, and who is asked answers as if nobody were behind (RFC 9110 §7.6.2).
 */
final class MaxForwardsResponder {

  private static final String ALLOW = "GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE";

  private MaxForwardsResponder() {}

  /** The answer, or null when the request goes on. */
  static @Nullable Step answer(Exchange exchange) {
    if (!exchange.request.method().equals("OPTIONS")) {
      return null;
    }
    return switch (MaxForwards.of(exchange.request.fields())) {
      case 0 -> answerHere(exchange);
      case MaxForwards.MALFORMED ->
          LocalReplies.refuse(
              exchange,
              400,
              "Max-Forwards is not a single number",
              Reason.REFUSED_FIELDS,
              ProxyError.HTTP_REQUEST_ERROR);
      default -> null;
    };
  }

  private static Step answerHere(Exchange exchange) {
    exchange.body.cancel();
    HeadWriter head = exchange.loop.heads().begin(exchange.sink, 204);
    HstsLine.write(exchange, head);
    HeadLines.text(
        head.fields(),
        "date: "
            + HttpDate.format(exchange.loop.nowMillis())
            + "\r\nallow: "
            + ALLOW
            + "\r\ncache-control: no-store\r\n");
    head.send(ResponseSink.LENGTH_ABSENT, true);
    exchange.sink.flush();
    exchange.onHeadSent(204, CacheResult.SYNTHETIC, exchange.reason());
    exchange.over();
    return Step.AWAIT;
  }
}
