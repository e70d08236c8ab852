package io.forebay.server.listen.connection;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.forebay.server.http.AbortCause;
import io.forebay.server.http.RequestBody;
import io.forebay.server.http.RequestBodyRate;
import io.forebay.server.http.RequestRefusal;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.pacing.Pacing;
import io.forebay.server.pacing.ResponsePace;
import io.forebay.server.tunnel.TunnelEnd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.Headers;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.AsciiString;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response on a multiplexed connection: the request body and the response sink
 * of its exchange, as far as HTTP/2 and HTTP/3 agree. Subclasses send frames and extend the
 * flow-control window. Confined to the event loop of its connection.
 */
public abstract class RequestStream<H extends Headers<CharSequence, CharSequence, H>>
    implements RequestBody, ResponseSink {

  private static final AsciiString STATUS = AsciiString.cached(":status");
  private static final AsciiString ALT_SVC = AsciiString.cached("alt-svc");
  private static final AsciiString CONTENT_LENGTH = AsciiString.cached("content-length");
  private static final AsciiString[] NO_FIELDS = {};
  private static final int HEAD_LENGTH = 1024;

  /** Names and values of most heads. */
  private static final int FIELDS = 32;

  private final ListenerContext loop;
  private final LimitsConfig limits;
  private final ByteBufAllocator allocator;
  private final FramedRequest request;
  private final long beganNanos;

  // The request body. What has come and is not asked for yet waits here; the window bounds it.
  private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(0);
  private @Nullable Receiver receiver;
  private long receivedBytes;
  private long demandBytes;
  private final RequestBodyRate pace;
  private boolean owesContinue;
  private boolean isBodyRead;
  private boolean isBodyOver;
  private boolean isDelivering;

  // The response.
  private @Nullable Listener listener;

  /** Null where the response has no pacing. */
  private @Nullable ResponsePace responsePace;

  private int status;

  /** Given, but not yet handed to the codec: it goes out with what comes next. */
  private @Nullable H pendingHead;

  private boolean isPendingEnd;

  private long remainingBytes = LENGTH_UNKNOWN;
  private long shutNanos;
  private boolean hasHead;
  private boolean hasBody = true;
  private boolean isLive = true;
  private boolean wasWritable = true;

  /** The stream is a tunnel from now on, without bounds of requests. */
  private boolean isTunnel;

  public RequestStream(
      ListenerContext loop,
      LimitsConfig limits,
      ByteBufAllocator allocator,
      FramedRequest request) {
    this.loop = loop;
    this.limits = limits;
    this.allocator = allocator;
    this.request = request;
    this.owesContinue = request.expectsContinue();
    this.isBodyRead = request.endsStream();
    // The end of a tunnel's stream is told to the tunnel.
    this.isBodyOver = isBodyRead && !request.isTunnelRequest();
    this.beganNanos = loop.wheel.nowNanos();
    this.pace =
        new RequestBodyRate(
            loop.timeouts().requestBodyIdle().toNanos(), limits.client().requestBodyRate());
  }

  // ---- what differs from protocol to protocol

  public abstract H newHeaders();

  /** The head of the final response: names and values in turn, not changed elsewhere. */
  public abstract H finalHeaders(AsciiString finalStatus, AsciiString[] fields);

  public abstract void writeHeaders(H headers, boolean isEnd);

  public abstract void writeBody(ByteBuf chunk, boolean isEnd);

  /** Ends the response without another byte of body. */
  public abstract void writeEnd();

  public abstract void flushSoon();

  /** Whether a body chunk written now would be on its way soon. */
  public abstract boolean isStreamWritable();

  /** The client may send that many more bytes: as many were consumed. */
  public abstract void giveCredit(int lengthBytes);

  /** What else the head of the final response has because of the connection it is on. */
  @Nullable
  public AsciiString altSvc() {
    return null;
  }

  /** Body bytes are wanted, be it to drop them, and none wait. */
  public void wantBody() {}

  /** The response is whole; the rest of the request is not wanted. */
  public abstract void stopBody();

  /** The same once the end that was written has gone out. */
  public abstract void stopBodyWhenSent();

  /** The stream becomes a tunnel. */
  public void onTunnel() {}

  /** Answers in place of the exchange, or breaks off where its response has begun. */
  public abstract void refuse(Rejection refusal);

  /** Breaks the response off, so that the client sees it. */
  public abstract void breakOff(AbortCause cause);

  /**
   * The response begins, is past its burst, or has ended: the pace of the connection may change.
   */
  public void onPaceChanged() {}

  /** A response that cannot be right: only a reset tells the client (I3). */
  public abstract void onDefect(String what);

  public final FramedRequest request() {
    return request;
  }

  public final boolean isLive() {
    return isLive;
  }

  final boolean hasHead() {
    return hasHead;
  }

  /** The client has ended its side right behind the head. */
  public final void hasNoBody() {
    request.endsWithoutBody();
    isBodyRead = true;
    isBodyOver = true;
  }

  /** Whether the client has ended its side. */
  public final boolean isBodyRead() {
    return isBodyRead;
  }

  /** What it is refused for now, if its time is over or its body comes too slowly. */
  public final @Nullable Rejection overdue(long nowNanos, long totalNanos) {
    if (isTunnel) {
      return null;
    }
    if (nowNanos - beganNanos >= totalNanos) {
      return Rejection.REQUEST_TIMEOUT;
    }
    return isBodyRead || isBodyOver
        ? null
        : switch (pace.look(nowNanos)) {
          case FINE -> null;
          case SILENT -> Rejection.BODY_TIMEOUT;
          case SLOW -> Rejection.BODY_TOO_SLOW;
        };
  }

  /** The client has opened its window. */
  public final void onCredit() {
    shutNanos = 0;
  }

  /** Notes whether the client's window is shut on what waits; for how long it has been. */
  final long windowClosedNanos(boolean isShut, long sinceLastNanos) {
    shutNanos = isShut ? shutNanos + sinceLastNanos : 0;
    return shutNanos;
  }

  // ---- the request body

  /** Body bytes came; null when they may stand. */
  public final @Nullable Rejection onData(ByteBuf data, boolean isLast) {
    receivedBytes += data.readableBytes();
    long declared = request.contentLength();
    if (declared >= 0 && (receivedBytes > declared || (isLast && receivedBytes < declared))) {
      data.release();
      return Rejection.CONTENT_LENGTH;
    }
    if (receivedBytes > limits.requestBodyBytes() && !request.isTunnelRequest()) {
      data.release();
      return Rejection.BODY_TOO_LARGE;
    }
    isBodyRead |= isLast;
    pace.onBytes(data.readableBytes(), loop.wheel.nowNanos());
    if (isBodyOver || !data.isReadable()) {
      giveCredit(data.readableBytes());
      data.release();
    } else {
      waiting.add(data);
    }
    deliver();
    return null;
  }

  private void deliver() {
    Receiver to = receiver;
    if (isDelivering) {
      return;
    }
    if (to == null) {
      wantMore();
      return;
    }
    isDelivering = true;
    try {
      while (!isBodyOver && demandBytes > 0) {
        ByteBuf data = waiting.poll();
        if (data == null) {
          break;
        }
        int length = data.readableBytes();
        // What comes beyond the demand is not counted against the next: its receiver forgives it
        // too.
        demandBytes = Math.max(0, demandBytes - length);
        pace.wanted(demandBytes > 0, loop.wheel.nowNanos());
        giveCredit(length);
        to.onData(data);
      }
      if (!isBodyOver && isBodyRead && waiting.isEmpty()) {
        isBodyOver = true;
        to.onEnd(HeaderFields.EMPTY);
      }
    } finally {
      isDelivering = false;
    }
    wantMore();
  }

  private void wantMore() {
    if (!isBodyRead && waiting.isEmpty() && (isBodyOver || demandBytes > 0)) {
      wantBody();
    }
  }

  private void dropWaiting() {
    ByteBuf data;
    while ((data = waiting.poll()) != null) {
      giveCredit(data.readableBytes());
      data.release();
    }
  }

  private void failBody(String reason) {
    dropWaiting();
    Receiver to = receiver;
    if (!isBodyOver && to != null) {
      isBodyOver = true;
      to.onFailure(reason);
    }
    isBodyOver = true;
  }

  @Override
  public long lengthBytes() {
    return request.contentLength();
  }

  @Override
  public void receiver(Receiver to) {
    receiver = to;
  }

  @Override
  public void demand(long bytes) {
    if (isBodyOver) {
      return;
    }
    demandBytes = demandBytes + bytes < 0 ? Long.MAX_VALUE : demandBytes + bytes;
    pace.wanted(true, loop.wheel.nowNanos());
    if (owesContinue) {
      owesContinue = false;
      informational(100, HeaderFields.EMPTY);
    }
    deliver();
  }

  @Override
  public void cancel() {
    isBodyOver = true;
    dropWaiting();
    wantMore();
  }

  // ---- the response

  @Override
  public void pace(long bytesPerSecond, long burstBytes) {
    ResponsePace own = responsePace;
    if (own == null) {
      own = new ResponsePace();
      responsePace = own;
    }
    own.begin(bytesPerSecond, burstBytes);
  }

  /** Whether the response has a pacing, be it in its burst. */
  public final boolean isPaced() {
    return responsePace != null;
  }

  /** The rate that a response that is being sent may have now, or -1 where none is. */
  public final long sendingRate() {
    if (!isLive || !hasHead || !hasBody) {
      return -1;
    }
    ResponsePace own = responsePace;
    return own == null ? Pacing.UNPACED : own.rate();
  }

  /** Whether the response is being sent and past its burst. */
  protected final boolean isHeldToPace() {
    long rate = sendingRate();
    return rate >= 0 && rate < Pacing.UNPACED;
  }

  /** The length of chunks, where {@code usual} is that of a response without pacing. */
  protected final int pacedChunkBytes(int usual) {
    ResponsePace own = responsePace;
    return own == null ? usual : own.chunkBytes(usual);
  }

  @Override
  public void informational(int interimStatus, HeaderFields fields) {
    if (!isLive || hasHead) {
      return;
    }
    H headers = headers(interimStatus);
    addFields(headers, fields);
    writeHeaders(headers, false);
    flushSoon();
  }

  @Override
  public ByteBuf beginHead(int finalStatus) {
    status = finalStatus;
    return allocator.directBuffer(HEAD_LENGTH);
  }

  @Override
  public void head(ByteBuf head, long contentLength, boolean isLast) {
    if (!isLive) {
      head.release();
      return;
    }
    if (needsTunnel() && status / 100 == 2) {
      head.release();
      onDefect("a tunnel was asked for and none is open");
      return;
    }
    hasHead = true;
    hasBody = status != 204 && status != 304 && !request.isHead();
    List<AsciiString> fields = new ArrayList<>(FIELDS);
    addLines(fields, head);
    head.release();
    AsciiString elsewhere = altSvc();
    if (elsewhere != null) {
      fields.add(ALT_SVC);
      fields.add(elsewhere);
    }
    if (contentLength >= 0 && status != 204) {
      fields.add(CONTENT_LENGTH);
      fields.add(new AsciiString(Long.toString(contentLength)));
    }
    remainingBytes = hasBody && contentLength >= 0 ? contentLength : LENGTH_UNKNOWN;
    boolean isEnd = isLast || remainingBytes == 0;
    pendingHead =
        finalHeaders(HttpResponseStatus.valueOf(status).codeAsText(), fields.toArray(NO_FIELDS));
    isPendingEnd = isEnd;
    if (isEnd) {
      writeHead();
      // With a length of nothing the caller still calls end, which finds the work done.
      finish();
    } else {
      onPaceChanged();
    }
  }

  @Override
  public void body(ByteBuf chunk) {
    int length = chunk.readableBytes();
    if (!isLive || !hasBody || length == 0) {
      chunk.release();
      return;
    }
    boolean isLast = false;
    if (remainingBytes >= 0) {
      if (length > remainingBytes) {
        chunk.release();
        onDefect("body longer than its Content-Length");
        return;
      }
      remainingBytes -= length;
      isLast = remainingBytes == 0;
    }
    ResponsePace own = responsePace;
    if (own != null && own.onBytes(length)) {
      onPaceChanged();
    }
    writeHead();
    loop.counters.bytesToClients += length;
    writeBody(chunk, isLast);
    if (isLast) {
      finish();
    }
  }

  @Override
  public void flush() {
    if (isLive) {
      writeHead();
      flushSoon();
    }
  }

  private void writeHead() {
    H head = pendingHead;
    if (head != null) {
      pendingHead = null;
      writeHeaders(head, isPendingEnd);
    }
  }

  @Override
  public boolean acceptsTrailers() {
    return true;
  }

  @Override
  public boolean readyForTunnel() {
    return isLive && request.isTunnelRequest();
  }

  @Override
  public boolean needsTunnel() {
    return request.isTunnelRequest();
  }

  @Override
  public TunnelEnd tunnel(ByteBuf head, String protocol) {
    List<AsciiString> lines = new ArrayList<>(FIELDS);
    addLines(lines, head);
    head.release();
    List<AsciiString> fields = new ArrayList<>(lines.size());
    for (int i = 0; i < lines.size(); i += 2) {
      if (!ExtendedConnect.isDropped(lines.get(i))) {
        fields.add(lines.get(i));
        fields.add(lines.get(i + 1));
      }
    }
    hasHead = true;
    isTunnel = true;
    status = HttpResponseStatus.OK.code();
    StreamTunnelEnd end = new StreamTunnelEnd(this);
    listener = end;
    receiver = end;
    onTunnel();
    writeHeaders(
        finalHeaders(HttpResponseStatus.OK.codeAsText(), fields.toArray(NO_FIELDS)), false);
    flushSoon();
    return end;
  }

  /** Whether the stream is a tunnel. */
  public final boolean isTunnel() {
    return isTunnel;
  }

  /** Ends the tunnel's direction to the client; the other goes on. */
  final void endOutput() {
    writeEnd();
    flushSoon();
  }

  @Override
  public boolean retractHead() {
    if (!isLive || pendingHead == null) {
      return false;
    }
    pendingHead = null;
    hasHead = false;
    hasBody = true;
    remainingBytes = LENGTH_UNKNOWN;
    return true;
  }

  @Override
  public void end(HeaderFields trailers) {
    if (!isLive) {
      return;
    }
    if (remainingBytes > 0) {
      onDefect("body shorter than its Content-Length");
      return;
    }
    writeHead();
    if (trailers.size() == 0) {
      writeEnd();
    } else {
      H headers = newHeaders();
      addFields(headers, trailers);
      writeHeaders(headers, true);
    }
    finish();
  }

  @Override
  public void abort(AbortCause cause) {
    if (!isLive) {
      return;
    }
    detach();
    failBody("the response was aborted");
    breakOff(cause);
  }

  @Override
  public void refuse(RequestRefusal why) {
    if (isLive) {
      refuse(Rejection.of(why));
    }
  }

  @Override
  public void onChunkTaken(long sentBytes) {}

  @Override
  public void onChunkStalled() {}

  @Override
  public boolean isWritable() {
    wasWritable = isLive && isStreamWritable();
    return wasWritable;
  }

  @Override
  public void listener(Listener to) {
    listener = to;
  }

  /** Whether it has something to write and found no room for it. */
  public final boolean isWaiting() {
    return isLive && !wasWritable;
  }

  public final void onWritable() {
    Listener told = listener;
    if (isLive && told != null && !wasWritable && isWritable()) {
      told.onWritable();
    }
  }

  /** The stream is gone: the exchange is told, and what it still calls has no effect. */
  public final void onClosed(String reason) {
    Listener told = detach();
    // The exchange before its body: it would take a body that fails for the origin's failure.
    if (told != null) {
      told.onClosed();
    }
    failBody(reason);
  }

  /** The request is bad; says whether there was an exchange to be told. */
  public final boolean onRefused(Rejection refusal) {
    Listener told = detach();
    if (told != null) {
      told.onRefused(refusal.status(), refusal.detail());
    }
    failBody(refusal.detail());
    return told != null;
  }

  /** Answers a refusal that {@link #onRefused} has been told; no head has been written. */
  final void writeRefusal(Rejection refusal, byte[] text) {
    H headers = headers(refusal.status());
    PrebuiltResponses.addRefusal(
        headers,
        refusal,
        loop.dateText(),
        loop.exchanges.proxyStatus(refusal.error()),
        text.length);
    boolean hasText = !request.isHead();
    writeHeaders(headers, !hasText);
    if (hasText) {
      writeBody(Unpooled.wrappedBuffer(text), true);
    }
    if (!isBodyRead) {
      stopBody();
    }
    flushSoon();
  }

  private @Nullable Listener detach() {
    Listener told = isLive ? listener : null;
    isLive = false;
    listener = null;
    pendingHead = null;
    onPaceChanged();
    return told;
  }

  private void finish() {
    isLive = false;
    listener = null;
    onPaceChanged();
    failBody("the response has ended");
    if (!isBodyRead) {
      stopBody();
    }
    flushSoon();
  }

  private H headers(int status) {
    return newHeaders().set(STATUS, Integer.toString(status));
  }

  private static void addFields(
      Headers<CharSequence, CharSequence, ?> headers, HeaderFields fields) {
    for (int i = 0; i < fields.size(); i++) {
      headers.add(fields.name(i), fields.value(i));
    }
  }

  /** Takes the lines {@code name: value\r\n} apart; they stay bytes, in one array. */
  private static void addLines(List<AsciiString> fields, ByteBuf lines) {
    byte[] bytes = new byte[lines.readableBytes()];
    lines.readBytes(bytes);
    int start = 0;
    while (start < bytes.length) {
      int colon = indexOf(bytes, (byte) ':', start);
      int end = indexOf(bytes, (byte) '\r', colon);
      fields.add(new AsciiString(bytes, start, colon - start, false));
      fields.add(new AsciiString(bytes, colon + 2, end - colon - 2, false));
      start = end + 2;
    }
  }

  private static int indexOf(byte[] bytes, byte wanted, int from) {
    int i = from;
    while (bytes[i] != wanted) {
      i++;
    }
    return i;
  }
}
