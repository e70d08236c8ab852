package io.forebay.server.admin;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The socket of the admin API and its connections, on their own thread. A new client is always
 * accepted: if there are too many connections, the one that has kept the node waiting longest is
 * closed, whether with a partial request, idle, or with a response that it does not read.
 * Connections whose request is being processed stay.
 */
final class AdminListener implements AutoCloseable {

  /**
   * What connections may cost.
   *
   * @param connections at once
   * @param request time for a request to arrive
   * @param idle time between two requests of a connection
   * @param answer time for an answer to be taken
   */
  record Bounds(int connections, Duration request, Duration idle, Duration answer) {
    static final Bounds DEFAULT =
        new Bounds(256, Duration.ofSeconds(30), Duration.ofSeconds(60), Duration.ofSeconds(120));
  }

  /** Answers requests. */
  interface Handler {

    /** A refusal from the head alone, before its body is read; null to go on. Must not block. */
    @Nullable AdminReply refusal(AdminExchange head);

    /** The answer to a whole request, on a thread that may block. */
    AdminReply answer(AdminExchange exchange);
  }

  private final Bounds bounds;
  private final Handler handler;
  private final Executor threads;
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("admin-io", true), NioIoHandler.newFactory());

  /** Those that wait for their client, the longest first; confined to the one thread. */
  private final Set<AdminConnection> waiting = new LinkedHashSet<>();

  private int open;
  private @Nullable Channel server;
  private @Nullable AdminSocketFile file;

  AdminListener(Bounds bounds, Handler handler, Executor threads) {
    this.bounds = bounds;
    this.handler = handler;
    this.threads = threads;
  }

  Bounds bounds() {
    return bounds;
  }

  Handler handler() {
    return handler;
  }

  Executor threads() {
    return threads;
  }

  void bind(InetSocketAddress address) throws IOException {
    server = bound(address);
  }

  /** Listens on a Unix-domain socket that only this user can connect to. */
  void bind(Path socket) throws IOException {
    file = AdminSocketFile.bind(socket, inner -> server = bound(UnixDomainSocketAddress.of(inner)));
  }

  private Channel bound(SocketAddress address) throws IOException {
    boolean isUnix = address instanceof UnixDomainSocketAddress;
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(group)
            .channel(isUnix ? NioServerDomainSocketChannel.class : NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 64)
            .childOption(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    new AdminConnection(AdminListener.this, channel, isUnix).begin();
                  }
                });
    if (!isUnix) {
      bootstrap.option(ChannelOption.SO_REUSEADDR, true);
      bootstrap.childOption(ChannelOption.TCP_NODELAY, true);
    }
    ChannelFuture future = bootstrap.bind(address).awaitUninterruptibly();
    Throwable cause = future.cause();
    if (cause != null) {
      BindException named = new BindException("admin " + address + ": " + cause.getMessage());
      named.initCause(cause);
      throw named;
    }
    return future.channel();
  }

  /** Where TCP connections are taken; null for a Unix-domain socket. */
  @Nullable InetSocketAddress address() {
    return server != null && server.localAddress() instanceof InetSocketAddress address
        ? address
        : null;
  }

  /** A connection was opened; says whether it may stay. */
  boolean admit(AdminConnection connection) {
    if (open >= bounds.connections()) {
      if (waiting.isEmpty()) {
        return false;
      }
      waiting.iterator().next().evict();
    }
    open++;
    return true;
  }

  void onClosed(AdminConnection connection) {
    open--;
    waiting.remove(connection);
  }

  /** From now on the connection waits for its client, and goes behind all that wait already. */
  void waits(AdminConnection connection) {
    waiting.remove(connection);
    waiting.add(connection);
  }

  void works(AdminConnection connection) {
    waiting.remove(connection);
  }

  @Override
  public void close() {
    if (file != null) {
      file.close();
    }
    if (server != null) {
      server.close().awaitUninterruptibly();
    }
    // Closes the connections that are left.
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
