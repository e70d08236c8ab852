package io.forebay.server.handover;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The one thread of the hand-over's sockets, {@code handover-io}. It outlives the loops of the
 * node, which end while the store changes hands.
 */
final class HandoverLoop implements AutoCloseable {
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("handover-io", true), EpollIoHandler.newFactory());

  void register(Channel channel) {
    group.register(channel).syncUninterruptibly();
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
