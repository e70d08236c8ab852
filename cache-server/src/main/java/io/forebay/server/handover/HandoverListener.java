package io.forebay.server.handover;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Listens on {@code handover.sock} in the data directory, for processes of the same user. At most
 * one hand-over and one upgrade are in progress; further ones are refused.
 *
 * <p>Any thread; the listener is closed and opened by the one that serves.
 */
public final class HandoverListener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HandoverListener.class);
  private static final String NAME = "handover.sock";

  /** What sun_path takes, without its last zero (unix(7)). */
  private static final int MAX_PATH_BYTES = 107;

  private static final Duration FIRST_LINE = Duration.ofSeconds(5);

  private final Path file;
  private final String version;
  private final Consumer<Predecessor> onTakeOver;
  private final HandoverLoop loop = new HandoverLoop();
  private final int user;
  private @Nullable EpollServerDomainSocketChannel server;

  // What is in progress; under this object's lock.
  private @Nullable Predecessor current;
  private @Nullable Upgrade upgrade;

  private HandoverListener(Path file, String version, Consumer<Predecessor> onTakeOver, int user) {
    this.file = file;
    this.version = version;
    this.onTakeOver = onTakeOver;
    this.user = user;
  }

  /** The socket of the process that serves from a data directory. */
  static Path file(Path data) {
    return data.resolve(NAME);
  }

  /**
   * Listens. The caller owns the data directory, so what is there of that name was left behind.
   *
   * @param onTakeOver told of each process that asks to take over; it runs the hand-over
   * @return null where this machine or directory does not allow it
   */
  public static @Nullable HandoverListener open(
      Path data, String version, Consumer<Predecessor> onTakeOver) {
    Path file = file(data.toAbsolutePath());
    if (!Epoll.isAvailable() || file.toString().getBytes(UTF_8).length > MAX_PATH_BYTES) {
      LOG.info("no upgrades without a gap: they require epoll and a shorter path than {}", file);
      return null;
    }
    HandoverListener listener = null;
    try {
      int user = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
      listener = new HandoverListener(file, version, onTakeOver, user);
      listener.listen();
      return listener;
    } catch (IOException | RuntimeException e) {
      LOG.warn("no upgrades without a gap: {}: {}", file, e.toString());
      if (listener != null) {
        listener.close();
      }
      return null;
    }
  }

  /** Listens again, after {@link #stopListening}. */
  void listen() throws IOException {
    Files.deleteIfExists(file);
    EpollServerDomainSocketChannel channel = new EpollServerDomainSocketChannel();
    channel.pipeline().addLast(new Acceptor());
    loop.register(channel);
    Throwable cause =
        channel.bind(new DomainSocketAddress(file.toFile())).awaitUninterruptibly().cause();
    if (cause != null) {
      channel.close();
      throw new IOException(String.valueOf(cause.getMessage()), cause);
    }
    // Until then another user may connect, whom the check of the peer turns away.
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    server = channel;
  }

  /** Removes the socket, which the next process makes anew; connections stay. */
  void stopListening() {
    EpollServerDomainSocketChannel listening = server;
    server = null;
    if (listening != null) {
      // Removes the file, too.
      listening.close().awaitUninterruptibly();
    }
  }

  private final class Acceptor extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object accepted) throws IOException {
      EpollDomainSocketChannel channel = (EpollDomainSocketChannel) accepted;
      int peer = channel.peerCredentials().uid();
      if (peer != user) {
        LOG.warn("hand-over: a process of user {} is refused", peer);
        channel.unsafe().closeForcibly();
        return;
      }
      HandoverConnection connection = HandoverConnection.accepted(channel);
      ctx.channel().eventLoop().register(channel);
      Thread.ofVirtual().name("handover").start(() -> dispatch(connection));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      LOG.warn("hand-over: {}", cause.toString());
    }
  }

  private void dispatch(HandoverConnection connection) {
    boolean isKept = false;
    try {
      ObjectNode first = connection.receive(FIRST_LINE);
      switch (HandoverMessages.type(first)) {
        case HandoverMessages.TAKE_OVER -> isKept = takeOver(connection, first);
        case HandoverMessages.SOCKETS -> isKept = sockets(connection, first);
        case HandoverMessages.UPGRADE -> upgrade(connection, first);
        default -> connection.send(HandoverMessages.refused("this message is not known"));
      }
    } catch (IOException e) {
      LOG.debug("hand-over: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (!isKept) {
        connection.close();
      }
    }
  }

  private boolean takeOver(HandoverConnection connection, ObjectNode first) throws IOException {
    if (first.path("protocol").asInt(0) != HandoverMessages.PROTOCOL) {
      connection.send(
          HandoverMessages.refused(
              "the versions hand over by different protocols: stop this one, then start the other"));
      return false;
    }
    Predecessor asked = new Predecessor(this, connection, version);
    Predecessor other;
    synchronized (this) {
      other = current;
      if (other == null) {
        current = asked;
      }
    }
    if (other != null) {
      connection.send(
          HandoverMessages.refused("a hand-over to process " + other.pid() + " is in progress"));
      return false;
    }
    onTakeOver.accept(asked);
    return true;
  }

  private synchronized boolean sockets(HandoverConnection connection, ObjectNode first) {
    return current != null
        && current.takesDescriptors(connection, first.path("token").asString(""));
  }

  private void upgrade(HandoverConnection connection, ObjectNode first)
      throws IOException, InterruptedException {
    Upgrade asked = new Upgrade(connection);
    synchronized (this) {
      if (current != null || upgrade != null) {
        asked = null;
      } else {
        upgrade = asked;
      }
    }
    if (asked == null) {
      connection.send(HandoverMessages.refused("a hand-over is in progress"));
      return;
    }
    try {
      asked.run(first.path("jar").asString(""));
    } finally {
      synchronized (this) {
        upgrade = null;
      }
    }
  }

  /**
   * A hand-over has ended, this way or that.
   *
   * @return false where its upgrade was given up before, so that the new process is being ended
   */
  boolean ended(Predecessor done, ObjectNode message) {
    Upgrade waiting;
    synchronized (this) {
      if (current == done) {
        current = null;
      }
      waiting = upgrade;
    }
    return waiting == null || waiting.finish(message);
  }

  @Override
  public void close() {
    stopListening();
    loop.close();
  }
}
