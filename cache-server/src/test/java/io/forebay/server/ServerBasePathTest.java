package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.RawClient;
import io.forebay.testing.UnixOrigin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node before an origin with a base path, and before one on a Unix-domain socket. */
@Timeout(60)
@Tag("slow")
final class ServerBasePathTest {
  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();

  @AfterEach
  void stop() throws IOException {
    origin.close();
  }

  @Test
  void theKeyIsThatOfTheClientsUrl() throws IOException {
    origin.on("/app/v1/x", TestOrigin.ok("cache-control: max-age=60\r\n", TestOrigin.ascii("x")));
    try (Edge edge = Edge.start(directory, "32MiB", Edge.origins(origin.url() + "/app/v1/"));
        RawClient client = edge.connect()) {
      assertEquals("x", client.get("/x").text());
      assertTrue(client.get("/x").isHit());
      assertEquals(404, client.get("/app/v1/x").status());
      // Another base path is another place for the same URLs: what is stored stays.
      edge.configure(Edge.origins(origin.url() + "/app/v2"));
      assertEquals(List.of(), edge.server().reload().errors());
      assertTrue(client.get("/x").isHit());
      edge.purgeUrl("/x");
      assertEquals(404, client.get("/x").status());
      assertEquals(1, origin.count("/app/v2/x"));
    }
  }

  @Test
  void aRedirectIsPassedOnAsItIs() throws IOException {
    origin.on(
        "/app/old",
        (request, connection) ->
            connection.send(
                "HTTP/1.1 301 Moved\r\nlocation: /app/new\r\ncontent-length: 0\r\n\r\n"));
    try (Edge edge = Edge.start(directory, "32MiB", Edge.origins(origin.url() + "/app"));
        RawClient client = edge.connect()) {
      assertEquals("/app/new", client.get("/old").field("location"));
    }
  }

  @Test
  void aPathThatCouldLeaveTheBaseGets400() throws IOException {
    try (Edge edge = Edge.start(directory, "32MiB", Edge.origins(origin.url() + "/app"));
        RawClient client = edge.connect()) {
      for (String target : List.of("/..%2fadmin", "/a/..%5cadmin", "/..;/admin")) {
        RawClient.Response reply = client.get(target);
        assertEquals(400, reply.status(), target);
        assertEquals("edge; error=http_request_error", reply.field("proxy-status"), target);
      }
      // Removed before the base is put in front.
      origin.on("/app/admin", TestOrigin.ok("", TestOrigin.ascii("own")));
      assertEquals("own", client.get("/../%2e%2e/admin").text());
    }
  }

  @Test
  void anOriginOnAUnixSocketIsCachedAndShown() throws IOException {
    try (UnixOrigin socket = new UnixOrigin(directory.resolve("app.sock"));
        Edge edge =
            Edge.start(
                directory, "32MiB", Edge.origins("http://unix:" + socket.file() + ":/base/"));
        RawClient client = edge.connect()) {
      assertEquals("/base/x", client.get("/x").text());
      assertTrue(client.get("/x").isHit());
      assertEquals(1, socket.heads().size());
      assertEquals(List.of(), edge.server().notReady());
      assertEquals(
          "unix:" + socket.file(),
          edge.server().origins().getFirst().servers().getFirst().endpoints().getFirst().address());
    }
  }
}
