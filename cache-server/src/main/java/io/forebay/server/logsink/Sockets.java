package io.forebay.server.logsink;

import java.io.Closeable;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends what is broken already. */
final class Sockets {
  private static final Logger LOG = LoggerFactory.getLogger(Sockets.class);

  private Sockets() {}

  static void close(Closeable socket) {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("syslog: {}", e.toString());
    }
  }
}
