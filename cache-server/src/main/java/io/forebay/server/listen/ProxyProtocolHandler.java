package io.forebay.server.listen;

import io.forebay.server.listen.connection.ListenerContext;
import io.forebay.server.listen.connection.Peer;
import io.forebay.server.loop.DeadlineWheel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol.TransportProtocol;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the PROXY protocol header, version 1 or 2, that a proxy sends before the client's bytes.
 * On a listener with this protocol every connection must begin with a header, and only trusted
 * networks are accepted, so clients cannot forge their address. It follows Netty's decoder, which
 * removes itself after one header and passes on the bytes after it.
 *
 * <pre>
 *   [decoder] [this]                     until the header is whole, within the time for a request's head
 *   [decoder] [TLS or HTTP …]            once: what comes next is made, this goes
 *             [TLS or HTTP …]            the decoder goes and passes on what it has left
 * </pre>
 */
final class ProxyProtocolHandler extends ChannelInboundHandlerAdapter {

  /**
   * Additions to a version 2 header that are read past; clouds send a few dozen bytes of them. The
   * decoder ends a version 1 line at 107 bytes by itself.
   */
  private static final int MAX_ADDITIONS_BYTES = 4096;

  private static final Logger LOG = LoggerFactory.getLogger(ProxyProtocolHandler.class);

  private final ListenerContext loop;
  private final Runnable next;
  private final DeadlineWheel.Entry deadline;

  private ProxyProtocolHandler(ListenerContext loop, Channel channel, Runnable next) {
    this.loop = loop;
    this.next = next;
    deadline = loop.wheel.entry(now -> channel.close());
  }

  /**
   * Reads the header of a new connection, then calls {@code next}, which adds what comes behind it.
   */
  static void expect(ListenerContext loop, Channel channel, Runnable next) {
    channel
        .pipeline()
        .addLast(
            new HAProxyMessageDecoder(MAX_ADDITIONS_BYTES),
            new ProxyProtocolHandler(loop, channel, next));
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    deadline.in(loop.timeouts().requestHeader().toNanos());
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    deadline.remove();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object read) {
    try {
      if (!(read instanceof HAProxyMessage header) || !isUsable(ctx.channel(), header)) {
        ctx.close();
        return;
      }
      InetSocketAddress named = Peer.of(ctx.channel());
      if (named != null && !loop.admitFrom(ctx.channel(), named)) {
        ctx.close();
        return;
      }
      next.run();
      ctx.pipeline().remove(this);
    } finally {
      ReferenceCountUtil.release(read);
    }
  }

  /**
   * Takes the address. {@code LOCAL}, {@code UNKNOWN} and Unix-domain clients are the proxy itself,
   * which asks whether we live, or has nothing to tell.
   */
  private static boolean isUsable(Channel channel, HAProxyMessage header) {
    return header.command() == HAProxyCommand.LOCAL
        || switch (header.proxiedProtocol().addressFamily()) {
          case AF_IPv4, AF_IPv6 ->
              header.proxiedProtocol().transportProtocol() == TransportProtocol.STREAM
                  && Peer.name(channel, header.sourceAddress(), header.sourcePort());
          case AF_UNIX, AF_UNSPEC -> true;
        };
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
    LOG.debug("{}: no PROXY header: {}", ctx.channel().remoteAddress(), cause.toString());
    ctx.close();
  }
}
