package io.forebay.server.listen;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.exchange.AbortCause;
import io.forebay.server.exchange.RequestBody;
import io.forebay.server.exchange.ResponseSink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.AsciiString;
import java.util.ArrayDeque;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response on an HTTP/2 connection: the body source and the response sink of
 * its exchange. No channel of its own; everything goes through its {@link Http2Connection}, on
 * whose loop it lives.
 */
final class Http2RequestStream implements RequestBody, ResponseSink {

  private static final int HEAD_LENGTH = 1024;

  /**
   * Who is told first that there is room: the most urgent; of those the ones that share it before
   * the ones that do not, the former in turns, the latter by age.
   */
  static final Comparator<Http2RequestStream> TURNS =
      Comparator.<Http2RequestStream>comparingInt(stream -> stream.priority.urgency())
          .thenComparing(stream -> !stream.priority.isShared())
          .thenComparingLong(
              stream -> stream.priority.isShared() ? stream.turn : stream.stream.id());

  private final Http2Connection connection;
  private final Http2FrameStream stream;
  private final Http2Request request;
  private final long beganNanos;

  // The request body. What has come and is not asked for yet waits here; the window bounds it.
  private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(0);
  private @Nullable Receiver receiver;
  private long receivedBytes;
  private long demandBytes;
  private final BodyPace pace;
  private boolean owesContinue;
  private boolean isBodyRead;
  private boolean isBodyOver;
  private boolean isDelivering;

  // The response.
  private @Nullable Listener listener;
  private int status;

  /** Given, but not yet handed to the codec: it goes out with what comes next. */
  private @Nullable Http2HeadersFrame pendingHead;

  private long remainingBytes = LENGTH_UNKNOWN;
  private long shutNanos;
  private boolean hasHead;
  private boolean hasBody = true;
  private boolean isLive = true;
  private boolean wasWritable = true;
  private StreamPriority priority = StreamPriority.UNSAID;
  private long turn;

  Http2RequestStream(Http2Connection connection, Http2FrameStream stream, Http2Request request) {
    this.connection = connection;
    this.stream = stream;
    this.request = request;
    this.owesContinue = request.expectsContinue();
    this.isBodyRead = !request.hasBody();
    this.isBodyOver = isBodyRead;
    this.beganNanos = connection.loop().wheel.nowNanos();
    this.pace = new BodyPace(connection.limits(), connection.loop().timeouts());
  }

  Http2FrameStream stream() {
    return stream;
  }

  Http2Request request() {
    return request;
  }

  boolean isLive() {
    return isLive;
  }

  boolean hasHead() {
    return hasHead;
  }

  /** Whether the client has ended its side. */
  boolean isBodyRead() {
    return isBodyRead;
  }

  /** What it is refused for now, if its time is over or its body comes too slowly. */
  @Nullable Refusal overdue(long nowNanos, long totalNanos) {
    if (nowNanos - beganNanos >= totalNanos) {
      return Refusal.REQUEST_TIMEOUT;
    }
    return isBodyRead || isBodyOver
        ? null
        : switch (pace.look(nowNanos)) {
          case FINE -> null;
          case SILENT -> Refusal.BODY_TIMEOUT;
          case SLOW -> Refusal.BODY_TOO_SLOW;
        };
  }

  /** The client has opened its window. */
  void onCredit() {
    shutNanos = 0;
  }

  /** Notes whether the client's window is shut on what waits; for how long it has been. */
  long isShutFor(boolean isShut, long sinceLastNanos) {
    shutNanos = isShut ? shutNanos + sinceLastNanos : 0;
    return shutNanos;
  }

  // ---- the request body

  /** Body bytes came; null when they may stand. */
  @Nullable Refusal onData(ByteBuf data, boolean isLast) {
    receivedBytes += data.readableBytes();
    long declared = request.contentLength();
    if (declared >= 0 && (receivedBytes > declared || (isLast && receivedBytes < declared))) {
      data.release();
      return Refusal.CONTENT_LENGTH;
    }
    if (receivedBytes > connection.limits().requestBodyBytes()) {
      data.release();
      return Refusal.BODY_TOO_LARGE;
    }
    isBodyRead |= isLast;
    pace.onBytes(data.readableBytes(), connection.loop().wheel.nowNanos());
    if (isBodyOver || !data.isReadable()) {
      connection.giveCredit(stream, data.readableBytes());
      data.release();
    } else {
      waiting.add(data);
    }
    deliver();
    return null;
  }

