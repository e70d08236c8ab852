package io.forebay.server.handover;

import io.forebay.server.handover.HandoverMessages.Named;
import io.forebay.server.handover.HandoverMessages.Offer;
import io.forebay.server.listen.InheritedSockets.Entry;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.FileDescriptor;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The new process of a hand-over. Called by one thread, in this order: {@link #connect}, {@link
 * #begin}, then the start of the node with {@link #inheritance}, {@link #serving}. Closing before
 * the end makes the other process go on.
 */
public final class Successor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Successor.class);

  private static final Duration ANSWER = Duration.ofSeconds(30);

  /** How long a process that was killed takes until its locks are gone. */
  private static final long END_SECONDS = 10;

  private final HandoverLoop loop;
  private final HandoverConnection control;
  private final int predecessor;
  private final Inheritance inheritance;

  private Successor(
      HandoverLoop loop, HandoverConnection control, int predecessor, Inheritance inheritance) {
    this.loop = loop;
    this.control = control;
    this.predecessor = predecessor;
    this.inheritance = inheritance;
  }

  /**
   * Asks the process that serves from a data directory for its sockets. It goes on serving.
   *
   * @return null where there is no such process, or none any more
   * @throws HandoverException when it refuses
   */
  public static @Nullable Successor connect(Path data, String version)
      throws IOException, InterruptedException {
    Path socket = HandoverListener.file(data);
    if (!Epoll.isAvailable() || !Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
      LOG.info("hand-over: no process serves from {}: an ordinary start", data);
      return null;
    }
    HandoverLoop loop = new HandoverLoop();
    HandoverConnection control = null;
    int pid = 0;
    List<Entry> received = new ArrayList<>();
    boolean isDone = false;
    try {
      control = HandoverConnection.connect(loop, socket);
      pid = control.peer().pid();
      control.send(HandoverMessages.takeOver(version));
      Offer offer = HandoverMessages.readOffer(expect(control, HandoverMessages.OFFER));
      receive(loop, socket, offer, received);
      LOG.info(
          "hand-over: {} listening sockets received from process {} ({})",
          received.size(),
          pid,
          offer.version());
      Inheritance inheritance =
          new Inheritance(
              List.copyOf(received),
              offer.keys().tickets(),
              offer.keys().ticketsMadeAtMillis(),
              offer.keys().token());
      Successor successor = new Successor(loop, control, pid, inheritance);
      isDone = true;
      return successor;
    } catch (EOFException e) {
      LOG.warn("hand-over: the process that serves from {} has ended: an ordinary start", data);
      awaitEnd(pid);
      return null;
    } catch (HandoverException e) {
      throw e;
    } catch (IOException e) {
      if (control == null) {
        LOG.info("hand-over: nobody listens on {}: an ordinary start", socket);
        return null;
      }
      throw e;
    } finally {
      if (!isDone) {
        received.forEach(entry -> closeQuietly(entry.descriptor()));
        if (control != null) {
          control.close();
        }
        loop.close();
      }
    }
  }

  private static void receive(HandoverLoop loop, Path socket, Offer offer, List<Entry> received)
      throws IOException, InterruptedException {
    try (HandoverConnection descriptors = HandoverConnection.connectForDescriptors(loop, socket)) {
      descriptors.send(HandoverMessages.of(HandoverMessages.SOCKETS).put("token", offer.token()));
      for (Named named : offer.sockets()) {
        int descriptor = descriptors.receiveDescriptor(ANSWER);
        received.add(new Entry(named.listener(), named.kind(), named.configured(), descriptor));
      }
    }
  }

  private static ObjectNode expect(HandoverConnection control, String type)
      throws IOException, InterruptedException {
    ObjectNode message = control.receive(ANSWER);
    String got = HandoverMessages.type(message);
    if (got.equals(HandoverMessages.REFUSED)) {
      throw new HandoverException(HandoverMessages.reason(message));
    }
    if (!got.equals(type)) {
      throw new HandoverException("the running process answered " + got + ", not " + type);
    }
    return message;
  }

  /** The sockets and keys; {@link #begin} leaves the store, too. */
  public Inheritance inheritance() {
    return inheritance;
  }

  /**
   * Makes the other process release the store. Returns when it has, or is gone: this process is the
   * one that serves from then on.
   *
   * @param bound the most that its connections may take to end
   */
  public void begin(Duration bound) throws InterruptedException {
    try {
      control.send(HandoverMessages.of(HandoverMessages.BEGIN));
      ObjectNode released = control.receive(bound);
      if (!HandoverMessages.type(released).equals(HandoverMessages.RELEASED)) {
        throw new EOFException("it answered " + HandoverMessages.type(released));
      }
      LOG.info("hand-over: process {} has released the store", predecessor);
    } catch (IOException e) {
      LOG.warn("hand-over: process {} is lost: {}", predecessor, e.getMessage());
      awaitEnd(predecessor);
    }
  }

  /** This process accepts; the other one ends. */
  public void serving() {
    try {
      control.send(HandoverMessages.of(HandoverMessages.SERVING));
    } catch (IOException e) {
      LOG.debug("hand-over: process {} is gone: {}", predecessor, e.toString());
    }
    LOG.info("hand-over: took over from process {}", predecessor);
  }

  /** Until its locks are gone with it. */
  static void awaitEnd(int pid) throws InterruptedException {
    ProcessHandle process = ProcessHandle.of(pid).orElse(null);
    if (process == null || pid == ProcessHandle.current().pid()) {
      return;
    }
    CompletableFuture<ProcessHandle> end = process.onExit();
    try {
      ProcessHandle ignored = end.get(END_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      LOG.warn("hand-over: process {} is still there", pid);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void closeQuietly(int descriptor) {
    try {
      new FileDescriptor(descriptor).close();
    } catch (IOException e) {
      LOG.debug("descriptor {}: {}", descriptor, e.toString());
    }
  }

  @Override
  public void close() {
    control.close();
    loop.close();
  }
}
