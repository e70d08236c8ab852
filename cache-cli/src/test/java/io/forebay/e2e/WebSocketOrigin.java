package io.forebay.e2e;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** An origin that speaks WebSocket on one path, as Netty does, and sends each message back. */
final class WebSocketOrigin implements AutoCloseable {

  private static final int MESSAGE_BYTES = 1 << 22;

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Channel socket;

  private WebSocketOrigin(String path) throws InterruptedException {
    WebSocketServerProtocolConfig config =
        WebSocketServerProtocolConfig.newBuilder()
            .websocketPath(path)
            .maxFramePayloadLength(MESSAGE_BYTES)
            .build();
    socket =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel opened) {
                    opened
                        .pipeline()
                        .addLast(
                            new HttpServerCodec(),
                            new HttpObjectAggregator(MESSAGE_BYTES),
                            new WebSocketServerProtocolHandler(config),
                            new WebSocketFrameAggregator(MESSAGE_BYTES),
                            new Echo());
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .sync()
            .channel();
  }

  static WebSocketOrigin start(String path) throws InterruptedException {
    return new WebSocketOrigin(path);
  }

  String url() {
    return "http://127.0.0.1:" + ((InetSocketAddress) socket.localAddress()).getPort();
  }

  @Override
  public void close() {
    socket.close().awaitUninterruptibly();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private static final class Echo extends SimpleChannelInboundHandler<WebSocketFrame> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, WebSocketFrame frame) {
      switch (frame) {
        case TextWebSocketFrame text -> ctx.writeAndFlush(text.retain());
        case BinaryWebSocketFrame bytes -> ctx.writeAndFlush(bytes.retain());
        default -> throw new IllegalStateException("neither text nor bytes: " + frame);
      }
    }
  }
}
