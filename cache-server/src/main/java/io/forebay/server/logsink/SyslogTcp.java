package io.forebay.server.logsink;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Messages over TCP, each behind its length (RFC 6587 §3.4.1). A message that a connection took in
 * part is sent again over the next one, whole; what the kernel had taken when the connection broke
 * may be lost.
 */
final class SyslogTcp extends SyslogTransport {
  private static final long CONNECT_NANOS = 5_000_000_000L;

  private final String host;
  private final int port;
  private final ByteBuffer nothing = ByteBuffer.allocate(256);
  private @Nullable SocketChannel channel;
  private long connectNanos;

  /** What the connection has to take before the next message; flipped. */
  private ByteBuffer frame = ByteBuffer.allocateDirect(8 << 10).limit(0);

  /** Whether the frame is the message that is being sent. */
  private boolean isBegun;

  SyslogTcp(String host, int port, LongSupplier nanoTime) {
    super(host + ":" + port, nanoTime);
    this.host = host;
    this.port = port;
  }

  @Override
  Outcome trySend(ByteBuffer message) throws IOException {
    SocketChannel open = channel;
    if (open == null) {
      open = connect();
      channel = open;
    }
    if (!open.isConnected() && !open.finishConnect()) {
      if (nanos() - connectNanos > CONNECT_NANOS) {
        throw new SocketTimeoutException("no connection after 5 s");
      }
      return Outcome.LATER;
    }
    if (!isBegun) {
      requireOpen(open);
      frame(message);
      isBegun = true;
    }
    open.write(frame);
    if (frame.hasRemaining()) {
      return Outcome.LATER;
    }
    isBegun = false;
    return Outcome.SENT;
  }

  /** A receiver says nothing, so that what can be read is the end of the connection. */
  private void requireOpen(SocketChannel open) throws IOException {
    nothing.clear();
    if (open.read(nothing) < 0) {
      throw new EOFException("the receiver closed the connection");
    }
  }

  private void frame(ByteBuffer message) {
    byte[] length = (message.remaining() + " ").getBytes(StandardCharsets.US_ASCII);
    int whole = length.length + message.remaining();
    if (frame.capacity() < whole) {
      frame = ByteBuffer.allocateDirect(2 * whole);
    }
    frame.clear();
    frame.put(length).put(message.duplicate()).flip();
  }

  private SocketChannel connect() throws IOException {
    InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw new UnknownHostException(host);
    }
    SocketChannel made = SocketChannel.open();
    try {
      made.configureBlocking(false);
      made.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      connectNanos = nanos();
      made.connect(address);
      return made;
    } catch (IOException e) {
      made.close();
      throw e;
    }
  }

  @Override
  void disconnect() {
    isBegun = false;
    SocketChannel open = channel;
    channel = null;
    if (open != null) {
      closeQuietly(open);
    }
  }
}
