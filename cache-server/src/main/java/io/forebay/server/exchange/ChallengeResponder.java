package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HttpDate;
import io.forebay.core.http.RequestView;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.response.HeadLines;
import io.forebay.server.response.HeadWriter;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Answers validations by http-01 (RFC 8555 §8.3) before any route, over plain text and only for
 * tokens that are expected. All other requests for such paths are the routes'.
 */
final class ChallengeResponder {
  private ChallengeResponder() {}

  /** Answers and gives the step that follows, or null when the request goes on. */
  static @Nullable Step answer(
      ExchangeContext loop, ClientRequest request, ClientResponse response) {
    if (loop.challenges().isEmpty()) {
      return null;
    }
    RequestView view = request.view();
    String answer = loop.challenges().answer(view.scheme(), view.path());
    if (answer == null || !(view.method().equals("GET") || request.isHead())) {
      return null;
    }
    request.body().cancel();
    byte[] body = answer.getBytes(StandardCharsets.US_ASCII);
    HeadWriter head = loop.heads().begin(response.sink(), 200, null);
    ByteBufAllocator allocator = head.fields().alloc();
    HeadLines.text(
        head.fields(),
        "date: "
            + HttpDate.format(loop.nowMillis())
            + "\r\ncontent-type: application/octet-stream\r\ncache-control: no-store\r\n");
    head.send(body.length, request.isHead());
    if (request.isHead()) {
      response.sink().flush();
    } else {
      response.sink().body(allocator.directBuffer(body.length).writeBytes(body));
      response.sink().end(HeaderFields.EMPTY);
      response.record().bodyBytes(body.length);
    }
    response.onHeadSent(200, CacheResult.SYNTHETIC, request.reason());
    response.over();
    return Step.AWAIT;
  }
}
