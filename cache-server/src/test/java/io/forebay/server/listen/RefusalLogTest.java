package io.forebay.server.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.Http3Config;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.AccessLogConfig;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.ClientLimits;
import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.TimeoutsConfig;
import io.forebay.server.loop.ListenException;
import io.forebay.testing.Certificates;
import io.forebay.testing.Http2Client;
import io.forebay.testing.Http3Client;
import io.forebay.testing.RawClient;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http3.Http3Headers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Local replies of the listener appear in the access log like any other response. */
@Timeout(60)
@Tag("slow")
class RefusalLogTest {

  private static final LimitsConfig LIMITS =
      new LimitsConfig(
          1024,
          10,
          300,
          100,
          1000,
          1000,
          100,
          100,
          100,
          100,
          0,
          1 << 20,
          new ClientLimits(0, 0, 0, 0));
  private static final TimeoutsConfig TIMEOUTS =
      new TimeoutsConfig(
          Duration.ofSeconds(5),
          Duration.ofMillis(500),
          Duration.ofMillis(500),
          Duration.ofSeconds(60),
          Duration.ofSeconds(30),
          Duration.ofSeconds(5),
          Duration.ofDays(1));

  @TempDir static Path certificates;
  private static Certificates tls;

  @TempDir private Path directory;
  private Path log;
  private ListenFixture server;
  private boolean isClosed;

  @BeforeAll
  static void makeCertificate() throws Exception {
    tls = Certificates.in(certificates);
    tls.ecdsa("server", "localhost", "127.0.0.1");
  }

  @BeforeEach
  void start() throws ListenException {
    log = directory.resolve("access.log");
    ServerConfig c =
        ListenFixture.config(
            LIMITS,
            TIMEOUTS,
            "auto",
            1,
            new Http3Config(List.of("tls"), 64, Duration.ofHours(1), 0),
            ListenFixture.plain(0),
            new ListenerConfig(
                "tls", new Address("127.0.0.1", 0), tls.pem("server"), tls.key("server")));
    server =
        new ListenFixture(
            new ServerConfig(
                c.listeners(),
                c.admin(),
                c.threads(),
                c.store(),
                c.stores(),
                c.origins(),
                c.routes(),
                c.limits(),
                c.timeouts(),
                c.tunnels(),
                c.forwarding(),
                new AccessLogConfig(log.toString(), 64),
                c.http2(),
                c.overload(),
                c.tls(),
                c.http3(),
                c.purge(),
                c.storageClasses(),
                c.protections(),
                c.matchers(),
                c.ruleSets(),
                c.errorPages(),
                c.debug(),
                c.splits(),
                c.geo(),
                c.compression(),
                c.plugins(),
                c.cluster(),
                c.audit()));
  }

  @AfterEach
  void stop() {
    if (!isClosed) {
      server.close();
    }
  }

  /** The lines of the log once the server has ended: all of them, and no more will come. */
  private List<JsonNode> lines() throws Exception {
    server.close();
    isClosed = true;
    return Files.readAllLines(log).stream().map(JsonMapper.shared()::readTree).toList();
  }

  private static String text(JsonNode line, String field) {
    JsonNode value = line.get(field);
    return value == null ? "absent" : value.asString();
  }

  private static final String HOST = "Host: a.example\r\n";

