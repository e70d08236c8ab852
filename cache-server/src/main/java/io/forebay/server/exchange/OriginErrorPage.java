package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.HttpDate;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.StoredHeader;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.fill.FillHead;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.page.StatusPage;
import io.forebay.server.response.HeadLines;
import io.forebay.server.response.HeadWriter;
import io.forebay.storage.object.StoredHead;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sends a page of the route in place of an error that an origin answered with, or that is stored:
 * with the same status, whatever ranges or conditions the request has, and with the few fields of
 * the error that its status calls for. What is stored stays what the origin sent.
 */
final class OriginErrorPage {
  private static final Map<Integer, String> KEPT =
      Map.of(
          401, "www-authenticate",
          405, "allow",
          407, "proxy-authenticate",
          415, "accept",
          416, "content-range",
          429, "retry-after",
          503, "retry-after");

  private OriginErrorPage() {}

  /** The page for an origin's answer with that status; null for the answer itself. */
  static @Nullable StatusPage of(ClientRequest request, int status) {
    if (request.isFromPeer()) {
      return null;
    }
    return request.config().errorPages(request.route()).ofOrigin(status);
  }

  /**
   * In place of what the origin has just answered with and nobody stores.
   *
   * @param notStored why a fill could not keep it, or null when it was passed from the start
   */
  static void sendFetched(
      ExchangeContext loop,
      ClientRequest request,
      ClientResponse response,
      StatusPage page,
      int status,
      HeaderFields fields,
      CacheResult result,
      @Nullable Reason notStored) {
    Reason why = request.reason();
    send(
        loop,
        request,
        response,
        page,
        status,
        fields,
        request.config().cacheStatus().forwarded(why, status, false, false, notStored),
        result,
        notStored == null ? why : notStored);
  }

  /** In place of what a fill has stored. */
  static void sendFilled(
      ExchangeContext loop,
      ClientRequest request,
      ClientResponse response,
      StatusPage page,
      FillHead head,
      boolean isLeader) {
    Reason why = request.reason();
    send(
        loop,
        request,
        response,
        page,
        head.status(),
        StoredHeader.decode(head.block()),
        request.config().cacheStatus().forwarded(why, head.originStatus(), true, !isLeader, null),
        isLeader ? CacheResult.MISS : CacheResult.JOINED,
        why);
  }

  /** In place of a stored object, whose head is pinned; gives the pin back. */
  static void sendStored(
      ExchangeContext loop,
      ClientRequest request,
      ClientResponse response,
      StatusPage page,
      StoredHead head,
      StoredMeta meta,
      String cacheStatus,
      CacheResult result,
      Reason why) {
    HeaderFields fields;
    int status = meta.status();
    try {
      fields =
          StoredHeader.decode(
              loop.store().region(head.region()),
              head.headOffset() + (long) meta.length(),
              head.headLength() - meta.length());
    } finally {
      loop.lane().unpin(head.region());
    }
    send(loop, request, response, page, status, fields, cacheStatus, result, why);
  }

  /**
   * Sends it, and the exchange is over.
   *
   * @param fields those of the error
   * @param cacheStatus this node's member of Cache-Status
   */
  private static void send(
      ExchangeContext loop,
      ClientRequest request,
      ClientResponse response,
      StatusPage page,
      int status,
      HeaderFields fields,
      String cacheStatus,
      CacheResult result,
      Reason why) {
    request.because(why);
    RenderedPage rendered = RenderedPage.of(page, request, response, status);
    byte[] body = rendered.body();
    ResponseSink sink = response.sink();
    HeadWriter head = loop.heads().begin(sink, status, request.rules());
    HstsLine.write(request, head);
    HeadLines.text(
        head.fields(),
        "date: "
            + HttpDate.format(loop.nowMillis())
            + "\r\ncontent-type: "
            + rendered.contentType()
            + "\r\ncache-control: no-store\r\n");
    EndToEndFields.copy(head.fields(), kept(status, fields));
    ByteBufAllocator allocator = head.fields().alloc();
    head.via(request.config().viaLine());
    head.cacheStatus(cacheStatus);
    boolean hasBody = body.length > 0 && !request.isHead();
    head.send(body.length, !hasBody);
    if (hasBody) {
      sink.body(allocator.directBuffer(body.length).writeBytes(body));
      sink.end(HeaderFields.EMPTY);
      response.record().bodyBytes(body.length);
    } else {
      sink.flush();
    }
    response.onHeadSent(status, result, why);
    response.over();
  }

  private static HeaderFields kept(int status, HeaderFields fields) {
    String name = KEPT.get(status);
    List<String> values = name == null ? List.of() : fields.all(name);
    HeaderFields.Builder out = HeaderFields.builder();
    values.forEach(value -> out.add(Objects.requireNonNull(name), value));
    return out.build();
  }
}
