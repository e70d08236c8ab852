package io.forebay.benchmarks.attack;

import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * An origin whose {@code /slow} paths answer after a while, that takes every offer of a WebSocket
 * and leaves it open, and answers all else at once, not to be stored.
 */
final class SlowOrigin implements ScriptedOrigin.Script {

  /** The key that clients of this lab send, and its proof (RFC 6455 §1.3). */
  static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

  private static final String PROOF = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

  private final int slowSeconds;

  SlowOrigin(int slowSeconds) {
    this.slowSeconds = slowSeconds;
  }

  @Override
  public void run(Connection connection) throws IOException {
    try (connection) {
      connection.buffered().timeoutMillis(0);
      while (true) {
        String head = connection.head();
        if (!Connection.fields(head, "upgrade").isEmpty()) {
          connection.send(
              "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
                  + "Sec-WebSocket-Accept: "
                  + PROOF
                  + "\r\n\r\n");
          // Open until the other side has enough.
          connection.awaitClose();
          return;
        }
        String target = head.split(" ", 3)[1];
        if (target.contains("/slow")) {
          TimeUnit.SECONDS.sleep(slowSeconds);
        }
        String kept = target.contains("/hit") ? "max-age=86400" : "no-store";
        connection.send(
            "HTTP/1.1 200 OK\r\nCache-Control: " + kept + "\r\nContent-Length: 2\r\n\r\nok");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
