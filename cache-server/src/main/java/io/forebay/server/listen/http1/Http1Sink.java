package io.forebay.server.listen.http1;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.Trailers;
import io.forebay.server.http.AbortCause;
import io.forebay.server.http.RequestRefusal;
import io.forebay.server.http.ResponseSink;
import io.forebay.server.listen.connection.AltSvc;
import io.forebay.server.listen.connection.Digits;
import io.forebay.server.listen.connection.PrebuiltResponses;
import io.forebay.server.listen.connection.Rejection;
import io.forebay.server.pacing.ResponsePace;
import io.forebay.server.tunnel.TunnelEnd;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes the response of an HTTP/1 connection's current request. One per connection, reused for
 * each response. The head stays in {@link #pending} until more is written, so a small body is sent
 * in the same buffer; larger buffers are passed on unchanged.
 *
 * <p>{@code date} and every other field but framing and {@code connection} are the caller's: the
 * lines are not looked at again.
 */
final class Http1Sink implements ResponseSink {

  /** Bodies up to this are copied behind what is pending. */
  private static final int COPY_LENGTH = 2048;

  private static final int HEAD_LENGTH = 3072;
  private static final int FRAMING_LENGTH = 64;
  private static final int PENDING_LENGTH = 16 * 1024;

  private enum Framing {
    NONE,
    LENGTH,
    CHUNKED,
    UNTIL_CLOSE
  }

  private final Http1Connection connection;
  private final ResponseOutput output;
  private @Nullable ByteBuf pending;
  private @Nullable Listener listener;

  /** Null before the first response that has a pacing. */
  private @Nullable ResponsePace pace;

  private Framing framing = Framing.NONE;
  private long remainingBytes;
  private int status;
  private boolean isVersion11;
  private boolean isHead;
  private boolean isLive;
  private boolean hasHead;
  private boolean isHeadPending;
  private boolean isCloseDelimited;

  Http1Sink(Http1Connection connection, ResponseOutput output) {
    this.connection = connection;
    this.output = output;
  }

  /** The response to the next request begins. */
  void begin(boolean toVersion11, boolean toHead) {
    listener = null;
    isVersion11 = toVersion11;
    isHead = toHead;
    isLive = true;
    hasHead = false;
    isCloseDelimited = false;
    framing = Framing.NONE;
    remainingBytes = 0;
    if (pace != null) {
      pace.clear();
    }
  }

  boolean isLive() {
    return isLive;
  }

  boolean hasHead() {
    return hasHead;
  }

  /** The exchange is over from the client's side: what it still calls has no effect. */
  @Nullable Listener detach() {
    Listener told = listener;
    isLive = false;
    listener = null;
    releasePending();
    return told;
  }

  void onWritable() {
    Listener told = listener;
    if (isLive && told != null) {
      told.onWritable();
    }
  }

  @Override
  public void pace(long bytesPerSecond, long burstBytes) {
    ResponsePace own = pace;
    if (own == null) {
      own = new ResponsePace();
      pace = own;
    }
    own.begin(bytesPerSecond, burstBytes);
  }

  @Override
  public void informational(int interimStatus, HeaderFields fields) {
    if (!isLive || hasHead || !isVersion11) {
      return;
    }
    ByteBuf buffer = output.allocate(HEAD_LENGTH);
    buffer.writeBytes(PrebuiltResponses.statusLine(interimStatus));
    writeFields(buffer, fields);
    buffer.writeBytes(PrebuiltResponses.CRLF);
    output.write(buffer);
    output.flushSoon();
  }

  @Override
  public void tighten(long noProgressNanos, long keepAliveNanos) {
    if (isLive) {
      connection.tighten(noProgressNanos, keepAliveNanos);
    }
  }

  @Override
  public void refuse(RequestRefusal why) {
    if (isLive) {
      connection.onRefused(Rejection.of(why));
    }
  }

  @Override
  public ByteBuf beginHead(int finalStatus) {
    status = finalStatus;
    ByteBuf head =
        output.allocate(HEAD_LENGTH).writeBytes(PrebuiltResponses.statusLine(finalStatus));
    AltSvc elsewhere = connection.altSvc();
    return elsewhere == null ? head : head.writeBytes(elsewhere.line());
  }

  @Override
  public void head(ByteBuf head, long contentLength, boolean isLast) {
    if (!isLive) {
      head.release();
      return;
    }
    hasHead = true;
    ResponsePace own = pace;
    if (own != null) {
      output.pace(own.rate());
    }
    boolean hasNoBody = status == 204 || status == 304 || isHead;
    if (contentLength >= 0 && status != 204) {
      head.writeBytes(PrebuiltResponses.CONTENT_LENGTH);
      Digits.writeDecimal(head, contentLength);
      head.writeBytes(PrebuiltResponses.CRLF);
    }
    if (hasNoBody) {
      framing = Framing.NONE;
    } else if (contentLength >= 0) {
      framing = Framing.LENGTH;
      remainingBytes = contentLength;
    } else if (isLast) {
      // A whole message without a body has to say so, or the client waits for one.
      head.writeBytes(PrebuiltResponses.CONTENT_LENGTH)
          .writeByte('0')
          .writeBytes(PrebuiltResponses.CRLF);
      framing = Framing.NONE;
    } else if (isVersion11) {
      head.writeBytes(PrebuiltResponses.CHUNKED);
      framing = Framing.CHUNKED;
    } else {
      framing = Framing.UNTIL_CLOSE;
      isCloseDelimited = true;
    }
    boolean isKept = connection.decideKeepAlive(!isCloseDelimited);
    if (!isKept) {
      head.writeBytes(PrebuiltResponses.CLOSE);
    } else if (!isVersion11) {
      head.writeBytes(PrebuiltResponses.KEEP_ALIVE);
    }
    head.writeBytes(PrebuiltResponses.CRLF);
    pending = head;
    isHeadPending = true;
    if (isLast) {
      finish();
    }
  }

  @Override
  public void body(ByteBuf chunk) {
    int length = chunk.readableBytes();
    if (!isLive || framing == Framing.NONE || length == 0) {
      chunk.release();
      return;
    }
    if (framing == Framing.LENGTH) {
      if (length > remainingBytes) {
        chunk.release();
        connection.onDefect("body longer than its Content-Length");
        return;
      }
      remainingBytes -= length;
    } else if (framing == Framing.CHUNKED) {
      ByteBuf size = pending();
      Digits.writeHex(size, length);
      size.writeBytes(PrebuiltResponses.CRLF);
    }
    ResponsePace own = pace;
    if (own != null && own.onBytes(length)) {
      output.pace(own.rate());
    }
    ByteBuf before = pending;
    if (before != null && length <= COPY_LENGTH) {
      before.writeBytes(chunk);
      chunk.release();
    } else {
      writePending();
      output.write(chunk);
    }
    if (framing == Framing.CHUNKED) {
      pending().writeBytes(PrebuiltResponses.CRLF);
    }
    before = pending;
    if (before != null && before.readableBytes() >= PENDING_LENGTH) {
      writePending();
    }
  }

  @Override
  public void flush() {
    if (isLive) {
      writePending();
      output.flushSoon();
    }
  }

  @Override
  public void end(HeaderFields trailers) {
    if (!isLive) {
      return;
    }
    if (framing == Framing.LENGTH && remainingBytes > 0) {
      connection.onDefect("body shorter than its Content-Length");
      return;
    }
    if (framing == Framing.CHUNKED) {
      ByteBuf last = pending();
      last.writeBytes(PrebuiltResponses.LAST_CHUNK);
      writeFields(last, trailers);
      last.writeBytes(PrebuiltResponses.CRLF);
    }
    finish();
  }

  @Override
  public void abort(AbortCause cause) {
    if (!isLive) {
      return;
    }
    detach();
    if (cause == AbortCause.CLIENT_STALLED) {
      connection.drop();
    } else {
      connection.cut(isCloseDelimited);
    }
  }

  @Override
  public boolean acceptsInterim() {
    return isVersion11;
  }

  @Override
  public boolean acceptsTrailers() {
    return isLive && isVersion11 && Trailers.areAccepted(connection.request().all("te"));
  }

  @Override
  public boolean readyForTunnel() {
    return isLive && connection.readyForTunnel();
  }

  @Override
  public TunnelEnd tunnel(ByteBuf head, String protocol) {
    head.writeBytes(PrebuiltResponses.UPGRADE);
    head.writeCharSequence(protocol, StandardCharsets.ISO_8859_1);
    head.writeBytes(PrebuiltResponses.CRLF).writeBytes(PrebuiltResponses.CRLF);
    isLive = false;
    listener = null;
    return connection.tunnel(head);
  }

  @Override
  public boolean retractHead() {
    if (!isLive || !isHeadPending) {
      return false;
    }
    releasePending();
    hasHead = false;
    isCloseDelimited = false;
    framing = Framing.NONE;
    remainingBytes = 0;
    return true;
  }

  @Override
  public void giveUp() {
    // Also when a later response is at it: its bytes are queued behind those that do not move.
    connection.drop();
  }

  @Override
  public int chunkBytes() {
    ResponsePace own = pace;
    return own == null ? output.chunkBytes() : own.chunkBytes(output.chunkBytes());
  }

  @Override
  public void onChunkTaken(long sentBytes) {
    // Large chunks are for those that can be sent fast.
    if (pace == null || !pace.isPaced()) {
      output.onChunkTaken(sentBytes);
    }
  }

  @Override
  public void onChunkStalled() {
    output.onChunkStalled();
  }

  @Override
  public boolean isWritable() {
    return isLive && output.isWritable();
  }

  @Override
  public void listener(Listener to) {
    listener = to;
  }

  private void finish() {
    writePending();
    isLive = false;
    listener = null;
    output.flushSoon();
    connection.onResponseEnded();
  }

  private ByteBuf pending() {
    ByteBuf buffer = pending;
    if (buffer == null) {
      buffer = output.allocate(FRAMING_LENGTH);
      pending = buffer;
    }
    return buffer;
  }

  private void writePending() {
    ByteBuf buffer = pending;
    if (buffer != null) {
      pending = null;
      isHeadPending = false;
      output.write(buffer);
    }
  }

  private void releasePending() {
    ByteBuf buffer = pending;
    if (buffer != null) {
      pending = null;
      isHeadPending = false;
      buffer.release();
    }
  }

  private static void writeFields(ByteBuf into, HeaderFields fields) {
    for (int i = 0; i < fields.size(); i++) {
      into.writeCharSequence(fields.name(i), StandardCharsets.ISO_8859_1);
      into.writeByte(':').writeByte(' ');
      into.writeCharSequence(fields.value(i), StandardCharsets.ISO_8859_1);
      into.writeBytes(PrebuiltResponses.CRLF);
    }
  }
}
