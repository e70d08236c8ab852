package io.forebay.server.origin;

import io.forebay.server.origin.call.OriginFailure.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.nio.charset.StandardCharsets;

/**
 * Writes a request body as HTTP/1.1 has it: bare if its length is known, else in chunks:
 *
 * <pre>
 *   2000 CRLF bytes | CRLF 800 CRLF bytes | CRLF 0 CRLF CRLF
 * </pre>
 *
 * so that each piece costs two writes.
 */
final class Http1BodyOutput implements BodySender.Output {
  private static final ByteBuf LAST_CHUNK =
      Unpooled.unreleasableBuffer(
          Unpooled.copiedBuffer("\r\n0\r\n\r\n", StandardCharsets.US_ASCII).asReadOnly());

  private final OriginConnection connection;
  private final ChannelHandlerContext ctx;
  private final boolean isChunked;
  private boolean isFirstChunk = true;

  Http1BodyOutput(OriginConnection connection, ChannelHandlerContext ctx, boolean isChunked) {
    this.connection = connection;
    this.ctx = ctx;
    this.isChunked = isChunked;
  }

  @Override
  public boolean isWritable() {
    return ctx.channel().isWritable();
  }

  @Override
  public void write(ByteBuf data) {
    if (isChunked) {
      ctx.write(chunkStart(data.readableBytes()));
    }
    ctx.writeAndFlush(data);
  }

  @Override
  public void end() {
    if (isChunked) {
      ByteBuf last = LAST_CHUNK.duplicate();
      ctx.writeAndFlush(isFirstChunk ? last.skipBytes(2) : last);
    }
    connection.onRequestSent();
  }

  @Override
  public void fail(Kind kind, String detail) {
    connection.fail(kind, detail);
  }

  private ByteBuf chunkStart(int length) {
    ByteBuf line = ctx.alloc().buffer(16);
    if (!isFirstChunk) {
      ByteBufUtil.writeAscii(line, "\r\n");
    }
    isFirstChunk = false;
    ByteBufUtil.writeAscii(line, Integer.toHexString(length));
    ByteBufUtil.writeAscii(line, "\r\n");
    return line;
  }
}
