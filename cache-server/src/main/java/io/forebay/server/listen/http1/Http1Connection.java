package io.forebay.server.listen.http1;

import io.forebay.core.http.WireRequest;
import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.Protocol;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.RequestBody;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.listen.connection.AltSvc;
import io.forebay.server.listen.connection.ClientCertificateCheck;
import io.forebay.server.listen.connection.ListenerContext;
import io.forebay.server.listen.connection.LocalReplyEvent;
import io.forebay.server.listen.connection.PrebuiltResponses;
import io.forebay.server.listen.connection.Rejection;
import io.forebay.server.tunnel.SocketTunnelEnd;
import io.forebay.server.tunnel.TunnelEnd;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One HTTP/1 client connection: requests are processed one after the other, the next only after the
 * previous response has ended, so pipelined requests are answered in order and no parsed request is
 * queued. Confined to its event loop; view, body and sink are created once and reused.
 *
 * <pre>
 *   HEAD ──request──► EXCHANGE ──response ended, body read──► HEAD
 *                        │└──response ended, body unread──► REST ──read──► HEAD
 *                        └──refused, or not to be kept──► CLOSING ──► CLOSED
 *
 *   ReadFlowControl ──► FastLane, RequestDecoder ──► this ──► RequestHandler
 *   ResponseOutput ◄── Http1Sink ◄──────────────────────────┘
 *   ConnectionTimer: deadlines      ConnectionCloser: reset, or an orderly end
 * </pre>
 */
