package io.forebay.server.systemd;

import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The socket of systemd, one datagram a message. The JDK has no such sockets; Netty's are used as
 * they are, without a loop. Each message has a socket of its own, so one that systemd has made
 * again is found.
 */
final class NotifySocket {
  /** What {@code sun_path} holds, without a NUL at the end. */
  private static final int MAX_PATH_BYTES = 107;

  private static final int TRIES = 50;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final DomainSocketAddress address;

  /**
   * As the variable has it.
   *
   * @param place a path, or after {@code @} a name in the abstract namespace
   * @throws IOException if it is neither
   */
  NotifySocket(String place) throws IOException {
    if ((!place.startsWith("/") && !place.startsWith("@"))
        || place.length() < 2
        || place.getBytes(StandardCharsets.UTF_8).length > MAX_PATH_BYTES) {
      throw new IOException("neither a path nor a name after @ that a socket can have: " + place);
    }
    address = new DomainSocketAddress(place.startsWith("@") ? "\0" + place.substring(1) : place);
  }

  /**
   * Sends a message. A full queue is waited for, five seconds at most.
   *
   * @throws IOException if nobody takes it
   */
  void send(String message) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(4 * message.length());
    bytes.put(message.getBytes(StandardCharsets.UTF_8)).flip();
    Socket socket = Socket.newSocketDomainDgram();
    try {
      socket.connect(address);
      for (int i = 0; i < TRIES; i++) {
        if (socket.write(bytes, 0, bytes.limit()) > 0) {
          return;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      throw new IOException("its queue is full");
    } finally {
      socket.close();
    }
  }
}
