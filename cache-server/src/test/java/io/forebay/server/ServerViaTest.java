package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.RawClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Via towards origins, by route, and what explain says of origins that weigh it. */
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
            "routes:\n"
                + "  - {name: with, origin: main}\n"
                + "  - {name: without, match: {path: /off/}, origin: main, via: off}\n"
                + "  - {name: passed, match: {path: /off/pass/}, origin: main, via: off, cache:"
                + " false}\n");
  }

  @AfterAll
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private RawClient.Response get(String path, String... fields) throws IOException {
    try (RawClient client = edge.connect()) {
      client.request("GET", path, fields);
      return client.reply();
    }
  }

  private String explained(String path) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(URI.create(edge.server().adminUrl() + "/v1/explain"))
                  .POST(
                      HttpRequest.BodyPublishers.ofString(
                          "{\"url\":\""
                              + edge.url(path)
                              + "\",\"fields\":[[\"accept-encoding\",\"gzip\"]]}"))
                  .build(),
              HttpResponse.BodyHandlers.ofString())
          .body();
    }
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
