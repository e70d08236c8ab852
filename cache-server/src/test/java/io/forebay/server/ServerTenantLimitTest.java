package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.ProtectionRule;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.Http2Client;
import io.forebay.testing.Http3Client;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.forebay.testing.ScriptedOrigin;
import java.io.IOException;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits on bytes, on requests in flight and on fetches, over sockets. */
@Timeout(240)
@Tag("slow")
final class ServerTenantLimitTest {
  private static final String FRESH = "cache-control: max-age=100000\r\n";
  private static final String TAGGED = FRESH + "etag: \"1\"\r\n";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch gate = new CountDownLatch(1);
  private final List<AutoCloseable> open = new ArrayList<>();
  private @Nullable Edge edge;

  @BeforeEach
  void serve() {
    origin.on("/a", TestOrigin.ok(FRESH, TestOrigin.ascii("a")));
    origin.on("/b", TestOrigin.ok(FRESH, TestOrigin.ascii("b")));
    origin.on("/c", TestOrigin.ok(FRESH, TestOrigin.ascii("c")));
    origin.on("/pass", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("p")));
    origin.on("/8k", TestOrigin.ok(FRESH, Edge.bytes(1, 8192)));
    origin.on("/large", TestOrigin.ok(TAGGED, Edge.bytes(2, 200_000)));
    for (int i = 0; i < 8; i++) {
      origin.on("/slow" + i, this::slow);
    }
  }

  /** Answers when the gate opens. */
  private void slow(TestOrigin.Request request, ScriptedOrigin.Connection to) throws IOException {
    TestOrigin.await(gate);
    TestOrigin.ok(FRESH, TestOrigin.ascii("slow")).to(request, to);
  }

  @AfterEach
  void stop() throws Exception {
    gate.countDown();
    for (AutoCloseable one : open.reversed()) {
      one.close();
    }
    edge().close();
    origin.close();
  }

  private Edge edge() {
    return requireNonNull(edge);
  }

  private void start(String limits) throws IOException {
    edge =
        Edge.start(
            directory,
            "32MiB",
            Edge.origins(origin.url())
                + "http3: {listeners: [secure]}\n"
                // The end of a QUIC connection can be lost.
                + "timeouts: {no-progress: 20s}\n"
                + "protection: {p: {"
                + limits
                + "}}\n"
                + "routes:\n"
                + "  - {name: open, match: {host: open.example, path: /}}\n"
                + "  - {name: root, match: {path: /}, protection: p}\n");
  }

  private RawClient connect() {
    RawClient client = edge().connect();
    open.add(client);
    return client;
  }

  private static int status(RawClient client, String path, String... fields) throws IOException {
    return client.request("GET", path, fields).reply().status();
  }

  private Http3Client http3() throws Exception {
    return new Http3Client(edge().tlsPort(), edge().authority(), 65_535);
  }

  private long counted() {
    return edge().server().countedInFlight();
  }

  private void awaitCounted(long expected) {
    Await.until(expected + " are counted as in flight", () -> counted() == expected);
  }

  // --- bytes ------------------------------------------------------------------------------------

  @Test
  void hitsOfTheFastLaneAreChargedAndHeadsAreNot() throws Exception {
    start("rate-limits: [{name: egress, key: client, bytes: 20KiB, per: 1h}]");
    RawClient client = connect();
    assertEquals(200, status(client, "/8k"));
    edge().awaitIdle();
    for (int i = 0; i < 5; i++) {
      assertEquals(200, client.request("HEAD", "/8k").reply(true).status());
    }
    assertEquals(200, status(client, "/8k"));
    // 4 KiB are left, which is enough to begin.
    assertEquals(200, status(client, "/8k"));
    assertTrue(edge().sum(c -> c.fastHits) >= 6, "hits stay in the fast lane");
    Response refused = client.get("/8k");
    assertEquals(429, refused.status());
    assertEquals(
        "\"egress\";q=20480;qu=\"content-bytes\";w=3600", refused.field("ratelimit-policy"));
    // 4 KiB are owed, at 20 KiB an hour.
    assertTrue(
        refused.field("ratelimit").matches("\"egress\";r=0;t=7[012]\\d"), refused.toString());
    assertTrue(refused.field("retry-after").matches("7[012]\\d"), refused.toString());
    assertEquals(429, client.request("HEAD", "/8k").reply(true).status());
    assertEquals(200, status(client, "/8k", "Host: open.example"));
    assertEquals(2, edge().sum(c -> c.refusals(ProtectionRule.RATE_LIMIT)));
  }

  @ParameterizedTest
  @ValueSource(strings = {FRESH, "cache-control: no-store\r\n"})
  void aBodyIsChargedAsItIsSentAndGoesOnToItsEnd(String control) throws Exception {
    start("rate-limits: [{name: egress, key: client, bytes: 64KiB, per: 1h}]");
    byte[] body = Edge.bytes(3, 300_000);
    origin.on(
        "/half",
        (request, connection) -> {
          TestOrigin.sendHead(connection, control, body.length);
          connection.send(Arrays.copyOf(body, 150_000));
          TestOrigin.await(gate);
          connection.send(Arrays.copyOfRange(body, 150_000, body.length));
        });
    RawClient reader = connect();
    Response head = reader.request("GET", "/half").head();
    assertEquals(200, head.status());
    byte[] first = reader.bytes(140_000);
    RawClient other = connect();
    Await.until("what has been sent is charged", () -> status(other, "/a") == 429);
    gate.countDown();
    byte[] rest = reader.bytes(body.length - first.length);
    assertEquals(body[body.length - 1], rest[rest.length - 1]);
    Response refused = other.get("/a");
    assertEquals(429, refused.status());
    // 300,000 bytes, of which 65,536 were there.
    assertTrue(
        Math.abs(Integer.parseInt(refused.field("retry-after")) - 12_880) < 60, refused.toString());
  }

  @Test
  void protocolsShareABucketAndRangesCostWhatTheySend() throws Exception {
    start("rate-limits: [{name: egress, key: host, bytes: 200KiB, per: 1h}]");
    try (HttpClient http2 = edge().tlsClient(HttpClient.Version.HTTP_2);
        Http3Client http3 = new Http3Client(edge().tlsPort(), edge().authority(), 1 << 20)) {
      HttpRequest whole =
          HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + edge().tlsPort() + "/large"))
              .build();
      assertEquals(
          200_000, http2.send(whole, HttpResponse.BodyHandlers.ofByteArray()).body().length);
      edge().awaitIdle();
      Http3Client.Answer part =
          http3.open(
              Http3Client.request("GET", "/large")
                  .authority("127.0.0.1:" + edge().tlsPort())
                  .add("range", "bytes=0-4999"),
              true);
      assertEquals("206", part.status());
      assertEquals("end", part.end());
      // 200 KiB are 204,800 bytes.
      Await.until(
          "205,000 are charged",
          () -> http2.send(whole, HttpResponse.BodyHandlers.discarding()).statusCode() == 429);
    }
  }

  // --- requests in flight -----------------------------------------------------------------------

  @Test
  void requestsInFlightAreCountedByTheirKey() throws Exception {
    start("rate-limits: [{name: slots, key: header X-Key, in-flight: 2}]");
    RawClient first = connect().request("GET", "/slow0", "X-Key: a");
    RawClient second = connect().request("GET", "/slow1", "X-Key: a");
    awaitCounted(2);
    RawClient third = connect();
    Response refused = third.get("/a", "X-Key: a");
    assertEquals(429, refused.status());
    assertEquals("\"slots\";q=2;qu=\"concurrent-requests\"", refused.field("ratelimit-policy"));
    assertEquals("\"slots\";r=0", refused.field("ratelimit"));
    assertEquals("1", refused.field("retry-after"));
    assertEquals(200, status(third, "/a", "X-Key: b"));
    assertEquals(200, status(third, "/a"));
    gate.countDown();
    assertEquals(200, first.reply().status());
    assertEquals(200, second.reply().status());
    awaitCounted(0);
    assertEquals(200, status(third, "/a", "X-Key: a"));
  }

  @Test
  void aSlowReaderOfAHitIsInFlightUntilItHasAllOrLeaves() throws Exception {
    start("rate-limits: [{name: slots, key: client, in-flight: 1}]");
    byte[] body = Edge.bytes(4, 4 << 20);
    origin.on("/huge", TestOrigin.ok(TAGGED, body));
    RawClient client = connect();
    assertEquals(200, status(client, "/huge"));
    awaitCounted(0);
    RawClient slow = new RawClient(edge().port(), 4096);
    open.add(slow);
    assertEquals(200, slow.request("GET", "/huge").head().status());
    assertEquals(1, counted());
    assertEquals(429, status(client, "/a"));
    slow.close();
    awaitCounted(0);
    assertEquals(200, status(client, "/a"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/2", "HTTP/3"})
  void aRequestThatIsGivenUpIsNoLongerInFlight(String protocol) throws Exception {
    start("rate-limits: [{name: slots, key: route, in-flight: 3}]");
    switch (protocol) {
      case "HTTP/2" -> {
        try (Http2Client client = new Http2Client(edge().tlsPort(), edge().authority(), 65_535)) {
          List<Http2Client.Answer> answers = new ArrayList<>();
          for (int i = 0; i < 3; i++) {
            answers.add(client.open(Http2Client.get("/slow" + i), true));
          }
          awaitCounted(3);
          assertEquals("429", client.open(Http2Client.get("/a"), true).head().status().toString());
          answers.forEach(client::reset);
          awaitCounted(0);
          assertEquals("200", client.open(Http2Client.get("/a"), true).head().status().toString());
        }
      }
      case "HTTP/3" -> {
        try (Http3Client client = http3()) {
          for (int i = 0; i < 3; i++) {
            Http3Client.Answer ignored = client.get("/slow" + i);
          }
          awaitCounted(3);
          assertEquals("429", client.get("/a").status());
        }
        // Only what the node writes tells it of a stream that is given up; of a connection it
        // hears.
        awaitCounted(0);
        try (Http3Client client = http3()) {
          assertEquals("200", client.get("/a").status());
        }
      }
      default -> {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          clients.add(connect().request("GET", "/slow" + i));
        }
        awaitCounted(3);
        assertEquals(429, status(connect(), "/a"));
        clients.forEach(RawClient::close);
        awaitCounted(0);
        assertEquals(200, status(connect(), "/a"));
      }
    }
  }

  @Test
  void aRequestThatALaterCheckRefusesIsNotInFlight() throws Exception {
    start(
        "rate-limits: [{name: slots, key: client, in-flight: 5}, {name: few, requests: 1, per: 1h}],"
            + " signed-urls: {type: hmac}, url-keys: [{id: k, secret: a secret of this test}]");
    RawClient client = connect();
    assertEquals(403, status(client, "/a"));
    assertEquals(429, status(client, "/a"));
    awaitCounted(0);
  }

  @Test
  void whatIsInFlightStaysCountedOverAReload() throws Exception {
    start("rate-limits: [{name: slots, key: client, in-flight: 1}]");
    RawClient first = connect().request("GET", "/slow0");
    awaitCounted(1);
    edge()
        .configure(
            Edge.origins(origin.url())
                + "protection: {p: {rate-limits: [{name: slots, key: client, in-flight: 2}]}}\n"
                + "routes: [{name: root, match: {path: /}, protection: p}]\n");
    assertEquals(List.of(), edge().server().reload().errors());
    RawClient second = connect().request("GET", "/slow1");
    awaitCounted(2);
    assertEquals(429, status(connect(), "/a"));
    gate.countDown();
    assertEquals(200, first.reply().status());
    assertEquals(200, second.reply().status());
    awaitCounted(0);
  }

  // --- fetches ----------------------------------------------------------------------------------

  @Test
  void aHostAtItsLimitOfFetchesHasItsHitsAndOthersTheirFetches() throws Exception {
    start("fetch-limits: [{name: tenant, key: host, in-flight: 1}]");
    RawClient client = connect();
    assertEquals(200, status(client, "/a", "Host: one.example"));
    edge().awaitIdle();
    RawClient leader = connect().request("GET", "/slow0", "Host: one.example");
    awaitCounted(1);
    RawClient follower = connect().request("GET", "/slow0", "Host: one.example");
    Response refused = client.get("/b", "Host: one.example");
    assertEquals(503, refused.status());
    assertTrue(refused.field("cache-status").contains("detail=fetch-limit"), refused.toString());
    assertTrue(Integer.parseInt(refused.field("retry-after")) > 0, refused.toString());
    assertEquals(503, status(client, "/pass", "Host: one.example"), "what is passed is a fetch");
    assertTrue(client.get("/a", "Host: one.example").isHit());
    assertEquals(200, status(client, "/b", "Host: two.example"));
    assertEquals(2, edge().sum(c -> c.refusals(ProtectionRule.FETCH_LIMIT)));
    gate.countDown();
    assertEquals(200, leader.reply().status());
    assertEquals(200, follower.reply().status());
    assertEquals(1, origin.count("/slow0"));
    awaitCounted(0);
    assertEquals(200, status(client, "/b", "Host: one.example"));
  }

  @Test
  void beyondTheLimitAStaleResponseIsServedWhereItMayBe() throws Exception {
    start("fetch-limits: [{name: few, requests: 2, per: 1h}]");
    origin.on(
        "/kept",
        TestOrigin.ok(
            "cache-control: max-age=1000, stale-if-error=1000\r\n", TestOrigin.ascii("k")));
    RawClient client = connect();
    assertEquals(200, status(client, "/kept"));
    assertEquals(200, status(client, "/a"));
    edge().awaitIdle();
    edge().purge(PurgeKind.URL, edge().url("/kept"), true);
    edge().purge(PurgeKind.URL, edge().url("/a"), true);
    Response stale = client.get("/kept");
    assertEquals(200, stale.status());
    assertTrue(stale.field("cache-status").contains("hit"), stale.toString());
    assertEquals(503, status(client, "/a"), "it does not say that it may be served stale");
    assertEquals(503, status(client, "/b"));
    assertEquals(200, status(client, "/b", "Host: open.example"));
  }

  @Test
  void aFetchIsOverWhenTheOriginHasAnsweredThoughItsClientReadsSlowly() throws Exception {
    start("fetch-limits: [{name: one, in-flight: 1}]");
    origin.on("/huge", TestOrigin.ok(TAGGED, Edge.bytes(5, 1 << 20)));
    RawClient slow = new RawClient(edge().port(), 4096);
    open.add(slow);
    assertEquals(200, slow.request("GET", "/huge").head().status());
    awaitCounted(0);
    assertEquals(200, status(connect(), "/a"));
  }

  @Test
  void requestsOfEveryKindThatWouldAskAnOriginAreRefused() throws Exception {
    start("fetch-limits: [{name: one, in-flight: 1}]");
    RawClient busy = connect().request("GET", "/slow0");
    awaitCounted(1);
    assertEquals(503, status(connect(), "/large", "Range: bytes=0-99"));
    assertEquals(503, connect().request("HEAD", "/large").reply(true).status());
    assertEquals(503, connect().request("POST", "/large", "Content-Length: 0").reply().status());
    assertEquals(0, origin.count("/large"));
    gate.countDown();
    assertEquals(200, busy.reply().status());
  }

  @Test
  void explainNamesTheLimits() throws Exception {
    start(
        "rate-limits: [{name: egress, bytes: 1MiB, per: 1m}, {name: slots, key: client, in-flight:"
            + " 9}], fetch-limits: [{name: tenant, key: host, in-flight: 7}]");
    String explained = edge().explain(200, "{\"url\": \"" + edge().url("/a") + "\"}").toString();
    for (String expected :
        List.of(
            "egress: 1048576 bytes in 60 s by client-network, 1048576 at once; beyond that 429.",
            "slots: 9 requests in flight by client; beyond that 429.",
            "tenant: 7 requests in flight by host, to origins; beyond that a stale response")) {
      assertTrue(explained.contains(expected), explained);
    }
  }

  // --- chaos ------------------------------------------------------------------------------------

  /** Requests that end in every way, over all protocols: nothing stays counted. */
  @Tag("full")
  @Test
  void whateverBecomesOfRequestsNothingStaysCounted() throws Exception {
    long seed = Long.getLong("test.seed", System.nanoTime());
    System.out.println("ServerTenantLimitTest: -Dtest.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    start(
        "rate-limits: [{name: slots, key: client, in-flight: 30}, {name: egress, key: host, bytes:"
            + " 1GiB}], fetch-limits: [{name: tenant, key: host, in-flight: 20}]");
    origin.on(
        "/cut",
        (request, connection) -> {
          TestOrigin.sendHead(connection, FRESH, 100_000).send(new byte[50_000]);
          connection.cut();
        });
    origin.on("/gone", (request, connection) -> connection.cut());
    origin.on(
        "/chunks", TestOrigin.chunked("cache-control: no-store\r\n", Edge.bytes(6, 90_000), 9));
    List<String> paths =
        List.of(
            "/a", "/pass", "/8k", "/large", "/cut", "/gone", "/chunks", "/none", "/slow0",
            "/slow1");
    List<Thread> threads = new ArrayList<>();
    List<Throwable> problems = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 6; i++) {
      SplittableRandom own = random.split();
      int number = i;
      threads.add(
          Thread.ofVirtual()
              .start(() -> {
                try {
                  switch (number % 3) {
                    case 0 -> overHttp1(own, paths);
                    case 1 -> overHttp2(own, paths);
                    default -> overHttp3(own, paths);
                  }
                } catch (Exception | AssertionError e) {
                  problems.add(e);
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(List.of(), problems);
    gate.countDown();
    awaitCounted(0);
    edge().awaitIdle();
    assertEquals(200, status(connect(), "/b"));
    awaitCounted(0);
  }

  private static final int CHAOS_REQUESTS = 15;

  private void overHttp1(SplittableRandom random, List<String> paths) throws IOException {
    for (int i = 0; i < CHAOS_REQUESTS; i++) {
      String path = paths.get(random.nextInt(paths.size()));
      try (RawClient client = edge().connect()) {
        String method = random.nextInt(5) == 0 ? "HEAD" : "GET";
        client.request(method, path);
        if (!path.startsWith("/slow") && random.nextBoolean()) {
          Response head = client.head();
          if (random.nextBoolean() && !method.equals("HEAD")) {
            byte[] ignored = client.body(head);
          }
        }
      } catch (RawClient.BrokenException | SocketException e) {
        // The origin broke the body off.
      }
    }
  }

  private void overHttp2(SplittableRandom random, List<String> paths) throws Exception {
    try (Http2Client client = new Http2Client(edge().tlsPort(), edge().authority(), 65_535)) {
      for (int i = 0; i < CHAOS_REQUESTS; i++) {
        String path = paths.get(random.nextInt(paths.size()));
        Http2Client.Answer answer = client.open(Http2Client.get(path), true);
        if (!path.startsWith("/slow") && random.nextBoolean()) {
          Object ignored = answer.heads.poll(2, TimeUnit.SECONDS);
        }
        // What is neither read nor reset ends with the connection.
        if (random.nextBoolean()) {
          client.reset(answer);
        }
      }
    }
  }

  private void overHttp3(SplittableRandom random, List<String> paths) throws Exception {
    try (Http3Client client = new Http3Client(edge().tlsPort(), edge().authority(), 65_535)) {
      for (int i = 0; i < CHAOS_REQUESTS; i++) {
        String path = paths.get(random.nextInt(paths.size()));
        Http3Client.Answer answer = client.get(path);
        if (path.startsWith("/slow") || random.nextBoolean()) {
          client.reset(answer);
        } else if (random.nextBoolean()) {
          Object ignored = answer.heads.poll(2, TimeUnit.SECONDS);
        }
      }
    } catch (ClosedChannelException e) {
      // So many resets in a row end the connection.
    }
  }

  @Test
  void anUploadThatIsRefusedIsNotInFlight() throws Exception {
    start("rate-limits: [{name: slots, key: client, in-flight: 1}]");
    RawClient busy = connect().request("GET", "/slow0");
    awaitCounted(1);
    RawClient client = connect();
    client.request("POST", "/a", new byte[1000], "Content-Length: 100000");
    assertEquals(429, client.reply().status());
    client.close();
    awaitCounted(1);
    gate.countDown();
    assertEquals(200, busy.reply().status());
    awaitCounted(0);
  }
}
