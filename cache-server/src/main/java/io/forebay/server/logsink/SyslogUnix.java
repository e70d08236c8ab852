package io.forebay.server.logsink;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One datagram a message to a Unix-domain socket, such as {@code /dev/log}. The JDK has no such
 * sockets; Netty's are used as they are, without a loop.
 */
final class SyslogUnix extends SyslogTransport {
  private final Path path;
  private @Nullable Socket socket;

  private SyslogUnix(Path path, LongSupplier nanoTime) {
    super(path.toString(), nanoTime);
    this.path = path;
  }

  static SyslogUnix to(Path path, LongSupplier nanoTime) throws IOException {
    if (!Epoll.isAvailable()) {
      throw new IOException(
          "syslog+unix:"
              + path
              + ": this machine has no epoll, which it takes; use syslog+udp://HOST:PORT",
          Epoll.unavailabilityCause());
    }
    return new SyslogUnix(path, nanoTime);
  }

  @Override
  Outcome trySend(ByteBuffer message) throws IOException {
    Socket open = socket;
    if (open == null) {
      open = connect();
      socket = open;
    }
    try {
      int sent = open.write(message, message.position(), message.limit());
      return sent > 0 ? Outcome.SENT : Outcome.LATER;
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).contains("too long")) {
        return Outcome.LOST;
      }
      throw e;
    }
  }

  private Socket connect() throws IOException {
    if (!Files.exists(path)) {
      throw new FileNotFoundException(path + " does not exist");
    }
    Socket made = Socket.newSocketDomainDgram();
    try {
      made.connect(new DomainSocketAddress(path.toString()));
      return made;
    } catch (IOException e) {
      closeQuietly(made::close);
      throw e;
    }
  }

  @Override
  void disconnect() {
    Socket open = socket;
    socket = null;
    if (open != null) {
      closeQuietly(open::close);
    }
  }
}
