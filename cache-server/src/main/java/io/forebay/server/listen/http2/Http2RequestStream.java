package io.forebay.server.listen.http2;

import io.forebay.server.http.AbortCause;
import io.forebay.server.listen.connection.AltSvc;
import io.forebay.server.listen.connection.FramedRequest;
import io.forebay.server.listen.connection.Rejection;
import io.forebay.server.listen.connection.RequestStream;
import io.forebay.server.listen.connection.StreamPriority;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.ReadOnlyHttp2Headers;
import io.netty.util.AsciiString;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response on an HTTP/2 connection. It has no channel of its own and uses its
 * {@link Http2Connection}, on whose event loop it lives.
 */
final class Http2RequestStream extends RequestStream<Http2Headers> {

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
  private StreamPriority priority = StreamPriority.UNSAID;
  private long turn;

  /** When the end of the response, written apart from all else, is sent. */
  private @Nullable ChannelFuture ended;

  Http2RequestStream(Http2Connection connection, Http2FrameStream stream, FramedRequest request) {
    super(connection.loop(), connection.limits(), connection.allocator(), request);
    this.connection = connection;
    this.stream = stream;
  }

  Http2FrameStream stream() {
    return stream;
  }

  @Override
  public void refuse(Rejection refusal) {
    connection.refuse(this, refusal);
  }

  @Override
  public void tighten(long noProgressNanos, long keepAliveNanos) {
    connection.tighten(noProgressNanos, keepAliveNanos);
  }

  @Override
  public Http2Headers newHeaders() {
    return new DefaultHttp2Headers(false);
  }

  @Override
  public Http2Headers finalHeaders(AsciiString finalStatus, AsciiString[] fields) {
    return ReadOnlyHttp2Headers.serverHeaders(false, finalStatus, fields);
  }

  @Override
  public void writeHeaders(Http2Headers headers, boolean isEnd) {
    connection.write(new DefaultHttp2HeadersFrame(headers, isEnd).stream(stream));
  }

  @Override
  public void writeBody(ByteBuf chunk, boolean isEnd) {
    int length = chunk.readableBytes();
    connection.writeData(new DefaultHttp2DataFrame(chunk, isEnd).stream(stream), length);
  }

  @Override
  public void writeEnd() {
    ended = connection.write(new DefaultHttp2DataFrame(Unpooled.EMPTY_BUFFER, true).stream(stream));
  }

  @Override
  @Nullable
  public AsciiString altSvc() {
    AltSvc elsewhere = connection.altSvc();
    return elsewhere == null ? null : elsewhere.value();
  }

  @Override
  public void flushSoon() {
    connection.flushSoon();
  }

  @Override
  public boolean isStreamWritable() {
    return connection.isWritable(stream);
  }

  @Override
  public void giveCredit(int lengthBytes) {
    connection.giveCredit(stream, lengthBytes);
  }

  @Override
  public void stopBody() {
    // The client may stop sending; the response it has is whole (RFC 9113 §8.1).
    connection.reset(stream, Http2Error.NO_ERROR);
  }

  @Override
  public void stopBodyWhenSent() {
    ChannelFuture sent = ended;
    if (sent != null) {
      sent.addListener(done -> {
        if (isLive() && !isBodyRead()) {
          stopBody();
        }
      });
    }
  }

  @Override
  public void onTunnel() {
    connection.onTunnel();
  }

  @Override
  public void breakOff(AbortCause cause) {
    connection.reset(
        stream,
        switch (cause) {
          case CLIENT_STALLED, SHUTDOWN, TUNNEL_BROKEN -> Http2Error.CANCEL;
          default -> Http2Error.INTERNAL_ERROR;
        });
  }

  @Override
  public void onDefect(String what) {
    connection.onDefect(this, what);
  }

  @Override
  public void giveUp() {
    onClosed("the client does not read the response");
    connection.giveUp(stream);
  }

  @Override
  public int chunkBytes() {
    return pacedChunkBytes(connection.chunkBytes(stream));
  }

  @Override
  public void onPaceChanged() {
    connection.onPaceChanged(isPaced());
  }

  void priority(StreamPriority said) {
    priority = said;
  }

  /** Its turn has come, as the so-many-th of the connection. */
  void turn(long number) {
    turn = number;
  }
}
