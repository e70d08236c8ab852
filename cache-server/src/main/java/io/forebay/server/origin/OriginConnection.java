package io.forebay.server.origin;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.UpgradeOffer;
import io.forebay.server.config.OriginTimeouts;
import io.forebay.server.loop.DirectWrite;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.group.OriginServer;
import io.forebay.server.text.Printable;
import io.forebay.server.tunnel.SocketTunnelEnd;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One HTTP/1.1 connection to an origin, with at most one call. Confined to its event loop.
 *
 * <pre>
 *   OPENING ─► BUSY ─► SETTLING ─► IDLE ─► BUSY …
 *      └─────────┴─────────┴────────┴────► CLOSED
 * </pre>
 *
 * <p>SETTLING is the rest of the burst of reads in which a response ended: bytes that follow in it
 * show that the connection cannot be trusted with another request.
 */
final class OriginConnection extends ChannelInboundHandlerAdapter
    implements PooledConnection, CallTransport {
  private static final Logger LOG = LoggerFactory.getLogger(OriginConnection.class);

  /** Interim responses that may precede the final one. */
  private static final int MAX_INTERIM = 16;

  /** How long a body waits for the origin's 100 (RFC 9110 §10.1.1: not for ever). */
  static final Duration CONTINUE_PATIENCE = Duration.ofSeconds(1);

  private static final AsciiString KEEP_ALIVE = AsciiString.cached("keep-alive");

  private enum State {
    OPENING,
    BUSY,
    SETTLING,
    IDLE,
    CLOSED
  }

  /** What the deadline stands for while a call is on the connection. */
  private enum Phase {
    CONTINUE,
    SENDING,
    FIRST_BYTE,
    HEAD,
    BODY
  }

  /** Marks the connection's end in the queue of messages. */
  private record Lost(String detail) {}

  private final OriginPool pool;
  private final EndpointPool endpoint;
  private final OriginServer server;
  private final PooledOriginClient client;
  private final ResponseDecoder decoder;
  private final Deadline deadline;
  private final ChannelFutureListener headListener = this::onHeadWritten;
  private @Nullable ChannelHandlerContext context;

  private State state = State.OPENING;
  private @Nullable ConnectionPermit permit;
  private boolean isInReadBurst;
  private boolean isOutputBroken;
  private boolean hasCloseNotify;
  private boolean wasUsed;

  /** It was opened for one client and serves no other. */
  private final boolean isOfOneClient;

  private long hintedKeepNanos = Long.MAX_VALUE;

  // Of the call.
  private @Nullable PooledCall call;
  private @Nullable BodySender sender;
  private Phase phase = Phase.SENDING;
  private boolean isReused;
  private boolean isRequestSent;

  /** The body is sent only after the origin's 100 (Continue). */
  private boolean isAwaitingContinue;

  private boolean hasBytes;

  /** A phase of the response has begun for which no deadline is set yet. */
  private boolean isDeadlineDue;

  private boolean hasHead;
  private boolean isKeepAlive;
  private boolean isCloseDelimited;
  private int interimCount;

  /**
   * What arrived after the listener suspended; Netty reads on to the end once a peer has closed.
   */
  private final ArrayDeque<Object> queued = new ArrayDeque<>();

  private boolean isDraining;

  /**
   * Not connected yet.
   *
   * @param isOfOneClient whether it serves one request only, since it was opened for its client
   */
  OriginConnection(EndpointPool endpoint, boolean isOfOneClient) {
    this.isOfOneClient = isOfOneClient;
    this.pool = endpoint.pool();
    this.endpoint = endpoint;
    this.server = endpoint.server();
    this.client = pool.client();
    this.decoder = new ResponseDecoder(this, client.bounds());
    this.deadline = new Deadline(client.loop(), this::onDeadline);
  }

  @Override
  public EndpointPool endpoint() {
    return endpoint;
  }

  ResponseDecoder decoder() {
    return decoder;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void onOpen(ConnectionPermit newPermit) {
    permit = newPermit;
    client.counters().originConnectionsOpened++;
    client.counters().originConnectionsOpen++;
    if (!context().channel().isActive()) {
      // Closed between two events; channelInactive has already been.
      releasePermit();
    }
  }

  @Override
  public boolean isUsable() {
    return state != State.CLOSED
        && context().channel().isActive()
        && !isOutputBroken
        && !decoder.hasExtraBytes();
  }

  @Override
  public boolean canServe(PooledCall newCall) {
    return true;
  }

  // A call begins.

  @Override
  public void start(PooledCall newCall) {
    if (permit == null) {
      newCall.fail(Kind.CONNECT_FAILED, server.label() + ": the origin closed the connection");
      return;
    }
    state = State.BUSY;
    deadline.clear();
    call = newCall;
    endpoint.counters().requests++;
    if (newCall.endpoint() != endpoint) {
      newCall.assign(endpoint);
    }
    isReused = wasUsed;
    wasUsed = true;
    isRequestSent = false;
    isAwaitingContinue = false;
    hasBytes = false;
    isDeadlineDue = false;
    hasHead = false;
    isKeepAlive = false;
    isCloseDelimited = false;
    interimCount = 0;
    newCall.onConnection(this);

    ChannelHandlerContext ctx = context();
    OriginRequest request = RequestSigning.signed(pool.origin(), server, newCall.request());
    long bodyLength = request.body().lengthBytes();
    decoder.expect(request.method().equals("HEAD"));
    if (newCall.isSuspended()) {
      ctx.channel().config().setAutoRead(false);
    }
    ByteBuf head = RequestHeadWriter.encode(ctx.alloc(), request, server.authority(), bodyLength);
    if (server.isTls() || !DirectWrite.send(ctx.channel(), head)) {
      ctx.writeAndFlush(head).addListener(headListener);
    }
    if (bodyLength == 0) {
      onRequestSent();
    } else {
      BodySender newSender =
          new BodySender(new Http1BodyOutput(this, ctx, bodyLength < 0), newCall.body());
      sender = newSender;
      if (request.hop().expectsContinue()) {
        isAwaitingContinue = true;
        rearm();
        return;
      }
      // A body may answer its first demand at once, with a failure even; the call is not known to
      // its listener yet.
      client.loop().execute(newSender::start);
    }
  }

  private void onHeadWritten(ChannelFuture written) {
    if (!written.isSuccess()) {
      onWriteFailed();
    }
  }

  private void sendBody() {
    BodySender waiting = sender;
    if (isAwaitingContinue && waiting != null) {
      isAwaitingContinue = false;
      rearm();
      client.loop().execute(waiting::start);
    }
  }

  void onRequestSent() {
    PooledCall current = call;
    if (state == State.BUSY && current != null) {
      isRequestSent = true;
      current.onSent();
      rearm();
    }
  }

  /**
   * The origin takes no more bytes. What it said before may still be on its way, so the call goes
   * on until the reading side tells.
   */
  private void onWriteFailed() {
    isOutputBroken = true;
    if (state == State.BUSY && !isRequestSent) {
      stopBody();
      isRequestSent = true;
      rearm();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (state == State.BUSY && !isRequestSent) {
      if (sender != null && ctx.channel().isWritable()) {
        sender.onWritable();
      }
      rearm();
    }
    ctx.fireChannelWritabilityChanged();
  }

  // A response arrives.

  /** Bytes were read from the socket; the decoder is about to see them. */
  void onBytes(int count) {
    client.counters().bytesFromOrigins += count;
    pool.counters().receivedBytes += count;
    isInReadBurst = true;
    if (!hasBytes && state == State.BUSY) {
      hasBytes = true;
      rearmSoon();
    }
  }

  /** At the end of a burst of reads: most responses are over by then. */
  private void rearmSoon() {
    if (isInReadBurst) {
      isDeadlineDue = true;
    } else {
      rearm();
    }
  }

  /** Bytes came that no request asked for. */
  void onUnsolicited() {
    if (state == State.IDLE) {
      endpoint.removeIdle(this);
      close();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    isInReadBurst = true;
    PooledCall current = call;
    if (current == null) {
      ReferenceCountUtil.release(message);
    } else if (current.isSuspended() || isDraining || !queued.isEmpty()) {
      queued.add(message);
    } else {
      process(current, message);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    isInReadBurst = false;
    if (state == State.SETTLING) {
      settle();
    } else {
      PooledCall current = call;
      if (current != null && !current.isSuspended() && queued.isEmpty()) {
        if (hasHead || isDeadlineDue) {
          rearm();
        }
        current.readComplete();
      }
    }
    ctx.fireChannelReadComplete();
  }

  private void process(PooledCall current, Object message) {
    if (message instanceof HttpObject object && object.decoderResult().isFailure()) {
      ReferenceCountUtil.release(message);
      onBadMessage(object.decoderResult().cause());
    } else if (message instanceof HttpResponse response) {
      onResponse(current, response);
    } else if (message instanceof HttpContent content) {
      onContent(current, content);
    } else if (message instanceof Lost lost) {
      onLost(lost.detail);
    } else {
      ReferenceCountUtil.release(message);
    }
  }

  private void onBadMessage(Throwable cause) {
    if (cause instanceof PrematureChannelClosureException) {
      fail(
          Kind.CLOSED_BEFORE_RESPONSE,
          "the origin closed the connection within the response's header section");
    } else {
      fail(kindOf(cause), "invalid response: " + Printable.line(cause));
    }
  }

  private Kind kindOf(Throwable cause) {
    return cause instanceof TooLongFrameException && !hasHead
        ? Kind.FIELDS_TOO_LARGE
        : Kind.INVALID_RESPONSE;
  }

  private void onResponse(PooledCall current, HttpResponse response) {
    int status = response.status().code();
    if (status == 101) {
      onUpgrade(current, fields(response.headers()));
      return;
    }
    if (status < 200) {
      interimCount++;
      if (interimCount > MAX_INTERIM) {
        fail(Kind.INVALID_RESPONSE, "more than " + MAX_INTERIM + " interim responses");
        return;
      }
      // The next one is waited for anew; while a body is being sent there is no hurry.
      hasBytes = false;
      rearmSoon();
      if (status == 100) {
        sendBody();
      }
      current.informational(status, fields(response.headers()));
      return;
    }
    List<Integer> unwanted = server.config().retry().statuses();
    if (!unwanted.isEmpty() && unwanted.contains(status)) {
      EndpointPool another = another(current);
      if (another != null) {
        sendAgain(current, another, status);
        return;
      }
    }
    HttpHeaders headers = response.headers();
    boolean isChunked = headers.contains(HttpHeaderNames.TRANSFER_ENCODING);
    List<String> codings =
        isChunked ? headers.getAll(HttpHeaderNames.TRANSFER_ENCODING) : List.of();
    if (isChunked && (codings.size() > 1 || !codings.getFirst().equalsIgnoreCase("chunked"))) {
      fail(
          Kind.INVALID_RESPONSE,
          "invalid response: Transfer-Encoding " + Printable.line(String.join(", ", codings)));
      return;
    }
    boolean hasNoBody = status == 204 || status == 304 || current.request().method().equals("HEAD");
    String declared = headers.get(HttpHeaderNames.CONTENT_LENGTH);
    long length = -1;
    if (hasNoBody) {
      length = 0;
    } else if (!isChunked && declared != null) {
      // The decoder has checked it and merged equal ones.
      length = Long.parseLong(declared.trim());
    }
    isCloseDelimited = !hasNoBody && !isChunked && declared == null;
    isKeepAlive = HttpUtil.isKeepAlive(response) && !isCloseDelimited;
    noteKeepAliveHint(headers);
    hasHead = true;
    rearmSoon();
    if (!isRequestSent && (status >= 300 || isAwaitingContinue)) {
      // The origin has decided without the rest of the body (RFC 9112 §9.5); of a 2xx that comes
      // early it may still be making use.
      stopBody();
    }
    current.head(status, fields(headers), length, isCloseDelimited);
  }

  /** The response is not wanted; the connection is closed rather than read to its end. */
  private void sendAgain(PooledCall current, EndpointPool another, int status) {
    endpoint.onAnswer(status);
    current.observeHead(status);
    detach();
    current.onConnection(null);
    close();
    pool.watch().onProblem(pool.origin(), server.label() + ": answered with status " + status);
    pool.sendAgain(current, another);
  }

  private void onUpgrade(PooledCall current, HeaderFields fields) {
    UpgradeOffer offer = current.request().hop().upgrade();
    if (offer == null) {
      fail(Kind.INVALID_RESPONSE, "invalid response: 101 without an upgrade request");
      return;
    }
    String refusal = decoder.hasExtraBytes() ? "it came too late" : offer.refusal(fields);
    if (refusal != null) {
      fail(Kind.UPGRADE_FAILED, "invalid response: 101, and " + refusal);
      return;
    }
    detach();
    state = State.CLOSED;
    deadline.stop();
    // What is no HTTP connection any more counts as a tunnel, not among those for requests.
    releasePermit();
    current.tunnel(fields, SocketTunnelEnd.takeOver(context().channel(), this, decoder));
  }

  private void onContent(PooledCall current, HttpContent content) {
    if (content.content().isReadable()) {
      current.data(content.content());
    } else {
      content.release();
    }
    if (call == current && content instanceof LastHttpContent last) {
      onResponseEnd(current, last);
    }
  }

  private void onResponseEnd(PooledCall current, LastHttpContent last) {
    if (isCloseDelimited && server.isTls() && !hasCloseNotify) {
      // Anyone on the path can close a TCP connection; only the origin can say so within TLS.
      fail(Kind.TRUNCATED, "the connection closed without a TLS close_notify that ends the body");
      return;
    }
    HeaderFields trailers = fields(last.trailingHeaders());
    detach();
    state = State.SETTLING;
    current.onConnection(null);
    current.end(trailers);
    if (!isInReadBurst) {
      settle();
    }
  }

  private void settle() {
    if (state != State.SETTLING) {
      return;
    }
    if (isKeepAlive && isRequestSent && isUsable() && !isOfOneClient) {
      state = State.IDLE;
      context().channel().config().setAutoRead(true);
      pool.onFree(this);
    } else {
      close();
    }
  }

  // Reading is suspended and resumed.

  @Override
  public void onSuspended() {
    if (state == State.BUSY) {
      context().channel().config().setAutoRead(false);
      rearm();
    }
  }

  @Override
  public void onResumed() {
    PooledCall current = call;
    if (current == null || current.isSuspended()) {
      return;
    }
    if (queued.isEmpty()) {
      if (state == State.BUSY) {
        context().channel().config().setAutoRead(true);
        rearm();
      }
    } else if (!isDraining) {
      // Also of a connection that is gone: what it has brought, and that it is gone, is queued.
      // In a separate task: the caller of resume does not expect a callback within it.
      client.loop().execute(() -> drain(current));
    }
  }

  private void drain(PooledCall current) {
    if (call != current || isDraining) {
      return;
    }
    isDraining = true;
    try {
      while (call == current && !current.isSuspended()) {
        Object message = queued.poll();
        if (message == null) {
          break;
        }
        process(current, message);
      }
    } finally {
      isDraining = false;
    }
    if (call == current && !current.isSuspended()) {
      current.readComplete();
      onResumed();
    }
  }

  // It goes wrong.

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    isInReadBurst = false;
    onClosed("the origin closed the connection");
    if (state == State.IDLE) {
      endpoint.removeIdle(this);
    }
    state = State.CLOSED;
    deadline.stop();
    releasePermit();
    ctx.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    boolean isTransport = cause instanceof IOException || cause.getCause() instanceof SSLException;
    if (state == State.BUSY && isTransport) {
      onClosed(Printable.line(cause));
    } else if (state == State.BUSY && cause instanceof DecoderException) {
      Throwable why = cause.getCause() == null ? cause : cause.getCause();
      fail(kindOf(why), "invalid response: " + Printable.line(why));
    } else if (!isTransport && !(cause instanceof DecoderException)) {
      LOG.error("{}: internal error while handling a response", server.label(), cause);
      fail(Kind.DEFECT, "internal error of this node, see its log");
    }
    if (state == State.IDLE) {
      endpoint.removeIdle(this);
    }
    if (call == null) {
      close();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslCloseCompletionEvent close && close.isSuccess()) {
      hasCloseNotify = true;
    }
    ctx.fireUserEventTriggered(event);
  }

  private void onClosed(String detail) {
    PooledCall current = call;
    if (current == null) {
      return;
    }
    if (current.isSuspended() || isDraining || !queued.isEmpty()) {
      queued.add(new Lost(detail));
      deadline.clear();
    } else {
      onLost(detail);
    }
  }

  private void onLost(String detail) {
    PooledCall current = call;
    if (current == null) {
      return;
    }
    if (isRetryable(current)) {
      detach();
      current.onConnection(null);
      current.markRetried();
      client.counters().originRetries++;
      ConnectionPermit kept = takePermit();
      close();
      pool.retry(current, kept);
    } else if (hasHead) {
      fail(Kind.TRUNCATED, "the response ended early: " + detail);
    } else {
      fail(Kind.CLOSED_BEFORE_RESPONSE, "no response: " + detail);
    }
  }

  /** Whether the origin may simply have closed an idle connection just as it was used again. */
  private boolean isRetryable(PooledCall current) {
    return isReused
        && !hasBytes
        && interimCount == 0
        && !current.isRetried()
        && !client.isClosed()
        && (sender == null || !sender.isStarted() || current.request().body().isRepeatable())
        && current.request().isIdempotent();
  }

  private void onDeadline() {
    if (state == State.IDLE) {
      endpoint.removeIdle(this);
      close();
    } else if (state == State.BUSY) {
      switch (phase) {
        case CONTINUE -> sendBody();
        case FIRST_BYTE ->
            fail(
                Kind.FIRST_BYTE_TIMEOUT,
                "no response within " + firstByteTimeout().toMillis() + " ms");
        case SENDING ->
            fail(
                Kind.WRITE_TIMEOUT,
                "the origin read nothing of the request body for "
                    + idleTimeout().toMillis()
                    + " ms");
        case HEAD ->
            fail(
                Kind.HEAD_TIMEOUT,
                "the response's header section did not end within "
                    + idleTimeout().toMillis()
                    + " ms");
        case BODY ->
            fail(
                Kind.IDLE_TIMEOUT,
                "no data of the response for " + idleTimeout().toMillis() + " ms");
      }
    }
  }

  /**
   * Ends the call in failure, and the connection with it; or sends the call to another endpoint, if
   * nothing of a response has come and it is safe to send it again.
   */
  void fail(Kind kind, String detail) {
    PooledCall current = call;
    if (current == null) {
      return;
    }
    String text = server.label() + ": " + detail;
    EndpointPool another = null;
    current.observeFailure(kind);
    if (kind.isEndpointFault()) {
      endpoint.onFailure(detail);
      another = another(current);
    }
    detach();
    current.onConnection(null);
    close();
    if (another == null) {
      current.fail(kind, text);
    } else {
      pool.watch().onProblem(pool.origin(), text);
      pool.sendAgain(current, another);
    }
  }

  /** Where a call without a response can be sent again, or null. */
  private @Nullable EndpointPool another(PooledCall current) {
    return !hasHead && interimCount == 0 && current.request().isSafeToSendAgain()
        ? pool.another(current, endpoint)
        : null;
  }

  @Override
  public void abandon() {
    detach();
    close();
  }

  @Override
  public void onKept(long keepNanos) {
    state = State.IDLE;
    long nanos = Math.min(keepNanos, hintedKeepNanos);
    deadline.in(nanos);
  }

  @Override
  public void close() {
    if (state != State.CLOSED) {
      state = State.CLOSED;
      deadline.stop();
      context().channel().close();
    }
  }

  private void detach() {
    call = null;
    deadline.clear();
    stopBody();
    sender = null;
    while (true) {
      Object message = queued.poll();
      if (message == null) {
        return;
      }
      ReferenceCountUtil.release(message);
    }
  }

  private void stopBody() {
    isAwaitingContinue = false;
    if (sender != null) {
      sender.stop();
    }
  }

  private void releasePermit() {
    ConnectionPermit held = takePermit();
    if (held != null) {
      held.release();
    }
  }

  /** From now on the connection does not count as one; null if it does not already. */
  private @Nullable ConnectionPermit takePermit() {
    ConnectionPermit held = permit;
    permit = null;
    if (held != null) {
      client.counters().originConnectionsOpen--;
      endpoint.removeConnection();
    }
    return held;
  }

  private void rearm() {
    isDeadlineDue = false;
    PooledCall current = call;
    if (current == null || current.isSuspended()) {
      deadline.clear();
    } else if (hasHead) {
      arm(Phase.BODY, idleTimeout());
    } else if (hasBytes) {
      arm(Phase.HEAD, idleTimeout());
    } else if (isRequestSent) {
      arm(Phase.FIRST_BYTE, firstByteTimeout());
    } else if (isAwaitingContinue) {
      arm(Phase.CONTINUE, CONTINUE_PATIENCE);
    } else if (!context().channel().isWritable()) {
      arm(Phase.SENDING, idleTimeout());
    } else {
      deadline.clear();
    }
  }

  private Duration firstByteTimeout() {
    return timeouts().firstByteOr(server.config().firstByteTimeout());
  }

  private Duration idleTimeout() {
    return timeouts().idleOr(server.config().idleTimeout());
  }

  private OriginTimeouts timeouts() {
    PooledCall current = call;
    return current == null ? OriginTimeouts.OF_ORIGIN : current.request().timeouts();
  }

  private void arm(Phase newPhase, Duration timeout) {
    phase = newPhase;
    if (timeout.isPositive()) {
      deadline.in(timeout.toNanos());
    } else {
      deadline.clear();
    }
  }

  /** An origin that says how long it keeps idle connections is left a little before. */
  private void noteKeepAliveHint(HttpHeaders headers) {
    String hint = headers.get(KEEP_ALIVE);
    if (hint == null) {
      return;
    }
    for (String part : hint.toLowerCase(Locale.ROOT).split(",", 8)) {
      String text = part.strip();
      if (text.matches("timeout=[0-9]{1,6}")) {
        long millis = Long.parseLong(text.substring(8)) * 1000 - 500;
        hintedKeepNanos = TimeUnit.MILLISECONDS.toNanos(Math.max(0, millis));
      }
    }
  }

  private static HeaderFields fields(HttpHeaders headers) {
    if (headers.isEmpty()) {
      return HeaderFields.EMPTY;
    }
    HeaderFields.Builder fields = HeaderFields.builder();
    Iterator<Map.Entry<CharSequence, CharSequence>> each = headers.iteratorCharSequence();
    while (each.hasNext()) {
      Map.Entry<CharSequence, CharSequence> field = each.next();
      fields.add(field.getKey(), field.getValue());
    }
    return fields.build();
  }

  private ChannelHandlerContext context() {
    if (context == null) {
      throw new IllegalStateException("used before it was in a pipeline");
    }
    return context;
  }
}
