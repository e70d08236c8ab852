package io.forebay.server.listen.connection;

import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.RequestBody;
import io.forebay.server.http.ResponseSink;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the exchanges of an HTTP/2 or HTTP/3 connection, and answers requests that need none:
 * rejections and {@code OPTIONS *}, with their access log lines. Confined to the event loop of its
 * connection.
 */
public final class StreamDispatcher {

  private static final Logger LOG = LoggerFactory.getLogger(StreamDispatcher.class);

  private final ListenerContext loop;
  private final String scheme;
  private final String resetName;

  /** {@code resetName} is the error code of malformed messages, as the access log names it. */
  public StreamDispatcher(ListenerContext loop, String scheme, String resetName) {
    this.loop = loop;
    this.scheme = scheme;
    this.resetName = resetName;
  }

  /** Starts the exchange of a stream whose request is read. */
  public void start(ClientInfo client, RequestStream<?> stream) {
    FramedRequest request = stream.request();
    if (request.isAsterisk()) {
      answerAsterisk(client, stream);
      return;
    }
    try {
      loop.exchanges.start(request, request.hasBody() ? stream : RequestBody.NONE, stream, client);
    } catch (RuntimeException e) {
      LOG.error("{} {} failed in the exchange", request.method(), request.path(), e);
      stream.onDefect("exchange failed");
    }
  }

  /** {@code OPTIONS *} asks about this server, not about anything behind it. */
  private void answerAsterisk(ClientInfo client, RequestStream<?> stream) {
    ByteBuf head = stream.beginHead(204);
    head.writeBytes(PrebuiltResponses.DATE)
        .writeBytes(loop.date())
        .writeBytes(PrebuiltResponses.CRLF);
    head.writeBytes(PrebuiltResponses.ALLOW);
    log(client, stream.request(), 204, CacheResult.SYNTHETIC, null, 0, false);
    stream.head(head, ResponseSink.LENGTH_ABSENT, true);
  }

  /**
   * Refuses a request, whatever has become of it so far.
   *
   * @return true where it is answered; false where the stream must be reset: the message is
   *     malformed (RFC 9113 §8.1.1, RFC 9114 §4.1.2), or its response has begun or is over
   */
  public boolean refuse(ClientInfo client, RequestStream<?> stream, Rejection refusal) {
    loop.countRefusal(refusal);
    boolean hasHead = stream.hasHead();
    boolean wasLive = stream.isLive();
    boolean isLoggedByExchange = stream.onRefused(refusal) || !wasLive;
    boolean isReset = refusal.isMalformed() || hasHead || !wasLive;
    byte[] text = PrebuiltResponses.text(refusal);
    if (!isLoggedByExchange) {
      int bodyBytes = isReset || stream.request().isHead() ? 0 : text.length;
      log(
          client,
          stream.request(),
          refusal.status(),
          CacheResult.REFUSED,
          refusal,
          bodyBytes,
          isReset);
    }
    if (!isReset) {
      stream.writeRefusal(refusal, text);
    }
    return !isReset;
  }

  /** Counts and logs a request of which no field is known; its stream is reset. */
  public void onUndecodable(ClientInfo client) {
    loop.countRefusal(Rejection.PROTOCOL);
    log(
        client,
        null,
        Rejection.PROTOCOL.status(),
        CacheResult.REFUSED,
        Rejection.PROTOCOL,
        0,
        true);
  }

  /** Counts and logs a request whose fields the codec has found too large; the codec answers it. */
  public void onFieldsTooLarge(ClientInfo client) {
    Rejection refusal = Rejection.FIELDS_TOO_LARGE;
    loop.countRefusal(refusal);
    log(client, null, refusal.status(), CacheResult.REFUSED, refusal, 0, false);
  }

  /**
   * A line for a request that no exchange saw; the request is null where no field of it is known.
   */
  private void log(
      ClientInfo client,
      @Nullable FramedRequest request,
      int status,
      CacheResult result,
      @Nullable Rejection refusal,
      int bodyBytes,
      boolean isReset) {
    if (!loop.requestLog.isEnabled()) {
      return;
    }
    loop.requestLog.record(
        LocalReplyEvent.ofStream(
            client,
            scheme,
            request,
            status,
            result,
            refusal,
            bodyBytes,
            isReset ? resetName : null,
            loop.nowMillis()));
  }
}