public final class Http1Connection extends ChannelInboundHandlerAdapter
    implements RequestDecoder.Gate {

  private static final Logger LOG = LoggerFactory.getLogger(Http1Connection.class);

  /** An unread body up to this is read and dropped so that the connection can stay. */
  private static final long REST_BYTES = 64 * 1024;

  private enum Phase {
    HEAD,
    EXCHANGE,
    REST,
    CLOSING,
    CLOSED
  }

  private final ListenerContext loop;
  private final LimitsConfig limits;
  private final Channel channel;
  private final RequestDecoder decoder;
  private final FastLane fastLane;
  private final Http1Request request;
  private final Http1Body body = new Http1Body(this);
  private final Http1Sink sink;
  private final ClientInfo client;
  private final ReadFlowControl gate;
  private final ResponseOutput output;
  private final ConnectionTimer timer;
  private final ConnectionCloser closer;

  private @Nullable ClientInfo clientOfVersion10;
  private @Nullable AltSvc altSvc;
  private Phase phase = Phase.HEAD;
  private int requests;
  private long restBytes;
  private boolean isKept;

  /** What the client sends next may be no HTTP. */
  private boolean isTunnelOffered;

  private boolean hasRequestEnded;
  private boolean hasResponseEnded;
  private boolean isDraining;

  /** The next response is the last one. */
  private boolean isLast;

  public Http1Connection(
      ListenerContext loop,
      Channel channel,
      String scheme,
      String ownAuthority,
      ClientInfo client,
      HeadReader heads) {
    this.loop = loop;
    this.channel = channel;
    this.client = client;
    limits = loop.limits();
    decoder = new RequestDecoder(limits, this);
    fastLane = new FastLane(this, heads, limits);
    request = new Http1Request(limits, scheme, ownAuthority);
    request.guardedBy(ClientCertificateCheck.of(channel));
    gate = new ReadFlowControl(this, channel, decoder);
    boolean isSecure = scheme.equals("https");
    output = new ResponseOutput(loop, channel, isSecure, () -> phase == Phase.HEAD);
    sink = new Http1Sink(this, output);
    timer = new ConnectionTimer(loop, channel, limits, this::onDeadline);
    closer = new ConnectionCloser(channel);
  }

  /** Adds Alt-Svc to every response. */
  public void advertise(@Nullable AltSvc elsewhere) {
    altSvc = elsewhere;
  }

  @Nullable AltSvc altSvc() {
    return altSvc;
  }

  /** What goes before this handler in the pipeline, in this order. */
  public ChannelHandler[] decoders() {
    return new ChannelHandler[] {fastLane, decoder};
  }

  Http1Request request() {
    return request;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    output.open(ctx);
    timer.connected();
    isLast = loop.isEnding();
  }

  // ---- reading

  @Override
  public boolean isOpen() {
    return switch (phase) {
      // Requests that are answered at once must not pile up for a client that does not read.
      case HEAD -> channel.isWritable();
      case REST -> true;
      case EXCHANGE -> !hasRequestEnded && body.isWanted();
      case CLOSING, CLOSED -> false;
    };
  }

  /** Whether all that comes is dropped. */
  boolean dropsInput() {
    return phase == Phase.CLOSING || phase == Phase.CLOSED;
  }

  boolean isClosed() {
    return phase == Phase.CLOSED;
  }

  @Override
  public void onBytes(int lengthBytes) {
    output.reading();
    loop.counters.bytesFromClients += lengthBytes;
    gate.onBytes(phase == Phase.HEAD);
    closer.onBytes(lengthBytes);
    gate.update();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    output.reading();
    gate.onMessage();
    if (dropsInput()) {
      ReferenceCountUtil.release(message);
      return;
    }
    // A message is never both: the decoder does not aggregate.
    if (message instanceof HttpRequest head) {
      onRequest(head);
    } else if (message instanceof HttpContent content) {
      onContent(content);
    } else {
      ReferenceCountUtil.release(message);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    output.readComplete(ctx);
    if (gate.hasPartialHead() && phase == Phase.HEAD) {
      timer.headBegan();
    }
  }

  private void onRequest(HttpRequest head) {
    if (++requests == limits.requestsPerConnection()) {
      loop.counters.hit(LimitKey.REQUESTS_PER_CONNECTION);
    }
    timer.headEnded();
    hasRequestEnded = false;
    hasResponseEnded = false;
    isTunnelOffered = false;
    DecoderResult result = head.decoderResult();
    Rejection refusal =
        result.isFailure()
            ? refusal(result.cause())
            : request.read(head, loop.exchanges.takesPurges());
    if (refusal != null) {
      refuse(refusal);
      return;
    }
    phase = Phase.EXCHANGE;
    isKept = request.wantsKeepAlive();
    sink.begin(request.isVersion11(), request.isHead());
    timer.exchangeBegan(request.hasBody());
    RequestBody source = RequestBody.NONE;
    if (request.hasBody()) {
      body.begin(request.contentLength(), request.expectsContinue());
      source = body;
    }
    if (request.isAsterisk()) {
      answerAsterisk();
      return;
    }
    try {
      loop.exchanges.start(request, source, sink, clientInfo(request.isVersion11()));
    } catch (RuntimeException e) {
      LOG.error("{} {} failed in the exchange", request.method(), request.path(), e);
      onDefect("exchange failed");
    }
  }

  // ---- the fast lane

  /** Whether the next bytes may be looked at before the decoder sees them. */
  boolean isBetweenRequests() {
    return phase == Phase.HEAD && channel.isWritable() && decoder.isBetweenRequests();
  }

  /**
   * Answers a plain request at once; false where nothing was done and the decoder is to have it.
   * Only while {@link #isBetweenRequests}.
   */
  boolean answerAtOnce(WireRequest head) {
    if (isDraining
        || isLast
        || requests + 1 >= limits.requestsPerConnection()
        || !request.isPlainConnectionFor(head.authority())) {
      return false;
    }
    output.reading();
    phase = Phase.EXCHANGE;
    isKept = true;
    hasRequestEnded = true;
    hasResponseEnded = false;
    sink.begin(true, head.isHead());
    boolean isAnswered;
    try {
      isAnswered = loop.exchanges.answerAtOnce(head, sink, client);
    } catch (RuntimeException e) {
      LOG.error("{} {} failed on the fast path", head.method(), head.path(), e);
      onDefect("fast path failed");
      return true;
    }
    if (!isAnswered) {
      sink.detach();
      phase = Phase.HEAD;
      hasRequestEnded = false;
      return false;
    }
    requests++;
    timer.headEnded();
    isTunnelOffered = false;
    return true;
  }

  /** Bytes were dealt with that the decoder does not see. */
  void onFastBytes(int lengthBytes) {
    loop.counters.bytesFromClients += lengthBytes;
    gate.onFastBytes();
  }

  private static Rejection refusal(Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return Rejection.TARGET_TOO_LONG;
    }
    if (cause instanceof TooLongHttpHeaderException) {
      return Rejection.FIELDS_TOO_LARGE;
    }
    return Rejection.MALFORMED;
  }

  private ClientInfo clientInfo(boolean isVersion11) {
    if (isVersion11) {
      return client;
    }
    ClientInfo info = clientOfVersion10;
    if (info == null) {
      info = client.speaking(Protocol.HTTP_1_0);
      clientOfVersion10 = info;
    }
    return info;
  }

  /** {@code OPTIONS *} asks about this server, not about anything behind it. */
  private void answerAsterisk() {
    body.cancel();
    ByteBuf head = sink.beginHead(204);
    head.writeBytes(PrebuiltResponses.DATE)
        .writeBytes(loop.date())
        .writeBytes(PrebuiltResponses.CRLF);
    head.writeBytes(PrebuiltResponses.ALLOW);
    log(204, CacheResult.SYNTHETIC, null, 0);
    sink.head(head, ResponseSink.LENGTH_ABSENT, true);
  }

  private void onContent(HttpContent content) {
    if (content.decoderResult().isFailure()) {
      content.release();
      onRefused(Rejection.CHUNK);
      return;
    }
    ByteBuf data = content.content();
    boolean isLast = content instanceof LastHttpContent;
    if (!data.isReadable()) {
      content.release();
    } else if (phase == Phase.REST) {
      content.release();
      restBytes += data.readableBytes();
      if (restBytes > REST_BYTES && !isLast) {
        isKept = false;
        startClosing();
        return;
      }
    } else if (body.receivedBytes() + data.readableBytes() > limits.requestBodyBytes()) {
      content.release();
      onRefused(Rejection.BODY_TOO_LARGE);
      return;
    } else {
      timer.bodyBytes(data.readableBytes());
      body.onData(data);
      timer.bodyWanted(body.isWanted());
    }
    if (isLast && !dropsInput()) {
      hasRequestEnded = true;
      body.onEnd();
      finishIfBothEnded();
    }
  }

  /** Somebody has asked for more of the body. */
  void onBodyWanted() {
    timer.bodyWanted(true);
    gate.resumeSoon();
  }

  void sendContinue() {
    output.write(
        output.allocate(PrebuiltResponses.CONTINUE.length).writeBytes(PrebuiltResponses.CONTINUE));
    output.flushSoon();
  }

  // ---- called by the sink

  /** Whether the connection is to stay after the response whose head is being written. */
  boolean decideKeepAlive(boolean isDelimited) {
    isKept &=
        isDelimited
            && !isDraining
            && !isLast
            && !isTunnelOffered
            && requests < limits.requestsPerConnection()
            // A client that waits to be told may send its body or not: there is no telling what
            // comes next.
            && !(body.isContinueDue() && !hasRequestEnded && request.hasBody());
    if (isKept && !hasRequestEnded && request.hasBody() && body.isOver()) {
      // Nobody will read the rest; if that is much, it will not be read at all.
      isKept = body.remainingBytes() <= REST_BYTES;
    }
    return isKept;
  }

  boolean readyForTunnel() {
    isTunnelOffered = request.isVersion11() && !request.hasBody();
    return isTunnelOffered;
  }

  /** Sends the head of a 101 and lets go of the connection. */
  TunnelEnd tunnel(ByteBuf head) {
    output.write(head);
    output.flushNow();
    timer.end();
    output.end();
    request.clear();
    phase = Phase.CLOSED;
    return SocketTunnelEnd.takeOver(channel, this, fastLane, decoder);
  }

  void onResponseEnded() {
    hasResponseEnded = true;
    finishIfBothEnded();
  }

  /** A response that cannot be right: nothing but a broken transfer tells the client (I3). */
  void onDefect(String what) {
    LOG.error("{} {}: {}", request.method(), request.path(), what);
    ResponseSink.Listener told = sink.detach();
    body.onFailure(what);
    if (told != null) {
      told.onClosed();
    }
    cut(false);
  }

  /**
   * Breaks the connection off.
   *
   * @param isReset whether the peer must see a reset, because an orderly end would look like the
   *     end of the body
   */
  void cut(boolean isReset) {
    if (dropsInput()) {
      return;
    }
    phase = Phase.CLOSING;
    gate.discard();
    if (isReset) {
      closer.reset();
      return;
    }
    // What was queued goes out first: a response before this one may be whole.
    timer.closing();
    output.flushAll().addListener(ChannelFutureListener.CLOSE);
  }

  /** Gives up on a client that does not take what is queued; all of that is released. */
  void drop() {
    if (phase == Phase.CLOSED || !channel.isOpen()) {
      return;
    }
    countStalled();
    phase = Phase.CLOSING;
    gate.discard();
    closer.reset();
  }

  // ---- the end of a request, and of the connection

  private void finishIfBothEnded() {
    if (phase == Phase.REST && hasRequestEnded) {
      beginNext();
    } else if (phase == Phase.EXCHANGE && hasResponseEnded) {
      if (hasRequestEnded || !request.hasBody()) {
        // Without a body the decoder's end-of-message follows in the same breath, or is no news.
        if (hasRequestEnded) {
          beginNext();
        }
      } else {
        body.onFailure("the response has ended");
        dropRest();
      }
    }
  }

  private void dropRest() {
    if (isKept && !body.isContinueDue() && body.remainingBytes() <= REST_BYTES) {
      phase = Phase.REST;
      restBytes = 0;
      timer.dropsRest();
      gate.resumeSoon();
    } else {
      startClosing();
    }
  }

  /** The limits of a route hold from now on, where they are stricter. */
  void tighten(long noProgressNanos, long keepAliveNanos) {
    timer.tighten(noProgressNanos, keepAliveNanos);
  }

  private void beginNext() {
    request.clear();
    if (!isKept || isDraining) {
      startClosing();
      return;
    }
    phase = Phase.HEAD;
    if (isLast) {
      // The client was told before that the connection stays, and may be sending already.
      timer.awaitsLastRequest();
    } else {
      timer.betweenRequests();
    }
    gate.resumeSoon();
  }

  @Override
  public void onRefused(Rejection refusal) {
    if (phase == Phase.EXCHANGE) {
      refuseExchange(refusal);
    } else if (phase == Phase.HEAD) {
      refuse(refusal);
    } else {
      startClosing();
    }
  }

  /** The request turned out bad while an exchange was at it. */
  private void refuseExchange(Rejection refusal) {
    if (!sink.isLive()) {
      startClosing();
      return;
    }
    boolean hasHead = sink.hasHead();
    ResponseSink.Listener told = sink.detach();
    // The exchange before its body: it would take a body that fails for the origin's failure.
    if (told != null) {
      told.onRefused(refusal.status(), refusal.detail());
    }
    body.onFailure(refusal.detail());
    if (hasHead) {
      loop.countLimit(refusal);
      cut(true);
    } else {
      answer(refusal);
    }
  }

  private void refuse(Rejection refusal) {
    // More of the request may come: an end with unread bytes would reset the connection.
    hasRequestEnded = false;
    log(
        refusal.status(),
        CacheResult.REFUSED,
        refusal.detail(),
        isHead() ? 0 : PrebuiltResponses.text(refusal).length);
    answer(refusal);
  }

  private void answer(Rejection refusal) {
    loop.countRefusal(refusal);
    ByteBuf response = output.allocate(512);
    PrebuiltResponses.writeRefusal(
        response,
        refusal,
        loop.date(),
        loop.exchanges.proxyStatus(refusal.error()),
        loop.retryAfterSeconds(),
        !isHead());
    output.write(response);
    startClosing();
  }

  /** Not asked of the request: that may not have been read. */
  private boolean isHead() {
    return "HEAD".equals(decoder.method());
  }

  /** A line for a request that no exchange saw. */
  private void log(int status, CacheResult result, @Nullable String reason, long bodyBytes) {
    if (!loop.requestLog.isEnabled()) {
      return;
    }
    String method = decoder.method();
    String target = decoder.target();
    String host = request.host();
    loop.requestLog.record(
        new LocalReplyEvent(
            clientInfo(!decoder.isVersion10()),
            request.scheme(),
            method == null ? "" : method,
            host == null ? "" : host,
            target == null ? "" : target,
            request.first("user-agent"),
            status,
            result,
            reason,
            bodyBytes,
            null,
            loop.nowMillis()));
  }

  /** Sends what is queued, then ends the connection so that the client gets to see all of it. */
  private void startClosing() {
    if (dropsInput()) {
      return;
    }
    boolean isAllRead = hasRequestEnded && !gate.hasHeldBytes();
    phase = Phase.CLOSING;
    gate.discard();
    timer.closing();
    gate.update();
    output
        .flushAll()
        .addListener(
            isAllRead ? ChannelFutureListener.CLOSE : (ChannelFutureListener) sent -> linger());
  }

  private void linger() {
    if (!channel.isActive()) {
      channel.close();
      return;
    }
    timer.lingering();
    closer.linger();
  }

  private void onDeadline(long nowNanos) {
    switch (phase) {
      case HEAD -> {
        if (gate.hasPartialHead()) {
          refuse(Rejection.HEADER_TIMEOUT);
        } else {
          if (!isLast) {
            loop.counters.hit(requests == 0 ? LimitKey.REQUEST_HEADER : LimitKey.KEEP_ALIVE);
          }
          channel.close();
        }
      }
      case EXCHANGE -> lookAtExchange(nowNanos);
      case REST -> channel.close();
      case CLOSING -> {
        if (closer.isLingering() || timer.isStalled()) {
          channel.close();
        }
      }
      case CLOSED -> {}
    }
  }

  private void countStalled() {
    loop.counters.stalledClosed++;
    loop.counters.hit(LimitKey.NO_PROGRESS);
  }

  private void lookAtExchange(long nowNanos) {
    switch (timer.look(nowNanos, !hasRequestEnded && !body.isOver())) {
      case FINE -> {}
      case STALLED -> {
        countStalled();
        cut(true);
      }
      case TOTAL -> refuseExchange(Rejection.REQUEST_TIMEOUT);
      case SILENT -> refuseExchange(Rejection.BODY_TIMEOUT);
      case SLOW -> refuseExchange(Rejection.BODY_TOO_SLOW);
    }
  }

  // ---- events of the channel

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (channel.isWritable()) {
      sink.onWritable();
      gate.resumeSoon();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (event == ListenerContext.Drain.LAST_REQUEST) {
      if (!isLast && phase == Phase.HEAD && !gate.hasPartialHead()) {
        timer.awaitsLastRequest();
      }
      isLast = true;
      return;
    }
    if (event == ListenerContext.Drain.NOW) {
      isDraining = true;
      if (phase == Phase.HEAD && !gate.hasPartialHead()) {
        channel.close();
      }
      return;
    }
    super.userEventTriggered(ctx, event);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    phase = Phase.CLOSED;
    output.end();
    timer.end();
    ResponseSink.Listener told = sink.detach();
    if (told != null) {
      told.onClosed();
    }
    body.onFailure("the client closed the connection");
    request.clear();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      LOG.debug("{}: {}", client.address(), cause.toString());
    } else {
      LOG.warn("{}: connection failed", client.address(), cause);
    }
    channel.close();
  }
}
