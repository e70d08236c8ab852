package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.TestOrigin.Answer;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.Certificates;
import io.forebay.testing.Http2Client;
import io.forebay.testing.RawHttp2;
import io.forebay.testing.RawHttp2.Frame;
import io.forebay.testing.RawHttp2.Message;
import io.forebay.testing.ScriptedOrigin;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams of HTTP/2 that become tunnels to origins of HTTP/1.1 (RFC 8441). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
final class ServerStreamTunnelTest {

  private static final String H2C = "  - {name: h2c, address: \"127.0.0.1:0\", h2c: true}\n";
  private static final int ENABLE_CONNECT_PROTOCOL = 8;
  private static final int MIB = 1 << 20;
  private static final String CLIENTS_KEY = "dGhlIHNhbXBsZSBub25jZQ==";

  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    edge = Edge.start(directory, "32MiB", config(""));
  }

  private String config(String more) {
    return H2C
        + Edge.origins(origin.url())
        + "routes:\n"
        + "  - {name: all, origin: main, upgrade: [websocket, chat/2]}\n"
        + "  - {name: http, match: {path: /http/}, origin: main}\n"
        + more;
  }

  @AfterAll
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  // ---- what origins and clients say

  private void accept(String path, Answer then) {
    WebSocketOrigin.accept(origin, path, then);
  }

  private RawHttp2 connect() throws IOException {
    return new RawHttp2(edge.port("h2c"));
  }

  private static RawHttp2 ask(RawHttp2 client, int stream, String path, String... more) {
    String[] fields = new String[4 + more.length];
    fields[0] = ":protocol";
    fields[1] = "websocket";
    fields[2] = "sec-websocket-version";
    fields[3] = "13";
    System.arraycopy(more, 0, fields, 4, more.length);
    return client.frame(
        RawHttp2.HEADERS, RawHttp2.END_HEADERS, stream, RawHttp2.block("CONNECT", path, fields));
  }

  private static void assertOpen(RawHttp2 client) {
    Message head = client.response();
    assertEquals("200", head.field(":status"), () -> head.fields().toString());
  }

  private static Http2Headers tunnelRequest(String path) {
    return Http2Client.request("CONNECT", path)
        .add(":protocol", "websocket")
        .add("sec-websocket-version", "13");
  }

  private static String text(RawHttp2 client, int stream, int length) {
    StringBuilder text = new StringBuilder();
    while (text.length() < length) {
      Frame frame = client.await(RawHttp2.DATA);
      if (frame.stream() == stream) {
        text.append(text(frame.payload()));
      }
    }
    return text.toString();
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static @Nullable Integer announced(RawHttp2 client) {
    ByteBuffer settings = ByteBuffer.wrap(client.await(RawHttp2.SETTINGS).payload());
    while (settings.hasRemaining()) {
      int id = settings.getShort();
      int value = settings.getInt();
      if (id == ENABLE_CONNECT_PROTOCOL) {
        return value;
      }
    }
    return null;
  }

  // ---- opening

  @Test
  void bytesGoBothWaysOnTheStream() throws Exception {
    origin.on(
        "/both",
        (request, connection) -> {
          assertEquals("GET", request.method());
          assertEquals("upgrade", request.field("connection"));
          assertEquals("websocket", request.field("upgrade"));
          assertEquals("13", request.field("sec-websocket-version"));
          assertEquals("chat, superchat", request.field("sec-websocket-protocol"));
          assertEquals("permessage-deflate", request.field("sec-websocket-extensions"));
          assertEquals("https://a.example", request.field("origin"));
          assertEquals(16, Base64.getDecoder().decode(request.field("sec-websocket-key")).length);
          assertNotEquals(CLIENTS_KEY, request.field("sec-websocket-key"));
          assertEquals("2 edge", request.field("via"));
          connection.send(
              WebSocketOrigin.accepted(
                      request,
                      "sec-websocket-protocol: chat\r\n",
                      "sec-websocket-extensions: permessage-deflate\r\n")
                  + "hello");
          assertEquals("GET /", text(connection.bytes(5)));
          connection.send(connection.bytes(4));
          connection.awaitClose();
          connection.send("bye");
          connection.close();
        });
    long opened = edge.sum(c -> c.tunnelsOpened);
    try (RawHttp2 client = connect()) {
      assertEquals(1, announced(client));
      // What comes before the answer goes the same way, and is no request.
      ask(
              client,
              1,
              "/both",
              "sec-websocket-protocol",
              "chat, superchat",
              "sec-websocket-extensions",
              "permessage-deflate",
              "sec-websocket-key",
              CLIENTS_KEY,
              "origin",
              "https://a.example")
          .data(1, false, "GET /")
          .flush();
      Message head = client.response();
      assertEquals("200", head.field(":status"));
      assertEquals("chat", head.field("sec-websocket-protocol"));
      assertEquals("permessage-deflate", head.field("sec-websocket-extensions"));
      for (String none :
          List.of("sec-websocket-accept", "connection", "upgrade", "content-length")) {
        assertNull(head.fields().get(none), none);
      }
      assertEquals("hello", text(client, 1, 5));
      client.data(1, false, "ping").flush();
      assertEquals("ping", text(client, 1, 4));
      edge.awaitSum(1, c -> c.tunnelsOpen);
      client.data(1, true, "").flush();
      assertEquals("bye", text(client, 1, 3));
      assertEquals("end", client.endOf(1));
      edge.awaitSum(0, c -> c.tunnelsOpen);
      // The connection goes on.
      origin.on("/after", TestOrigin.ok("", TestOrigin.ascii("a")));
      client.get(3, "/after").flush();
      assertEquals("200", client.response().field(":status"));
    }
    edge.awaitSum(opened + 1, c -> c.tunnelsOpened);
  }

  @Test
  void otherProtocolsOfTheRouteGoWithoutAKey() throws Exception {
    WebSocketOrigin.acceptChat(origin);
    try (RawHttp2 client = connect()) {
      client
          .frame(
              RawHttp2.HEADERS,
              RawHttp2.END_HEADERS,
              1,
              RawHttp2.block("CONNECT", "/chat", ":protocol", "chat/2"))
          .data(1, true, "hi")
          .flush();
      assertOpen(client);
      assertEquals("hi", text(client, 1, 2));
      assertEquals("end", client.endOf(1));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {302, 401, 426, 503})
  void anotherStatusPassesAsItIs(int status) throws Exception {
    String path = "/refused/" + status;
    origin.on(
        path,
        (request, connection) ->
            connection.send("HTTP/1.1 " + status + " No\r\ncontent-length: 2\r\n\r\nno"));
    try (RawHttp2 client = connect()) {
      ask(client, 1, path).data(1, false, "GET /secret HTTP/1.1\r\n\r\n").flush();
      assertEquals(String.valueOf(status), client.response().field(":status"));
      assertEquals("no", text(client, 1, 2));
    }
    assertEquals(0, origin.count("/secret"));
    edge.awaitSum(0, c -> c.tunnelsOpen);
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 204})
  void aSuccessThatIsNoTunnelIsNotTakenForOne(int status) throws Exception {
    String path = "/plain/" + status;
    origin.on(
        path,
        (request, connection) ->
            connection.send(
                "HTTP/1.1 "
                    + status
                    + " OK\r\n"
                    + (status == 204 ? "\r\n" : "content-length: 2\r\n\r\nok")));
    try (RawHttp2 client = connect()) {
      ask(client, 1, path).flush();
      Message head = client.response();
      assertEquals("502", head.field(":status"));
      assertEquals("edge; error=http_upgrade_failed", head.field("proxy-status"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "connection: upgrade\r\nupgrade: h2c\r\n",
        "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: wrong\r\n",
        "connection: upgrade\r\nupgrade: websocket\r\n"
            + "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n",
        "connection: upgrade\r\nupgrade: websocket\r\n"
      })
  void a101WithoutProofIsBroken(String fields) throws Exception {
    origin.on(
        "/broken",
        (request, connection) ->
            connection.send("HTTP/1.1 101 Switching Protocols\r\n" + fields + "\r\nraw"));
    try (RawHttp2 client = connect()) {
      // The key that the client knows the answer to is not the one that is sent.
      ask(client, 1, "/broken", "sec-websocket-key", CLIENTS_KEY).flush();
      Message head = client.response();
      assertEquals("502", head.field(":status"));
      assertEquals("edge; error=http_upgrade_failed", head.field("proxy-status"));
    }
  }

  @Test
  void whatTheRouteDoesNotAllowIsRefusedAndNotServedFromTheCache() throws Exception {
    origin.on("/http/a", TestOrigin.ok("cache-control: max-age=100\r\n", TestOrigin.ascii("a")));
    try (RawHttp2 client = connect()) {
      client.get(1, "/http/a").flush();
      assertEquals("200", client.response().field(":status"));
      ask(client, 3, "/http/a").flush();
      Message head = client.response();
      assertEquals("501", head.field(":status"));
      assertEquals(3, head.stream());
      // A version that is not 13 is no offer that could be checked.
      client
          .frame(
              RawHttp2.HEADERS,
              RawHttp2.END_HEADERS,
              5,
              RawHttp2.block(
                  "CONNECT", "/both", ":protocol", "websocket", "sec-websocket-version", "12"))
          .flush();
      assertEquals("501", client.response().field(":status"));
    }
    assertEquals(1, origin.count("/http/a"));
  }

  @Test
  void withoutARouteThatAllowsItNothingIsAnnouncedAndItIsMalformed(@TempDir Path other)
      throws Exception {
    String none = H2C + Edge.origins(origin.url()) + "routes:\n  - {name: all, origin: main}\n";
    try (Edge closed = Edge.start(other, "32MiB", none)) {
      try (RawHttp2 client = new RawHttp2(closed.port("h2c"))) {
        assertNull(announced(client));
        ask(client, 1, "/both").flush();
        assertEquals("reset PROTOCOL_ERROR", client.endOf(1));
      }
    }
  }

  // ---- hostile

  @ParameterizedTest
  @CsvSource({
    "CONNECT, connection, upgrade",
    "CONNECT, upgrade, websocket",
    "CONNECT, transfer-encoding, chunked",
    "CONNECT, keep-alive, 5",
    "CONNECT, proxy-connection, close",
    "CONNECT, content-length, 0",
    "CONNECT, content-length, 5",
    "CONNECT, :protocol, websocket",
    "GET, x, y",
    "POST, x, y",
  })
  void whatSmugglesIsMalformed(String method, String name, String value) throws Exception {
    int before = origin.count("/smuggled");
    try (RawHttp2 client = connect()) {
      client
          .frame(
              RawHttp2.HEADERS,
              RawHttp2.END_HEADERS,
              1,
              RawHttp2.block(
                  method,
                  "/smuggled",
                  ":protocol",
                  "websocket",
                  name,
                  value,
                  "sec-websocket-version",
                  "13"))
          .flush();
      assertEquals("reset PROTOCOL_ERROR", client.endOf(1));
    }
    assertEquals(before, origin.count("/smuggled"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "web socket", "websocket, h2c", "websocket/", "web/socket/13"})
  void aProtocolThatIsNoNameIsMalformed(String protocol) throws Exception {
    try (RawHttp2 client = connect()) {
      client
          .frame(
              RawHttp2.HEADERS,
              RawHttp2.END_HEADERS,
              1,
              RawHttp2.block("CONNECT", "/smuggled", ":protocol", protocol))
          .flush();
      assertEquals("reset PROTOCOL_ERROR", client.endOf(1));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {":scheme", ":path", ":authority"})
  void everyPseudoFieldIsNeeded(String missing) throws Exception {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    String[] fields = {
      ":method",
      "CONNECT",
      ":protocol",
      "websocket",
      ":scheme",
      "http",
      ":authority",
      "a.example",
      ":path",
      "/smuggled",
      "host",
      "a.example",
      "sec-websocket-version",
      "13"
    };
    for (int i = 0; i < fields.length; i += 2) {
      if (!fields[i].equals(missing)) {
        RawHttp2.literal(block, fields[i], fields[i + 1]);
      }
    }
    try (RawHttp2 client = connect()) {
      client.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS, 1, block.toByteArray()).flush();
      assertEquals("reset PROTOCOL_ERROR", client.endOf(1));
    }
  }

  @Test
  void connectWithoutAProtocolIsStillRefused() throws Exception {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    RawHttp2.literal(block, ":method", "CONNECT");
    RawHttp2.literal(block, ":authority", "a.example:443");
    try (RawHttp2 client = connect()) {
      client.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS, 1, block.toByteArray()).flush();
      assertEquals("405", client.response().field(":status"));
    }
  }

  @Test
  void fieldsInATunnelEndIt() throws Exception {
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    accept(
        "/fields",
        (request, connection) -> {
          connection.awaitClose();
          ended.complete(true);
        });
    try (RawHttp2 client = connect()) {
      ask(client, 1, "/fields").flush();
      assertOpen(client);
      client.trailers(1, "a", "b").flush();
      assertEquals("reset PROTOCOL_ERROR", client.endOf(1));
      assertTrue(ended.get());
    }
    edge.awaitSum(0, c -> c.tunnelsOpen);
  }

  // ---- flow

  @Test
  void anOriginThatDoesNotReadStopsItsStreamAlone() throws Exception {
    byte[] much = Edge.bytes(7, 32 * MIB);
    CountDownLatch mayRead = new CountDownLatch(1);
    CompletableFuture<byte[]> read = new CompletableFuture<>();
    accept(
        "/slow-origin",
        (request, connection) -> {
          TestOrigin.await(mayRead);
          read.complete(connection.bytes(much.length));
          connection.awaitClose();
        });
    origin.on(
        "/upload",
        (request, connection) -> {
          connection.bytes(MIB);
          TestOrigin.sendOk(connection, "", TestOrigin.ascii("thanks"));
        });
    try (Http2Client client = new Http2Client(edge.tlsPort(), edge.authority(), MIB)) {
      Http2Client.Answer tunnel = client.open(tunnelRequest("/slow-origin"), false);
      assertEquals("200", tunnel.head().status().toString());
      for (int from = 0; from < much.length; from += MIB) {
        client.data(tunnel, text(Arrays.copyOfRange(much, from, from + MIB)), false);
      }
      for (int i = 0; i < 3; i++) {
        Http2Client.Answer upload =
            client.open(
                Http2Client.request("POST", "/upload").add("content-length", String.valueOf(MIB)),
                false);
        client.data(upload, "x".repeat(MIB), true);
        assertEquals("200", upload.head().status().toString());
        assertEquals("end", upload.end());
      }
      mayRead.countDown();
      Bytes.assertEquals(much, read.get());
      client.reset(tunnel);
      edge.awaitSum(0, c -> c.tunnelsOpen);
    }
  }

  @Test
  void aClientThatDoesNotReadStopsItsStreamAlone() throws Exception {
    byte[] much = Edge.bytes(7, 64 * MIB);
    AtomicLong written = new AtomicLong();
    accept(
        "/slow-client",
        (request, connection) -> {
          for (int from = 0; from < much.length; from += 64 * 1024) {
            connection.send(Arrays.copyOfRange(much, from, from + 64 * 1024));
            written.addAndGet(64 * 1024);
          }
        });
    origin.on("/beside", TestOrigin.ok("", TestOrigin.ascii("b")));
    try (Http2Client client = new Http2Client(edge.tlsPort(), edge.authority(), 16 * 1024)) {
      Http2Client.Answer tunnel = client.open(tunnelRequest("/slow-client"), false);
      assertEquals("200", tunnel.head().status().toString());
      long[] last = {0, 0};
      Await.until(
          "what is not read stands still",
          () -> {
            long now = written.get();
            last[1] = now == last[0] && now > 0 ? last[1] + 1 : 0;
            last[0] = now;
            return last[1] > 300;
          });
      assertTrue(written.get() < much.length / 2, () -> written + " bytes were taken");
      assertEquals(16 * 1024, tunnel.body.length());
      Http2Client.Answer beside = client.get(Http2Client.get("/beside"));
      assertEquals("end", beside.end());
      client.credit(tunnel, 16 * 1024);
      Await.until("credit is used", () -> tunnel.body.length() == 32 * 1024);
      assertEquals(
          HexFormat.of().formatHex(much, 0, 32 * 1024),
          HexFormat.of().formatHex(tunnel.body.toString().getBytes(StandardCharsets.ISO_8859_1)));
    }
    edge.awaitSum(0, c -> c.tunnelsOpen);
  }

  // ---- ends

  @Test
  void resetsArePassedOn() throws Exception {
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
    try (RawHttp2 client = connect()) {
      ask(client, 1, "/reset").flush();
      assertOpen(client);
      assertEquals("x", text(client, 1, 1));
      client.data(1, false, "y").flush();
      assertEquals("reset CANCEL", client.endOf(1));
      ask(client, 3, "/left").flush();
      assertOpen(client);
      client.frame(RawHttp2.RST_STREAM, 0, 3, RawHttp2.number(8)).flush();
      assertTrue(ended.get());
      client.roundTrip();
    }
    edge.awaitSum(0, c -> c.tunnelsOpen);
  }

  @Test
  void theEndOfTheOriginIsTheEndOfTheStreamWhileTheOtherWayGoesOn() throws Exception {
    CompletableFuture<String> last = new CompletableFuture<>();
    accept(
        "/half",
        (request, connection) -> {
          connection.send("bye");
          connection.shutdownOutput();
          last.complete(text(connection.bytes(4)));
        });
    try (RawHttp2 client = connect()) {
      ask(client, 1, "/half").flush();
      assertOpen(client);
      assertEquals("end", client.endOf(1));
      client.data(1, true, "last").flush();
      assertEquals("last", last.get());
      edge.awaitSum(0, c -> c.tunnelsOpen);
      client.roundTrip();
    }
  }

  @Test
  void anOriginBehindTlsEndsBothWays(@TempDir Path other) throws Exception {
    Certificates certificates = Certificates.in(Files.createTempDirectory(other, "trust"));
    Path trust = certificates.authorityPem();
    try (ScriptedOrigin secure = WebSocketOrigin.secure(certificates);
        Edge before =
            Edge.start(
                other,
                "32MiB",
                config("")
                    .replace(origin.url() + "\"", secure.url() + "\", trust: \"" + trust + "\""));
        RawHttp2 client = new RawHttp2(before.port("h2c"))) {
      ask(client, 1, "/tls-origin").data(1, false, "ping").flush();
      assertOpen(client);
      assertEquals("ping", text(client, 1, 4));
      assertEquals("end", client.endOf(1));
      // The client need send no more.
      assertEquals("reset NO_ERROR", client.endOf(1));
      before.awaitSum(0, c -> c.tunnelsOpen);
      client.roundTrip();
    }
  }

  @Test
  void theEndOfTheConnectionEndsItsTunnels() throws Exception {
    CountDownLatch ended = new CountDownLatch(2);
    accept(
        "/gone",
        (request, connection) -> {
          connection.awaitClose();
          ended.countDown();
        });
    try (RawHttp2 client = connect()) {
      ask(client, 1, "/gone").flush();
      assertOpen(client);
      ask(client, 3, "/gone").flush();
      assertOpen(client);
      edge.awaitSum(2, c -> c.tunnelsOpen);
    }
    TestOrigin.await(ended);
    edge.awaitSum(0, c -> c.tunnelsOpen);
  }

  // ---- bounds

  @Test
  void aTunnelThatNothingMovesThroughEndsAlone(@TempDir Path other) throws Exception {
    accept("/idle", (request, connection) -> connection.awaitClose());
    origin.on("/beside-idle", TestOrigin.ok("", TestOrigin.ascii("b")));
    try (Edge brief = Edge.start(other, "32MiB", config("tunnels: {idle-timeout: 300ms}\n"));
        RawHttp2 client = new RawHttp2(brief.port("h2c"))) {
      ask(client, 1, "/idle").flush();
      assertOpen(client);
      client.data(1, false, "x").flush();
      assertEquals("reset CANCEL", client.endOf(1));
      brief.awaitSum(0, c -> c.tunnelsOpen);
      client.get(3, "/beside-idle").flush();
      assertEquals("200", client.response().field(":status"));
    }
  }

  @Test
  void boundsOfRequestsDoNotEndATunnel(@TempDir Path other) throws Exception {
    accept(
        "/long",
        (request, connection) -> {
          connection.bytes(2 * MIB);
          connection.send("all");
          connection.awaitClose();
        });
    String small = "limits: {request-body: 64KiB}\n";
    try (Edge bounded = Edge.start(other, "32MiB", config(small));
        Http2Client client = new Http2Client(bounded.tlsPort(), bounded.authority(), MIB)) {
      Http2Client.Answer tunnel = client.open(tunnelRequest("/long"), false);
      assertEquals("200", tunnel.head().status().toString());
      client.data(tunnel, "x".repeat(2 * MIB), false);
      Await.until("the origin has all", () -> tunnel.body.length() == 3);
    }
  }

  @Test
  void thereAreNoMoreThanMayBe(@TempDir Path other) throws Exception {
    accept("/many", (request, connection) -> connection.awaitClose());
    try (Edge small = Edge.start(other, "32MiB", config("tunnels: {limit: 1}\n"));
        RawHttp2 client = new RawHttp2(small.port("h2c"))) {
      ask(client, 1, "/many").flush();
      assertOpen(client);
      ask(client, 3, "/many").flush();
      assertEquals("503", client.response().field(":status"));
      assertEquals(1, small.sum(c -> c.tunnelsRefused));
      client.frame(RawHttp2.RST_STREAM, 0, 1, RawHttp2.number(8)).flush();
      small.awaitSum(0, c -> c.tunnelsOpen);
      ask(client, 5, "/many").flush();
      assertOpen(client);
    }
  }

  @Test
  void aStopSaysGoAwayWaitsForItsLimitAndLogsBytesOfBothWays(@TempDir Path other) throws Exception {
    accept(
        "/drained",
        (request, connection) -> {
          connection.send("to client");
          connection.awaitClose();
        });
    Path log = other.resolve("access.log");
    Edge stopped = Edge.start(other, "32MiB", config("access-log: " + log + "\n"));
    try (RawHttp2 client = new RawHttp2(stopped.port("h2c"))) {
      ask(client, 1, "/drained").data(1, false, "to origin!").flush();
      assertOpen(client);
      assertEquals("to client", text(client, 1, 9));
      stopped.awaitSum(1, c -> c.tunnelsOpen);
      stopped.stop();
      assertEquals("NO_ERROR", client.ending());
      assertEquals("closed", client.endOf(1));
    }
    stopped.close();
    assertEquals("HTTP/2", WebSocketOrigin.logged(log).get("protocol").asString());
  }
}
