package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.TestOrigin.Answer;
import io.forebay.testing.Await;
import io.forebay.testing.Http2Client;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Fields after the body (RFC 9110 §6.5, §10.1.4; S29). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
final class ServerTrailersTest {

  private static final String TRAILERS =
      "server-timing: db;dur=5\r\nset-cookie: a=b\r\nx-other: c\r\ncontent-length: 7\r\n";

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
                + "  - {name: some, origin: main, response-trailers: [Server-Timing]}\n"
                + "  - {name: none, match: {path: /none/}, origin: main}\n");
  }

  @AfterAll
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private static Answer answer(String fields) {
    return (request, connection) ->
        connection.send(
            "HTTP/1.1 200 OK\r\n"
                + fields
                + "trailer: Server-Timing, Set-Cookie\r\ntransfer-encoding: chunked\r\n\r\n"
                + "4\r\nbody\r\n0\r\n"
                + TRAILERS
                + "\r\n");
  }

  /** Everything after the head, as it is on the wire. */
  private String raw(String path, String... fields) throws IOException {
    try (RawClient client = edge.connect()) {
      String[] all = Arrays.copyOf(fields, fields.length + 1);
      all[fields.length] = "Connection: close" + (fields.length == 0 ? "" : ", te");
      Response head = client.request("GET", path, all).head();
      assertEquals(200, head.status());
      assertEquals(
          fields.length == 0 || path.startsWith("/none/") ? "" : "server-timing",
          head.field("trailer"));
      return new String(client.upTo(1000), StandardCharsets.ISO_8859_1);
    }
  }

  @Test
  void thoseThatTheRouteNamesReachAClientThatTakesThem() throws IOException {
    origin.on("/a", answer("cache-control: no-store\r\n"));
    assertEquals("4\r\nbody\r\n0\r\nserver-timing: db;dur=5\r\n\r\n", raw("/a", "TE: trailers"));
    assertEquals("te", origin.requests("/a").getFirst().field("connection"));
    assertEquals("trailers", origin.requests("/a").getFirst().field("te"));
  }

  @Test
  void aClientThatDoesNotSaySoGetsNone() throws IOException {
    origin.on("/quiet", answer("cache-control: no-store\r\n"));
    assertEquals("4\r\nbody\r\n0\r\n\r\n", raw("/quiet"));
  }

  @Test
  void aRouteThatNamesNoneLetsNoneThrough() throws IOException {
    origin.on("/none/a", answer("cache-control: no-store\r\n"));
    assertEquals("4\r\nbody\r\n0\r\n\r\n", raw("/none/a", "TE: trailers"));
    assertEquals("", origin.requests("/none/a").getFirst().field("te"));
  }

  @Test
  void whatIsStoredHasNone() throws IOException {
    origin.on("/stored", answer("cache-control: max-age=100\r\n"));
    try (RawClient client = edge.connect()) {
      client.get("/stored", "TE: trailers", "Connection: te");
      Await.until(
          "a hit",
          () -> {
            try {
              Response reply = client.get("/stored", "TE: trailers", "Connection: te");
              assertEquals("body", reply.text());
              assertEquals("", reply.field("set-cookie"));
              return reply.isHit();
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
    }
  }

  @Test
  void overHttp2TheyAreALastHeadersFrame() throws Exception {
    origin.on("/h2", answer("cache-control: no-store\r\n"));
    try (Http2Client client = new Http2Client(edge.tlsPort(), edge.authority(), 1 << 20)) {
      Http2Client.Answer answer = client.get(Http2Client.get("/h2"));
      Http2Headers head = answer.head();
      assertEquals("200", head.status().toString());
      assertFalse(head.contains("set-cookie"));
      Http2Headers trailers = answer.head();
      assertEquals("end", answer.end());
      assertEquals("body", answer.body.toString());
      assertEquals("db;dur=5", trailers.get("server-timing").toString());
      assertEquals(1, trailers.size());
    }
  }

  @Test
  void thoseOfARequestGoNowhere() throws Exception {
    StringBuilder seen = new StringBuilder();
    origin.on(
        "/request",
        (request, connection) -> {
          seen.append(request.head());
          seen.append(new String(connection.chunkedBody(), StandardCharsets.ISO_8859_1));
          connection.respond("ok");
        });
    try (RawClient client = edge.connect()) {
      client
          .request("POST", "/request", "Transfer-Encoding: chunked", "Trailer: X-Late")
          .send("4\r\nbody\r\n0\r\nX-Late: 1\r\nHost: evil\r\n\r\n");
      assertEquals("ok", client.reply().text());
      // The connection is where it should be.
      assertEquals(404, client.get("/request-2").status());
    }
    assertTrue(seen.toString().endsWith("body"), seen.toString());
    assertFalse(seen.toString().toLowerCase(Locale.ROOT).contains("x-late"), seen.toString());
    assertEquals("", origin.requests("/request").getFirst().field("trailer"));
    assertEquals(1, origin.count("/request"));
  }
}
