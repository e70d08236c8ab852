package io.forebay.server.origin;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;

/** Opens sockets towards endpoints: TCP, or a Unix-domain socket of this machine. */
final class EndpointSocket {
  private EndpointSocket() {}

  /**
   * Begins to connect.
   *
   * @param handler for the pipeline of the new channel
   */
  static ChannelFuture connect(
      PooledOriginClient client, SocketAddress address, int timeoutMillis, ChannelHandler handler) {
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
    return bootstrap
        .channel(client.channelClass())
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .connect(address);
  }
}
