package io.forebay.lab.load.client;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;

/** Drops what comes on streams that a client of GET need not understand. */
final class Http3Discard extends ChannelInboundHandlerAdapter {
  @Override
  public boolean isSharable() {
    return true;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ReferenceCountUtil.release(message);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable thrown) {
    ctx.close();
  }
}
