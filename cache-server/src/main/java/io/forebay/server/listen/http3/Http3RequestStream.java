package io.forebay.server.listen.http3;

import io.forebay.server.http.AbortCause;
import io.forebay.server.listen.connection.FramedRequest;
import io.forebay.server.listen.connection.Rejection;
import io.forebay.server.listen.connection.RequestStream;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http3.DefaultHttp3Headers;
import io.netty.handler.codec.http3.Http3ErrorCode;
import io.netty.handler.codec.http3.Http3Headers;
import io.netty.util.AsciiString;

/** One request and its response on an HTTP/3 connection. */
final class Http3RequestStream extends RequestStream<Http3Headers> {

  /**
   * What is handed over at once: QUIC copies what it takes, and what it does not take yet stays
   * leased. Small, since streams take turns chunk by chunk.
   */
  private static final int CHUNK_BYTES = 64 * 1024;

  private final Http3Stream stream;

  Http3RequestStream(Http3Stream stream, FramedRequest request) {
    super(stream.connection().loop(), stream.connection().limits(), stream.allocator(), request);
    this.stream = stream;
  }

  @Override
  public void refuse(Rejection refusal) {
    stream.connection().refuse(stream, this, refusal);
  }

  @Override
  public void tighten(long noProgressNanos, long keepAliveNanos) {
    stream.connection().tighten(noProgressNanos, keepAliveNanos);
  }

  @Override
  public Http3Headers newHeaders() {
    return new DefaultHttp3Headers(false);
  }

  @Override
  public Http3Headers finalHeaders(AsciiString finalStatus, AsciiString[] fields) {
    Http3Headers headers = newHeaders().status(finalStatus);
    for (int i = 0; i < fields.length; i += 2) {
      headers.add(fields[i], fields[i + 1]);
    }
    return headers;
  }

  @Override
  public void writeHeaders(Http3Headers headers, boolean isEnd) {
    stream.writeHeaders(headers, isEnd);
  }

  @Override
  public void writeBody(ByteBuf chunk, boolean isEnd) {
    if (isHeldToPace()) {
      stream.writePaced(chunk, isEnd);
    } else {
      stream.writeData(chunk, isEnd);
    }
  }

  @Override
  public void writeEnd() {
    stream.writeEnd();
  }

  @Override
  public void flushSoon() {
    // QUIC sends by itself: at the end of the read that is under way, or at once.
  }

  @Override
  public boolean isStreamWritable() {
    return stream.isWritable() && (!isHeldToPace() || stream.connection().hasCredit(stream));
  }

  @Override
  public void onPaceChanged() {
    if (isPaced()) {
      stream.connection().onPaceChanged();
    }
  }

  @Override
  public void giveCredit(int lengthBytes) {
    // Credit goes out with what is read, and no more is read than is asked for.
  }

  @Override
  public void wantBody() {
    stream.read();
  }

  @Override
  public void stopBody() {
    // Once the end of the response is on its way: see Http3Stream.onEndTaken.
  }

  @Override
  public void stopBodyWhenSent() {
    stream.stopInputWhenSent();
  }

  @Override
  public void breakOff(AbortCause cause) {
    stream.reset(
        switch (cause) {
          case CLIENT_STALLED, SHUTDOWN, TUNNEL_BROKEN -> Http3ErrorCode.H3_REQUEST_CANCELLED;
          default -> Http3ErrorCode.H3_INTERNAL_ERROR;
        });
  }

  @Override
  public void onDefect(String what) {
    stream.connection().onDefect(stream, this, what);
  }

  @Override
  public void giveUp() {
    onClosed("the client does not read the response");
    stream.giveUp();
  }

  @Override
  public int chunkBytes() {
    return pacedChunkBytes(CHUNK_BYTES);
  }
}
