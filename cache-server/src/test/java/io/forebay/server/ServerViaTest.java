package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Via in requests to origins, by route, and the hint of explain about origins that evaluate it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
@Tag("slow")
final class ServerViaTest {
  private static final String TEXT =
      "cache-control: max-age=100\r\ncontent-type: text/html; charset=utf-8\r\n";

  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    edge =
        Edge.before(
            origin,
            directory,
            "32MiB",
            """
            compress: off
            routes:
              - {name: with}
              - {name: without, match: {path: /off/}, via: off}
              - {name: passed, match: {path: /off/pass/}, via: off, cache: false}
            """);
  }

  @AfterAll
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private RawClient.Response get(String path, String field) throws IOException {
    return RawClient.get(edge.port(), path, field);
  }

  private String explained(String path) throws Exception {
    String fields = "\"fields\":[[\"accept-encoding\",\"gzip\"]]";
    return edge.explain(200, "{\"url\":\"" + edge.url(path) + "\"," + fields + "}").toString();
  }

  @Test
  void aRouteWithoutItSendsNoneForFillsAndForPassedRequests() throws IOException {
    for (String path : new String[] {"/on", "/off/a", "/off/pass/a"}) {
      origin.on(path, TestOrigin.ok(TEXT, Edge.bytes(1, 400)));
      RawClient.Response reply = get(path, "Via: 1.1 before");
      assertEquals(200, reply.status());
      assertTrue(reply.field("via").endsWith(" edge"), reply.field("via"));
    }
    assertEquals("1.1 before, 1.1 edge", origin.requests("/on").getFirst().field("via"));
    assertEquals("", origin.requests("/off/a").getFirst().field("via"));
    assertEquals("", origin.requests("/off/pass/a").getFirst().field("via"));
    assertEquals("edge", origin.requests("/off/a").getFirst().field("cdn-loop"));
  }

  @Test
  void explainHintsAtTextThatIsNotCompressed() throws Exception {
    for (String path : new String[] {"/off/b", "/b"}) {
      origin.on(path, TestOrigin.ok(TEXT + "server: nginx/1.26.3\r\n", Edge.bytes(1, 4000)));
      assertEquals(200, get(path, "Accept-Encoding: gzip").status());
    }
    origin.on("/c", TestOrigin.ok(TEXT + "server: Apache\r\n", Edge.bytes(1, 4000)));
    assertEquals(200, get("/c", "Accept-Encoding: gzip").status());
    edge.awaitIdle();
    String hint = "Set via: off on the route with, or gzip_proxied any at the origin";
    assertTrue(explained("/b").contains(hint), explained("/b"));
    assertFalse(explained("/off/b").contains("gzip_proxied"), explained("/off/b"));
    assertFalse(explained("/c").contains("gzip_proxied"), explained("/c"));
  }
}
