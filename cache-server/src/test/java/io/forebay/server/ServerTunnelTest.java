package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.TestOrigin.Answer;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.Certificates;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Connections that change to another protocol (RFC 9110 §7.8, RFC 6455; S6). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
final class ServerTunnelTest {

  private static final String[] OFFER = {
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
  };
  private static final String ACCEPTED =
      "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
          + "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
  private static final int MIB = 1 << 20;

  private final TestOrigin origin = new TestOrigin();
  private final CompletableFuture<String> seenLast = new CompletableFuture<>();
  private Edge edge;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    edge = Edge.start(directory, "32MiB", config(""));
  }

  private String config(String more) {
    return Edge.origins(origin.url())
        + "routes:\n"
        + "  - {name: all, origin: main, upgrade: websocket}\n"
        + "  - {name: http, match: {path: /http/}, origin: main}\n"
        + more;
  }

  @AfterAll
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private void accept(String path, Answer then) {
    WebSocketOrigin.accept(origin, path, then);
  }

  private static void assertAccepted(RawClient client) throws IOException {
    Response head = client.head();
    assertEquals(101, head.status(), () -> String.valueOf(head.lines()));
  }

  @Test
  void bytesGoBothWaysAfterA101() throws Exception {
    CompletableFuture<String> early = new CompletableFuture<>();
    origin.on(
        "/both",
        (request, connection) -> {
          assertEquals("upgrade", request.field("connection"));
          assertEquals("websocket", request.field("upgrade"));
          assertEquals("13", request.field("sec-websocket-version"));
          assertEquals("1.1 edge", request.field("via"));
          connection.send(ACCEPTED + "hello");
          early.complete(text(connection.bytes(5)));
          connection.send(connection.bytes(4));
          connection.close();
        });
    long opened = edge.sum(c -> c.tunnelsOpened);
    try (RawClient client = edge.connect()) {
      // What comes before the 101 goes the same way, and is no request.
      client.send(
          "GET /both HTTP/1.1\r\nHost: a\r\n" + String.join("\r\n", OFFER) + "\r\n\r\nGET /");
      Response head = client.head();
      assertEquals(101, head.status());
      assertEquals("upgrade", head.field("connection"));
      assertEquals("websocket", head.field("upgrade"));
      assertEquals("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", head.field("sec-websocket-accept"));
      assertEquals("1.1 edge", head.field("via"));
      assertEquals("hello", text(client.bytes(5)));
      assertEquals("GET /", early.get());
      client.send("ping");
      assertEquals("ping", text(client.bytes(4)));
      assertEquals(0, client.upTo(1).length);
    }
    edge.awaitSum(opened + 1, c -> c.tunnelsOpened);
    edge.awaitSum(0, c -> c.tunnelsOpen);
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 426, 401, 503})
  void anyOtherFinalAnswerIsOneAndNothingBehindTheOfferIsTakenForARequest(int status)
      throws IOException {
    String path = "/refused/" + status;
    origin.on(
        path,
        (request, connection) ->
            connection.send("HTTP/1.1 " + status + " No\r\ncontent-length: 2\r\n\r\nno"));
    try (RawClient client = edge.connect()) {
      client.send(
          "GET "
              + path
              + " HTTP/1.1\r\nHost: a\r\n"
              + String.join("\r\n", OFFER)
              + "\r\n\r\nGET /secret HTTP/1.1\r\nHost: a\r\n\r\n");
      Response head = client.head();
      assertEquals(status, head.status());
      assertEquals("close", head.field("connection"));
      assertEquals("no", text(client.body(head)));
      assertEquals(0, client.upTo(1).length);
    }
    assertEquals(0, origin.count("/secret"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "connection: upgrade\r\nupgrade: h2c\r\n",
        "upgrade: websocket\r\nsec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n",
        "connection: upgrade\r\nsec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n",
        "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: wrong\r\n",
        "connection: upgrade\r\nupgrade: websocket\r\n"
      })
  void a101ThatDoesNotTakeTheOfferUpIsBroken(String fields) throws IOException {
    origin.on(
        "/broken",
        (request, connection) ->
            connection.send("HTTP/1.1 101 Switching Protocols\r\n" + fields + "\r\nraw"));
    try (RawClient client = edge.connect()) {
      Response head = client.request("GET", "/broken", OFFER).head();
      assertEquals(502, head.status());
      assertEquals("edge; error=http_upgrade_failed", head.field("proxy-status"));
      assertEquals("close", head.field("connection"));
    }
  }

  @Test
  void whatTheRouteDoesNotLetThroughIsARequestLikeAnyOther() throws IOException {
    origin.on("/http/a", TestOrigin.ok("cache-control: max-age=100\r\n", TestOrigin.ascii("a")));
    try (RawClient client = edge.connect()) {
      assertEquals("a", client.get("/http/a", OFFER).text());
      assertEquals("", origin.requests("/http/a").getFirst().field("upgrade"));
      assertEquals("", origin.requests("/http/a").getFirst().field("connection"));
      assertTrue(client.get("/http/a", OFFER).isHit());
    }
  }

  @Test
  void anOfferOverHttp10IsIgnored() throws IOException {
    origin.on("/old", TestOrigin.ok("", TestOrigin.ascii("a")));
    try (RawClient client = edge.connect()) {
      client.send("GET /old HTTP/1.0\r\nHost: a\r\n" + String.join("\r\n", OFFER) + "\r\n\r\n");
      assertEquals("a", client.reply().text());
    }
    assertEquals("", origin.requests("/old").getFirst().field("upgrade"));
  }

  @Test
  void theEndOfOneDirectionIsPassedOnAndTheOtherGoesOn() throws Exception {
    accept(
        "/half",
        (request, connection) -> {
          String all = text(connection.bytes(3));
          connection.awaitClose();
          connection.send(all + " bye");
          connection.close();
        });
    accept(
        "/other-half",
        (request, connection) -> {
          connection.send("bye");
          connection.shutdownOutput();
          seenLast.complete(text(connection.bytes(4)));
        });
    try (RawClient client = edge.connect()) {
      assertAccepted(client.request("GET", "/half", OFFER));
      client.send("end").finish();
      assertEquals("end bye", text(client.upTo(100)));
    }
    try (RawClient client = edge.connect()) {
      assertAccepted(client.request("GET", "/other-half", OFFER));
      assertEquals("bye", text(client.upTo(100)));
      client.send("last").finish();
      assertEquals("last", seenLast.get());
    }
    edge.awaitSum(0, c -> c.tunnelsOpen);
  }

  @Test
  void whoDoesNotReadHoldsTheOtherSideBack() throws Exception {
    byte[] much = Edge.bytes(7, 64 * MIB);
    AtomicLong written = new AtomicLong();
    CompletableFuture<Boolean> uploaded = new CompletableFuture<>();
    CountDownLatch mayRead = new CountDownLatch(1);
    accept(
        "/flood",
        (request, connection) -> {
          flood(connection, much, written);
          TestOrigin.await(mayRead);
          uploaded.complete(Arrays.equals(much, connection.bytes(much.length)));
        });
    try (RawClient client = edge.connect()) {
      assertAccepted(client.request("GET", "/flood", OFFER));
      awaitStandstill(written);
      assertTrue(written.get() < much.length / 2, () -> written + " bytes were taken");
      Bytes.assertEquals(much, client.bytes(much.length));

      AtomicLong sent = new AtomicLong();
      Thread sender =
          Thread.startVirtualThread(() -> {
            for (int from = 0; from < much.length; from += 64 * 1024) {
              client.send(Arrays.copyOfRange(much, from, from + 64 * 1024));
              sent.addAndGet(64 * 1024);
            }
          });
      awaitStandstill(sent);
      assertTrue(sent.get() < much.length / 2, () -> sent + " bytes were taken");
      mayRead.countDown();
      assertTrue(uploaded.get());
      sender.join();
    }
    edge.awaitSum(0, c -> c.tunnelsOpen);
  }

  private static void flood(Connection connection, byte[] much, AtomicLong written)
      throws IOException {
    for (int from = 0; from < much.length; from += 64 * 1024) {
      connection.send(Arrays.copyOfRange(much, from, from + 64 * 1024));
      written.addAndGet(64 * 1024);
    }
  }

  /** Waits until a number that has begun to grow has not for three hundred looks. */
  private static void awaitStandstill(AtomicLong number) {
    long[] last = {0, 0};
    Await.until(
        "what is not read stands still",
        () -> {
          long now = number.get();
          last[1] = now == last[0] && now > 0 ? last[1] + 1 : 0;
          last[0] = now;
          return last[1] > 300;
        });
  }

  @Test
  void aResetIsPassedOn() throws Exception {
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    accept(
        "/reset",
        (request, connection) -> {
          connection.send("x");
          connection.bytes(1);
          connection.reset();
        });
    accept(
        "/left",
        (request, connection) -> {
          connection.awaitClose();
          ended.complete(true);
        });
    try (RawClient client = edge.connect()) {
      assertAccepted(client.request("GET", "/reset", OFFER));
      assertEquals("x", text(client.bytes(1)));
      client.send("y").awaitEnd();
    }
    try (RawClient client = edge.connect()) {
      assertAccepted(client.request("GET", "/left", OFFER));
    }
    assertTrue(ended.get());
    edge.awaitSum(0, c -> c.tunnelsOpen);
  }

  @Test
  void goesThroughTls() throws Exception {
    accept(
        "/tls",
        (request, connection) -> {
          connection.send(connection.bytes(4));
          connection.awaitClose();
        });
    try (RawClient client = edge.connectTls()) {
      assertAccepted(client.request("GET", "/tls", OFFER));
      client.send("ping");
      assertEquals("ping", text(client.bytes(4)));
    }
    edge.awaitSum(0, c -> c.tunnelsOpen);
  }

  @Test
  void goesToAnOriginThroughTls(@TempDir Path other) throws Exception {
    Certificates certificates = Certificates.in(Files.createTempDirectory(other, "trust"));
    Path trust = certificates.authorityPem();
    try (ScriptedOrigin secure =
            ScriptedOrigin.startTls(
                    Certificates.serverContext(certificates.ecdsa("origin", "127.0.0.1")))
                .serve(connection -> {
                  connection.head();
                  connection.send(ACCEPTED);
                  connection.send(connection.bytes(4));
                  connection.close();
                });
        Edge before =
            Edge.start(
                other,
                "32MiB",
                config("")
                    .replace(origin.url() + "\"", secure.url() + "\", trust: \"" + trust + "\""));
        RawClient client = before.connect()) {
      assertAccepted(client.request("GET", "/tls-origin", OFFER));
      client.send("ping");
      assertEquals("ping", text(client.bytes(4)));
      assertEquals(0, client.upTo(1).length);
      before.awaitSum(0, c -> c.tunnelsOpen);
    }
  }

  @Test
  void aTunnelThatNothingMovesThroughEnds(@TempDir Path other) throws IOException {
    accept("/idle", (request, connection) -> connection.awaitClose());
    try (Edge brief = Edge.start(other, "32MiB", config("tunnels: {idle-timeout: 300ms}\n"));
        RawClient client = brief.connect()) {
      assertAccepted(client.request("GET", "/idle", OFFER));
      client.send("x").awaitEnd();
      brief.awaitSum(0, c -> c.tunnelsOpen);
    }
  }

  @Test
  void thereAreNoMoreThanMayBe(@TempDir Path other) throws IOException {
    accept("/many", (request, connection) -> connection.awaitClose());
    origin.on("/refusing", TestOrigin.ok("", TestOrigin.ascii("no")));
    try (Edge small = Edge.start(other, "32MiB", config("tunnels: {limit: 1}\n"));
        RawClient second = small.connect()) {
      try (RawClient refused = small.connect()) {
        // An offer that was not taken up leaves no trace.
        assertEquals(200, refused.get("/refusing", OFFER).status());
      }
      try (RawClient first = small.connect()) {
        assertAccepted(first.request("GET", "/many", OFFER));
        assertEquals(503, second.request("GET", "/many", OFFER).head().status());
        assertEquals(1, small.sum(c -> c.tunnelsRefused));
      }
      small.awaitSum(0, c -> c.tunnelsOpen);
      try (RawClient third = small.connect()) {
        assertAccepted(third.request("GET", "/many", OFFER));
      }
    }
  }

  @Test
  void takesNoConnectionFromThoseForRequests(@TempDir Path other) throws IOException {
    accept("/slot", (request, connection) -> connection.awaitClose());
    origin.on("/beside", TestOrigin.ok("", TestOrigin.ascii("b")));
    String one = config("").replace("keep-alive: 5s", "keep-alive: 5s, max-connections: 1");
    try (Edge narrow = Edge.start(other, "32MiB", one);
        RawClient client = narrow.connect();
        RawClient beside = narrow.connect()) {
      assertAccepted(client.request("GET", "/slot", OFFER));
      assertEquals("b", beside.get("/beside").text());
    }
  }

  @Test
  void aStopWaitsForItsLimitAndIsLoggedWithBytesOfBothWays(@TempDir Path other) throws IOException {
    accept(
        "/drained",
        (request, connection) -> {
          connection.send("to client");
          connection.awaitClose();
        });
    Path log = other.resolve("access.log");
    Edge stopped = Edge.start(other, "32MiB", config("access-log: " + log + "\n"));
    try (RawClient client = stopped.connect()) {
      assertAccepted(client.request("GET", "/drained", OFFER));
      client.send("to origin!");
      assertEquals("to client", text(client.bytes(9)));
      stopped.stop();
      client.awaitEnd();
    }
    stopped.close();
    List<JsonNode> lines =
        Files.readAllLines(log).stream().map(JsonMapper.shared()::readTree).toList();
    assertEquals(1, lines.size());
    JsonNode line = lines.getFirst();
    assertEquals(101, line.get("status").asInt());
    assertEquals(9, line.get("bytes").asInt());
    assertEquals(10, line.get("received").asInt());
    assertEquals("pass", line.get("cache").asString());
    assertEquals("pass-upgrade", line.get("reason").asString());
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