  private void deliver() {
    Receiver to = receiver;
    if (isDelivering || to == null) {
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
        pace.wanted(demandBytes > 0, connection.loop().wheel.nowNanos());
        connection.giveCredit(stream, length);
        to.onData(data);
      }
      if (!isBodyOver && isBodyRead && waiting.isEmpty()) {
        isBodyOver = true;
        to.onEnd(HeaderFields.EMPTY);
      }
    } finally {
      isDelivering = false;
    }
  }

  private void dropWaiting() {
    ByteBuf data;
    while ((data = waiting.poll()) != null) {
      connection.giveCredit(stream, data.readableBytes());
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
    pace.wanted(true, connection.loop().wheel.nowNanos());
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
  }

  // ---- the response

  @Override
  public void informational(int interimStatus, HeaderFields fields) {
    if (!isLive || hasHead) {
      return;
    }
    Http2Headers headers = headers(interimStatus);
    addFields(headers, fields);
    connection.write(new DefaultHttp2HeadersFrame(headers, false).stream(stream));
    connection.flushSoon();
  }

  @Override
  public ByteBuf beginHead(int finalStatus) {
    status = finalStatus;
    return connection.allocate(HEAD_LENGTH);
  }

  @Override
  public void head(ByteBuf head, long contentLength, boolean isLast) {
    if (!isLive) {
      head.release();
      return;
    }
    hasHead = true;
    hasBody = status != 204 && status != 304 && !request.isHead();
    Http2Headers headers = headers(status);
    addLines(headers, head);
    head.release();
    if (contentLength >= 0 && status != 204) {
      headers.setLong("content-length", contentLength);
    }
    remainingBytes = hasBody && contentLength >= 0 ? contentLength : LENGTH_UNKNOWN;
    boolean isEnd = isLast || remainingBytes == 0;
    pendingHead = new DefaultHttp2HeadersFrame(headers, isEnd).stream(stream);
    if (isEnd) {
      writeHead();
      // With a length of nothing the caller still calls end, which finds the work done.
      finish();
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
        connection.onDefect(this, "body longer than its Content-Length");
        return;
      }
      remainingBytes -= length;
      isLast = remainingBytes == 0;
    }
    writeHead();
    connection.loop().counters.bytesToClients += length;
    connection.writeData(new DefaultHttp2DataFrame(chunk, isLast).stream(stream), length);
    if (isLast) {
      finish();
    }
  }

  @Override
  public void flush() {
    if (isLive) {
      writeHead();
      connection.flushSoon();
    }
  }

  private void writeHead() {
    Http2HeadersFrame head = pendingHead;
    if (head != null) {
      pendingHead = null;
      connection.write(head);
    }
  }

  @Override
  public boolean takesTrailers() {
    return true;
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
      connection.onDefect(this, "body shorter than its Content-Length");
      return;
    }
    writeHead();
    if (trailers.size() == 0) {
      connection.write(new DefaultHttp2DataFrame(Unpooled.EMPTY_BUFFER, true).stream(stream));
    } else {
      Http2Headers headers = new DefaultHttp2Headers(false);
      addFields(headers, trailers);
      connection.write(new DefaultHttp2HeadersFrame(headers, true).stream(stream));
    }
    finish();
  }

  @Override
  public void abort(AbortCause cause) {
    if (!isLive) {
      return;
    }
    detach();
    failBody("the response was broken off");
    connection.reset(
        stream,
        cause == AbortCause.CLIENT_STALLED || cause == AbortCause.SHUTDOWN
            ? Http2Error.CANCEL
            : Http2Error.INTERNAL_ERROR);
  }

  @Override
  public void giveUp() {
    onClosed("the client does not take the response");
    connection.giveUp(stream);
  }

  @Override
  public int chunkBytes() {
    return connection.chunkBytes(stream);
  }

  @Override
  public void onChunkTaken(long sentBytes) {}

  @Override
  public void onChunkStalled() {}

  @Override
  public boolean isWritable() {
    wasWritable = isLive && connection.isWritable(stream);
    return wasWritable;
  }

  @Override
  public void listener(Listener to) {
    listener = to;
  }

  void priority(StreamPriority said) {
    priority = said;
  }

  /** Its turn has come, as the so-many-th of the connection. */
  void turn(long number) {
    turn = number;
  }

  /** Whether it has something to write and found no room for it. */
  boolean isWaiting() {
    return isLive && !wasWritable;
  }

  void onWritable() {
    Listener told = listener;
    if (isLive && told != null && !wasWritable && isWritable()) {
      told.onWritable();
    }
  }

  /** The stream is gone: the exchange is told, and what it still calls has no effect. */
  void onClosed(String reason) {
    Listener told = detach();
    // The exchange before its body: it would take a body that fails for the origin's failure.
    if (told != null) {
      told.onClosed();
    }
    failBody(reason);
  }

  /** The request is bad; says whether there was an exchange to be told. */
  boolean onRefused(Refusal refusal) {
    Listener told = detach();
    if (told != null) {
      told.onRefused(refusal.status(), refusal.detail());
    }
    failBody(refusal.detail());
    return told != null;
  }

  private @Nullable Listener detach() {
    Listener told = isLive ? listener : null;
    isLive = false;
    listener = null;
    pendingHead = null;
    return told;
  }

  private void finish() {
    isLive = false;
    listener = null;
    failBody("the response has ended");
    if (!isBodyRead) {
      // The client may stop sending; the response it has is whole (RFC 9113 §8.1).
      connection.reset(stream, Http2Error.NO_ERROR);
    }
    connection.flushSoon();
  }

  private static Http2Headers headers(int status) {
    return new DefaultHttp2Headers(false).status(Integer.toString(status));
  }

  private static void addFields(Http2Headers headers, HeaderFields fields) {
    for (int i = 0; i < fields.size(); i++) {
      headers.add(fields.name(i), fields.value(i));
    }
  }

  /** Takes the lines {@code name: value\r\n} apart; they stay bytes, in one array. */
  private static void addLines(Http2Headers headers, ByteBuf lines) {
    byte[] bytes = new byte[lines.readableBytes()];
    lines.readBytes(bytes);
    int start = 0;
    while (start < bytes.length) {
      int colon = indexOf(bytes, (byte) ':', start);
      int end = indexOf(bytes, (byte) '\r', colon);
      headers.add(
          new AsciiString(bytes, start, colon - start, false),
          new AsciiString(bytes, colon + 2, end - colon - 2, false));
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
