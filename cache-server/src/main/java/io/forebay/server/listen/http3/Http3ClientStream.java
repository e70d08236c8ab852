package io.forebay.server.listen.http3;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http3.Http3ErrorCode;
import io.netty.handler.codec.quic.QuicStreamFrame;
import io.netty.util.ReferenceCountUtil;

/**
 * The first handler of a client's unidirectional stream (RFC 9114 §6.2): determines its type,
 * rejects a second stream of a type that may occur once, and counts its frames. Confined to the
 * event loop of its connection.
 */
final class Http3ClientStream extends ChannelInboundHandlerAdapter {

  private static final long CONTROL = 0x00;
  private static final long PUSH = 0x01;
  private static final long QPACK_ENCODER = 0x02;
  private static final long QPACK_DECODER = 0x03;

  private static final long SETTINGS = 0x04;

  private final Http3Connection connection;
  private final Http3FrameParser.QuicInteger header = new Http3FrameParser.QuicInteger();
  private final Http3FrameParser frames = new Http3FrameParser();
  private long type = -1;
  private boolean hasSettings;
  private boolean isRefused;

  Http3ClientStream(Http3Connection connection) {
    this.connection = connection;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf data = message instanceof QuicStreamFrame frame ? frame.content() : (ByteBuf) message;
    if (isRefused || !isTaken(data)) {
      isRefused = true;
      ReferenceCountUtil.release(message);
      return;
    }
    ctx.fireChannelRead(message);
  }

  private boolean isTaken(ByteBuf data) {
    int at = data.readerIndex();
    while (type < 0 && at < data.writerIndex()) {
      if (header.take(data.getByte(at++))) {
        type = header.value();
        if (!isAllowed()) {
          return false;
        }
      }
    }
    int length = data.writerIndex() - at;
    if (type == CONTROL) {
      return frames.walk(data, at, this::onFrame);
    }
    // Without a dynamic table there is nothing to say on the streams of QPACK but which streams
    // were cancelled, in a few bytes each. What is unknown means nothing.
    return type < 0
        || connection.countIdle(length == 0 ? 0 : 1 + length / (isQpack() ? Long.BYTES : 1 << 14));
  }

  private boolean isQpack() {
    return type == QPACK_ENCODER || type == QPACK_DECODER;
  }

  private boolean isAllowed() {
    if (type == PUSH || (type <= QPACK_DECODER && !connection.isFirst((int) type))) {
      connection.close(Http3ErrorCode.H3_STREAM_CREATION_ERROR);
      return false;
    }
    return type <= QPACK_DECODER || connection.countIdle(1);
  }

  private boolean onFrame(long frame, long length) {
    if (frame == SETTINGS && !hasSettings) {
      hasSettings = true;
      return true;
    }
    return connection.countIdleFrame(length);
  }
}
