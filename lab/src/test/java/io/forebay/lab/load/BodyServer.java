package io.forebay.lab.load;

import io.forebay.testing.Certificates;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http3.DefaultHttp3DataFrame;
import io.netty.handler.codec.http3.DefaultHttp3HeadersFrame;
import io.netty.handler.codec.http3.Http3;
import io.netty.handler.codec.http3.Http3DataFrame;
import io.netty.handler.codec.http3.Http3HeadersFrame;
import io.netty.handler.codec.http3.Http3RequestStreamInboundHandler;
import io.netty.handler.codec.http3.Http3ServerConnectionHandler;
import io.netty.handler.codec.quic.InsecureQuicTokenHandler;
import io.netty.handler.codec.quic.QuicChannel;
import io.netty.handler.codec.quic.QuicSslContext;
import io.netty.handler.codec.quic.QuicSslContextBuilder;
import io.netty.handler.codec.quic.QuicStreamChannel;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.X509Bundle;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/2 or HTTP/3 by Netty's codecs: {@code /o/BYTES/…} has so many bytes, {@code /STATUS} that
 * status, {@code /reset} is reset and {@code /never} not answered.
 */
final class BodyServer implements AutoCloseable {
  private static final int WINDOW = 1 << 24;

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Channel channel;
  private final String scheme;
  final List<String> paths = new CopyOnWriteArrayList<>();
  final AtomicInteger connections = new AtomicInteger();

  private BodyServer(Certificates certificates, boolean isQuic, boolean isTls) throws Exception {
    X509Bundle bundle = certificates.ecdsa("server", "127.0.0.1");
    scheme = isTls ? "https" : "http";
    channel = isQuic ? bindQuic(bundle) : bindTcp(isTls ? tls(bundle) : null);
  }

  static BodyServer http2(Certificates certificates, boolean isTls) throws Exception {
    return new BodyServer(certificates, false, isTls);
  }

  static BodyServer http3(Certificates certificates) throws Exception {
    return new BodyServer(certificates, true, true);
  }

  private static SslContext tls(X509Bundle bundle) throws Exception {
    return SslContextBuilder.forServer(bundle.toKeyManagerFactory())
        .sslProvider(SslProvider.JDK)
        .applicationProtocolConfig(
            new ApplicationProtocolConfig(
                Protocol.ALPN,
                SelectorFailureBehavior.NO_ADVERTISE,
                SelectedListenerFailureBehavior.ACCEPT,
                "h2"))
        .build();
  }

  private Channel bindTcp(@Nullable SslContext tls) throws InterruptedException {
    return new ServerBootstrap()
        .group(group)
        .channel(NioServerSocketChannel.class)
        .childHandler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel ch) {
                connections.incrementAndGet();
                if (tls != null) {
                  ch.pipeline().addLast(tls.newHandler(ch.alloc()));
                }
                ch.pipeline()
                    .addLast(
                        Http2FrameCodecBuilder.forServer()
                            .initialSettings(
                                Http2Settings.defaultSettings().maxConcurrentStreams(8))
                            .build(),
                        new Http2MultiplexHandler(
                            new ChannelInitializer<Channel>() {
                              @Override
                              protected void initChannel(Channel stream) {
                                stream.pipeline().addLast(new Http2Answer());
                              }
                            }));
              }
            })
        .bind(InetAddress.getLoopbackAddress(), 0)
        .sync()
        .channel();
  }

  private Channel bindQuic(X509Bundle bundle) throws Exception {
    QuicSslContext tls =
        QuicSslContextBuilder.forServer(bundle.toKeyManagerFactory(), null)
            .applicationProtocols("h3")
            .build();
    return new Bootstrap()
        .group(group)
        .channel(NioDatagramChannel.class)
        .handler(
            Http3.newQuicServerCodecBuilder()
                .sslContext(tls)
                .maxIdleTimeout(30, TimeUnit.SECONDS)
                .initialMaxData(WINDOW)
                .initialMaxStreamDataBidirectionalRemote(WINDOW)
                .initialMaxStreamsBidirectional(8)
                .tokenHandler(InsecureQuicTokenHandler.INSTANCE)
                .handler(
                    new ChannelInitializer<QuicChannel>() {
                      @Override
                      protected void initChannel(QuicChannel ch) {
                        connections.incrementAndGet();
                        ch.pipeline()
                            .addLast(
                                new Http3ServerConnectionHandler(
                                    new ChannelInitializer<QuicStreamChannel>() {
                                      @Override
                                      protected void initChannel(QuicStreamChannel stream) {
                                        stream.pipeline().addLast(new Http3Answer());
                                      }
                                    }));
                      }
                    })
                .build())
        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
        .sync()
        .channel();
  }

  String url() {
    return scheme + "://127.0.0.1:" + ((InetSocketAddress) channel.localAddress()).getPort();
  }

  private static ByteBuf body(String path) {
    return path.startsWith("/o/")
        ? Unpooled.wrappedBuffer(new byte[Integer.parseInt(path.split("/", -1)[2])])
        : Unpooled.EMPTY_BUFFER;
  }

  private static String status(String path) {
    return path.startsWith("/o/") ? "200" : path.substring(1);
  }

  @Override
  public void close() {
    channel.close().awaitUninterruptibly();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private final class Http2Answer extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof Http2HeadersFrame head) {
        String path = head.headers().path().toString();
        paths.add(head.headers().authority() + path);
        if (path.equals("/reset")) {
          ctx.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.INTERNAL_ERROR));
        } else if (!path.equals("/never")) {
          ctx.write(
              new DefaultHttp2HeadersFrame(
                  new DefaultHttp2Headers().status(status(path)).add("server", "test")));
          ctx.writeAndFlush(new DefaultHttp2DataFrame(body(path), true, 7));
        }
      }
      ReferenceCountUtil.release(message);
    }
  }

  private final class Http3Answer extends Http3RequestStreamInboundHandler {
    @Override
    protected void channelRead(ChannelHandlerContext ctx, Http3HeadersFrame head) {
      String path = head.headers().path().toString();
      paths.add(head.headers().authority() + path);
      if (path.equals("/reset")) {
        ((QuicStreamChannel) ctx.channel()).shutdownOutput(1);
      } else if (!path.equals("/never")) {
        DefaultHttp3HeadersFrame answer = new DefaultHttp3HeadersFrame();
        answer.headers().status(status(path)).add("server", "test");
        ctx.write(answer);
        ctx.writeAndFlush(new DefaultHttp3DataFrame(body(path)))
            .addListener(QuicStreamChannel.SHUTDOWN_OUTPUT);
      }
    }

    @Override
    protected void channelRead(ChannelHandlerContext ctx, Http3DataFrame data) {
      data.release();
    }

    @Override
    protected void channelInputClosed(ChannelHandlerContext ctx) {
      // The head is the whole request.
    }
  }
}
