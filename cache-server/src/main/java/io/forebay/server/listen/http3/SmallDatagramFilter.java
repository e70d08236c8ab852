package io.forebay.server.listen.http3;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;

/**
 * Drops datagrams that could begin a connection but are smaller than a client may send (RFC 9000
 * §14.1, §6.1). The reply, a Retry or a version negotiation, would exceed three times the size of
 * the smallest of them (§8.1).
 */
final class SmallDatagramFilter extends ChannelInboundHandlerAdapter {

  private static final int SMALLEST = 1200;
  private static final int LONG_HEADER = 0x80;
  private static final int TYPE = 0x30;
  private static final int VERSION_1 = 1;

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof DatagramPacket packet && isTooSmall(packet.content())) {
      packet.release();
      return;
    }
    ctx.fireChannelRead(message);
  }

  private static boolean isTooSmall(ByteBuf data) {
    int length = data.readableBytes();
    int start = data.readerIndex();
    if (length >= SMALLEST || length == 0 || (data.getByte(start) & LONG_HEADER) == 0) {
      return false;
    }
    // The type means something in a known version only: that of an Initial is zero.
    return length < 1 + Integer.BYTES
        || data.getInt(start + 1) != VERSION_1
        || (data.getByte(start) & TYPE) == 0;
  }
}
