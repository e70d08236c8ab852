package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.server.counters.LimitKey;
import io.forebay.testing.Await;
import io.forebay.testing.Http2Client;
import io.forebay.testing.Http3Client;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits and timeouts of single routes. */
@Timeout(240)
@Tag("slow")
final class ServerRouteLimitsTest {
  private static final int MOST = 1000;

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch released = new CountDownLatch(1);
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    for (String path : new String[] {"/small", "/free", "/quick"}) {
      origin.on(path, ServerRouteLimitsTest::accept);
    }
    for (String path : new String[] {"/brief", "/late", "/patient", "/impatient"}) {
      origin.on(
          path,
          (request, connection) -> {
            TestOrigin.await(released);
            TestOrigin.sendOk(connection, "cache-control: no-store\r\n", TestOrigin.ascii("late"));
          });
    }
    origin.on(
        "/unread",
        (request, connection) ->
            TestOrigin.sendOk(connection, "cache-control: no-store\r\n", Edge.bytes(1, 64 << 20)));
    origin.on("/short", TestOrigin.ok("cache-control: max-age=1000\r\n", TestOrigin.ascii("a")));
    origin.on("/get", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("a")));
    origin.on(
        "/quick/unread",
        (request, connection) -> {
          TestOrigin.await(released);
          accept(request, connection);
        });
    edge =
        Edge.start(
            directory,
            "32MiB",
            """
            http3: {listeners: [secure]}
            origins:
              main: {url: "URL", keep-alive: 5s}
              hasty: {url: "URL", keep-alive: 5s, timeouts: {first-byte: 300ms}, retry: {attempts: 0}}
            routes:
              - {origin: main}
              - {match: {path: /small}, origin: main, limits: {request-body: 1000}}
              - {match: {path: /quick}, origin: main, timeouts: {request-body-idle: 1500ms}}
              - {match: {path: /brief}, origin: main, timeouts: {request-total: 300ms}}
              - {match: {path: /late}, origin: main, origin-timeouts: {first-byte: 300ms}}
              - {match: {path: /patient}, origin: hasty, origin-timeouts: {first-byte: 1m}}
              - {match: {path: /impatient}, origin: hasty}
              - {match: {path: /unread}, origin: main, timeouts: {no-progress: 1s}}
              - {match: {path: /short}, origin: main, timeouts: {keep-alive: 300ms}}
            """
                .replace("URL", origin.url()));
  }

  @AfterEach
  void stop() throws IOException {
    released.countDown();
    edge.close();
    origin.close();
  }

  private static void accept(TestOrigin.Request request, Connection connection) throws IOException {
    String length = request.field("content-length");
    if (length.isEmpty()) {
      connection.chunkedBody();
    } else {
      connection.bytes(Integer.parseInt(length));
    }
    TestOrigin.sendOk(connection, "cache-control: no-store\r\n", TestOrigin.ascii("done"));
  }

  private static String chunk(int length) {
    return Integer.toHexString(length) + "\r\n" + "x".repeat(length) + "\r\n";
  }

  private void awaitHits(LimitKey limit) {
    Await.until(limit + " is counted", () -> edge.sum(counters -> counters.hits(limit)) > 0);
  }

  // --- connections ------------------------------------------------------------------------------

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS"})
  void aConnectionThatTakesNothingEndsByTheLimitOfItsRoute(String protocol) throws Exception {
    try (RawClient client = protocol.equals("TLS") ? edge.connectTls() : edge.connect()) {
      client.request("GET", "/unread");
      assertEquals(200, client.head().status());
      awaitHits(LimitKey.NO_PROGRESS);
    }
  }

  @Test
  void aStreamOfHttp2WhoseWindowStaysShutEndsByIt() throws Exception {
    try (Http2Client client = new Http2Client(edge.tlsPort(), edge.authority(), 65_535)) {
      Http2Client.Answer answer = client.open(Http2Client.request("GET", "/unread"), true);
      assertEquals("200", answer.head().status().toString());
      awaitHits(LimitKey.NO_PROGRESS);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void anIdleConnectionEndsByTheLimitOfItsRoute(String protocol) throws Exception {
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      assertEquals(200, client.ask("GET", "/get").status());
      assertEquals(0, edge.sum(counters -> counters.hits(LimitKey.KEEP_ALIVE)));
      assertEquals(200, client.ask("GET", "/short").status());
      awaitHits(LimitKey.KEEP_ALIVE);
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS"})
  void aHitOfTheFastLaneCountsToo(String protocol) throws Exception {
    try (ProtocolClient first = ProtocolClient.connect(edge, protocol)) {
      assertEquals(200, first.ask("GET", "/short").status());
    }
    edge.awaitIdle();
    // Both loops may have to find it once.
    long fast = edge.sum(counters -> counters.fastHits);
    for (int i = 0; i < 4 || edge.sum(counters -> counters.fastHits) == fast; i++) {
      long before = edge.sum(counters -> counters.hits(LimitKey.KEEP_ALIVE));
      try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
        assertEquals(200, client.ask("GET", "/short").status());
        Await.until(
            "the connection is closed",
            () -> edge.sum(counters -> counters.hits(LimitKey.KEEP_ALIVE)) > before);
      }
    }
  }

  // --- size -------------------------------------------------------------------------------------

  @Test
  void aDeclaredLengthBeyondTheLimitIsRefusedBeforeABodyIsWanted() throws Exception {
    try (RawClient client = edge.connect()) {
      client.request(
          "PUT", "/small", "Host: a", "Expect: 100-continue", "Content-Length: " + (MOST + 1));
      assertEquals(413, client.head().status());
    }
    try (Http2Client client = new Http2Client(edge.tlsPort(), edge.authority(), 1 << 20)) {
      Http2Client.Answer answer =
          client.open(
              Http2Client.request("PUT", "/small").set("content-length", "" + (MOST + 1)), false);
      assertEquals("413", answer.head().status().toString());
    }
    try (Http3Client client = new Http3Client(edge.tlsPort(), edge.authority())) {
      Http3Client.Answer answer =
          client.open(
              Http3Client.request("PUT", "/small").set("content-length", "" + (MOST + 1)), false);
      assertEquals("413", answer.status());
    }
    assertEquals(0, origin.count("/small"));
    awaitHits(LimitKey.REQUEST_BODY);
  }

  @Test
  void aBodyWithoutALengthIsRefusedOnceItIsLonger() throws Exception {
    try (RawClient client = edge.connect()) {
      client.request("PUT", "/small", "Host: a", "Transfer-Encoding: chunked");
      client.send(chunk(MOST) + chunk(1));
      assertEquals(413, client.reply().status());
      client.awaitEnd();
    }
    try (Http2Client client = new Http2Client(edge.tlsPort(), edge.authority(), 1 << 20)) {
      Http2Client.Answer answer = client.open(Http2Client.request("PUT", "/small"), false);
      client.data(answer, "x".repeat(MOST), false);
      client.data(answer, "x", false);
      assertEquals("413", answer.head().status().toString());
      // The connection goes on.
      assertEquals(
          "200", client.get(Http2Client.request("GET", "/get")).head().status().toString());
    }
    try (Http3Client client = new Http3Client(edge.tlsPort(), edge.authority())) {
      Http3Client.Answer answer = client.open(Http3Client.request("PUT", "/small"), false);
      client.data(answer, "x".repeat(MOST), false);
      client.data(answer, "x", false);
      assertEquals("413", answer.status());
    }
    awaitHits(LimitKey.REQUEST_BODY);
  }

  @Test
  void aBodyOfTheLimitPassesAndOtherRoutesTakeLongerOnes() throws Exception {
    try (RawClient client = edge.connect()) {
      client.request("PUT", "/small", new byte[MOST], "Host: a", "Content-Length: " + MOST);
      assertEquals("done", client.reply().text());
      client.request("PUT", "/small", "Host: a", "Transfer-Encoding: chunked");
      client.send(chunk(MOST) + "0\r\n\r\n");
      assertEquals("done", client.reply().text());
      client.request("PUT", "/free", new byte[MOST + 1], "Host: a", "Content-Length: 1001");
      assertEquals("done", client.reply().text());
    }
  }

  // --- time -------------------------------------------------------------------------------------

  @Tag("full")
  @Test
  void aBodyThatDoesNotComeEndsTheRequest() throws Exception {
    try (RawClient client = edge.connect()) {
      client.request("PUT", "/quick", "Host: a", "Content-Length: 10");
      client.send("part");
      assertEquals(408, client.head().status());
    }
    try (Http2Client client = new Http2Client(edge.tlsPort(), edge.authority(), 1 << 20)) {
      Http2Client.Answer answer = client.open(Http2Client.request("PUT", "/quick"), false);
      client.data(answer, "part", false);
      assertEquals("408", answer.head().status().toString());
    }
    try (Http3Client client = new Http3Client(edge.tlsPort(), edge.authority())) {
      Http3Client.Answer answer = client.open(Http3Client.request("PUT", "/quick"), false);
      client.data(answer, "part", false);
      assertEquals("408", answer.status());
    }
    awaitHits(LimitKey.REQUEST_BODY_IDLE);
  }

  @Test
  void timeInWhichTheOriginDoesNotReadIsNotTheClients() throws Exception {
    String text = "x".repeat(16 << 20);
    try (Http2Client client = new Http2Client(edge.tlsPort(), edge.authority(), 1 << 20)) {
      Http2Client.Answer waiting = client.open(Http2Client.request("PUT", "/quick/unread"), false);
      client.data(waiting, text, true);
      Await.until("the origin is asked", () -> origin.count("/quick/unread") == 1);
      // As long as it takes another one to be refused.
      Http2Client.Answer silent = client.open(Http2Client.request("PUT", "/quick"), false);
      client.data(silent, "part", false);
      assertEquals("408", silent.head().status().toString());
      released.countDown();
      assertEquals("200", waiting.head().status().toString());
      assertEquals("end", waiting.end());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void aRequestEndsWithTheTimeOfItsRoute(String protocol) throws Exception {
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      assertEquals(408, client.ask("GET", "/brief").status());
    }
    awaitHits(LimitKey.REQUEST_TOTAL);
  }

  @Test
  void aRouteMayWaitLessLongForItsOriginOrLonger() throws Exception {
    assertEquals(504, RawClient.get(edge.port(), "/late").status());
    try (RawClient patient = edge.connect()) {
      patient.request("GET", "/patient", "Host: a");
      Await.until("the origin is asked", () -> origin.count("/patient") == 1);
      // By then the time of the origin is over.
      assertEquals(504, RawClient.get(edge.port(), "/impatient").status());
      released.countDown();
      Response response = patient.reply();
      assertEquals(200, response.status());
      assertEquals("late", response.text());
    }
  }
}
