package io.forebay.lab.load.client;

import io.forebay.lab.load.ErrorKind;
import io.forebay.lab.load.LoadPlan;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.quic.QuicChannel;
import io.netty.handler.codec.quic.QuicClientCodecBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Opens the connections of one loop. */
final class Connector {
  private static final int READ_BYTES = 256 * 1024;
  private static final int FIRST_READ_BYTES = 4 * 1024;
  private static final int MIN_READ_BYTES = 1024;
  private static final int DATAGRAM_BYTES = 2048;

  /** The most that the kernel hands over as one. */
  private static final int GATHERED_BYTES = 64 * 1024;

  private static final int SOCKET_BUFFER = 2 << 20;
  private static final long QUIC_WINDOW = 1L << 30;
  private static final long QUIC_STREAM_WINDOW = 64L << 20;
  private static final int QUIC_SERVER_STREAMS = 8;
  private static final long QUIC_IDLE_SECONDS = 120;

  private final LoadPlan plan;
  private final @Nullable ClientTls tls;
  private final SharedReadBuffer shared = new SharedReadBuffer(READ_BYTES);
  private final AdaptiveRecvByteBufAllocator growing =
      new AdaptiveRecvByteBufAllocator(MIN_READ_BYTES, FIRST_READ_BYTES, READ_BYTES);

  /**
   * For one loop.
   *
   * @param tls null where no target has it
   */
  Connector(LoadPlan plan, @Nullable ClientTls tls) {
    this.plan = plan;
    this.tls = tls;
  }

  /** Opens a connection, or tells the loop why not. Called on the loop's thread. */
  void connect(ClientLoop loop, Slot slot, boolean resumes) {
    if (plan.protocol() == LoadPlan.Protocol.HTTP3) {
      connectQuic(loop, slot, resumes);
    } else {
      connectTcp(loop, slot, resumes);
    }
  }

  private void connectTcp(ClientLoop loop, Slot slot, boolean resumes) {
    new Bootstrap()
        .group(loop.thread())
        .channel(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
        .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, plan.timeoutMillis())
        .option(ChannelOption.RECVBUF_ALLOCATOR, slot.target.isTls() ? growing : shared)
        .handler(new ChannelInboundHandlerAdapter())
        .connect(slot.target.address())
        .addListener((ChannelFuture connected) -> {
          if (!connected.isSuccess()) {
            loop.failed(slot, ErrorKind.CONNECT);
          } else if (slot.target.isTls()) {
            secure(loop, slot, resumes, connected.channel());
          } else {
            use(loop, slot, connected.channel(), false);
          }
        });
  }

  private void secure(ClientLoop loop, Slot slot, boolean resumes, Channel channel) {
    ClientTls contexts = required();
    SslHandler handler = contexts.handler(channel.alloc(), slot, resumes);
    handler.setHandshakeTimeoutMillis(plan.timeoutMillis());
    channel.pipeline().addLast(handler, new DropErrors());
    handler
        .handshakeFuture()
        .addListener((Future<Channel> secured) -> {
          boolean isResumed = contexts.isResumed(handler.engine());
          if (secured.isSuccess() && contexts.isAgreed(handler)) {
            channel.pipeline().remove(DropErrors.class);
            use(loop, slot, channel, isResumed);
          } else {
            channel.close();
            loop.failed(slot, ErrorKind.TLS);
          }
        });
  }

  private ClientTls required() {
    if (tls == null) {
      throw new IllegalStateException("no target has TLS");
    }
    return tls;
  }

  private void use(ClientLoop loop, Slot slot, Channel channel, boolean isResumed) {
    Connection connection =
        plan.protocol() == LoadPlan.Protocol.HTTP2
            ? new Http2Connection(loop, slot)
            : new Http1Connection(loop, slot);
    channel.pipeline().addLast(connection);
    loop.opened(connection, isResumed);
  }

  private void connectQuic(ClientLoop loop, Slot slot, boolean resumes) {
    ClientTls contexts = required();
    ChannelHandler codec =
        new QuicClientCodecBuilder()
            .sslEngineProvider(quic -> contexts.engine(slot, resumes))
            .maxIdleTimeout(QUIC_IDLE_SECONDS, TimeUnit.SECONDS)
            .initialMaxData(QUIC_WINDOW)
            .initialMaxStreamDataBidirectionalLocal(QUIC_STREAM_WINDOW)
            .initialMaxStreamDataUnidirectional(QUIC_WINDOW)
            .initialMaxStreamsUnidirectional(QUIC_SERVER_STREAMS)
            .build();
    datagrams()
        .group(loop.thread())
        .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
        .option(ChannelOption.SO_RCVBUF, SOCKET_BUFFER)
        .handler(codec)
        .bind(new InetSocketAddress(0))
        .addListener((ChannelFuture bound) -> {
          if (bound.isSuccess()) {
            handshake(loop, slot, bound.channel());
          } else {
            loop.failed(slot, ErrorKind.CONNECT);
          }
        });
  }

  /**
   * Where it can, the kernel gathers the datagrams of a burst and hands them over as one: with
   * bodies of 2 MB that halves the CPU of a client, and servers on this machine need less, too.
   */
  private static Bootstrap datagrams() {
    if (!Epoll.isAvailable()) {
      return new Bootstrap()
          .channel(NioDatagramChannel.class)
          .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(DATAGRAM_BYTES));
    }
    return new Bootstrap()
        .channel(EpollDatagramChannel.class)
        .option(EpollChannelOption.UDP_GRO, true)
        .option(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, GATHERED_BYTES)
        .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(GATHERED_BYTES));
  }

  private void handshake(ClientLoop loop, Slot slot, Channel socket) {
    QuicChannel.newBootstrap(socket)
        .handler(new DropErrors())
        .streamHandler(new Http3Discard())
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, plan.timeoutMillis())
        .remoteAddress(slot.target.address())
        .connect()
        .addListener((Future<QuicChannel> connected) -> {
          if (connected.isSuccess()) {
            QuicChannel channel = connected.getNow();
            channel.closeFuture().addListener(closed -> socket.close());
            boolean isResumed = required().isResumed(channel.sslEngine());
            Connection connection = new Http3Connection(loop, slot, channel);
            channel.pipeline().remove(DropErrors.class);
            channel.pipeline().addLast(connection);
            loop.opened(connection, isResumed);
          } else {
            socket.close();
            loop.failed(
                slot,
                connected.cause() instanceof javax.net.ssl.SSLException
                    ? ErrorKind.TLS
                    : ErrorKind.CONNECT);
          }
        });
  }

  void close() {
    shared.release();
  }

  /** Until a connection is in use: its failure is told by a future. */
  private static final class DropErrors extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }
}
