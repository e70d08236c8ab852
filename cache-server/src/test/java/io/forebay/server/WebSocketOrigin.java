package io.forebay.server;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** What an origin says that takes an offer of WebSocket up (RFC 6455 §4.2.2). */
final class WebSocketOrigin {

  private WebSocketOrigin() {}

  private static String acceptOf(String key) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1")
              .digest(
                  (key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
                      .getBytes(StandardCharsets.ISO_8859_1));
      return Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * The head of the 101.
   *
   * @param more further lines of it, each with its end
   */
  static String accepted(TestOrigin.Request request, String... more) {
    return accepted(request.field("sec-websocket-key"), more);
  }

  static String accepted(String key, String... more) {
    return "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
        + "sec-websocket-accept: "
        + acceptOf(key)
        + "\r\n"
        + String.join("", more)
        + "\r\n";
  }
}
