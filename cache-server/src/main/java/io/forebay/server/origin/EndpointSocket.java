package io.forebay.server.origin;

import io.forebay.server.config.EgressConfig;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import org.jspecify.annotations.Nullable;

/** Opens sockets towards endpoints: TCP, or a Unix-domain socket of this machine. */
final class EndpointSocket {
  private EndpointSocket() {}

  /**
   * Begins to connect.
   *
   * @param handler for the pipeline of the new channel
   */
  static ChannelFuture connect(
      PooledOriginClient client,
      EgressConfig egress,
      SocketAddress address,
      int timeoutMillis,
      ChannelHandler handler) {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(client.loop())
            .disableResolver()
            .option(ChannelOption.ALLOCATOR, client.allocator())
            // A failed write must not throw away a response that has already arrived.
            .option(ChannelOption.AUTO_CLOSE, false)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis)
            .handler(handler);
    if (address instanceof UnixDomainSocketAddress file) {
      boolean isEpoll = EpollSocketChannel.class.isAssignableFrom(client.channelClass());
      Class<? extends Channel> type =
          isEpoll ? EpollDomainSocketChannel.class : NioDomainSocketChannel.class;
      return bootstrap
          .channel(type)
          .connect(isEpoll ? new DomainSocketAddress(file.getPath().toFile()) : file);
    }
    bootstrap
        .channel(client.channelClass())
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true);
    if (egress.sourceAddresses().isEmpty()) {
      return bootstrap.connect(address);
    }
    return connectFrom(bootstrap, client, egress, address);
  }

  private static ChannelFuture connectFrom(
      Bootstrap bootstrap, PooledOriginClient client, EgressConfig egress, SocketAddress address) {
    if (EpollSocketChannel.class.isAssignableFrom(client.channelClass())) {
      // The kernel chooses the port once it knows the other end, and so can use one many times.
      bootstrap.option(EpollChannelOption.IP_BIND_ADDRESS_NO_PORT, true);
    }
    InetAddress source = source(egress, address);
    return source == null
        ? bootstrap.connect(address)
        : bootstrap.connect(address, new InetSocketAddress(source, 0));
  }

  /** Whether an address may be connected to: a local address is not asked for, or one fits. */
  static boolean hasSource(EgressConfig egress, SocketAddress address) {
    return egress.sourceAddresses().isEmpty()
        || address instanceof UnixDomainSocketAddress
        || source(egress, address) != null;
  }

  private static @Nullable InetAddress source(EgressConfig egress, SocketAddress address) {
    for (InetAddress source : egress.sourceAddresses()) {
      if (address instanceof InetSocketAddress to
          && to.getAddress() != null
          && (to.getAddress() instanceof Inet6Address) == (source instanceof Inet6Address)) {
        return source;
      }
    }
    return null;
  }
}
