package io.forebay.server.exchange;

import io.forebay.core.http.HttpDate;
import io.forebay.core.http.MaxForwards;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.Reason;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.response.HeadLines;
import io.forebay.server.response.HeadWriter;
import org.jspecify.annotations.Nullable;

/** Answers OPTIONS requests whose Max-Forwards is 0, as the final recipient (RFC 9110 §7.6.2). */
final class MaxForwardsResponder {

  private static final String ALLOW = "GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE";

  private MaxForwardsResponder() {}

  /** Answers and gives the step that follows, or null when the request goes on. */
  static @Nullable Step answer(
      ExchangeContext loop, ClientRequest request, ClientResponse response, Continuation exchange) {
    if (!request.view().method().equals("OPTIONS")) {
      return null;
    }
    return switch (MaxForwards.of(request.view().fields())) {
      case 0 -> {
        answerHere(loop, request, response);
        yield Step.AWAIT;
      }
      case MaxForwards.MALFORMED ->
          exchange.refuse(
              400,
              "Max-Forwards is not a single number",
              Reason.REFUSED_FIELDS,
              ProxyError.HTTP_REQUEST_ERROR);
      default -> null;
    };
  }

  private static void answerHere(
      ExchangeContext loop, ClientRequest request, ClientResponse response) {
    request.body().cancel();
    HeadWriter head = loop.heads().begin(response.sink(), 204, request.rules());
    HstsLine.write(request, head);
    HeadLines.text(
        head.fields(),
        "date: "
            + HttpDate.format(loop.nowMillis())
            + "\r\nallow: "
            + ALLOW
            + "\r\ncache-control: no-store\r\n");
    head.send(ResponseSink.LENGTH_ABSENT, true);
    response.sink().flush();
    response.onHeadSent(204, CacheResult.SYNTHETIC, request.reason());
    response.over();
  }
}
