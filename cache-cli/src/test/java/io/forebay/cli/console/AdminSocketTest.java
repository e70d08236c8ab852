package io.forebay.cli.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands reach an admin API that listens on a Unix-domain socket. */
@Timeout(60)
final class AdminSocketTest {
  @TempDir Path directory;

  private static String answerOnce(ServerSocketChannel server, String answer) throws IOException {
    try (SocketChannel one = server.accept()) {
      ByteBuffer request = ByteBuffer.allocate(8192);
      // The body's last byte is the brace that closes it.
      while (request.position() == 0 || request.get(request.position() - 1) != '}') {
        if (one.read(request) < 0) {
          break;
        }
      }
      one.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.US_ASCII)));
      return new String(request.array(), 0, request.position(), StandardCharsets.US_ASCII);
    }
  }

  @Test
  void asksOverTheSocket() throws Exception {
    Path socket = directory.resolve("admin.sock");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        AdminClient client = new AdminClient(URI.create("unix:" + socket), "a-token")) {
      server.bind(UnixDomainSocketAddress.of(socket));
      CompletableFuture<String> asked =
          CompletableFuture.supplyAsync(() -> {
            try {
              return answerOnce(server, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"job\":7}");
            } catch (IOException e) {
              throw new java.io.UncheckedIOException(e);
            }
          });
      assertEquals(7, client.post("/v1/warm?x=1", Map.of("urls", "u")).path("job").intValue());
      String request = asked.get(20, TimeUnit.SECONDS);
      assertTrue(request.startsWith("POST /v1/warm?x=1 HTTP/1.1\r\nHost: localhost\r\n"), request);
      assertTrue(request.contains("authorization: Bearer a-token\r\n"), request);
      assertTrue(request.endsWith("\r\n\r\n{\"urls\":\"u\"}"), request);
    }
  }

  @Test
  void saysWhereNobodyListens() throws Exception {
    Path socket = directory.resolve("admin.sock");
    try (AdminClient client = new AdminClient(URI.create("unix:" + socket), null)) {
      CommandException none = assertThrows(CommandException.class, () -> client.get("/v1/stats"));
      assertTrue(String.valueOf(none.getMessage()).contains("unix:" + socket), none.toString());
      try (ServerSocketChannel gone = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
        gone.bind(UnixDomainSocketAddress.of(socket));
      }
      assertThrows(CommandException.class, () -> client.get("/v1/stats"));
    }
  }
}
