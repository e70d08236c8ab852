package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A node whose origin has a fallback. */
@Timeout(60)
@Tag("slow")
final class ServerFallbackTest {
  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();

  @AfterEach
  void stop() throws IOException {
    origin.close();
  }

  @Test
  void theLogNamesTheOriginThatAnsweredAndExplainThoseThatMay() throws Exception {
    origin.on("/x", TestOrigin.ok("cache-control: max-age=60\r\n", TestOrigin.ascii("x")));
    origin.on(
        "/p", (request, connection) -> TestOrigin.sendOk(connection, "", connection.bytes(5)));
    Path log = directory.resolve("access.json");
    String yaml =
        """
        access-log: "LOG"
        origins:
          main: {url: "http://127.0.0.1:PORT", fallback: other}
          other: "OTHER"
        routes: [{origin: main}]
        """
            .replace("LOG", log.toString())
            .replace("PORT", Integer.toString(Ports.free()))
            .replace("OTHER", origin.url());
    try (Edge edge = Edge.start(directory, "32MiB", yaml);
        RawClient client = edge.connect()) {
      assertEquals("x", client.get("/x").text());
      assertTrue(client.get("/x").isHit());
      byte[] body = TestOrigin.ascii("hello");
      // The body is still there: the first origin had no connection for it.
      assertEquals("hello", client.request("POST", "/p", body, "Content-Length: 5").reply().text());
      Await.until("three lines", () -> Files.readAllLines(log).size() == 3);
      List<String> lines = Files.readAllLines(log);
      assertTrue(lines.get(0).contains("\"origin\":\"other\""), lines::toString);
      assertTrue(lines.get(1).contains("\"origin\":\"main\""), lines::toString);
      assertTrue(lines.get(2).contains("\"origin\":\"other\""), lines::toString);

      JsonNode explained = edge.explain(200, "{\"url\": \"" + edge.url("/y") + "\"}");
      assertTrue(
          explained.toString().contains("if origin main cannot answer, other is asked"),
          explained::toString);
    }
  }
}
