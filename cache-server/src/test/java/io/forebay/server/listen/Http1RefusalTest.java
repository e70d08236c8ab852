package io.forebay.server.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.LimitKey;
import io.forebay.server.loop.ListenException;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests that must not reach an exchange, one per row: the status, then a closed connection. */
@Timeout(60)
class Http1RefusalTest {

  private static final String HOST = "Host: a.example\r\n";
  private static final String SMUGGLED = "GET /smuggled HTTP/1.1\r\n" + HOST + "\r\n";

  private ListenFixture server;

  @BeforeEach
  void start() throws ListenException {
    server = new ListenFixture();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  static Stream<Arguments> heads() {
    return Stream.of(
        // S1: Content-Length and Transfer-Encoding
        row(400, "CL and TE", post("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n")),
        row(400, "TE and CL", post("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n")),
        row(
            400,
            "HTTP/1.0 with TE",
            "POST / HTTP/1.0\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\n"),
        row(
            400,
            "HTTP/1.0 with CL and TE",
            "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"),
        row(
            400,
            "HTTP/1.0 with two CL",
            "POST / HTTP/1.0\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n"),
        row(400, "empty coding first", post("Transfer-Encoding: ,chunked\r\n")),
        row(
            400,
            "two TE lines",
            post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")),
        row(
            400,
            "TE identity then chunked lines",
            post("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n")),
        row(400, "xchunked", post("Transfer-Encoding: xchunked\r\n")),
        row(400, "quoted chunked", post("Transfer-Encoding: \"chunked\"\r\n")),
        row(400, "chunked with a parameter", post("Transfer-Encoding: chunked;a=b\r\n")),
        row(400, "chunked not last", post("Transfer-Encoding: chunked, gzip\r\n")),
        row(400, "chunked twice", post("Transfer-Encoding: chunked, chunked\r\n")),
        row(400, "gzip alone", post("Transfer-Encoding: gzip\r\n")),
        row(400, "TE with VT before", post("Transfer-Encoding:\u000bchunked\r\n")),
        row(400, "TE with blank in the name", post("Transfer-Encoding : chunked\r\n")),
        row(501, "gzip, chunked", post("Transfer-Encoding: gzip, chunked\r\n")),
        row(400, "two equal CL", post("Content-Length: 4\r\nContent-Length: 4\r\n")),
        row(400, "two CL", post("Content-Length: 4\r\nContent-Length: 5\r\n")),
        row(400, "CL list", post("Content-Length: 4, 4\r\n")),
        row(400, "CL negative", post("Content-Length: -4\r\n")),
        row(400, "CL with plus", post("Content-Length: +4\r\n")),
        row(400, "CL hex", post("Content-Length: 0x4\r\n")),
        row(400, "CL with blank", post("Content-Length: 4 4\r\n")),
        row(400, "CL beyond any number", post("Content-Length: 99999999999999999999\r\n")),
        row(400, "CL with a folded tail", post("Content-Length: 4\r\n 5\r\n")),
        row(
            400,
            "Sec-WebSocket-Key1 body",
            "GET / HTTP/1.1\r\n" + HOST + "Sec-WebSocket-Key1: a\r\nSec-WebSocket-Key2: b\r\n\r\n"),
        // S3: names and values
        row(400, "empty name", get(": x\r\n")),
        row(400, "blank before colon", get("X : y\r\n")),
        row(400, "tab before colon", get("X\t: y\r\n")),
        row(400, "empty CL", post("Content-Length:\r\n")),
        row(400, "NUL in value", get("X: a\u0000b\r\n")),
        row(400, "CR in value", get("X: a\rb\r\n")),
        row(400, "DEL in value", get("X: a\u007fb\r\n")),
        row(400, "ESC in value", get("X: \u001b[1m\r\n")),
        row(400, "0x85 around value", get("X: \u0085a\r\n")),
        row(400, "0xA0 around value", get("X: a\u00a0\r\n")),
        row(400, "0xA0 around chunked", post("Transfer-Encoding: \u00a0chunked\r\n")),
        row(400, "no colon", get("X\r\n")),
        row(400, "non-ASCII name", get("\u00e9: y\r\n")),
        row(400, "name with a slash", get("a/b: y\r\n")),
        row(400, "folded line", get("X: a\r\n b\r\n")),
        row(400, "folded with tab", get("X: a\r\n\tb\r\n")),
        row(400, "blank before the first field", "GET / HTTP/1.1\r\n " + HOST + "\r\n"),
        row(400, "bare LF", "GET / HTTP/1.1\n" + HOST + "\r\n"),
        row(400, "bare LF in fields", "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n"),
        row(400, "bare LF at the end", "GET / HTTP/1.1\r\n" + HOST + "\n"),
        // Host
        row(400, "no Host", "GET / HTTP/1.1\r\n\r\n"),
        row(400, "two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n"),
        row(400, "empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
        row(400, "Host with a blank", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"),
        row(400, "Host with a slash", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        row(400, "Host with user information", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"),
        row(400, "Host with a bad port", "GET / HTTP/1.1\r\nHost: a:99999\r\n\r\n"),
        row(400, "absolute form without Host", "GET http://a/ HTTP/1.1\r\n\r\n"),
        // S4: before the request
        row(400, "NUL first", "\u0000" + get("")),
        row(400, "SOH first", "\u0001" + get("")),
        row(400, "blank first", " " + get("")),
        row(400, "tab first", "\t" + get("")),
        row(400, "two empty lines first", "\r\n\r\n" + get("")),
        row(400, "an LF alone first", "\n" + get("")),
        row(400, "a CR alone first", "\r" + get("")),
        row(400, "a CR alone behind an empty line", "\r\n\r" + get("")),
        row(400, "blank line with a blank", "\r\n \r\n" + get("")),
        // the request line
        row(505, "HTTP/9.9", "GET / HTTP/9.9\r\n" + HOST + "\r\n"),
        row(505, "HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        row(400, "HTTP/1.10", "GET / HTTP/1.10\r\n" + HOST + "\r\n"),
        row(400, "lower-case version", "GET / http/1.1\r\n" + HOST + "\r\n"),
        row(400, "no version", "GET /\r\n\r\n"),
        row(400, "two blanks", "GET  / HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "two blanks later", "GET /  HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "VT before the target", "GET \u000b/ HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "FF behind the target", "GET /\f HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "tab behind the method", "GET\t / HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "CR before the target", "GET \r/ HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "blank in the target", "GET /a b HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "tab between", "GET\t/ HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "CR between", "GET\r/ HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "blank at the end", "GET / HTTP/1.1 \r\n" + HOST + "\r\n"),
        row(400, "method no token", "G@T / HTTP/1.1\r\n" + HOST + "\r\n"),
        // S7: targets
        row(400, "control byte in target", "GET /\u0001 HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "NUL in target", "GET /\u0000 HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "DEL in target", "GET /\u007f HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "non-ASCII in target", "GET /\u00e9 HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "non-ASCII in query", "GET /?\u00e9 HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "tab in target", "GET /a\tb HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "fragment", "GET /#a HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "no slash", "GET a HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "GET *", "GET * HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "bad percent", "GET /%zz HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "cut percent", "GET /a%4 HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "ftp scheme", "GET ftp://a/ HTTP/1.1\r\n" + HOST + "\r\n"),
        row(400, "absolute form without host", "GET http:///x HTTP/1.1\r\n" + HOST + "\r\n"),
        row(421, "https over http", "GET https://a/ HTTP/1.1\r\n" + HOST + "\r\n"),
        row(414, "long target", "GET /" + "x".repeat(5000) + " HTTP/1.1\r\n" + HOST + "\r\n"),
        // S26, S27: methods
        row(405, "CONNECT", "CONNECT a:443 HTTP/1.1\r\n" + HOST + "\r\n"),
        row(405, "TRACE", "TRACE / HTTP/1.1\r\n" + HOST + "\r\n"),
        row(405, "PURGE", "PURGE / HTTP/1.1\r\n" + HOST + "\r\n"),
        row(405, "BAN", "BAN / HTTP/1.1\r\n" + HOST + "\r\n"),
        // S28: Connection
        row(400, "Connection: host", get("Connection: host\r\n")),
        row(400, "Connection: content-length", get("Connection: close, content-length\r\n")),
        row(400, "Connection: authorization", get("Connection: Authorization\r\n")),
        row(
            400,
            "Connection: cache-control",
            get("Connection: keep-alive\r\nConnection: cache-control\r\n")),
        row(400, "Connection: no token", get("Connection: a b\r\n")),
        // limits and expectations
        row(431, "too many fields", get("X: y\r\n".repeat(101))),
        row(431, "too large a field", get("X: " + "y".repeat(20_000) + "\r\n")),
        row(413, "too large a body", post("Content-Length: 2000000\r\n")),
        row(417, "another expectation", post("Content-Length: 1\r\nExpect: 200-ok\r\n")));
  }

  private static String get(String fields) {
    return "GET / HTTP/1.1\r\n" + HOST + fields + "\r\n";
  }

  private static String post(String fields) {
    return "POST / HTTP/1.1\r\n" + HOST + fields + "\r\n";
  }

  private static Arguments row(int status, String name, String request) {
    return Arguments.of(status, name, request);
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("heads")
  void refusesAndCloses(int status, String name, String request) throws IOException {
    try (RawClient client = server.connect()) {
      client.sendLeniently(request + SMUGGLED);
      assertRefused(status, client);
    }
    assertEquals(List.of(), server.exchanges.started, name);
    assertEquals(1, server.counters().requestsRefused);
  }

  @ParameterizedTest(name = "{0} {1}, second in a pipeline, byte by byte")
  @MethodSource("heads")
  void refusesTheSecondByteByByte(int status, String name, String request) throws IOException {
    if (request.length() > 4000) {
      return;
    }
    try (RawClient client = server.connect()) {
      client.send("GET /first HTTP/1.1\r\n" + HOST + "\r\n");
      for (int i = 0; i < request.length(); i++) {
        client.sendLeniently(request.substring(i, i + 1));
      }
      client.sendLeniently(SMUGGLED);
      assertEquals("first", client.reply().text());
      assertRefused(status, client);
    }
    assertEquals(List.of("GET /first"), server.exchanges.started, name);
  }

  private static void assertRefused(int status, RawClient client) throws IOException {
    RawClient.Response response = client.reply();
    assertEquals(status, response.status(), response.text());
    assertEquals("close", response.field("connection"));
    assertEquals("text/plain; charset=utf-8", response.field("content-type"));
    assertTrue(response.has("date"));
    assertTrue(response.text().startsWith(status + " "), response.text());
    assertEquals(1, response.text().lines().count());
    assertEquals(status == 405, response.has("allow"));
    assertTrue(client.isClosedByPeer());
  }

  static Stream<Arguments> bodies() {
    return Stream.of(
        row(400, "0x", "0x2\r\nab\r\n0\r\n\r\n"),
        row(400, "minus", "-1\r\nab\r\n0\r\n\r\n"),
        row(400, "plus", "+2\r\nab\r\n0\r\n\r\n"),
        row(400, "empty size", "\r\nab\r\n0\r\n\r\n"),
        row(400, "extension without size", ";a=b\r\nab\r\n0\r\n\r\n"),
        row(400, "leading blank", " 2\r\nab\r\n0\r\n\r\n"),
        row(400, "trailing blank", "2 \r\nab\r\n0\r\n\r\n"),
        row(400, "17 digits", "10000000000000002\r\nab\r\n0\r\n\r\n"),
        row(400, "size beyond an int", "80000000\r\nab\r\n0\r\n\r\n"),
        row(400, "LF after the size", "2\nab\r\n0\r\n\r\n"),
        row(400, "LF after the chunk", "2\r\nab\n0\r\n\r\n"),
        row(400, "chunk longer than its size", "2\r\nabc\r\n0\r\n\r\n"),
        row(400, "LF in an extension", "2;a=\"\n\"\r\nab\r\n0\r\n\r\n"),
        row(400, "CR in an extension", "2;a=b\rc\r\nab\r\n0\r\n\r\n"),
        row(400, "quoted CRLF in an extension", "2;a=\"\r\n\"\r\nab\r\n0\r\n\r\n"),
        row(400, "long extension", "2;a=" + "x".repeat(1100) + "\r\nab\r\n0\r\n\r\n"),
        row(400, "endless extension", "2;a=" + "x".repeat(3000)),
        row(400, "zeros without end", "0".repeat(3000)),
        row(400, "request line as trailer", "2\r\nab\r\n0\r\nGET /x HTTP/1.1\r\n\r\n"),
        row(
            400,
            "request line with a colon as trailer",
            "2\r\nab\r\n0\r\nGET http://a/ HTTP/1.1\r\n\r\n"),
        row(400, "folded trailer", "2\r\nab\r\n0\r\nX: a\r\n b\r\n\r\n"),
        row(400, "CR in a trailer", "2\r\nab\r\n0\r\nX: a\rb\r\n\r\n"),
        row(400, "CR in a trailer of framing", "2\r\nab\r\n0\r\nTrailer: a\rb\r\n\r\n"),
        row(400, "NUL in a trailer of framing", "2\r\nab\r\n0\r\nTrailer: a\0\r\n\r\n"),
        row(400, "long trailers", "2\r\nab\r\n0\r\n" + "X: y\r\n".repeat(300) + "\r\n"));
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("bodies")
  void refusesMalformedChunks(int status, String name, String body) throws IOException {
    try (RawClient client = server.connect()) {
      client.send(
          "POST /slow-body HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\n" + body);
      server.release();
      client.sendLeniently(SMUGGLED);
      assertRefused(status, client);
      assertEquals(1, server.exchanges.bodyFailures.size());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    assertEquals(List.of("POST /slow-body"), server.exchanges.started, name);
    assertEquals(List.of("/slow-body"), List.copyOf(server.exchanges.closed));
  }

  @ParameterizedTest(name = "{1}, byte by byte")
  @MethodSource("bodies")
  void refusesMalformedChunksByteByByte(int status, String name, String body) throws IOException {
    try (RawClient client = server.connect()) {
      client.send("POST /slow-body HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\n");
      server.release();
      for (int i = 0; i < body.length(); i++) {
        client.sendLeniently(body.substring(i, i + 1));
      }
      client.sendLeniently(SMUGGLED);
      assertRefused(status, client);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    assertEquals(List.of("POST /slow-body"), server.exchanges.started, name);
  }

  @Test
  void aChunkedBodyBeyondTheBoundIsRefusedWhereItIsPassed()
      throws IOException, InterruptedException {
    try (RawClient client = server.connect()) {
      client.send("POST /slow-body HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\n");
      server.release();
      String chunk = "10000\r\n" + "x".repeat(65_536) + "\r\n";
      for (int i = 0; i < 17; i++) {
        client.sendLeniently(chunk);
      }
      assertRefused(413, client);
    }
    assertEquals(1, server.counters().limitsHit());
  }

  @Test
  void trailersAreDropped() throws IOException {
    try (RawClient client = server.connect()) {
      client.send(
          "POST /echo HTTP/1.1\r\n"
              + HOST
              + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nHost: evil\r\n"
              + "Authorization: x\r\nContent-Length: 7\r\n\r\n");
      RawClient.Response response = client.reply();
      assertEquals("ab", response.text());
      assertFalse(String.join("\n", response.lines()).contains("evil"));
      assertEquals("hello", client.get("/hello").text());
    }
  }

  @Test
  void oneEmptyLineBeforeARequestIsTaken() throws IOException {
    try (RawClient client = server.connect()) {
      assertEquals("a", client.send("\r\n").get("/a").text());
      assertEquals("b", client.send("\r\n").get("/b").text());
    }
  }

  @Test
  void aRefusalOfHeadHasNoBody() throws IOException {
    try (RawClient client = server.connect()) {
      client.send("HEAD / HTTP/1.1\r\nHost: a b\r\n\r\n");
      assertEquals(400, client.reply(true).status());
      assertTrue(client.isClosedByPeer());
    }
  }

  @Test
  void theReasonIsReadThoughTheClientIsStillSending() throws IOException {
    try (RawClient client = server.connect()) {
      client.send("POST / HTTP/1.1\r\n" + HOST + "Content-Length: 2000000\r\n\r\n");
      client.sendLeniently("x".repeat(2_000_000));
      assertEquals(413, client.reply().status());
      assertTrue(client.isClosedByPeer());
    }
  }

  @Test
  void connectionsBeyondTheCapAreTurnedAway() throws IOException, ListenException {
    server.close();
    var two =
        new io.forebay.server.config.ServerConfig.LimitsConfig(
            16 * 1024,
            100,
            4096,
            1 << 20,
            2,
            1000,
            100,
            100,
            100,
            100,
            0,
            1 << 20,
            ListenFixture.LIMITS.client());
    server = new ListenFixture(two, ListenFixture.TIMEOUTS);
    try (RawClient a = server.connect();
        RawClient b = server.connect()) {
      assertEquals("a", a.get("/a").text());
      assertEquals("b", b.get("/b").text());
      try (RawClient c = server.connect()) {
        RawClient.Response answer = c.reply();
        assertEquals(503, answer.status());
        assertEquals("5", answer.field("retry-after"));
        assertTrue(c.isClosedByPeer());
      }
      assertEquals(1, server.counters().connectionsRefused);
      assertEquals(1, server.counters().hits(LimitKey.CONNECTIONS));
      assertEquals("a", a.get("/a").text());
      assertEquals(2, server.listeners.connections());
    }
  }
}
