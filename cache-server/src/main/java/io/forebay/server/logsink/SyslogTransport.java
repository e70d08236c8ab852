package io.forebay.server.logsink;

import io.forebay.server.config.SyslogAddress;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes messages to a receiver without blocking, but for the look-up of its name. A broken
 * connection is made again, after a second at first and after ten at most. Confined to one thread.
 */
abstract sealed class SyslogTransport implements AutoCloseable
    permits SyslogTcp, SyslogUdp, SyslogUnix {
  private static final Logger LOG = LoggerFactory.getLogger(SyslogTransport.class);
  private static final long FIRST_RETRY_NANOS = 1_000_000_000L;
  private static final long MAX_RETRY_NANOS = 10_000_000_000L;

  /** What became of a message. */
  enum Outcome {
    SENT,

    /** The receiver takes none at the moment: the same message is to be sent again. */
    LATER,

    /** It can never be sent. */
    LOST
  }

  private final String receiver;
  private final LongSupplier nanoTime;
  private long retryNanos = FIRST_RETRY_NANOS;
  private long dueNanos;
  private boolean isWaiting;

  SyslogTransport(String receiver, LongSupplier nanoTime) {
    this.receiver = receiver;
    this.nanoTime = nanoTime;
  }

  static SyslogTransport to(SyslogAddress address, LongSupplier nanoTime) throws IOException {
    return switch (address) {
      case SyslogAddress.Unix unix -> SyslogUnix.to(unix.socket(), nanoTime);
      case SyslogAddress.Udp udp -> new SyslogUdp(udp.host(), udp.port(), nanoTime);
      case SyslogAddress.Tcp tcp -> new SyslogTcp(tcp.host(), tcp.port(), nanoTime);
    };
  }

  /** Sends a message from its position to its limit, or as much of it as the receiver takes. */
  final Outcome send(ByteBuffer message) {
    if (isWaiting && nanoTime.getAsLong() - dueNanos < 0) {
      return Outcome.LATER;
    }
    isWaiting = false;
    try {
      Outcome outcome = trySend(message);
      if (outcome == Outcome.SENT) {
        retryNanos = FIRST_RETRY_NANOS;
      }
      return outcome;
    } catch (IOException e) {
      if (retryNanos == FIRST_RETRY_NANOS) {
        LOG.warn("syslog: {} cannot be reached, lines wait: {}", receiver, e.toString());
      }
      disconnect();
      isWaiting = true;
      dueNanos = nanoTime.getAsLong() + retryNanos;
      retryNanos = Math.min(2 * retryNanos, MAX_RETRY_NANOS);
      return Outcome.LATER;
    }
  }

  /**
   * Connects if there is no connection, and sends.
   *
   * @throws IOException if there is none any more, or none can be made
   */
  abstract Outcome trySend(ByteBuffer message) throws IOException;

  abstract void disconnect();

  /** Ends a socket that is of no use any more. */
  static void closeQuietly(Closeable socket) {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("syslog: {}", e.toString());
    }
  }

  final long nanos() {
    return nanoTime.getAsLong();
  }

  @Override
  public final void close() {
    disconnect();
  }
}
