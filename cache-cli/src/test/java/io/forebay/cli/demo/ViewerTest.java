package io.forebay.cli.demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The demo's client must not mistake a broken answer for a whole one. */
final class ViewerTest {
  private ServerSocket server;

  @BeforeEach
  void listen() throws IOException {
    server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void close() throws IOException {
    server.close();
  }

  @Test
  void readsABodyOfKnownLength() throws Exception {
    Viewer.Got got =
        got("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nCache-Status: forebay; hit\r\n\r\nabc");

    assertEquals(200, got.status());
    assertArrayEquals("abc".getBytes(StandardCharsets.US_ASCII), got.body());
    assertTrue(got.isHit());
    assertTrue(got.firstByteNanos() <= got.lastByteNanos());
  }

  @Test
  void readsChunks() throws Exception {
    String head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n";
    String status = "Cache-Status: f; fwd=uri-miss; stored\r\n\r\n";
    String chunks = String.join("\r\n", "2", "ab", "1;x=y", "c", "0", "", "");

    Viewer.Got got = got(head + status + chunks);

    assertArrayEquals("abc".getBytes(StandardCharsets.US_ASCII), got.body());
    assertFalse(got.isHit());
  }

  @Test
  void aBodyBrokenOffIsAFailure() {
    assertThrows(EOFException.class, () -> got("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc"));
  }

  @Test
  void chunksBrokenOffAreAFailure() {
    assertThrows(
        EOFException.class,
        () -> got("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"));
  }

  private Viewer.Got got(String answer) throws IOException {
    Thread.ofVirtual()
        .start(() -> {
          try (Socket socket = server.accept()) {
            int newlines = 0;
            while (newlines < 4) {
              int b = socket.getInputStream().read();
              newlines = b == '\r' || b == '\n' ? newlines + 1 : 0;
            }
            socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
          } catch (IOException closed) {
            // the test is over
          }
        });
    try (Viewer viewer = new Viewer(server.getLocalPort())) {
      return viewer.get("/x");
    }
  }
}
