package io.forebay.server.listen.http3;

import io.forebay.server.config.Http3Config;
import io.forebay.server.counters.Protocol;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.listen.connection.ClientCertificateCheck;
import io.forebay.server.listen.connection.ListenerContext;
import io.forebay.server.loop.Transport;
import io.forebay.server.tls.ClientTls;
import io.forebay.server.tls.QuicTlsHosts;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.handler.codec.http3.Http3;
import io.netty.handler.codec.quic.EpollQuicUtils;
import io.netty.handler.codec.quic.QuicChannel;
import io.netty.handler.codec.quic.QuicChannelOption;
import io.netty.handler.codec.quic.QuicCodecDispatcher;
import io.netty.handler.codec.quic.QuicConnectionIdGenerator;
import io.netty.handler.codec.quic.QuicServerCodecBuilder;
import io.netty.handler.codec.quic.QuicSslContext;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/**
 * The UDP sockets of an HTTP/3 listener: one per event loop (SO_REUSEPORT). The kernel distributes
 * packets by both addresses, so a client's packets reach one loop until its address changes.
 * Connection ids begin with the number of their loop, and a packet that reaches another loop is
 * handed over.
 */
public final class Http3Listener {

  // What a client may send of bodies before anything of them is taken; what it may send at once
  // grows with what is taken.
  private static final long STREAM_WINDOW = 256 * 1024;
  private static final long CONNECTION_WINDOW = 1024 * 1024;

  /** The size of packets that every path takes (RFC 9000 §14), plus what nearly every one does. */
  private static final int PACKET_BYTES = 1350;

  private static final int RECEIVED_PACKET_BYTES = 1500;
  private static final int SOCKET_BYTES = 2 * 1024 * 1024;

  /** Packets handed to the kernel as one, where it can cut them apart. */
  private static final int SEGMENTS = 16;

  private final String name;
  private final Http3Config config;
  private final Transport transport;
  private final int number;
  private final List<ListenerContext> loops;
  private final ClientTls tls;
  private final SecretKey key;
  private final LongSupplier clockMillis;
  private final AtomicInteger handshakes = new AtomicInteger();
  private final List<Channel> sockets = new ArrayList<>();
  private volatile boolean isAccepting = true;

  /**
   * A listener without sockets.
   *
   * @param key of the tokens that clients bring back
   */
  public Http3Listener(
      String name,
      Http3Config config,
      Transport transport,
      List<ListenerContext> loops,
      ClientTls tls,
      SecretKey key,
      LongSupplier clockMillis) {
    this.name = name;
    this.number = loops.getFirst().counters.names().listeners().number(name);
    this.config = config;
    this.transport = transport;
    this.loops = List.copyOf(loops);
    this.tls = tls;
    this.key = key;
    this.clockMillis = clockMillis;
  }

  /**
   * Opens a socket on every loop; nothing is read before {@link #accept}. Null when all are open.
   *
   * @param inherited descriptors of bound sockets, by loop; a loop without one binds
   */
  @Nullable
  public Throwable bind(InetSocketAddress address, List<List<Integer>> inherited) {
    Dispatcher dispatcher =
        new Dispatcher(new QuicTlsHosts(name, tls::table, tls::ticketKeys).context());
    for (int i = 0; i < loops.size(); i++) {
      List<ChannelFuture> opening = new ArrayList<>();
      for (int descriptor : inherited.get(i)) {
        opening.add(
            socket(i, dispatcher)
                .channelFactory(() -> new EpollDatagramChannel(descriptor))
                .register());
      }
      if (opening.isEmpty()) {
        opening.add(
            socket(i, dispatcher)
                .channel(transport.datagramChannel())
                .option(transport.reusePort(), true)
                .bind(address));
      }
      for (ChannelFuture future : opening) {
        Throwable cause = future.awaitUninterruptibly().cause();
        if (cause != null) {
          close();
          return cause;
        }
        sockets.add(future.channel());
      }
    }
    return null;
  }

