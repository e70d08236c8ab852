package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HttpDate;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.response.HeadLines;
import io.forebay.server.response.HeadWriter;
import io.forebay.server.rule.RuleOutcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Sends local replies: the page of the route, or plain text with one line for the error and one for
 * the request id under which the log has details.
 */
final class ErrorPage {
  private ErrorPage() {}

  /**
   * Sends the whole answer.
   *
   * @param requestId as in the log
   * @param cacheStatus our member of Cache-Status
   * @param proxyStatus our member of Proxy-Status
   * @param retryAfter when to come back, or zero to say nothing about it
   * @param lines further header lines, each with its line ending
   * @param hstsLine a line to say before all else, or null
   * @param ruled what the rules of the route say of the request, or null
   * @param page in place of the text, or null
   * @return bytes of body sent
   */
  static int send(
      HeadWriter heads,
      ResponseSink sink,
      int status,
      String text,
      String requestId,
      String cacheStatus,
      String proxyStatus,
      Duration retryAfter,
      String lines,
      byte @Nullable [] hstsLine,
      @Nullable RuleOutcome ruled,
      @Nullable RenderedPage page,
      boolean isHead,
      long nowMillis) {
    byte[] body =
        page == null
            ? (text + "\nrequest id: " + requestId + "\n").getBytes(StandardCharsets.UTF_8)
            : page.body();
    String type = page == null ? "text/plain; charset=utf-8" : page.contentType();
    heads.begin(sink, status, ruled).transportSecurity(hstsLine);
    ByteBuf head = heads.fields();
    ByteBufUtil.writeAscii(
        head,
        "date: "
            + HttpDate.format(nowMillis)
            + "\r\ncontent-type: "
            + type
            + "\r\ncache-control: no-store\r\n");
    if (!retryAfter.isZero()) {
      HeadLines.text(head, "retry-after: " + retryAfter.toSeconds() + "\r\n");
    }
    HeadLines.text(head, lines);
    heads.cacheStatus(cacheStatus).proxyStatus(proxyStatus);
    ByteBufAllocator allocator = head.alloc();
    boolean isBodiless = isHead || body.length == 0;
    heads.send(body.length, isBodiless);
    if (isBodiless) {
      sink.flush();
      return 0;
    }
    sink.body(allocator.directBuffer(body.length).writeBytes(body));
    sink.end(HeaderFields.EMPTY);
    return body.length;
  }
}
