package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** I3, and what origins may not say: no broken message is kept, and none is passed off as whole. */
@SuppressWarnings("StringConcatToTextBlock") // On the wire every CR and LF counts.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BrokenOriginIT {
  private static final String CACHEABLE = "Cache-Control: max-age=3600\r\n";
  private static final int CURL_PARTIAL = 18;

  @TempDir static Path directory;

  private PathOrigin origin;
  private EdgeProcess edge;

  @BeforeAll
  void start() throws Exception {
    origin = PathOrigin.start();
    edge = EdgeProcess.in(directory.resolve("edge"), origin.url()).start();
  }

  @AfterAll
  void stop() throws Exception {
    try {
      assertTrue(edge == null || edge.isAlive(), "the edge lived through all of it");
    } finally {
      Tools.close(edge, origin);
    }
  }

  @Tag("full")
  @Test
  void anOriginKilledInMidBodyBreaksTheTransferAndLeavesNothing() throws Exception {
    String slow = "add_header Cache-Control 'public, max-age=3600'; limit_rate 1m;";
    try (NginxOrigin nginx = NginxOrigin.start(directory.resolve("nginx"), slow);
        EdgeProcess own = EdgeProcess.in(directory.resolve("own"), nginx.url()).start()) {
      Tree.Entry file = nginx.tree(9).write("/killed", 3 << 20);
      Curl.Started leader = Curl.start(own.url(file.path()));
      Curl.Started follower = Curl.start(own.url(file.path()));
      Await.until("both have begun to read", () -> leader.receivedBytes() > 0);
      Await.until("both have begun to read", () -> follower.receivedBytes() > 0);
      nginx.kill();
      assertEquals(CURL_PARTIAL, leader.finish().exit());
      assertEquals(CURL_PARTIAL, follower.finish().exit());
      assertEquals(502, own.get(file.path()).status(), "nothing was kept of it");
      nginx.restart();
      file.assertSame(own.get(file.path()));
      assertTrue(own.get(file.path()).isFromCache());
    }
  }

  /**
   * Bodies that end too early: a broken transfer, and the next request goes to the origin again.
   */
  static Stream<Arguments> cutBodies() {
    String chunked = "HTTP/1.1 200 OK\r\n" + CACHEABLE + "Transfer-Encoding: chunked\r\n\r\n";
    String length = "HTTP/1.1 200 OK\r\n" + CACHEABLE + "Content-Length: 1000\r\n\r\n";
    return Stream.of(
        Arguments.of("length-none", length),
        Arguments.of("length-short", length + "x".repeat(999)),
        Arguments.of("chunked-none", chunked),
        Arguments.of("chunked-in-size", chunked + "5\r\nhello\r\n1"),
        Arguments.of("chunked-in-data", chunked + "10\r\nhello"),
        Arguments.of("chunked-no-last", chunked + "5\r\nhello\r\n"),
        Arguments.of("chunked-no-last-crlf", chunked + "5\r\nhello\r\n0\r\n"),
        Arguments.of("chunked-in-trailer", chunked + "5\r\nhello\r\n0\r\nX-Trailer: y\r\n"),
        Arguments.of("chunked-bad-size", chunked + "5\r\nhello\r\nzz\r\nhello\r\n0\r\n\r\n"),
        Arguments.of("chunked-negative-size", chunked + "5\r\nhello\r\n-1\r\n\r\n0\r\n\r\n"),
        Arguments.of("chunked-large-cut", chunked + "200000\r\n" + "y".repeat(1_500_000)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cutBodies")
  void aCutBodyIsABrokenTransferAndNotKept(String name, String message) throws Exception {
    String path = "/cut/" + name;
    origin.on(
        path,
        exchange -> {
          exchange.send(message);
          exchange.close();
        });
    for (int i = 1; i <= 2; i++) {
      // Where nothing had been sent on yet, an error, or no answer at all, is as good.
      Curl.Result result = Curl.get(edge.url(path));
      assertTrue(
          result.exit() == CURL_PARTIAL
              || result.exit() == 52
              || result.exit() == 56
              || result.status() == 502,
          () -> name + ": " + result);
      assertFalse(result.field("cache-status").contains("; hit"), name);
      assertTrue(origin.count(path) >= i, () -> name + ": nothing was kept");
    }
    origin.cacheable(path, "whole");
    assertEquals("whole", edge.get(path).text());
    assertTrue(edge.get(path).isFromCache());
  }

  /** Messages that are refused whole. */
  static Stream<Arguments> refusedMessages() {
    String ok = "HTTP/1.1 200 OK\r\n";
    return Stream.of(
        Arguments.of(
            "coding-without-chunked", ok + CACHEABLE + "Transfer-Encoding: gzip\r\n\r\nhello"),
        Arguments.of(
            "chunked-not-last",
            ok + CACHEABLE + "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"),
        Arguments.of(
            "length-and-chunked",
            ok
                + CACHEABLE
                + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "5\r\nhello\r\n0\r\n\r\n"),
        Arguments.of(
            "two-lengths", ok + CACHEABLE + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"),
        Arguments.of("length-list", ok + CACHEABLE + "Content-Length: 5, 6\r\n\r\nhello!"),
        Arguments.of("length-negative", ok + CACHEABLE + "Content-Length: -5\r\n\r\nhello"),
        Arguments.of("length-plus", ok + CACHEABLE + "Content-Length: +5\r\n\r\nhello"),
        Arguments.of(
            "length-huge", ok + CACHEABLE + "Content-Length: 99999999999999999999\r\n\r\nhello"),
        Arguments.of("status-99", "HTTP/1.1 99 Low\r\n" + CACHEABLE + "Content-Length: 0\r\n\r\n"),
        Arguments.of(
            "status-1000", "HTTP/1.1 1000 High\r\n" + CACHEABLE + "Content-Length: 0\r\n\r\n"),
        Arguments.of("status-word", "HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n"),
        Arguments.of("status-600", "HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n"),
        Arguments.of("version-2", "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n"),
        Arguments.of("no-http", "SSH-2.0-OpenSSH_9.2\r\n\r\n"),
        Arguments.of(
            "switching-unasked",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nraw"),
        Arguments.of(
            "value-with-nul", ok + CACHEABLE + "X-A: a\0b\r\nContent-Length: 5\r\n\r\nhello"),
        Arguments.of(
            "value-with-cr",
            ok + CACHEABLE + "X-A: a\rSet-Cookie: b\r\nContent-Length: 5\r\n\r\nhello"),
        Arguments.of("name-empty", ok + ": b\r\nContent-Length: 5\r\n\r\nhello"),
        Arguments.of(
            "reason-with-control", "HTTP/1.1 200 O\u0001K\r\nContent-Length: 5\r\n\r\nhello"),
        Arguments.of("reason-with-nul", "HTTP/1.1 200 O\0K\r\nContent-Length: 5\r\n\r\nhello"),
        Arguments.of(
            "reason-of-64-KiB",
            "HTTP/1.1 200 " + "R".repeat(65_536) + "\r\nContent-Length: 5\r\n\r\nhello"),
        Arguments.of(
            "header-of-64-KiB",
            ok + "X-A: " + "v".repeat(65_536) + "\r\nContent-Length: 5\r\n\r\nhello"),
        Arguments.of(
            "header-of-12000-lines",
            ok + "X-A: b\r\n".repeat(12_000) + "Content-Length: 0\r\n\r\n"),
        Arguments.of("nothing", ""),
        Arguments.of("half-a-head", ok + CACHEABLE + "Content-Le"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refusedMessages")
  void whatIsNoHttpIsABadGateway(String name, String message) throws Exception {
    String path = "/refused/" + name;
    origin.on(
        path,
        exchange -> {
          exchange.send(message);
          exchange.close();
        });
    for (int i = 1; i <= 2; i++) {
      Response response = edge.get(path);
      assertEquals(502, response.status(), () -> name + ": " + response);
      assertFalse(response.isFromCache(), response::toString);
      assertFalse(response.has("x-a"), response::toString);
      assertFalse(response.has("set-cookie"), response::toString);
      assertTrue(origin.count(path) >= i, () -> name + ": nothing was kept");
    }
    origin.cacheable(path, "right");
    assertEquals("right", edge.get(path).text(), name);
  }

  /** RFC 9112 §5.1, §5.2: what is sloppy but clear is made right on its way. */
  @Test
  void sloppyFieldsArePutRight() throws Exception {
    origin.on(
        "/sloppy",
        exchange ->
            exchange.send(
                "HTTP/1.1 200 OK\r\nX-A: b\r\n  c\r\nX-B : d\r\nContent-Length : 5\r\n"
                    + CACHEABLE
                    + "\r\nhello"));
    for (int i = 0; i < 2; i++) {
      Response response = edge.get("/sloppy");
      assertEquals("hello", response.text(), response::toString);
      assertTrue(response.field("x-a").matches("b +c"), response::toString);
      assertEquals("d", response.field("x-b"), response::toString);
    }
    assertEquals(1, origin.count("/sloppy"));
  }

  /** Messages followed by bytes that belong to no request: they must reach nobody. */
  static Stream<Arguments> extraBytes() {
    String poison =
        "HTTP/1.1 200 OK\r\n" + CACHEABLE + "X-Poison: 1\r\nContent-Length: 6\r\n\r\npoison";
    String five = "HTTP/1.1 200 OK\r\n" + CACHEABLE + "Content-Length: 5\r\n\r\nhello";
    return Stream.of(
        Arguments.of("after-length", 200, "hello", five + "garbage"),
        Arguments.of("second-response", 200, "hello", five + poison),
        Arguments.of(
            "after-chunks",
            200,
            "hello",
            "HTTP/1.1 200 OK\r\n"
                + CACHEABLE
                + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
                + poison),
        Arguments.of("body-after-204", 204, "", "HTTP/1.1 204 No Content\r\n\r\n" + poison),
        Arguments.of(
            "length-with-204",
            204,
            "",
            "HTTP/1.1 204 No Content\r\nContent-Length: 6\r\n\r\npoison"),
        Arguments.of(
            "body-after-304", -1, "", "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n" + poison));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("extraBytes")
  void bytesBehindAResponseReachNobody(String name, int status, String body, String message)
      throws Exception {
    String path = "/extra/" + name;
    origin.on(path, exchange -> exchange.send(message));
    Response first = edge.get(path);
    if (status > 0) {
      assertEquals(status, first.status(), first::toString);
      assertEquals(body, first.text(), first::toString);
    }
    assertFalse(first.has("x-poison"), first::toString);
    for (int i = 0; i < 8; i++) {
      String next = "/extra-next/" + name + "/" + i;
      origin.cacheable(next, "mine " + i);
      Response response = edge.get(next);
      assertEquals("mine " + i, response.text(), response::toString);
      assertFalse(response.has("x-poison"), response::toString);
    }
  }

  @Test
  void interimResponsesDoNotShiftThePairing() throws Exception {
    String interim =
        "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
            + "HTTP/1.1 102 Processing\r\n\r\n";
    for (String method : List.of("GET", "HEAD")) {
      String path = "/interim/" + method;
      origin.on(
          path,
          exchange -> {
            exchange.send(interim);
            exchange.respond(200, CACHEABLE, "own body");
          });
      Response response =
          method.equals("HEAD") ? RawClient.head(edge.port(), path) : edge.get(path);
      assertEquals(200, response.status(), response::toString);
      assertFalse(response.has("link"), "interim fields are not the response's");
      for (int i = 0; i < 4; i++) {
        String next = "/interim-next/" + method + "/" + i;
        origin.cacheable(next, "mine " + i);
        assertEquals("mine " + i, edge.get(next).text());
      }
    }
    assertEquals("own body", edge.get("/interim/GET").text());
  }

  /** Its end cannot be told from a cut, so it is passed on and not kept. */
  @Test
  void aCloseDelimitedBodyIsPassedOnButNotKept() throws Exception {
    origin.on(
        "/close-delimited",
        exchange -> {
          exchange.send("HTTP/1.1 200 OK\r\n" + CACHEABLE + "\r\nuntil the end");
          exchange.close();
        });
    for (int i = 1; i <= 3; i++) {
      Response response = edge.get("/close-delimited");
      assertEquals("until the end", response.text(), response::toString);
      assertFalse(response.isFromCache(), response::toString);
      assertEquals(i, origin.count("/close-delimited"));
    }
  }

  /** S29. */
  @Test
  void trailersAreDroppedAndNotKept() throws Exception {
    origin.on(
        "/trailers",
        exchange ->
            exchange.send(
                "HTTP/1.1 200 OK\r\n"
                    + CACHEABLE
                    + "Trailer: X-Checksum, Set-Cookie\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "5\r\nhello\r\n0\r\nSet-Cookie: a=b\r\nX-Checksum: 1\r\n"
                    + "Content-Length: 77\r\n\r\n"));
    for (int i = 0; i < 2; i++) {
      try (RawClient client = new RawClient(edge.port())) {
        client.send("GET /trailers HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
        String all = new String(client.readToEnd(), java.nio.charset.StandardCharsets.ISO_8859_1);
        assertTrue(all.startsWith("HTTP/1.1 200"), all);
        assertTrue(all.contains("hello"), all);
        assertFalse(all.toLowerCase(java.util.Locale.ROOT).contains("set-cookie"), all);
        assertFalse(all.contains(": 77"), all);
      }
    }
    assertEquals(1, origin.count("/trailers"));
  }

  @Test
  void aConnectionThatDiedIdleIsReplacedWithoutTheClientNoticing() throws Exception {
    origin.on(
        "/dies",
        exchange -> {
          exchange.respond(200, "Cache-Control: no-store\r\n", "then it closes");
          exchange.close();
        });
    for (int i = 0; i < 20; i++) {
      assertEquals("then it closes", edge.get("/dies").text());
    }
    assertEquals(20, origin.count("/dies"));
  }

  @Test
  void anErrorOfTheOriginIsPassedOnAndNotKept() throws Exception {
    origin.on("/error", exchange -> exchange.respond(500, "", "broken"));
    assertEquals("broken", edge.get("/error").text());
    assertEquals("broken", edge.get("/error").text());
    assertEquals(2, origin.count("/error"));
  }

  @Test
  void anOriginThatRefusesConnectionsIsABadGatewayThatSaysWhy() throws Exception {
    int nobody = Ports.free();
    try (EdgeProcess own =
        EdgeProcess.in(directory.resolve("nobody"), "http://127.0.0.1:" + nobody).startUnready()) {
      Response response = own.get("/x");
      assertEquals(502, response.status());
      // The client is told no address; the log is, by the same request id.
      assertFalse(response.text().contains(Integer.toString(nobody)), response.text());
      String id = response.text().lines().skip(1).findFirst().orElseThrow();
      Await.until("it is logged", () -> own.errText().contains(id.replace("request id: ", "")));
      String line = own.errText().lines().filter(l -> l.contains("/x: ")).findFirst().orElseThrow();
      assertTrue(line.contains("http://127.0.0.1:" + nobody), line);
      assertNotEquals("", response.field("cache-status"));
    }
  }

  @Test
  void aBrokenTransferIsNoticedByAStrictClientToo() throws Exception {
    CountDownLatch isRead = new CountDownLatch(1);
    origin.on(
        "/strict",
        exchange -> {
          exchange.send("HTTP/1.1 200 OK\r\n" + CACHEABLE + "Content-Length: 500000\r\n\r\n");
          exchange.send("z".repeat(300_000));
          isRead.await(10, TimeUnit.SECONDS);
          exchange.reset();
        });
    try (RawClient client = new RawClient(edge.port())) {
      client.send("GET /strict HTTP/1.1\r\nHost: s\r\n\r\n");
      assertEquals("500000", client.head().field("content-length"));
      client.bytes(1000);
      isRead.countDown();
      assertThrows(IOException.class, () -> client.bytes(499_000));
    }
    origin.cacheable("/strict", "whole");
    assertEquals("whole", edge.get("/strict", "Host: s").text(), "nothing was kept");
  }
}
