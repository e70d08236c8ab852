package io.forebay.server.listen;

import io.forebay.server.counters.LimitKey;
import io.forebay.server.listen.connection.ListenerContext;
import io.forebay.server.loop.DeadlineWheel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import java.util.List;

/**
 * Detects HTTP/2 with prior knowledge on a plain-text listener by the connection preface, which is
 * not valid in older versions; anything else is HTTP/1.1 (RFC 9113 §3.3, §3.4). It consumes no
 * bytes.
 */
final class H2cDetector extends ByteToMessageDecoder {

  private static final ByteBuf PREFACE =
      Unpooled.unreleasableBuffer(Http2CodecUtil.connectionPrefaceBuf());

  private final ListenerContext loop;
  private final ConnectionInitializer initializer;
  private final DeadlineWheel.Entry deadline;

  H2cDetector(ListenerContext loop, Channel channel, ConnectionInitializer initializer) {
    this.loop = loop;
    this.initializer = initializer;
    deadline =
        loop.wheel.entry(now -> {
          loop.counters.hit(LimitKey.REQUEST_HEADER);
          channel.close();
        });
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    deadline.in(loop.timeouts().requestHeader().toNanos());
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    int known = Math.min(in.readableBytes(), PREFACE.readableBytes());
    for (int i = 0; i < known; i++) {
      if (in.getByte(in.readerIndex() + i) != PREFACE.getByte(i)) {
        initializer.addHttp1(ctx.channel(), null);
        ctx.pipeline().remove(this);
        return;
      }
    }
    if (known == PREFACE.readableBytes()) {
      initializer.addHttp2(ctx.channel(), null);
      ctx.pipeline().remove(this);
    }
  }

  @Override
  protected void handlerRemoved0(ChannelHandlerContext ctx) {
    deadline.remove();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    deadline.remove();
    super.channelInactive(ctx);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (event == ListenerContext.Drain.NOW) {
      ctx.close();
      return;
    }
    super.userEventTriggered(ctx, event);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }
}