  static Stream<Arguments> requests() {
    return Stream.of(
        row("GET /a?b=1 HTTP/1.1\r\n\r\n", 400, "GET", "/a?b=1", "HTTP/1.1", "Host is missing"),
        row("GET /a HTTP/1.0\r\nX : 1\r\n\r\n", 400, "GET", "/a", "HTTP/1.0", "field name"),
        row("PURGE /a HTTP/1.1\r\n" + HOST + "\r\n", 405, "PURGE", "/a", "HTTP/1.1", "method"),
        row(
            "GET /" + "x".repeat(310) + " HTTP/1.1\r\n" + HOST + "\r\n",
            414,
            "GET",
            "/" + "x".repeat(310),
            "HTTP/1.1",
            "too long"),
        row("GET /" + "x".repeat(900) + " HTTP/1.1\r\n", 414, "", "", "HTTP/1.1", "too long"),
        row(
            "GET /a HTTP/1.1\r\n" + HOST + "X: 1\r\n".repeat(10) + "\r\n",
            431,
            "GET",
            "/a",
            "HTTP/1.1",
            "too many"),
        row(
            "GET /a HTTP/1.1\r\n" + HOST + "X: " + "x".repeat(1100) + "\r\n\r\n",
            431,
            "GET",
            "/a",
            "HTTP/1.1",
            "too large"),
        row(
            "POST /a HTTP/1.1\r\n" + HOST + "Content-Length: 101\r\n\r\n",
            413,
            "POST",
            "/a",
            "HTTP/1.1",
            "larger"),
        row(
            "GET /a HTTP/1.1\r\n" + HOST + "X: a\r\n b\r\n\r\n",
            400,
            "GET",
            "/a",
            "HTTP/1.1",
            "folded"),
        row("\u0016\u0003\u0001\r\n\r\n", 400, "", "", "HTTP/1.1", "request line"),
        row("GET /a HTTP/1.1\r\nHost:", 408, "GET", "/a", "HTTP/1.1", "in time"),
        row("GE", 408, "", "", "HTTP/1.1", "in time"),
        row(
            "GET /\"\\%zz HTTP/1.1\r\n" + HOST + "\r\n",
            400,
            "GET",
            "/\"\\%zz",
            "HTTP/1.1",
            "target"));
  }

  private static Arguments row(
      String sent, int status, String method, String target, String protocol, String reason) {
    return Arguments.of(sent, status, method, target, protocol, reason);
  }

  @ParameterizedTest
  @MethodSource("requests")
  void aRefusedRequestIsOneLine(
      String sent, int status, String method, String target, String protocol, String reason)
      throws Exception {
    String body;
    try (RawClient client = server.connect()) {
      RawClient.Response response = client.send(sent).reply();
      assertEquals(status, response.status());
      body = response.text();
    }
    List<JsonNode> lines = lines();
    assertEquals(1, lines.size());
    JsonNode line = lines.getFirst();
    assertEquals(status, line.get("status").asInt());
    assertEquals("127.0.0.1", text(line, "client"));
    assertEquals(method, text(line, "method"));
    assertEquals(target, text(line, "target"));
    assertEquals(protocol, text(line, "protocol"));
    assertEquals("http", text(line, "scheme"));
    assertEquals("refused", text(line, "cache"));
    assertEquals(body.length(), line.get("bytes").asInt());
    assertTrue(text(line, "reason").contains(reason), text(line, "reason"));
    assertFalse(line.has("abort"));
  }

  @Test
  void nothingOfAnEarlierRequestStandsInTheLine() throws Exception {
    try (RawClient client = server.connect()) {
      assertEquals("hello", client.get("/hello").text());
      assertEquals(400, client.send("\u0001\r\n\r\n").reply().status());
    }
    JsonNode line = lines().getFirst();
    assertEquals("", text(line, "method"));
    assertEquals("", text(line, "host"));
    assertEquals("", text(line, "target"));
  }

  @Test
  void aLongMethodIsCutShort() throws Exception {
    try (RawClient client = server.connect()) {
      String method = "M".repeat(200);
      assertEquals(400, client.send(method + " a HTTP/1.1\r\n" + HOST + "\r\n").reply().status());
    }
    assertEquals("M".repeat(128), text(lines().getFirst(), "method"));
  }

  @Test
  void whatIsAnsweredForTheServerItselfIsOneLine() throws Exception {
    try (RawClient client = server.connect()) {
      assertEquals(204, client.send("OPTIONS * HTTP/1.1\r\n" + HOST + "\r\n").reply().status());
    }
    JsonNode line = lines().getFirst();
    assertEquals("OPTIONS *", text(line, "method") + " " + text(line, "target"));
    assertEquals("synthetic", text(line, "cache"));
  }

  private Http2Client connect2() throws Exception {
    return new Http2Client(server.listeners.bound().get(1).port(), tls.pem("server"), 65_535);
  }

  private JsonNode only() throws Exception {
    List<JsonNode> lines = lines();
    assertEquals(1, lines.size());
    assertEquals("HTTP/2", text(lines.getFirst(), "protocol"));
    assertEquals("https", text(lines.getFirst(), "scheme"));
    return lines.getFirst();
  }

