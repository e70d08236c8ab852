package io.forebay.lab.origin;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.InstantSource;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A running origin. */
public final class OriginServer implements AutoCloseable {
  private static final int BACKLOG = 4096;
  private static final int MAX_LINE_BYTES = 8 << 10;
  private static final int MAX_HEAD_BYTES = 16 << 10;

  private final OriginCounters counters = new OriginCounters();
  private final EventLoopGroup loops;
  private final boolean isTls;
  private final Channel listener;

  private OriginServer(OriginOptions options, InstantSource clock) throws IOException {
    SslContext tls = tls(options.tls());
    isTls = tls != null;
    loops =
        new MultiThreadIoEventLoopGroup(
            options.threads(),
            new DefaultThreadFactory("origin", true),
            EpollIoHandler.newFactory());
    Replies replies = new Replies(options, clock, counters);
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loops)
            .channel(EpollServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(new Connections(replies, counters, tls, options.seed()))
            .bind(address(options))
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      close(loops);
      throw new IOException(
          "cannot listen on "
              + options.host()
              + ":"
              + options.port()
              + ": name another address, or port 0 for a free one",
          bound.cause());
    }
    listener = bound.channel();
  }

  /**
   * Starts to listen.
   *
   * @param clock for live segments and for Date
   * @throws IOException when the address is taken, or a PEM file cannot be read
   */
  public static OriginServer start(OriginOptions options, InstantSource clock) throws IOException {
    return new OriginServer(options, clock);
  }

  private static InetSocketAddress address(OriginOptions options) throws IOException {
    return new InetSocketAddress(InetAddress.getByName(options.host()), options.port());
  }

  private static @Nullable SslContext tls(OriginOptions.@Nullable Tls files) throws IOException {
    if (files == null) {
      return null;
    }
    try {
      return SslContextBuilder.forServer(new File(files.certificate()), new File(files.key()))
          .build();
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "cannot read "
              + files.certificate()
              + " and "
              + files.key()
              + ": write PEM files of a certificate and its key (PKCS#8)",
          e);
    }
  }

  /** Where clients on this machine reach it. */
  public URI address() {
    InetSocketAddress bound = (InetSocketAddress) listener.localAddress();
    InetAddress host = bound.getAddress();
    if (host.isAnyLocalAddress()) {
      host = InetAddress.getLoopbackAddress();
    }
    String name = host.getHostAddress();
    return URI.create(
        (isTls ? "https://" : "http://")
            + (name.contains(":") ? "[" + name + "]" : name)
            + ":"
            + bound.getPort());
  }

  public OriginStats stats() {
    return counters.read();
  }

  /** Closes all connections. */
  @Override
  public void close() {
    listener.close().awaitUninterruptibly();
    close(loops);
  }

  private static void close(EventLoopGroup loops) {
    loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  /** Sets up what was accepted. */
  private static final class Connections extends ChannelInitializer<SocketChannel> {
    private final Replies replies;
    private final OriginCounters counters;
    private final @Nullable SslContext tls;
    private final long seed;
    private final AtomicLong accepted = new AtomicLong();

    Connections(Replies replies, OriginCounters counters, @Nullable SslContext tls, long seed) {
      this.replies = replies;
      this.counters = counters;
      this.tls = tls;
      this.seed = seed;
    }

    @Override
    protected void initChannel(SocketChannel channel) {
      ChannelPipeline pipeline = channel.pipeline();
      if (tls != null) {
        pipeline.addLast(tls.newHandler(channel.alloc()));
      }
      pipeline.addLast(
          new HttpServerCodec(
              new HttpDecoderConfig()
                  .setMaxInitialLineLength(MAX_LINE_BYTES)
                  .setMaxHeaderSize(MAX_HEAD_BYTES)));
      SplittableRandom random = new SplittableRandom(seed + accepted.getAndIncrement());
      int turn = tls == null ? BodySender.PLAIN_TURN_BYTES : BodySender.TLS_TURN_BYTES;
      pipeline.addLast(new OriginConnection(replies, counters, random, turn));
    }
  }
}
