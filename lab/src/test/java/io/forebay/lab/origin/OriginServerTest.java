package io.forebay.lab.origin;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.body.Body;
import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OriginServerTest {
  private static final long SEED = 5;
  private static final Instant NOW = Instant.parse("2026-11-27T10:00:03Z");

  private final AtomicReference<Instant> now = new AtomicReference<>(NOW);
  private final InstantSource clock = now::get;
  private final List<OriginServer> servers = new ArrayList<>();

  @AfterEach
  void close() {
    servers.forEach(OriginServer::close);
  }

  private OriginServer started(Behaviour behaviour, SegmentWindow window) throws IOException {
    OriginServer server =
        OriginServer.start(
            new OriginOptions("127.0.0.1", 0, 1, null, behaviour, window, SEED), clock);
    servers.add(server);
    return server;
  }

  private int port(Behaviour behaviour, SegmentWindow window) throws IOException {
    return started(behaviour, window).address().getPort();
  }

  private int plainPort() throws IOException {
    return port(Behaviour.PLAIN, SegmentWindow.ALWAYS);
  }

  private static void assertBody(String path, long offset, byte[] bytes) {
    assertTrue(Body.of(SEED, path).matches(Unpooled.wrappedBuffer(bytes), offset), path);
  }

  @Test
  void bodiesHaveTheSizeInTheUrlAndTheBytesOfThePath() throws IOException {
    int port = plainPort();
    try (RawClient client = new RawClient(port)) {
      for (String size : new String[] {"0", "1", "16", "17", "70000", "100KB", "9MB"}) {
        String path = "/run/o/" + size + "/a";
        Response response = client.get(path);
        assertEquals(200, response.status());
        assertEquals(ByteSize.parse(size), response.body().length);
        assertBody(path, 0, response.body());
        assertEquals("public, max-age=3600", response.field("cache-control"));
        assertEquals("Fri, 27 Nov 2026 10:00:03 GMT", response.field("date"));
      }
    }
  }

  @Test
  void theQueryIsNoPartOfTheBody() throws IOException {
    Response response = RawClient.get(plainPort(), "/o/100/a?max-age=no-store");
    assertBody("/o/100/a", 0, response.body());
    assertEquals("no-store", response.field("cache-control"));
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrder() throws IOException {
    try (RawClient client = new RawClient(plainPort())) {
      StringBuilder requests = new StringBuilder();
      for (int i = 0; i < 120; i++) {
        requests.append("GET /o/%d/a?latency=%dms HTTP/1.1\r\n".formatted(i, i % 50 == 0 ? 3 : 0));
        requests.append("Host: a\r\n\r\n");
      }
      client.send(requests.toString());
      for (int i = 0; i < 120; i++) {
        assertEquals(i, client.reply().body().length);
      }
    }
  }

  @Test
  void headHasTheFieldsOfGet() throws IOException {
    int port = plainPort();
    Response head = RawClient.head(port, "/o/9MB/a");
    assertEquals("9000000", head.field("content-length"));
    assertEquals(RawClient.get(port, "/o/9MB/a").field("etag"), head.field("etag"));
  }

  @Test
  void oneRangeIsAnswered() throws IOException {
    int port = plainPort();
    Response part = RawClient.get(port, "/o/9MB/a", "Range: bytes=5000000-8999990");
    assertEquals(206, part.status());
    assertEquals("bytes 5000000-8999990/9000000", part.field("content-range"));
    assertEquals(3_999_991, part.body().length);
    assertBody("/o/9MB/a", 5_000_000, part.body());

    Response tail = RawClient.get(port, "/o/100/a", "Range: bytes=-3");
    assertEquals("bytes 97-99/100", tail.field("content-range"));

    Response none = RawClient.get(port, "/o/100/a", "Range: bytes=100-");
    assertEquals(416, none.status());
    assertEquals("bytes */100", none.field("content-range"));

    assertEquals(200, RawClient.get(port, "/o/100/a", "Range: bytes=0-1,3-4").status());
  }

  @Test
  void aRangeOfAnotherVersionIsTheWholeBody() throws IOException {
    int port = plainPort();
    String tag = RawClient.get(port, "/o/100/a").field("etag");
    assertEquals(
        206, RawClient.get(port, "/o/100/a", "Range: bytes=1-2", "If-Range: " + tag).status());
    assertEquals(
        200, RawClient.get(port, "/o/100/a", "Range: bytes=1-2", "If-Range: \"x\"").status());
  }

  @Test
  void knownVersionsAreNotSentAgain() throws IOException {
    int port = plainPort();
    String tag = RawClient.get(port, "/o/100/a").field("etag");
    try (RawClient client = new RawClient(port)) {
      for (String field : new String[] {tag, "\"x\", " + tag, "W/" + tag, "*"}) {
        Response response = client.get("/o/100/a", "If-None-Match: " + field);
        assertEquals(304, response.status(), field);
        assertEquals(tag, response.field("etag"));
      }
      assertEquals(200, client.get("/o/100/b", "If-None-Match: " + tag).status());
    }
  }

  @Test
  void otherMethodsAreRefused() throws IOException {
    Response response = RawClient.request(plainPort(), "POST", "/o/1/a", "body");
    assertEquals(405, response.status());
    assertEquals("GET, HEAD", response.field("allow"));
    assertEquals("close", response.field("connection"));
  }

  @Test
  void wrongUrlsAndQueriesAreToldWhatToWrite() throws IOException {
    int port = plainPort();
    Response path = RawClient.get(port, "/o/1GB/a");
    assertEquals(404, path.status());
    assertEquals("no-store", path.field("cache-control"));
    assertTrue(path.text().contains("write bytes, KB or MB"), path.text());
    Response query = RawClient.get(port, "/o/1/a?lag=1s");
    assertEquals(400, query.status());
    assertTrue(query.text().contains("write latency"), query.text());
    assertEquals(404, RawClient.get(port, "/o/1/" + "a".repeat(3000)).status());
    try (RawClient client = new RawClient(port)) {
      client.send("no request\r\n\r\n");
      assertEquals(400, client.reply().status());
      assertTrue(client.isClosedByPeer());
    }
  }

  @Test
  void targetsInAbsoluteFormAreTaken() throws IOException {
    assertEquals(7, RawClient.get(plainPort(), "http://origin.example/o/7/a").body().length);
  }

  @Test
  void chunkedBodiesHaveNoLengthAndNoRanges() throws IOException {
    int port = plainPort();
    String url = "/o/9MB/a?chunked=true";
    Response response = RawClient.get(port, url, "Range: bytes=0-1");
    assertEquals(200, response.status());
    assertEquals("chunked", response.field("transfer-encoding"));
    assertFalse(response.has("content-length"));
    assertEquals(9_000_000, response.body().length);
    assertBody("/o/9MB/a", 0, response.body());
  }

  @Test
  void aClientOfHttp10GetsABodyThatEndsWithTheConnection() throws IOException {
    try (RawClient client = new RawClient(plainPort())) {
      client.send("GET /o/100KB/a?chunked HTTP/1.0\r\n\r\n");
      Response head = client.head();
      assertFalse(head.has("transfer-encoding"));
      assertEquals(100_000, client.readToEnd().length);
    }
  }

  @Test
  void errorsComeAtTheirShareAndAreRepeatedByTheSeed() throws IOException {
    Behaviour half = new Behaviour(0, 0, 0, 0.5, 502, 0, 0, 60, false);
    List<Integer> first = statuses(port(half, SegmentWindow.ALWAYS));
    assertEquals(first, statuses(port(half, SegmentWindow.ALWAYS)));
    assertTrue(first.contains(200) && first.contains(502), first.toString());
  }

  private static List<Integer> statuses(int port) throws IOException {
    List<Integer> statuses = new ArrayList<>();
    try (RawClient client = new RawClient(port)) {
      for (int i = 0; i < 40; i++) {
        statuses.add(client.get("/o/1/a").status());
      }
    }
    return statuses;
  }

  @Test
  void aCutBodyEndsAfterItsFirstHalf() throws IOException {
    OriginServer server = started(Behaviour.PLAIN, SegmentWindow.ALWAYS);
    try (RawClient client = new RawClient(server.address().getPort())) {
      client.request("GET", "/o/100KB/a?cut=1");
      Response head = client.head();
      assertEquals("100000", head.field("content-length"));
      assertEquals(50_000, client.readToEnd().length);
    }
    assertEquals(1, server.stats().cut());
  }

  @Test
  void aFlappingOriginFailsInTheSecondHalfOfItsPeriod() throws IOException {
    int port = plainPort();
    now.set(Instant.ofEpochSecond(60));
    assertEquals(200, RawClient.get(port, "/o/1/a?flap=60s").status());
    now.set(Instant.ofEpochSecond(90));
    assertEquals(503, RawClient.get(port, "/o/1/a?flap=60s").status());
    now.set(Instant.ofEpochSecond(120));
    assertEquals(200, RawClient.get(port, "/o/1/a?flap=60s").status());
  }

  @Test
  void latencyAndBandwidthHoldBack() throws IOException {
    int port = plainPort();
    long start = System.nanoTime();
    assertEquals(1, RawClient.get(port, "/o/1/a?latency=30ms&jitter=5ms").body().length);
    assertTrue(System.nanoTime() - start >= 30_000_000, "latency of 30 ms");

    start = System.nanoTime();
    Response slow = RawClient.get(port, "/o/20KB/a?rate=200KB");
    assertBody("/o/20KB/a", 0, slow.body());
    // Of 100 ms, the first turn of 20 ms is sent at once.
    assertTrue(System.nanoTime() - start >= 75_000_000, "20 KB at 200 KB/s");
  }

  @Test
  void liveSegmentsExistFromTheirEndUntilTheyLeaveTheBuffer() throws IOException {
    int port = port(Behaviour.PLAIN, SegmentWindow.LIVE);
    long number = 300_000_000;
    String path = "/news/variant01/hls-audio/384KB/" + number + ".ts";
    Instant begin = Instant.ofEpochSecond((number + 1) * 6);

    now.set(begin.minusMillis(1));
    Response early = RawClient.get(port, path);
    assertEquals(404, early.status());
    assertEquals("no-store", early.field("cache-control"));

    now.set(begin);
    Response first = RawClient.get(port, path);
    assertEquals(384_000, first.body().length);
    assertEquals("public, max-age=360", first.field("cache-control"));
    assertTrue(playlist(port).contains(number + ".ts"));

    now.set(begin.plusSeconds(359));
    assertEquals("public, max-age=1", RawClient.get(port, path).field("cache-control"));

    now.set(begin.plusSeconds(360));
    assertEquals(404, RawClient.get(port, path).status());
    assertFalse(playlist(port).contains(number + ".ts"));
    assertEquals(404, RawClient.get(port, "/news/variant01/hls-audio/384KB/x.ts").status());
  }

  private static String playlist(int port) throws IOException {
    return RawClient.get(port, "/news/variant01/hls-audio/384KB/index.m3u8").text();
  }

  @Test
  void playlistsAreKnownByTheirTag() throws IOException {
    int port = port(Behaviour.PLAIN, SegmentWindow.LIVE);
    String url = "/news/variant01/hls-audio/384KB/index.m3u8";
    Response first = RawClient.get(port, url);
    assertEquals("application/vnd.apple.mpegurl", first.field("content-type"));
    assertEquals("public, max-age=3", first.field("cache-control"));
    String condition = "If-None-Match: " + first.field("etag");
    assertEquals(304, RawClient.get(port, url, condition).status());
    now.set(NOW.plusSeconds(6));
    assertEquals(200, RawClient.get(port, url, condition).status());
  }

  @Test
  void figuresCountRequestsAndBytesButNotTheirOwn() throws IOException {
    OriginServer server = started(Behaviour.PLAIN, SegmentWindow.ALWAYS);
    int port = server.address().getPort();
    RawClient.get(port, "/o/100/a");
    RawClient.get(port, "/o/1MB/a");
    RawClient.get(port, "/nothing");
    Response figures = RawClient.get(port, "/_stats");
    assertEquals("application/json", figures.field("content-type"));
    Await.until("all connections are closed", () -> server.stats().connections() == 0);
    OriginStats stats = server.stats();
    assertEquals(3, stats.requests());
    assertEquals(2, stats.responses().get("200"));
    assertEquals(1, stats.responses().get("404"));
    assertTrue(stats.bodyBytes() > 1_000_100, "with the text of the error");
    assertTrue(stats.cpuSeconds() > 0);
  }

  @Test
  void aTakenPortIsAnErrorThatSaysWhatToDo() throws IOException {
    int port = plainPort();
    OriginOptions same = new OriginOptions(port, 1, 0, 0, 0, 60, false, 1);
    String message =
        String.valueOf(
            assertThrows(IOException.class, () -> OriginServer.start(same, clock)).getMessage());
    assertTrue(message.contains("name another address"), message);
  }

  @Test
  void tlsHasTheSameBytes(@TempDir Path directory) throws Exception {
    Certificates certificates = Certificates.in(directory);
    certificates.ecdsa("origin", "localhost");
    OriginOptions.Tls tls =
        new OriginOptions.Tls(
            directory.resolve("origin.pem").toString(), directory.resolve("origin.key").toString());
    OriginServer server =
        OriginServer.start(
            new OriginOptions("127.0.0.1", 0, 1, tls, Behaviour.PLAIN, SegmentWindow.ALWAYS, SEED),
            clock);
    servers.add(server);
    assertEquals("https", server.address().getScheme());
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    trusted.setCertificateEntry("authority", certificates.authority().getCertificate());
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    try (RawClient client =
        new RawClient(
            context.getSocketFactory().createSocket("127.0.0.1", server.address().getPort()))) {
      byte[] body = client.get("/o/1MB/a").body();
      assertEquals(1_000_000, body.length);
      assertBody("/o/1MB/a", 0, body);
      assertArrayEquals(body, client.get("/o/1MB/a").body());
    }
  }
}
