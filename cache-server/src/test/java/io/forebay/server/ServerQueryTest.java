package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** QUERY (RFC 10008): answered from the store by URL, type and content. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
final class ServerQueryTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final String JSON = "Content-Type: application/json";

  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    edge =
        Edge.before(
            origin,
            directory,
            "32MiB",
            "routes: [{match: {path: /}, query-method: cache}, {match: {path: /passed}}]\n");
  }

  @AfterAll
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private static String contentOf(TestOrigin.Request request, Connection connection)
      throws IOException {
    if (request.field("transfer-encoding").equals("chunked")) {
      return new String(connection.chunkedBody(), StandardCharsets.ISO_8859_1);
    }
    String length = request.field("content-length");
    byte[] bytes = connection.bytes(length.isEmpty() ? 0 : Integer.parseInt(length));
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private void echo(String path, String fields) {
    origin.on(
        path,
        (request, connection) -> {
          String content = contentOf(request, connection);
          String shown = content.length() > 100 ? "" + content.length() : content;
          TestOrigin.sendOk(
              connection,
              FRESH + fields,
              TestOrigin.ascii(
                  request.number()
                      + " "
                      + request.method()
                      + " "
                      + request.field("content-type")
                      + " "
                      + shown));
        });
  }

  private static Response query(RawClient client, String path, String content, String... fields)
      throws IOException {
    String[] all = new String[fields.length + 1];
    System.arraycopy(fields, 0, all, 0, fields.length);
    all[fields.length] = "Content-Length: " + content.length();
    return client.request("QUERY", path, all).send(content).reply();
  }

  private static Response hit(RawClient client, String path, String content, String... fields) {
    Response[] last = new Response[1];
    Await.until(
        "a hit for " + path,
        () -> {
          try {
            last[0] = query(client, path, content, fields);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          return last[0].isHit();
        });
    return last[0];
  }

  /** RFC 10008 §2.7: the key has the request's content and its metadata. */
  @Test
  void theKeyHasUrlTypeAndContent() throws IOException {
    echo("/q", "");
    try (RawClient client = edge.connect()) {
      assertEquals("1 QUERY application/json {1}", query(client, "/q", "{1}", JSON).text());
      assertEquals("1 QUERY application/json {1}", hit(client, "/q", "{1}", JSON).text());
      assertEquals("2 QUERY application/json {2}", query(client, "/q", "{2}", JSON).text());
      assertEquals(
          "3 QUERY text/plain {1}", query(client, "/q", "{1}", "Content-Type: text/plain").text());
      assertEquals("4 QUERY  ", query(client, "/q", "").text());
      assertEquals("4 QUERY  ", hit(client, "/q", "").text());
      assertEquals("5 GET  ", client.get("/q").text(), "a GET is another question");
      assertEquals("1 QUERY application/json {1}", hit(client, "/q", "{1}", JSON).text());
      assertEquals("5 GET  ", client.get("/q").text());
    }
    assertEquals(5, origin.count("/q"));
  }

  @Test
  void contentMayComeInChunksAndInPieces() throws IOException {
    echo("/chunks", "");
    try (RawClient client = edge.connect()) {
      client.request("QUERY", "/chunks", JSON, "Transfer-Encoding: chunked");
      client.send("2\r\n{1\r\n");
      client.send("1\r\n}\r\n0\r\n\r\n");
      assertEquals("1 QUERY application/json {1}", client.reply().text());
      assertEquals("1 QUERY application/json {1}", hit(client, "/chunks", "{1}", JSON).text());
    }
  }

  /** RFC 9110 §10.1.1: the client is told to go on as soon as its content is wanted. */
  @Test
  void contentThatIsHeldBackIsAskedFor() throws IOException {
    echo("/expect", "");
    try (RawClient client = edge.connect()) {
      client.request("QUERY", "/expect", JSON, "Content-Length: 3", "Expect: 100-continue");
      assertEquals(100, client.head().status());
      client.send("{1}");
      assertEquals("1 QUERY application/json {1}", client.reply().text());
    }
  }

  @Test
  void contentBeyondTheBoundIsPassedAsItCame() throws IOException {
    echo("/large", "");
    try (RawClient client = edge.connect()) {
      String large = "x".repeat(64 * 1024 + 1);
      for (int i = 1; i <= 2; i++) {
        Response reply = query(client, "/large", large, JSON);
        assertEquals(i + " QUERY application/json 65537", reply.text());
        assertTrue(reply.field("cache-status").contains("detail=content"));
      }
      client.request("QUERY", "/large", JSON, "Transfer-Encoding: chunked");
      for (int i = 0; i < 20; i++) {
        client.send("1000\r\n" + "y".repeat(4096) + "\r\n");
      }
      client.send("0\r\n\r\n");
      assertEquals("3 QUERY application/json 81920", client.reply().text());
      String most = "z".repeat(64 * 1024);
      assertEquals("4 QUERY application/json 65536", query(client, "/large", most, JSON).text());
      assertEquals("4 QUERY application/json 65536", hit(client, "/large", most, JSON).text());
    }
  }

  @Test
  void whatMayNotBeStoredIsPassedWithItsContent() throws IOException {
    echo("/private", "cache-control: private\r\n");
    try (RawClient client = edge.connect()) {
      for (int i = 1; i <= 3; i++) {
        assertEquals(
            i + " QUERY application/json {1}", query(client, "/private", "{1}", JSON).text());
      }
    }
  }

  /** RFC 10008 §2: it is safe, so it invalidates nothing; and it is invalidated by what is not. */
  @Test
  void isSafeAndIsInvalidatedWithItsUrl() throws IOException {
    echo("/safe", "");
    try (RawClient client = edge.connect()) {
      assertEquals("1 GET  ", client.get("/safe").text());
      assertEquals("2 QUERY application/json {1}", query(client, "/safe", "{1}", JSON).text());
      assertTrue(client.get("/safe").isHit());
      edge.purgeUrl("/safe");
      assertEquals("3 QUERY application/json {1}", query(client, "/safe", "{1}", JSON).text());
      client.request("POST", "/safe", "Content-Length: 0").reply();
      assertFalse(query(client, "/safe", "{1}", JSON).isHit());
    }
  }

  /** RFC 10008 §2.6: conditional requests work as with GET. */
  @Test
  void aStaleAnswerIsConfirmedWithTheSameContent() throws IOException {
    origin.on(
        "/stale",
        (request, connection) -> {
          String content = contentOf(request, connection);
          if (request.field("if-none-match").equals("\"" + content + "\"")) {
            TestOrigin.notModified(connection, "cache-control: max-age=0\r\n");
          } else {
            TestOrigin.sendOk(
                connection,
                "cache-control: max-age=0\r\netag: \"" + content + "\"\r\n",
                TestOrigin.ascii(content));
          }
        });
    try (RawClient client = edge.connect()) {
      assertEquals("{7}", query(client, "/stale", "{7}", JSON).text());
      edge.awaitIdle();
      Response confirmed = query(client, "/stale", "{7}", JSON);
      assertEquals("{7}", confirmed.text());
      assertTrue(confirmed.field("cache-status").contains("fwd-status=304"));
      assertEquals(304, query(client, "/stale", "{7}", JSON, "If-None-Match: \"{7}\"").status());
    }
  }

  @Test
  void aClientThatLeavesWhileItsContentIsReadLeavesNothingBehind() throws IOException {
    echo("/gone", "");
    try (RawClient client = edge.connect()) {
      client.request("QUERY", "/gone", JSON, "Content-Length: 100").send("{");
      long aborts = edge.sum(c -> c.clientAborts);
      client.close();
      Await.until("the node has noticed", () -> edge.sum(c -> c.clientAborts) > aborts);
    }
    assertEquals(0, origin.count("/gone"));
  }

  @Test
  void overHttp2ContentIsReadAsWell() throws Exception {
    echo("/h2", "");
    try (HttpClient client = edge.tlsClient(HttpClient.Version.HTTP_2)) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + edge.tlsPort() + "/h2"))
              .header("Content-Type", "application/json")
              .method("QUERY", HttpRequest.BodyPublishers.ofString("{1}"))
              .build();
      for (int i = 0; i < 2; i++) {
        HttpResponse<String> reply = client.send(request, HttpResponse.BodyHandlers.ofString());
        assertEquals(HttpClient.Version.HTTP_2, reply.version());
        assertEquals("1 QUERY application/json {1}", reply.body());
        edge.awaitIdle();
      }
    }
    assertEquals(1, origin.count("/h2"));
  }

  @Test
  void isPassedWhereTheRouteDoesNotSayOtherwise() throws IOException {
    echo("/passed", "");
    try (RawClient client = edge.connect()) {
      for (int i = 1; i <= 2; i++) {
        assertEquals(
            i + " QUERY application/json {1}", query(client, "/passed", "{1}", JSON).text());
      }
    }
  }
}
