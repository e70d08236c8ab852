package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests that mean harm, byte by byte: what the client sees, and that the origin sees nothing.
 */
@SuppressWarnings("StringConcatToTextBlock") // On the wire every CR and LF counts.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class HostileRequestIT {
  private static final String SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: h.test\r\n\r\n";
  private static final String HOST = "Host: h.test\r\n";

  private static final Pattern STATUS_LINE = Pattern.compile("HTTP/1\\.1 [0-9]{3} ");

  @TempDir static Path directory;

  private final byte[] large = new byte[1_000_000];
  private PathOrigin origin;
  private EdgeProcess edge;
  private long descriptors;

  @BeforeAll
  void start() throws Exception {
    new SplittableRandom(1).nextBytes(large);
    origin = PathOrigin.start();
    origin.otherwise(exchange ->
        exchange.respond(200, "Cache-Control: max-age=3600\r\n", exchange.request().target()));
    origin.on(
        "/large", exchange -> exchange.respond(200, "Cache-Control: max-age=3600\r\n", large));
    edge =
        EdgeProcess.in(directory.resolve("edge"), origin.url())
            .config("timeouts:\n  request-header: 1s\n  request-body-idle: 1s\n")
            .start();
    edge.get("/large");
    assertTrue(edge.get("/large").isFromCache());
    descriptors = edge.descriptors();
  }

  @AfterAll
  void stop() throws Exception {
    if (edge == null) {
      // Skipped for want of a program.
      Tools.close(origin);
      return;
    }
    try {
      assertTrue(edge.isAlive(), "the edge lived through all of it");
      // Connections to the origin may stay, and there were none at the start.
      long kept = 16;
      Await.until(
          "its descriptors are back where they were",
          () -> edge.descriptors() <= descriptors + kept);
      assertTrue(edge.get("/large").isFromCache(), "and nothing in the cache came to harm");
    } finally {
      Tools.close(edge, origin);
    }
  }

  private static Arguments row(String name, String request, Integer... statuses) {
    return Arguments.of(name, request, Set.of(statuses));
  }

  private static Arguments post(String name, String fields, Integer... statuses) {
    return row(name, "POST /p HTTP/1.1\r\n" + HOST + fields + "\r\n", statuses);
  }

  private static Arguments get(String name, String fields, Integer... statuses) {
    return row(name, "GET /g HTTP/1.1\r\n" + fields + "\r\n", statuses);
  }

  /** Refused with the connection, before anything goes to the origin. */
  static Stream<Arguments> refusedHeads() {
    return Stream.of(
        // S1
        post("length-and-chunked", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400),
        post("chunked-and-length", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", 400),
        row(
            "chunked-in-1.0",
            "POST /p HTTP/1.0\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400),
        row(
            "chunked-and-length-in-1.0",
            "POST /p HTTP/1.0\r\n"
                + HOST
                + "Connection: keep-alive\r\n"
                + "Content-Length: 5\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n",
            400),
        post("coding-x", "Transfer-Encoding: xchunked\r\n", 400, 501),
        post("coding-gzip-chunked", "Transfer-Encoding: gzip, chunked\r\n", 400, 501),
        post("coding-chunked-gzip", "Transfer-Encoding: chunked, gzip\r\n", 400),
        post("coding-chunked-identity", "Transfer-Encoding: chunked, identity\r\n", 400),
        post("coding-identity", "Transfer-Encoding: identity\r\n", 400, 501),
        post("coding-leading-comma", "Transfer-Encoding: ,chunked\r\n", 400),
        post("coding-trailing-comma", "Transfer-Encoding: chunked,\r\n", 400),
        post("coding-twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400),
        post("coding-two-in-list", "Transfer-Encoding: chunked, chunked\r\n", 400, 501),
        post("coding-second-odd", "Transfer-Encoding: chunked\r\nTransfer-encoding: x\r\n", 400),
        post("coding-quoted", "Transfer-Encoding: \"chunked\"\r\n", 400),
        post("coding-vtab", "Transfer-Encoding: \u000bchunked\r\n", 400),
        post("coding-vtab-after", "Transfer-Encoding: chunked\u000b\r\n", 400),
        post("coding-nbsp", "Transfer-Encoding: \u00a0chunked\r\n", 400),
        post("coding-nel", "Transfer-Encoding: chunked\u0085\r\n", 400),
        post("coding-empty", "Transfer-Encoding:\r\n", 400),
        post("coding-parameter", "Transfer-Encoding: chunked;q=1\r\n", 400, 501),
        post("coding-name-blank", "Transfer-Encoding : chunked\r\n", 400),
        post("coding-name-tab", "Transfer-Encoding\t: chunked\r\n", 400),
        post("coding-folded", "Transfer-Encoding:\r\n chunked\r\n", 400),
        post("coding-after-cr", "X: y\rTransfer-Encoding: chunked\r\n", 400),
        post("lengths-differ", "Content-Length: 5\r\nContent-Length: 6\r\n", 400),
        post("lengths-same", "Content-Length: 5\r\nContent-Length: 5\r\n", 400),
        post("length-list", "Content-Length: 5, 5\r\n", 400),
        post("length-plus", "Content-Length: +5\r\n", 400),
        post("length-minus", "Content-Length: -5\r\n", 400),
        post("length-hex", "Content-Length: 0x5\r\n", 400),
        post("length-empty", "Content-Length:\r\n", 400),
        post("length-blank-inside", "Content-Length: 5 5\r\n", 400),
        post("length-20-digits", "Content-Length: 99999999999999999999\r\n", 400, 413),
        post("length-wraps", "Content-Length: 18446744073709551621\r\n", 400, 413),
        post("length-nel", "Content-Length: \u00855\r\n", 400),
        post("length-nbsp", "Content-Length: 5\u00a0\r\n", 400),
        post("length-arabic", "Content-Length: \u00d9\u00a5\r\n", 400),
        post("length-fraction", "Content-Length: 5.0\r\n", 400),
        // S3
        get("name-empty", HOST + ": x\r\n", 400),
        get("name-empty-before-host", ": x\r\n" + HOST, 400),
        get("name-blank-colon", HOST + "X : y\r\n", 400),
        get("name-leading-blank", " X: y\r\n" + HOST, 400),
        get("name-blank-inside", HOST + "X y: z\r\n", 400),
        get("name-no-colon", HOST + "X\r\n", 400),
        get("name-nul", HOST + "X\0: y\r\n", 400),
        get("name-nel", HOST + "X\u0085: y\r\n", 400),
        get("name-nbsp-host", "\u00a0Host: h.test\r\n", 400),
        get("name-parenthesis", HOST + "X(y): z\r\n", 400),
        get("value-nul", HOST + "X: a\0b\r\n", 400),
        get("value-cr", HOST + "X: a\rb\r\n", 400),
        get("value-cr-host", HOST + "X: a\rHost: evil.test\r\n", 400),
        get("value-control", HOST + "X: a\u0001b\r\n", 400),
        get("value-delete", HOST + "X: a\u007fb\r\n", 400),
        get("folded", HOST + "X: a\r\n b\r\n", 400),
        get("folded-by-tab", HOST + "X: a\r\n\tb\r\n", 400),
        get("folded-first", " X: a\r\n" + HOST, 400),
        // S4
        row("nul-first", "\0GET /g HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("soh-first", "\u0001GET /g HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("blank-first", " GET /g HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("tab-first", "\tGET /g HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("two-empty-lines-first", "\r\n\r\nGET /g HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("lf-only-lines-first", "\n\n\nGET /g HTTP/1.1\r\n" + HOST + "\r\n", 400),
        // the request line
        row("no-version", "GET /g\r\n" + HOST + "\r\n", 400),
        row("two-blanks", "GET  /g HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("blank-in-target", "GET /g h HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("tab-between", "GET\t/g\tHTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("blank-after-version", "GET /g HTTP/1.1 \r\n" + HOST + "\r\n", 400),
        row("method-not-token", "GE(T /g HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("version-lower", "GET /g http/1.1\r\n" + HOST + "\r\n", 400, 505),
        row("version-9.9", "GET /g HTTP/9.9\r\n" + HOST + "\r\n", 505),
        row("version-1.2", "GET /g HTTP/1.2\r\n" + HOST + "\r\n", 400, 505),
        row("version-2", "GET /g HTTP/2.0\r\n" + HOST + "\r\n", 505),
        row("version-word", "GET /g HTTP/x.y\r\n" + HOST + "\r\n", 400, 505),
        row("version-long", "GET /g HTTP/1.10\r\n" + HOST + "\r\n", 400, 505),
        row("tls-hello", "\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00fc\u0003\u0003\r\n\r\n", 400),
        row("cr-in-target", "GET /g\rx HTTP/1.1\r\n" + HOST + "\r\n", 400));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refusedHeads")
  void isRefusedWithTheConnectionAndTheOriginSeesNothing(
      String name, String request, Set<Integer> statuses) throws Exception {
    int before = origin.heads().size();
    String answer = exchangeToEnd(request + SMUGGLED);
    assertOneAnswer(name, answer, statuses);
    assertEquals(before, origin.heads().size(), () -> name + ": " + origin.heads().getLast());
  }

  /** The same behind a good request on the same connection: the good one is answered first. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("refusedHeads")
  void isRefusedBehindAGoodRequestToo(String name, String request, Set<Integer> statuses)
      throws Exception {
    int before = origin.heads().size();
    String good = "GET /large HTTP/1.1\r\nHost: 127.0.0.1:" + edge.port() + "\r\n\r\n";
    try (RawClient client = new RawClient(edge.port())) {
      client.send(good + request + SMUGGLED);
      assertArrayEquals(large, client.reply(false).body(), name);
      assertOneAnswer(name, text(client.readToEnd()), statuses);
    }
    assertEquals(before, origin.heads().size(), () -> name + ": " + origin.heads().getLast());
  }

  static Stream<Arguments> refusedChunks() {
    return Stream.of(
        Arguments.of("size-0x", "0x2\r\nab\r\n0\r\n\r\n"),
        Arguments.of("size-minus", "-1\r\nab\r\n0\r\n\r\n"),
        Arguments.of("size-plus", "+2\r\nab\r\n0\r\n\r\n"),
        Arguments.of("size-empty", "\r\nab\r\n0\r\n\r\n"),
        Arguments.of("size-leading-blank", " 2\r\nab\r\n0\r\n\r\n"),
        Arguments.of("size-trailing-blank-garbage", "2 x\r\nab\r\n0\r\n\r\n"),
        Arguments.of("size-17-digits", "10000000000000000\r\nab\r\n0\r\n\r\n"),
        Arguments.of("size-wraps-int", "100000002\r\nab\r\n0\r\n\r\n"),
        Arguments.of("size-letter", "g\r\nab\r\n0\r\n\r\n"),
        Arguments.of("size-underscore", "1_0\r\nab\r\n0\r\n\r\n"),
        Arguments.of("size-nul", "2\0\r\nab\r\n0\r\n\r\n"),
        Arguments.of("size-lf-only", "2\nab\r\n0\r\n\r\n"),
        Arguments.of("size-cr-only", "2\rab\r\n0\r\n\r\n"),
        Arguments.of("data-too-long", "2\r\nabc\r\n0\r\n\r\n"),
        Arguments.of("data-no-crlf", "2\r\nab0\r\n\r\n"),
        Arguments.of("data-lf-only", "2\r\nab\n0\r\n\r\n"),
        Arguments.of("extension-cr", "2;a\rb\r\nab\r\n0\r\n\r\n"),
        Arguments.of("extension-lf", "2;a\nb\r\nab\r\n0\r\n\r\n"),
        Arguments.of("extension-quoted-crlf", "2;a=\"\r\n\"\r\nab\r\n0\r\n\r\n"),
        Arguments.of("extension-nul", "2;a\0\r\nab\r\n0\r\n\r\n"),
        Arguments.of("extension-long", "2;" + "a".repeat(2000) + "\r\nab\r\n0\r\n\r\n"),
        Arguments.of("trailer-no-colon", "2\r\nab\r\n0\r\nnonsense\r\n\r\n"),
        Arguments.of("trailer-name-blank", "2\r\nab\r\n0\r\nX : y\r\n\r\n"),
        Arguments.of("trailer-long", "2\r\nab\r\n0\r\nX: " + "y".repeat(100_000) + "\r\n\r\n"));
  }

  /** S2: what was sent on already stays a message without an end; what follows is not looked at. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("refusedChunks")
  void aMalformedChunkedBodyIsRefusedWithTheConnection(String name, String body) throws Exception {
    int before = origin.requests().size();
    int smuggled = origin.count("/smuggled");
    String answer =
        exchangeToEnd(
            "POST /chunks HTTP/1.1\r\n"
                + HOST
                + "Transfer-Encoding: chunked\r\n\r\n"
                + body
                + SMUGGLED);
    assertOneAnswer(name, answer, Set.of(400));
    assertEquals(before, origin.requests().size(), () -> name + ": " + origin.requests().getLast());
    assertEquals(smuggled, origin.count("/smuggled"), name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2\r\nab\r\n0\r\n", "2\r\nab\r\n", "2\r\na", "2", ""})
  void aBodyThatEndsTooEarlyIsNoRequest(String body) throws Exception {
    int before = origin.requests().size();
    try (RawClient client = new RawClient(edge.port())) {
      client.send("POST /early HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\n" + body);
      client.finish();
      String answer = text(client.readToEnd());
      assertTrue(answer.isEmpty() || answer.startsWith("HTTP/1.1 4"), answer);
    }
    assertEquals(before, origin.requests().size(), "no whole request was made of it");
  }

  /** Rows of which only the request is refused; the connection may go on. */
  static Stream<Arguments> refusedRequests() {
    return Stream.of(
        get("no-host", "", 400),
        get("two-hosts", HOST + "Host: other.test\r\n", 400),
        get("two-same-hosts", HOST + HOST, 400),
        get("host-empty", "Host:\r\n", 400),
        get("host-blank-inside", "Host: a b\r\n", 400),
        get("host-path", "Host: a/b\r\n", 400),
        get("host-user", "Host: user@a.test\r\n", 400),
        get("host-port-99999", "Host: a.test:99999\r\n", 400),
        get("host-port-word", "Host: a.test:http\r\n", 400),
        get("host-port-0", "Host: a.test:0\r\n", 400),
        get("host-two-ports", "Host: a.test:80:80\r\n", 400),
        get("host-percent", "Host: a%2etest\r\n", 400),
        get("host-list", "Host: a.test, b.test\r\n", 400),
        get("host-nel", "Host: a.test\u0085\r\n", 400),
        get("host-bad-ipv6", "Host: [::g]\r\n", 400),
        get("host-bad-ipv4", "Host: 1.2.3.256\r\n", 400),
        get("host-long", "Host: " + "a".repeat(300) + ".test\r\n", 400),
        row("connect", "CONNECT h.test:443 HTTP/1.1\r\n" + HOST + "\r\n", 405),
        row("trace", "TRACE /g HTTP/1.1\r\n" + HOST + "\r\n", 405),
        row("purge", "PURGE /large HTTP/1.1\r\n" + HOST + "\r\n", 405),
        row("ban", "BAN /large HTTP/1.1\r\n" + HOST + "\r\n", 405),
        // S7
        row("target-relative", "GET g HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("target-star", "GET * HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("target-percent-cut", "GET /a%2 HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("target-percent-odd", "GET /a%zz HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("target-percent-end", "GET /a% HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("target-raw-utf8", "GET /\u00c3\u00a9 HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("target-control", "GET /a\u0001b HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("target-delete", "GET /a\u007fb HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("target-fragment", "GET /a#b HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("target-other-scheme", "GET ftp://h.test/ HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("target-https-on-plain", "GET https://h.test/ HTTP/1.1\r\n" + HOST + "\r\n", 400, 421),
        row("target-no-authority", "GET http:///x HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("target-user", "GET http://u@h.test/x HTTP/1.1\r\n" + HOST + "\r\n", 400),
        row("target-long", "GET /" + "a".repeat(9_000) + " HTTP/1.1\r\n" + HOST + "\r\n", 414),
        // S28
        get("connection-host", HOST + "Connection: host\r\n", 400),
        get("connection-length", HOST + "Connection: content-length\r\n", 400),
        get("connection-authorization", HOST + "Connection: close, Authorization\r\n", 400),
        get("connection-cache-control", HOST + "Connection: Cache-Control\r\n", 400),
        get("connection-x-forwarded-for", HOST + "Connection: X-Forwarded-For\r\n", 400),
        get("connection-no-token", HOST + "Connection: a b\r\n", 400),
        get("expectation", HOST + "Expect: the-unexpected\r\n", 417),
        get("header-large", HOST + "X: " + "x".repeat(40_000) + "\r\n", 431),
        get("header-many", HOST + "X: y\r\n".repeat(500), 431),
        post("body-large", "Content-Length: 99999999999\r\n", 413));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refusedRequests")
  void isRefusedAndTheOriginSeesNothing(String name, String request, Set<Integer> statuses)
      throws Exception {
    int before = origin.heads().size();
    try (RawClient client = new RawClient(edge.port())) {
      client.send(request);
      Response response = client.reply(false);
      assertTrue(statuses.contains(response.status()), () -> name + ": " + response);
      assertFalse(response.isFromCache(), response::toString);
    }
    assertEquals(before, origin.heads().size(), () -> name + ": " + origin.heads().getLast());
  }

  /**
   * One form for key and origin alike (S7); what is left of the comma goes out as what is right.
   */
  @ParameterizedTest
  @CsvSource({
    "/n/plain, /n/plain",
    "/n/a/%2e%2e/b, /n/b",
    "/n/a/../c, /n/c",
    "/n/a/./d, /n/a/d",
    "/../../n/e, /n/e",
    "/n/a/%2E/f/.., /n/a/",
    "/n/%7Euser, /n/~user",
    "/n/%41%62, /n/Ab",
    "/n/a%2fb, /n/a%2Fb",
    "/n/a%2Fc, /n/a%2Fc",
    "/n/static/..%2faccount, /n/static/..%2Faccount",
    "//n//twice, //n//twice",
    "/n/back\\slash, /n/back%5Cslash",
    "/n/semi;v=1, /n/semi;v=1",
    "/n/nul%00x, /n/nul%00x",
    "/n/lf%0ax, /n/lf%0Ax",
    "/n/question%3fx, /n/question%3Fx",
    "/n/question?x, /n/question?x",
    "/n/query?a=%2e%2e&b=%zz, /n/query?a=%2e%2e&b=%zz",
    "/n/empty?, /n/empty?"
  })
  void everySpellingHasOneForm(String sent, String expected) throws Exception {
    Response response = edge.get(sent, HOST.strip());
    assertEquals(200, response.status(), response::toString);
    assertEquals(expected, response.text());
    Response canonical = edge.get(expected, HOST.strip());
    assertTrue(canonical.isFromCache(), () -> "keyed the same: " + canonical);
    assertEquals(expected, canonical.text());
  }

  @Test
  void aQuestionMarkIsNotItsEncoding() throws Exception {
    edge.get("/q?x", HOST.strip());
    assertFalse(edge.get("/q%3Fx", HOST.strip()).isFromCache());
    edge.get("/slash/x", HOST.strip());
    assertFalse(edge.get("/slash%2Fx", HOST.strip()).isFromCache());
  }

  @Test
  void theTargetsAuthorityWinsAndItsRawFormIsNotSent() throws Exception {
    try (RawClient client = new RawClient(edge.port())) {
      client.send(
          "GET http://Target.Test:80/absolute HTTP/1.1\r\nHost: field.test\r\n"
              + "Connection: close\r\n\r\n");
      assertEquals(200, client.reply(false).status());
    }
    PathOrigin.Request request = origin.requests("/absolute").getFirst();
    assertEquals("target.test", request.field("host"));
    assertEquals("/absolute", request.target());
    assertTrue(edge.get("/absolute", "Host: target.test").isFromCache());
    assertFalse(edge.get("/absolute", "Host: field.test").isFromCache());
  }

  @Test
  void oneEmptyLineBeforeARequestIsForgiven() throws Exception {
    try (RawClient client = new RawClient(edge.port())) {
      String request = "\r\nGET /forgiven HTTP/1.1\r\n" + HOST + "\r\n";
      client.send(request + request);
      assertEquals(200, client.reply(false).status());
      assertEquals(200, client.reply(false).status());
    }
  }

  @Test
  void optionsStarIsAnsweredHere() throws Exception {
    int before = origin.heads().size();
    Response response = RawClient.request(edge.port(), "OPTIONS", "*", "");
    assertTrue(response.status() == 200 || response.status() == 204, response::toString);
    assertEquals(before, origin.heads().size());
  }

  @Test
  void hopByHopFieldsEndHere() throws Exception {
    RawClient.get(
        edge.port(),
        "/hop",
        HOST.strip(),
        "Connection: X-Private, keep-alive",
        "X-Private: secret",
        "Keep-Alive: timeout=5",
        "Proxy-Authorization: Basic eA==",
        "Proxy-Connection: keep-alive",
        "TE: trailers",
        "Upgrade: h2c",
        "HTTP2-Settings: AAMAAABkAAQAAP__",
        "X-Public: seen");
    PathOrigin.Request request = origin.requests("/hop").getFirst();
    assertEquals("seen", request.field("x-public"));
    for (String name :
        List.of(
            "x-private",
            "keep-alive",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "upgrade",
            "http2-settings")) {
      assertEquals("", request.field(name), name);
    }
  }

  /** S29, upwards. */
  @Test
  void trailersOfARequestDoNotBecomeFields() throws Exception {
    try (RawClient client = new RawClient(edge.port())) {
      client.send(
          "POST /trailer HTTP/1.1\r\n"
              + HOST
              + "Transfer-Encoding: chunked\r\nTrailer: Authorization\r\n\r\n"
              + "2\r\nab\r\n0\r\nAuthorization: Basic eA==\r\nHost: evil.test\r\n"
              + "Content-Length: 7\r\n\r\n");
      Response response = client.reply(false);
      assertTrue(response.status() == 200 || response.status() == 400, response::toString);
    }
    for (PathOrigin.Request request : origin.requests("/trailer")) {
      assertEquals("h.test", request.field("host"));
      assertEquals("", request.field("authorization"));
      assertArrayEquals(new byte[] {'a', 'b'}, request.body());
    }
  }

  /** S19: never more than there is, never an error of ours. */
  @ParameterizedTest
  @CsvSource({
    "bytes=9223372036854775807-, 416",
    "bytes=18446744073709551616-, 416",
    "bytes=99999999999999999999999-, 416",
    "bytes=1000000-, 416",
    "bytes=-0, 416",
    "bytes=0-99999999999999999999999, 206",
    "bytes=-99999999999999999999999, 206",
    "bytes=999999-9223372036854775807, 206",
    "bytes=5-1, 200",
    "bytes=, 200",
    "bytes=-, 200",
    "bytes=a-b, 200",
    "bytes=0x0-0x9, 200",
    "bytes=+0-9, 200",
    "bytes=--5, 200",
    "bytes=0-5-9, 200",
    "bytes 0-5, 200",
    "lines=0-5, 200",
    "bytes=0-5\u00a0-, 200",
    "bytes=-1--2, 200"
  })
  void aRangeIsAnsweredWithinTheObjectOrIgnored(String range, int status) throws Exception {
    Response response = edge.get("/large", "Range: " + range);
    assertEquals(status, response.status(), () -> range + ": " + response);
    if (status == 200) {
      assertArrayEquals(large, response.body(), range);
    } else if (status == 206) {
      String[] positions = response.field("content-range").split("[ /-]", -1);
      int first = Integer.parseInt(positions[1]);
      int last = Integer.parseInt(positions[2]);
      assertArrayEquals(Arrays.copyOfRange(large, first, last + 1), response.body(), range);
    } else {
      assertEquals("bytes */1000000", response.field("content-range"), range);
    }
  }

  @Test
  void manyRangesCostNoMoreThanTheObject() throws Exception {
    String many = "0-0," + "5-9,".repeat(999) + "0-999999";
    String overlapping = "0-,".repeat(1000) + "0-";
    for (String ranges : List.of(many, overlapping, "0-1,3-4", "0-0,-1")) {
      Response response = edge.get("/large", "Range: bytes=" + ranges);
      assertTrue(Set.of(200, 206, 416).contains(response.status()), response::toString);
      assertTrue(response.body().length <= large.length + 4096, () -> "no more: " + response);
    }
  }

  @Test
  void rangesCountOnlyForGet() throws Exception {
    assertEquals(200, RawClient.head(edge.port(), "/large", "Range: bytes=0-5").status());
    assertEquals(
        200, RawClient.request(edge.port(), "POST", "/post", "x", "Range: bytes=0-5").status());
    assertTrue(edge.get("/large").isFromCache());
  }

  /** S24: as much as fits into a header, of what lists are made of. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-Forwarded-For",
        "Forwarded",
        "Via",
        "Cache-Control",
        "Accept-Encoding",
        "Range",
        "Cookie",
        "If-None-Match",
        "If-Match",
        "Connection",
        "CDN-Loop",
        "TE",
        "Accept",
        "Pragma"
      })
  void listsOfNothingTakeNoTime(String field) throws Exception {
    for (String filling : List.of(",", ", ", "a,", "\",", "\"\\", "=;", "W/")) {
      String value = filling.repeat(8192 / filling.length());
      long start = System.nanoTime();
      Response response = edge.get("/large", field + ": " + value);
      long millis = (System.nanoTime() - start) / 1_000_000;
      // 508: a CDN-Loop with more members than a request may have been through.
      assertTrue(
          Set.of(200, 400, 412, 416, 508).contains(response.status()),
          () -> field + ": " + response);
      assertTrue(millis < 2_000, () -> field + " " + filling + " took " + millis + " ms");
    }
  }

  @Test
  void listsOfNothingFromTheOriginTakeNoTimeEither() throws Exception {
    for (String field :
        List.of(
            "Cache-Control", "Vary", "Surrogate-Key", "Cache-Tag", "Via", "Connection", "Age")) {
      String path = "/list/" + field.toLowerCase(Locale.ROOT);
      origin.on(
          path,
          exchange ->
              exchange.respond(
                  200,
                  "Cache-Control: max-age=60\r\n" + field + ": " + "a,".repeat(4096) + "\r\n",
                  "listed"));
      for (int i = 0; i < 3; i++) {
        long start = System.nanoTime();
        Response response = edge.get(path);
        long millis = (System.nanoTime() - start) / 1_000_000;
        assertEquals("listed", response.text(), field);
        assertTrue(millis < 2_000, () -> field + " took " + millis + " ms");
      }
    }
  }

  /** S15, its cheapest form: a head, or a body, that never ends. */
  @Tag("full")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "G",
        "GET /slow HTTP/1.1\r\n",
        "GET /slow HTTP/1.1\r\nHost: h.test\r\nX: y",
        "POST /slow HTTP/1.1\r\nHost: h.test\r\nContent-Length: 10\r\n\r\nabc",
        "POST /slow HTTP/1.1\r\nHost: h.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"
      })
  void aRequestThatNeverEndsIsEnded(String begun) throws Exception {
    int before = origin.requests().size();
    try (RawClient client = new RawClient(edge.port())) {
      client.send(begun);
      String answer = text(client.readToEnd());
      assertTrue(answer.isEmpty() || answer.startsWith("HTTP/1.1 408"), answer);
    }
    assertEquals(before, origin.requests().size());
  }

  /** S27: with hosts configured, others are nobody's. */
  @Test
  void anUnknownHostIsNotForwarded() throws Exception {
    EdgeProcess.Settings settings = EdgeProcess.in(directory.resolve("hosts"));
    settings.config(
        """
        origins:
          default: %s
        routes:
          - match: {host: known.test}
          - match: {host: '*.wild.test'}
        """
            .formatted(origin.url()));
    try (EdgeProcess hosts = settings.start()) {
      assertEquals(200, hosts.get("/h", "Host: known.test").status());
      assertEquals(200, hosts.get("/h", "Host: a.wild.test").status());
      int before = origin.heads().size();
      for (String host :
          List.of(
              "unknown.test", "wild.test", "known.test.evil", "127.0.0.1", "[::1]", "localhost")) {
        Response response = hosts.get("/h", "Host: " + host);
        assertTrue(Set.of(404, 421).contains(response.status()), () -> host + ": " + response);
      }
      try (RawClient client = new RawClient(hosts.port())) {
        client.send(
            "GET http://169.254.169.254/latest HTTP/1.1\r\nHost: known.test\r\n"
                + "Connection: close\r\n\r\n");
        assertTrue(Set.of(404, 421).contains(client.reply(false).status()));
      }
      assertEquals(before, origin.heads().size());
    }
  }

  private String exchangeToEnd(String request) throws Exception {
    try (RawClient client = new RawClient(edge.port())) {
      client.send(request);
      return text(client.readToEnd());
    }
  }

  private static void assertOneAnswer(String name, String answer, Set<Integer> statuses) {
    assertTrue(answer.startsWith("HTTP/1.1 "), () -> name + ": " + answer);
    int status = Integer.parseInt(answer.substring(9, 12));
    assertTrue(statuses.contains(status), () -> name + ": " + answer);
    long answers = STATUS_LINE.matcher(answer).results().count();
    assertEquals(1, answers, () -> name + ": more than one: " + answer);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
