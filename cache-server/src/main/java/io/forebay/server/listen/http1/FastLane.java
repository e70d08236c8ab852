package io.forebay.server.listen.http1;

import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * In front of the HTTP/1.1 decoder: answers simple requests directly from the bytes received, if it
 * can do so at once, and passes all other bytes on unchanged. The responses are the same as those
 * of the normal path.
 *
 * <pre>
 *   bytes ──► FastLane ──────── what it does not take ────────► RequestDecoder ──► Http1Connection
 *                └── plain request ──► Http1Connection.answerAtOnce ──► response
 * </pre>
 *
 * It only looks where a request begins. Once the decoder has bytes of its own, all that follows is
 * the decoder's until it has none left.
 */
final class FastLane extends ChannelInboundHandlerAdapter {

  private final Http1Connection connection;
  private final HeadReader reader;
  private final int maxHeadBytes;
  private final int maxTargetBytes;
  private final int maxFields;

  FastLane(Http1Connection connection, HeadReader reader, LimitsConfig limits) {
    this.connection = connection;
    this.reader = reader;
    this.maxHeadBytes = limits.headerBytes();
    this.maxTargetBytes = limits.targetBytes();
    this.maxFields = limits.headerCount();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof ByteBuf bytes && connection.isBetweenRequests()) {
      int before = bytes.readableBytes();
      answer(bytes);
      connection.onFastBytes(before - bytes.readableBytes());
      if (!bytes.isReadable()) {
        bytes.release();
        return;
      }
    }
    ctx.fireChannelRead(message);
  }

  private void answer(ByteBuf bytes) {
    while (bytes.isReadable()) {
      int before = bytes.readableBytes();
      reader.take(bytes);
      answerTaken(bytes);
      if (bytes.readableBytes() == before) {
        return;
      }
    }
  }

  private void answerTaken(ByteBuf bytes) {
    while (connection.isBetweenRequests()) {
      int length = reader.next(maxTargetBytes, maxFields);
      if (length == 0 || length > maxHeadBytes || !connection.answerAtOnce(reader.request())) {
        return;
      }
      bytes.skipBytes(length);
    }
  }
}
