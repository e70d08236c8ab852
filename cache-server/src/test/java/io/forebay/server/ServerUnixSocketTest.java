package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Listening on a Unix-domain socket. */
@Tag("slow")
final class ServerUnixSocketTest {

  private static final byte[] BIG = new byte[3 << 20];

  private final TestOrigin origin = new TestOrigin();

  @TempDir Path directory;
  private Path file;

  @BeforeEach
  void serve() {
    file = directory.resolve("http.sock");
    origin.on("/x", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("hello")));
    origin.on("/big", TestOrigin.ok("cache-control: max-age=1000\r\n", BIG));
  }

  @AfterEach
  void stop() throws IOException {
    origin.close();
  }

  private Edge start(String options) throws IOException {
    return Edge.start(
        directory,
        "32MiB",
        "  - {name: local, address: \"unix:"
            + file
            + "\""
            + options
            + "}\n"
            + Edge.origins(origin.url()));
  }

  private String exchange(String request) throws IOException {
    try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      socket.connect(UnixDomainSocketAddress.of(file));
      socket.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.ISO_8859_1)));
      StringBuilder text = new StringBuilder();
      ByteBuffer into = ByteBuffer.allocate(64 * 1024);
      while (socket.read(into) >= 0) {
        text.append(StandardCharsets.ISO_8859_1.decode(into.flip()));
        into.clear();
      }
      return text.toString();
    }
  }

  private static String get(String path) {
    return "GET " + path + " HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n";
  }

  @Test
  void whoeverConnectsIsServedOnEveryLoopInTurn() throws IOException {
    try (Edge edge = start("")) {
      for (int i = 0; i < 4; i++) {
        String answer = exchange(get("/x"));
        assertTrue(answer.startsWith("HTTP/1.1 200"), answer);
        assertTrue(answer.endsWith("\r\n\r\nhello"), answer);
      }
      assertEquals("rw-rw----", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
      assertEquals(2, edge.sum(counters -> counters.connectionsAccepted > 0 ? 1 : 0));
      for (int i = 0; i < 2; i++) {
        String big = exchange(get("/big"));
        assertEquals(BIG.length, big.length() - big.indexOf("\r\n\r\n") - 4);
      }
    }
    assertFalse(Files.exists(file));
  }

  @Test
  @Timeout(60)
  void anOriginIsReachedByNameAsWell() throws IOException {
    String named = origin.url().replace("127.0.0.1", "localhost");
    try (Edge edge = start("")) {
      edge.configure("  - {name: local, address: \"unix:" + file + "\"}\n" + Edge.origins(named));
      assertEquals(List.of(), edge.server().reload().errors());
      Await.until("the name is resolved", () -> edge.server().notReady().isEmpty());
      String answer = exchange(get("/x"));
      assertTrue(answer.endsWith("\r\n\r\nhello"), answer);
    }
  }

  @Test
  void aProxyMaySayWhoTheClientIs() throws IOException {
    try (Edge edge = start(", proxy-protocol: true")) {
      String answer = exchange("PROXY TCP4 203.0.113.9 192.0.2.1 1 2\r\n" + get("/x"));
      assertTrue(answer.startsWith("HTTP/1.1 200"), answer);
      assertEquals(
          "203.0.113.9", origin.requests("/x").getLast().field("x-forwarded-for"), edge.url(""));
    }
  }

  @Test
  void whatAKilledProcessLeftIsReplaced() throws IOException {
    ServerSocketChannel left = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    left.bind(UnixDomainSocketAddress.of(file));
    left.close();
    assertTrue(Files.exists(file));
    try (Edge edge = start("")) {
      assertTrue(exchange(get("/x")).startsWith("HTTP/1.1 200"), edge.url(""));
    }
  }

  @Test
  void whatBelongsToSomebodyElseIsLeftAlone() throws IOException {
    Files.writeString(file, "mine");
    assertTrue(failure().contains("not a socket"));
    assertEquals("mine", Files.readString(file));
    Files.delete(file);
    try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      other.bind(UnixDomainSocketAddress.of(file));
      assertTrue(failure().contains("in use by another process"));
    }
  }

  private String failure() {
    IllegalStateException e = assertThrows(IllegalStateException.class, () -> start("").close());
    return e.getCause() instanceof StartException why
        ? String.join("\n", why.lines())
        : String.valueOf(e);
  }
}