  @Test
  void aRefusedRequestOfHttp2IsOneLine() throws Exception {
    try (Http2Client client = connect2()) {
      Http2Headers purge = Http2Client.request("PURGE", "/a?b");
      assertEquals("405", client.get(purge).head().status().toString());
    }
    JsonNode line = only();
    assertEquals(405, line.get("status").asInt());
    assertEquals("PURGE /a?b", text(line, "method") + " " + text(line, "target"));
    assertEquals("a.example", text(line, "host"));
    assertEquals("refused", text(line, "cache"));
    assertFalse(line.has("abort"));
  }

  @Test
  void aMalformedRequestOfHttp2IsOneLineThatTellsOfTheReset() throws Exception {
    try (Http2Client client = connect2()) {
      Http2Headers request = Http2Client.get("/a").add("x", "a\u0001b");
      assertEquals("reset PROTOCOL_ERROR", client.get(request).end());
    }
    JsonNode line = only();
    assertEquals(400, line.get("status").asInt());
    assertEquals("PROTOCOL_ERROR", text(line, "abort"));
    assertEquals(0, line.get("bytes").asInt());
    assertEquals(1, server.counters().requestsRefused);
  }

  @Test
  void aRequestOfHttp2WithoutAPathIsOneLine() throws Exception {
    try (Http2Client client = connect2()) {
      Http2Headers request = Http2Client.get("/a");
      request.remove(":path");
      assertEquals("reset PROTOCOL_ERROR", client.get(request).end());
    }
    JsonNode line = only();
    assertEquals("GET", text(line, "method"));
    assertEquals("", text(line, "target"));
  }

  @Test
  void fieldsOfHttp2ThatAreTooManyAreOneLine() throws Exception {
    try (Http2Client client = connect2()) {
      Http2Headers request = Http2Client.get("/a");
      for (int i = 0; i < 11; i++) {
        request.add("x-" + i, "1");
      }
      assertEquals("431", client.get(request).head().status().toString());
    }
    assertEquals(431, only().get("status").asInt());
  }

  @Test
  void fieldsOfHttp2ThatTheCodecFindsTooLargeAreCountedAndOneLine() throws Exception {
    try (Http2Client client = connect2()) {
      // Above the bound, but within the quarter beyond it that does not end the connection.
      Http2Headers request = Http2Client.get("/a").add("x", "y".repeat(900));
      assertEquals("431", client.get(request).head().status().toString());
    }
    assertEquals(431, only().get("status").asInt());
    assertEquals(1, server.counters().requestsRefused);
    assertEquals(1, server.counters().limitsHit());
  }

  private Http3Client connect3() throws Exception {
    return new Http3Client(server.listeners.bound().get(1).port(), tls.pem("server"));
  }

  private JsonNode onlyOfHttp3() throws Exception {
    List<JsonNode> lines = lines();
    assertEquals(1, lines.size(), lines.toString());
    JsonNode line = lines.getFirst();
    assertEquals("HTTP/3", text(line, "protocol"));
    assertEquals("https", text(line, "scheme"));
    assertEquals("TLSv1.3", text(line, "tls"));
    assertEquals("refused", text(line, "cache"));
    return line;
  }

  @Test
  void aRefusedRequestOfHttp3IsOneLine() throws Exception {
    try (Http3Client client = connect3()) {
      assertEquals("405", client.open(Http3Client.request("PURGE", "/a?b"), true).status());
    }
    JsonNode line = onlyOfHttp3();
    assertEquals(405, line.get("status").asInt());
    assertEquals("PURGE /a?b", text(line, "method") + " " + text(line, "target"));
    assertEquals("a.example", text(line, "host"));
    assertFalse(line.has("abort"));
  }

  @Test
  void aMalformedRequestOfHttp3IsOneLineThatTellsOfTheReset() throws Exception {
    try (Http3Client client = connect3()) {
      Http3Headers request = Http3Client.request("GET", "/a").add("x", "a\u0001b");
      assertEquals("reset H3_MESSAGE_ERROR", client.open(request, true).end());
    }
    JsonNode line = onlyOfHttp3();
    assertEquals(400, line.get("status").asInt());
    assertEquals("H3_MESSAGE_ERROR", text(line, "abort"));
    assertEquals(0, line.get("bytes").asInt());
    assertEquals(1, server.counters().requestsRefused);
  }
}