  private Bootstrap socket(int loop, Dispatcher dispatcher) {
    return new Bootstrap()
        .group(transport.loops().get(loop).group())
        .option(ChannelOption.AUTO_READ, false)
        .option(ChannelOption.SO_RCVBUF, SOCKET_BYTES)
        .option(ChannelOption.SO_SNDBUF, SOCKET_BYTES)
        .option(ChannelOption.ALLOCATOR, Transport.ALLOCATOR)
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel socket) {
                socket
                    .pipeline()
                    .addLast(new SmallDatagramFilter(), new AmplificationLimiter(), dispatcher);
              }
            });
  }

  public void accept() {
    sockets.forEach(socket -> socket.config().setAutoRead(true));
  }

  /** New connections are no longer begun; the sockets stay, for those that are. */
  public void stopAccepting() {
    isAccepting = false;
  }

  /** Closes the sockets; connections that are left are gone with them. */
  public void close() {
    stopAccepting();
    List<ChannelFuture> closing = sockets.stream().map(Channel::close).toList();
    closing.forEach(ChannelFuture::awaitUninterruptibly);
    sockets.clear();
  }

  /** The open sockets. */
  public List<Channel> sockets() {
    return List.copyOf(sockets);
  }

  /**
   * Takes the sockets off their loops and leaves them open. Their connections are closed, with a
   * word to the client, and nothing is read any more.
   */
  public void detach() {
    stopAccepting();
    for (Channel socket : sockets) {
      socket
          .eventLoop()
          .submit(() -> {
            // The codec closes what it has when it goes.
            while (socket.pipeline().last() != null) {
              socket.pipeline().removeLast();
            }
          })
          .syncUninterruptibly();
      socket.deregister().syncUninterruptibly();
    }
    sockets.clear();
  }

  private boolean asksForToken() {
    return !isAccepting || handshakes.get() >= config.retryFrom();
  }

  private ListenerContext loopOf(Channel channel) {
    for (ListenerContext loop : loops) {
      if (loop.eventLoop().equals(channel.eventLoop())) {
        return loop;
      }
    }
    throw new IllegalStateException("a socket of no loop");
  }

  private void onConnection(ListenerContext loop, QuicChannel channel) {
    Runnable onProven = account(channel);
    if (!isAccepting || !loop.admit(channel, channel.remoteSocketAddress())) {
      channel.close();
      return;
    }
    loop.counters.http3.handshakes++;
    handshakes.incrementAndGet();
    Http3Connection connection =
        new Http3Connection(
            loop,
            channel,
            client(channel),
            ClientCertificateCheck.ofQuic(tls::table, name),
            onProven,
            handshakes::decrementAndGet);
    channel.pipeline().addLast(connection.codec(), connection);
  }

  /** Puts the connection on its address' account; what is returned says that it is proven. */
  private static Runnable account(QuicChannel channel) {
    AmplificationLimiter bound = channel.parent().pipeline().get(AmplificationLimiter.class);
    if (bound == null || !(channel.remoteSocketAddress() instanceof InetSocketAddress address)) {
      return () -> {};
    }
    bound.begins(address);
    channel.closeFuture().addListener(closed -> bound.ends(address));
    return () -> bound.proven(address);
  }

  private ClientInfo client(QuicChannel channel) {
    InetSocketAddress peer =
        channel.remoteSocketAddress() instanceof InetSocketAddress known ? known : null;
    return ClientInfo.of(
        peer == null ? "unknown" : peer.getAddress().getHostAddress(),
        peer == null ? 0 : peer.getPort(),
        Protocol.HTTP_3,
        name,
        number,
        false,
        null);
  }

  /** Gives each socket its codec, and takes packets to the loop whose number their id bears. */
  private final class Dispatcher extends QuicCodecDispatcher {
    private final QuicSslContext context;

    Dispatcher(QuicSslContext context) {
      this.context = context;
    }

    @Override
    protected void initChannel(
        Channel channel, int localConnectionIdLength, QuicConnectionIdGenerator idGenerator) {
      ListenerContext loop = loopOf(channel);
      ChannelHandler each =
          new ChannelInitializer<QuicChannel>() {
            @Override
            protected void initChannel(QuicChannel opened) {
              onConnection(loop, opened);
            }
          };
      QuicServerCodecBuilder builder =
          Http3.newQuicServerCodecBuilder()
              .sslContext(context)
              .localConnectionIdLength(localConnectionIdLength)
              .connectionIdAddressGenerator(idGenerator)
              .tokenHandler(
                  new QuicTokens(
                      key,
                      clockMillis,
                      Http3Listener.this::asksForToken,
                      () -> isAccepting,
                      address -> {
                        AmplificationLimiter bound =
                            channel.pipeline().get(AmplificationLimiter.class);
                        if (bound != null) {
                          bound.proven(address);
                        }
                      },
                      loop.counters.http3))
              // Ours is the deadline that ends idle connections; this one finds clients that are
              // gone, which must not be taken for those that wait for a slow origin.
              .maxIdleTimeout(
                  2
                      * Math.max(
                          loop.timeouts().keepAlive().toMillis(),
                          loop.timeouts().noProgress().toMillis()),
                  TimeUnit.MILLISECONDS)
              .maxSendUdpPayloadSize(PACKET_BYTES)
              .maxRecvUdpPayloadSize(RECEIVED_PACKET_BYTES)
              .initialMaxData(CONNECTION_WINDOW)
              .initialMaxStreamDataBidirectionalRemote(STREAM_WINDOW)
              .initialMaxStreamDataBidirectionalLocal(0)
              .initialMaxStreamsBidirectional(loop.limits().streamsPerConnection())
              // The codec's own choice would be another than that of all other sockets.
              .option(ChannelOption.ALLOCATOR, Transport.ALLOCATOR)
              .streamOption(ChannelOption.ALLOCATOR, Transport.ALLOCATOR)
              .handler(each);
      if (transport.writesFromAddresses()) {
        builder.option(
            QuicChannelOption.SEGMENTED_DATAGRAM_PACKET_ALLOCATOR,
            EpollQuicUtils.newSegmentedAllocator(SEGMENTS));
      }
      channel.pipeline().addLast(builder.build());
    }
  }
}
