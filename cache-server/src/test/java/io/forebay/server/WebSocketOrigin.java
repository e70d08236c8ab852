package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.testing.Certificates;
import io.forebay.testing.ScriptedOrigin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Origins that take an offer of WebSocket up (RFC 6455 §4.2.2), and what is logged of it. */
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

  /** An origin that takes the offer up at that path, and goes on as it is said. */
  static void accept(TestOrigin origin, String path, TestOrigin.Answer then) {
    origin.on(
        path,
        (request, connection) -> {
          connection.send(accepted(request));
          then.to(request, connection);
        });
  }

  /** One of another protocol at {@code /chat}, which sends two bytes back. */
  static void acceptChat(TestOrigin origin) {
    origin.on(
        "/chat",
        (request, connection) -> {
          assertEquals("chat/2", request.field("upgrade"));
          assertEquals("", request.field("sec-websocket-key"));
          connection.send(
              "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: chat/2\r\n\r\n");
          connection.send(connection.bytes(2));
          connection.close();
        });
  }

  /** An origin behind TLS that takes one offer up, sends four bytes back and ends both ways. */
  static ScriptedOrigin secure(Certificates certificates) throws Exception {
    return ScriptedOrigin.startTls(
            Certificates.serverContext(certificates.ecdsa("origin", "127.0.0.1")))
        .serve(connection -> {
          String head = connection.head();
          int at = head.indexOf("sec-websocket-key: ") + 19;
          connection.send(accepted(head.substring(at, at + 24)));
          connection.send(connection.bytes(4));
          connection.close();
        });
  }

  /** The line of an access log that has one, about a tunnel with 9 bytes out and 10 in. */
  static JsonNode logged(Path log) throws IOException {
    List<JsonNode> lines =
        Files.readAllLines(log).stream().map(JsonMapper.shared()::readTree).toList();
    assertEquals(1, lines.size());
    JsonNode line = lines.getFirst();
    assertEquals(101, line.get("status").asInt());
    assertEquals(9, line.get("bytes").asInt());
    assertEquals(10, line.get("received").asInt());
    assertEquals("pass", line.get("cache").asString());
    assertEquals("pass-upgrade", line.get("reason").asString());
    return line;
  }
}
