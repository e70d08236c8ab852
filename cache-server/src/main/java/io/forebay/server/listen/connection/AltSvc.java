package io.forebay.server.listen.connection;

import io.forebay.server.config.Http3Config;
import io.netty.util.AsciiString;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The Alt-Svc field that advertises HTTP/3 to clients (RFC 7838). */
public final class AltSvc {

  private final AsciiString value;
  private final byte[] line;

  private AltSvc(String text) {
    value = AsciiString.of(text);
    line = ("alt-svc: " + text + "\r\n").getBytes(StandardCharsets.US_ASCII);
  }

  /** For connections to that address of ours; null where its port is not known. */
  public static @Nullable AltSvc of(Http3Config config, SocketAddress own) {
    int port = config.altSvcPort();
    if (port == 0 && own instanceof InetSocketAddress address) {
      port = address.getPort();
    }
    if (port == 0) {
      return null;
    }
    return new AltSvc("h3=\":" + port + "\"; ma=" + config.altSvcMaxAge().toSeconds());
  }

  /** The value of the field. */
  public AsciiString value() {
    return value;
  }

  /** The whole field line of HTTP/1.1; not to be changed. */
  public byte[] line() {
    return line;
  }
}
