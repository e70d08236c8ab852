package io.forebay.server.logsink;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** One datagram a message (RFC 5426). Whether it arrives nobody knows. */
final class SyslogUdp extends SyslogTransport {
  /** What a datagram can carry over IPv4. */
  private static final int MAX_LENGTH = 65_507;

  private final String host;
  private final int port;
  private @Nullable DatagramChannel channel;

  SyslogUdp(String host, int port, LongSupplier nanoTime) {
    super(host + ":" + port, nanoTime);
    this.host = host;
    this.port = port;
  }

  @Override
  Outcome trySend(ByteBuffer message) throws IOException {
    if (message.remaining() > MAX_LENGTH) {
      return Outcome.LOST;
    }
    DatagramChannel open = channel;
    if (open == null) {
      open = connect();
      channel = open;
    }
    try {
      return sent(open, message);
    } catch (PortUnreachableException e) {
      // It is about an earlier message.
      return sent(open, message);
    } catch (SocketException e) {
      if (String.valueOf(e.getMessage()).contains("too long")) {
        return Outcome.LOST;
      }
      throw e;
    }
  }

  private static Outcome sent(DatagramChannel open, ByteBuffer message) throws IOException {
    return open.write(message) > 0 ? Outcome.SENT : Outcome.LATER;
  }

  private DatagramChannel connect() throws IOException {
    InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw new UnknownHostException(host);
    }
    DatagramChannel made = DatagramChannel.open();
    try {
      made.configureBlocking(false);
      made.connect(address);
      return made;
    } catch (IOException e) {
      made.close();
      throw e;
    }
  }

  @Override
  void disconnect() {
    DatagramChannel open = channel;
    channel = null;
    if (open != null) {
      closeQuietly(open);
    }
  }
}
