package io.forebay.server.listen;

import io.forebay.server.config.Http3Config;
import io.netty.util.AsciiString;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What tells clients that the same is to be had over HTTP/3 (RFC 7838).
 *
 * @param value of the field
 * @param line the whole field line of HTTP/1.1
 */
record AltSvc(AsciiString value, byte[] line) {

  /** For connections to that address of ours; null where its port is not known. */
  static @Nullable AltSvc of(Http3Config config, SocketAddress own) {
    int port = config.altSvcPort();
    if (port == 0 && own instanceof InetSocketAddress address) {
      port = address.getPort();
    }
    if (port == 0) {
      return null;
    }
    String text = "h3=\":" + port + "\"; ma=" + config.altSvcMaxAge().toSeconds();
    return new AltSvc(
        AsciiString.of(text), ("alt-svc: " + text + "\r\n").getBytes(StandardCharsets.US_ASCII));
  }
}
