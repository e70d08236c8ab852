package io.forebay.server.listen;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.forebay.server.loop.ListenException;
import io.forebay.server.loop.Loop;
import io.forebay.server.loop.Transport;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listening Unix-domain socket. The kernel does not distribute connections over several such
 * sockets, so the first event loop accepts for all and assigns connections in turn. Every process
 * that may write to the file may connect.
 */
final class UnixSocket {

  private static final Logger LOG = LoggerFactory.getLogger(UnixSocket.class);

  private static final int PAUSE_MILLIS = 1_000;

  /** Its group and its directory control further access. */
  private static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rw-rw----");

  private UnixSocket() {}

  /**
   * Finds out whether the file can be made, without making it.
   *
   * @throws ListenException if it belongs to another user
   */
  static void check(Path file) throws ListenException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory == null || !Files.isWritable(directory)) {
      throw failure(file, "its directory is missing or not writable");
    }
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (!isSocket(file)) {
      throw failure(file, "a file of this name exists and is not a socket");
    }
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.connect(UnixDomainSocketAddress.of(file));
    } catch (IOException nobodyThere) {
      // Left behind by a process that was killed.
      return;
    }
    throw failure(file, "in use by another process");
  }

  private static boolean isSocket(Path file) {
    try {
      return Files.readAttributes(
              file, java.nio.file.attribute.BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
          .isOther();
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Listens. What was left of a socket of that name is replaced; nothing is accepted yet.
   *
   * @param initializers one per loop
   */
  static Channel bind(
      Path file, Transport transport, List<? extends ChannelInitializer<Channel>> initializers)
      throws ListenException {
    check(file);
    if (!transport.name().equals("epoll")) {
      throw failure(file, "requires epoll, but the transport is " + transport.name());
    }
    EpollServerDomainSocketChannel server =
        prepared(new EpollServerDomainSocketChannel(), transport, initializers);
    try {
      Files.deleteIfExists(file);
      transport.loops().getFirst().group().register(server).syncUninterruptibly();
      server.bind(new DomainSocketAddress(file.toFile())).syncUninterruptibly();
      Files.setPosixFilePermissions(file, MODE);
      server.closeFuture().addListener(closed -> Files.deleteIfExists(file));
      return server;
    } catch (IOException | RuntimeException e) {
      server.close();
      throw new ListenException("listen unix:" + file + ": " + e.getMessage(), e);
    }
  }

  /** The same for a socket that listens already, with its file. */
  static Channel inherit(
      Path file,
      int descriptor,
      Transport transport,
      List<? extends ChannelInitializer<Channel>> initializers)
      throws ListenException {
    EpollServerDomainSocketChannel server =
        prepared(new EpollServerDomainSocketChannel(descriptor), transport, initializers);
    try {
      transport.loops().getFirst().group().register(server).syncUninterruptibly();
    } catch (RuntimeException e) {
      server.close();
      throw new ListenException("listen unix:" + file + ": " + e.getMessage(), e);
    }
    server.closeFuture().addListener(closed -> Files.deleteIfExists(file));
    return server;
  }

  private static EpollServerDomainSocketChannel prepared(
      EpollServerDomainSocketChannel server,
      Transport transport,
      List<? extends ChannelInitializer<Channel>> initializers) {
    server.config().setAutoRead(false);
    server.config().setAllocator(Transport.ALLOCATOR);
    server.config().setRecvByteBufAllocator(transport.accepting());
    server.pipeline().addLast(new Acceptor(transport.loops(), initializers));
    return server;
  }

  private static ListenException failure(Path file, String why) {
    return new ListenException("listen unix:" + file + ": " + why);
  }

  /** Takes what is accepted to its loop. */
  private static final class Acceptor extends ChannelInboundHandlerAdapter {
    private final List<Loop> loops;
    private final List<? extends ChannelInitializer<Channel>> initializers;
    private int next;

    Acceptor(List<Loop> loops, List<? extends ChannelInitializer<Channel>> initializers) {
      this.loops = loops;
      this.initializers = initializers;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object accepted) {
      Channel connection = (Channel) accepted;
      int loop = next;
      next = (next + 1) % loops.size();
      connection.config().setOption(ChannelOption.ALLOCATOR, Transport.ALLOCATOR);
      connection.config().setOption(ChannelOption.WRITE_BUFFER_WATER_MARK, Transport.WATER_MARK);
      connection.pipeline().addLast(initializers.get(loop));
      loops
          .get(loop)
          .group()
          .register(connection)
          .addListener(registered -> {
            if (!registered.isSuccess()) {
              connection.unsafe().closeForcibly();
            }
          });
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      // Usually out of descriptors: without a pause accept would fail again at once.
      LOG.warn("accepting on {}: {}", ctx.channel().localAddress(), cause.toString());
      if (ctx.channel().config().isAutoRead()) {
        ctx.channel().config().setAutoRead(false);
        ctx.executor()
            .schedule(() -> ctx.channel().config().setAutoRead(true), PAUSE_MILLIS, MILLISECONDS);
      }
    }
  }
}
