package io.forebay.server.listen.connection;

import io.forebay.server.loop.DeadlineWheel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;

/**
 * Rejects a plain-text connection under overload: sends 503 without reading the request, and closes
 * within a second. It closes in two steps, because a close with unread input resets the connection,
 * and the client may lose the response.
 */
final class OverloadResponder extends ChannelInboundHandlerAdapter {

  /** So many a loop are said goodbye to at once; further ones are closed without a word. */
  static final int MAX = 256;

  private static final long LINGER_NANOS = 1_000_000_000L;

  private final ListenerContext loop;
  private final DeadlineWheel.Entry deadline;

  OverloadResponder(ListenerContext loop, Channel channel) {
    this.loop = loop;
    this.deadline = loop.wheel.entry(now -> channel.close());
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    deadline.in(LINGER_NANOS);
    ByteBuf answer = ctx.alloc().directBuffer(256);
    PrebuiltResponses.writeRefusal(
        answer,
        Rejection.OVERLOAD,
        loop.date(),
        loop.exchanges.proxyStatus(Rejection.OVERLOAD.error()),
        loop.retryAfterSeconds(),
        true);
    ctx.writeAndFlush(answer)
        .addListener((ChannelFuture sent) -> {
          if (sent.isSuccess() && sent.channel() instanceof DuplexChannel socket) {
            socket.shutdownOutput();
          } else {
            sent.channel().close();
          }
        });
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ReferenceCountUtil.release(message);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    deadline.remove();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }
}
