package io.forebay.server.handover;

import io.forebay.server.listen.InheritedSockets.Entry;
import io.netty.channel.unix.PeerCredentials;
import java.io.EOFException;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The running process of one hand-over. The thread that serves calls {@link #handOver}, which
 * returns once one of both processes serves.
 */
public final class Predecessor {
  private static final Logger LOG = LoggerFactory.getLogger(Predecessor.class);

  private static final Duration ANSWER = Duration.ofSeconds(30);

  /** A large store may take long to open; a process that ends is noticed at once. */
  private static final Duration START = Duration.ofDays(1);

  private static final int TOKEN_BYTES = 16;

  private final HandoverListener listener;
  private final HandoverConnection control;
  private final String version;
  private final String token;
  private final int pid;
  private final CompletableFuture<HandoverConnection> descriptors = new CompletableFuture<>();

  /** The node that this process runs. */
  public interface Node {

    /** What the other process gets; the node goes on as it is. */
    Inheritance inheritance();

    /** Stops, except that the listening sockets stay open. */
    Released release() throws InterruptedException;

    /** Another process serves now. */
    void replaced(int pid);

    /**
     * Starts again, with these sockets.
     *
     * @throws Exception when it cannot; then this process has to end
     */
    void takeBack(Inheritance left) throws Exception;
  }

  Predecessor(HandoverListener listener, HandoverConnection control, String version)
      throws IOException {
    this.listener = listener;
    this.control = control;
    this.version = version;
    PeerCredentials peer = control.peer();
    this.pid = peer.pid();
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    this.token = HexFormat.of().formatHex(random);
    // Nobody waits for the second connection of a process that is gone.
    control.whenClosed(
        () -> descriptors.completeExceptionally(new EOFException("the process has ended")));
  }

  int pid() {
    return pid;
  }

  /** The second connection of the other process; false where it is not from there. */
  boolean takesDescriptors(HandoverConnection connection, String named) {
    return named.equals(token) && descriptors.complete(connection);
  }

  /** Says no: the node is stopping. */
  public void refuse(String reason) {
    try {
      control.send(HandoverMessages.refused(reason));
    } catch (IOException e) {
      LOG.debug("hand-over: process {} is gone: {}", pid, e.toString());
    }
    end(HandoverMessages.FAILED, reason);
  }

  /**
   * Runs the hand-over.
   *
   * @return whether the other process serves, so that this one has to end
   * @throws Exception when neither does
   */
  public boolean handOver(Node node) throws Exception {
    LOG.info("hand-over: process {} asks to take over", pid);
    long began = System.nanoTime();
    try {
      offer(node.inheritance());
      if (!HandoverMessages.type(control.receive(ANSWER)).equals(HandoverMessages.BEGIN)) {
        throw new IOException("it did not begin");
      }
    } catch (IOException e) {
      LOG.warn(
          "hand-over: process {} is lost before it began ({}); this process serves on",
          pid,
          e.getMessage());
      end(HandoverMessages.FAILED, "the new process ended before the hand-over began");
      return false;
    }
    LOG.info("hand-over: connections end, then the store is released to process {}", pid);
    listener.stopListening();
    Released released = node.release();
    LOG.info(
        "hand-over: the store is released; {} connections cut, requests ended in {} ms, store"
            + " closed in {} ms",
        released.cut(),
        released.endingMillis(),
        released.closingMillis());
    try {
      control.send(HandoverMessages.of(HandoverMessages.RELEASED));
      if (!HandoverMessages.type(control.receive(START)).equals(HandoverMessages.SERVING)) {
        throw new IOException("it does not serve");
      }
      if (!listener.ended(this, done(began, released))) {
        throw new IOException("its upgrade was given up");
      }
    } catch (IOException e) {
      LOG.warn(
          "hand-over: process {} is lost before it served ({}); this process takes the store back",
          pid,
          e.getMessage());
      control.close();
      Successor.awaitEnd(pid);
      node.takeBack(released.left());
      listener.listen();
      LOG.info("hand-over: this process serves again");
      end(HandoverMessages.FAILED, "the new process ended before it served; the old one serves on");
      return false;
    }
    LOG.info("hand-over: process {} serves, this process ends", pid);
    node.replaced(pid);
    control.close();
    return true;
  }

  private ObjectNode done(long began, Released released) {
    long now = System.nanoTime();
    return HandoverMessages.of(HandoverMessages.DONE)
        .put("pid", pid)
        .put("cut", released.cut())
        .put("pauseMillis", TimeUnit.NANOSECONDS.toMillis(now - released.stoppedNanos()))
        .put("handOverMillis", TimeUnit.NANOSECONDS.toMillis(now - began));
  }

  private void offer(Inheritance left) throws IOException, InterruptedException {
    control.send(HandoverMessages.offer(token, version, left));
    try (HandoverConnection second = descriptors.get(ANSWER.toSeconds(), TimeUnit.SECONDS)) {
      for (Entry entry : left.sockets()) {
        second.sendDescriptor(entry.descriptor());
      }
      LOG.info("hand-over: {} listening sockets offered to process {}", left.sockets().size(), pid);
      // The other end closes when it has them all.
      awaitClosed(second);
    } catch (TimeoutException e) {
      throw new IOException("it did not ask for the sockets", e);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    }
  }

  private static void awaitClosed(HandoverConnection second)
      throws IOException, InterruptedException {
    try {
      ObjectNode unexpected = second.receive(ANSWER);
      throw new IOException("unexpected " + HandoverMessages.type(unexpected));
    } catch (EOFException e) {
      // As it should be.
      return;
    }
  }

  private void end(String type, String reason) {
    control.close();
    boolean ignored = listener.ended(this, HandoverMessages.of(type).put("reason", reason));
  }
}
