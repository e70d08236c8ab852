package io.forebay.server.handover;

import io.netty.channel.epoll.Epoll;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Asks the process that serves from a data directory to replace itself, and waits for the end. */
public final class UpgradeClient {

  /**
   * An upgrade that succeeded.
   *
   * @param pid the new process
   * @param cut connections that did not end in time
   * @param pauseMillis from the last connection that the old process accepted until the new one
   *     accepted
   * @param handOverMillis from the new process's question until it served
   */
  public record Upgraded(long pid, int cut, long pauseMillis, long handOverMillis) {}

  private UpgradeClient() {}

  /**
   * Upgrades.
   *
   * @param jar what to run instead, or null
   * @param bound after which the new process is ended; the old one serves on
   * @param onStarted told of the new process
   * @throws HandoverException with the reason why the old process serves on
   */
  public static Upgraded upgrade(
      Path data, @Nullable Path jar, Duration bound, LongConsumer onStarted)
      throws IOException, InterruptedException {
    Path socket = HandoverListener.file(data.toAbsolutePath());
    if (!Epoll.isAvailable()) {
      throw new HandoverException("upgrades require epoll");
    }
    if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
      throw new HandoverException("no process serves from " + data + ", or none that can upgrade");
    }
    try (HandoverLoop loop = new HandoverLoop();
        HandoverConnection connection = connect(loop, socket)) {
      ObjectNode ask = HandoverMessages.of(HandoverMessages.UPGRADE);
      if (jar != null) {
        ask.put("jar", jar.toAbsolutePath().toString());
      }
      connection.send(ask);
      long deadline = System.nanoTime() + bound.toNanos();
      while (true) {
        ObjectNode message =
            connection.receive(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
        switch (HandoverMessages.type(message)) {
          case HandoverMessages.STARTED -> onStarted.accept(message.path("pid").asLong(0));
          case HandoverMessages.DONE -> {
            return new Upgraded(
                message.path("pid").asLong(0),
                message.path("cut").asInt(0),
                message.path("pauseMillis").asLong(0),
                message.path("handOverMillis").asLong(0));
          }
          default -> throw new HandoverException(HandoverMessages.reason(message));
        }
      }
    } catch (EOFException e) {
      throw new HandoverException(
          "the running process ended; the new one may serve, its log says more");
    }
  }

  private static HandoverConnection connect(HandoverLoop loop, Path socket)
      throws HandoverException {
    try {
      return HandoverConnection.connect(loop, socket);
    } catch (IOException e) {
      throw new HandoverException("nobody listens on " + socket + ": " + e.getMessage());
    }
  }
}
