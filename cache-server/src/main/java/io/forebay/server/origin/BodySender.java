package io.forebay.server.origin;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.OriginFailure.Kind;
import io.forebay.server.text.Printable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.nio.charset.StandardCharsets;

/**
 * Streams one request body to the origin with framing: requests as much as the connection accepts,
 * at most one window ahead.
 *
 * <p>Chunks are written as
 *
 * <pre>
 *   2000 CRLF bytes | CRLF 800 CRLF bytes | CRLF 0 CRLF CRLF
 * </pre>
 *
 * so that each piece costs two writes.
 */
final class BodySender implements RequestBody.Receiver {
  /** Bytes asked for and not yet received, at most. */
  private static final long WINDOW = 64 * 1024;

  private static final ByteBuf LAST_CHUNK =
      Unpooled.unreleasableBuffer(
          Unpooled.copiedBuffer("\r\n0\r\n\r\n", StandardCharsets.US_ASCII).asReadOnly());

  private final OriginConnection connection;
  private final ChannelHandlerContext ctx;
  private final RequestBody body;
  private final boolean isChunked;

  private long remaining;
  private long asked;
  private boolean isStarted;
  private boolean isFirstChunk = true;
  private boolean isOver;

  BodySender(OriginConnection connection, ChannelHandlerContext ctx, RequestBody body) {
    this.connection = connection;
    this.ctx = ctx;
    this.body = body;
    this.remaining = body.lengthBytes();
    this.isChunked = remaining < 0;
  }

  boolean isStarted() {
    return isStarted;
  }

  void start() {
    if (isOver) {
      return;
    }
    isStarted = true;
    body.receiver(this);
    askForMore();
  }

  void onWritable() {
    if (isStarted) {
      askForMore();
    }
  }

  /** The rest is not wanted. A body that was not begun stays its owner's. */
  void stop() {
    if (!isOver) {
      isOver = true;
      if (isStarted) {
        body.cancel();
      }
    }
  }

  private void askForMore() {
    if (isOver || !ctx.channel().isWritable()) {
      return;
    }
    long more = WINDOW - asked;
    if (more >= WINDOW / 2) {
      asked += more;
      body.demand(more);
    }
  }

  @Override
  public void onData(ByteBuf data) {
    int length = data.readableBytes();
    if (isOver || length == 0) {
      data.release();
      return;
    }
    asked = Math.max(0, asked - length);
    if (isChunked) {
      ctx.write(chunkStart(length));
    } else if (length > remaining) {
      data.release();
      fail("the client sent more than its Content-Length");
      return;
    } else {
      remaining -= length;
    }
    ctx.writeAndFlush(data);
    askForMore();
  }

  @Override
  public void onEnd(HeaderFields trailers) {
    if (isOver) {
      return;
    }
    if (!isChunked && remaining > 0) {
      fail("the client sent " + remaining + " bytes less than its Content-Length");
      return;
    }
    isOver = true;
    if (isChunked) {
      ByteBuf last = LAST_CHUNK.duplicate();
      ctx.writeAndFlush(isFirstChunk ? last.skipBytes(2) : last);
    }
    connection.onRequestSent();
  }

  @Override
  public void onFailure(String reason) {
    if (!isOver) {
      isOver = true;
      connection.fail(Kind.REQUEST_BODY_FAILED, "request body failed: " + Printable.line(reason));
    }
  }

  private void fail(String reason) {
    isOver = true;
    body.cancel();
    connection.fail(Kind.REQUEST_BODY_FAILED, reason);
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
