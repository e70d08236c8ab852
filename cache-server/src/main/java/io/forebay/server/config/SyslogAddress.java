package io.forebay.server.config;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A receiver of syslog, as an output of a log names it. */
public sealed interface SyslogAddress {

  /** A Unix-domain socket for datagrams, such as {@code /dev/log}. */
  record Unix(Path socket) implements SyslogAddress {}

  record Udp(String host, int port) implements SyslogAddress {}

  record Tcp(String host, int port) implements SyslogAddress {}

  /** The receiver that a text names, or null if it is the output of something else. */
  static @Nullable SyslogAddress parse(String text) {
    try {
      return read(text);
    } catch (ValueType.WrongValueException e) {
      throw new IllegalArgumentException(e.message(), e);
    }
  }

  /** The same of a text that was not checked. */
  static @Nullable SyslogAddress read(String text) throws ValueType.WrongValueException {
    if (text.startsWith("syslog+unix:")) {
      String file = text.substring("syslog+unix:".length());
      if (!file.startsWith("/")
          || file.indexOf('\0') >= 0
          || file.getBytes(StandardCharsets.UTF_8).length > 107) {
        throw new ValueType.WrongValueException(
            "the receiver of syslog is not a path of a Unix-domain socket",
            "write one such as syslog+unix:/dev/log");
      }
      return new Unix(Path.of(file));
    }
    boolean isUdp = text.startsWith("syslog+udp://");
    if (!isUdp && !text.startsWith("syslog+tcp://")) {
      if (text.startsWith("syslog")
          && (text.equals("syslog") || text.indexOf(':') >= 0 || text.startsWith("syslog+"))) {
        throw new ValueType.WrongValueException(
            "the receiver of syslog cannot be read",
            "write syslog+unix:/dev/log, syslog+udp://HOST:PORT or syslog+tcp://HOST:PORT");
      }
      return null;
    }
    ServerConfig.Address address =
        ValueType.ADDRESS.reader().read(text.substring("syslog+udp://".length()));
    if (address.host().equals("*") || address.port() == 0 || address.unixFile() != null) {
      throw new ValueType.WrongValueException(
          "the receiver of syslog has no host or no port",
          "write one such as syslog+udp://HOST:514");
    }
    return isUdp
        ? new Udp(address.host(), address.port())
        : new Tcp(address.host(), address.port());
  }
}
