package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.TestOrigin.Answer;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.Certificates;
import io.forebay.testing.Http3Client;
import io.forebay.testing.ScriptedOrigin;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http3.DefaultHttp3HeadersFrame;
import io.netty.handler.codec.http3.DefaultHttp3UnknownFrame;
import io.netty.handler.codec.http3.Http3ErrorCode;
import io.netty.handler.codec.http3.Http3Headers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams of HTTP/3 that become tunnels to origins of HTTP/1.1 (RFC 9220). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
@Tag("slow")
final class ServerHttp3TunnelTest {

  private static final int MIB = 1 << 20;
  private static final String CLIENTS_KEY = "dGhlIHNhbXBsZSBub25jZQ==";

  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    edge = Edge.start(directory, "32MiB", config(""));
  }

  private String config(String more) {
    return Edge.origins(origin.url())
        + "http3: {listeners: [secure]}\n"
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

  private static Http3Client connect(Edge to) throws Exception {
    return new Http3Client(to.tlsPort(), to.authority(), MIB);
  }

  private Http3Client connect() throws Exception {
    return connect(edge);
  }

  private void accept(String path, Answer then) {
    WebSocketOrigin.accept(origin, path, then);
  }

  private static Http3Headers tunnelRequest(String path) {
    return tunnelRequest("CONNECT", path, "websocket").add("sec-websocket-version", "13");
  }

  private static Http3Headers tunnelRequest(String method, String path, String protocol) {
    return Http3Client.request(method, path).protocol(protocol);
  }

  private static Http3Client.Answer open(Http3Client client, String path) throws Exception {
    Http3Client.Answer tunnel = client.open(tunnelRequest(path), false);
    assertEquals("200", tunnel.status());
    return tunnel;
  }

  private static void awaitBody(Http3Client.Answer tunnel, String text) {
    Await.until("the client has " + text, () -> tunnel.body.toString().equals(text));
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
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
          assertEquals(16, Base64.getDecoder().decode(request.field("sec-websocket-key")).length);
          assertNotEquals(CLIENTS_KEY, request.field("sec-websocket-key"));
          assertEquals("3 edge", request.field("via"));
          connection.send(
              WebSocketOrigin.accepted(request, "sec-websocket-protocol: chat\r\n") + "hello");
          assertEquals("GET /", text(connection.bytes(5)));
          connection.send(connection.bytes(4));
          connection.awaitClose();
          connection.send("bye");
          connection.close();
        });
    long opened = edge.sum(c -> c.tunnelsOpened);
    try (Http3Client client = connect()) {
      assertEquals(true, client.settings.get(50, TimeUnit.SECONDS).connectProtocolEnabled());
      Http3Client.Answer tunnel =
          client.open(
              tunnelRequest("/both")
                  .add("sec-websocket-protocol", "chat, superchat")
                  .add("sec-websocket-key", CLIENTS_KEY),
              false);
      // What comes before the answer goes the same way, and is no request.
      client.data(tunnel, "GET /", false);
      Http3Headers head = tunnel.head();
      assertEquals("200", head.status().toString());
      assertEquals("chat", head.get("sec-websocket-protocol").toString());
      for (String none :
          List.of("sec-websocket-accept", "connection", "upgrade", "content-length")) {
        assertNull(head.get(none), none);
      }
      awaitBody(tunnel, "hello");
      client.data(tunnel, "ping", false);
      awaitBody(tunnel, "helloping");
      edge.awaitSum(1, c -> c.tunnelsOpen);
      client.data(tunnel, "", true);
      assertEquals("end", tunnel.end());
      assertEquals("hellopingbye", tunnel.body.toString());
      edge.awaitSum(0, c -> c.tunnelsOpen);
      // The connection goes on.
      origin.on("/after", TestOrigin.ok("", TestOrigin.ascii("a")));
      assertEquals("200", client.get("/after").status());
    }
    edge.awaitSum(opened + 1, c -> c.tunnelsOpened);
  }

  @Test
  void otherProtocolsOfTheRouteGoWithoutAKey() throws Exception {
    WebSocketOrigin.acceptChat(origin);
    try (Http3Client client = connect()) {
      Http3Client.Answer tunnel = client.open(tunnelRequest("CONNECT", "/chat", "chat/2"), false);
      client.data(tunnel, "hi", true);
      assertEquals("200", tunnel.status());
      assertEquals("end", tunnel.end());
      assertEquals("hi", tunnel.body.toString());
    }
  }

  /** The end of the stream may come with the head; then it is the end of that direction. */
  @Test
  void aClientMayEndItsDirectionAtOnce() throws Exception {
    accept(
        "/deaf",
        (request, connection) -> {
          connection.awaitClose();
          connection.send("all the same");
          connection.close();
        });
    try (Http3Client client = connect()) {
      Http3Client.Answer tunnel = client.open(tunnelRequest("/deaf"), true);
      assertEquals("200", tunnel.status());
      assertEquals("end", tunnel.end());
      assertEquals("all the same", tunnel.body.toString());
      edge.awaitSum(0, c -> c.tunnelsOpen);
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
    try (Http3Client client = connect()) {
      Http3Client.Answer answer = client.open(tunnelRequest(path), false);
      client.data(answer, "GET /secret HTTP/1.1\r\n\r\n", false);
      assertEquals(String.valueOf(status), answer.status());
      assertEquals("end", answer.end());
      assertEquals("no", answer.body.toString());
    }
    assertEquals(0, origin.count("/secret"));
    edge.awaitSum(0, c -> c.tunnelsOpen);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "200 OK\r\ncontent-length: 2\r\n\r\nok",
        "204 OK\r\n\r\n",
        "101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\nraw",
        "101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\nraw",
        "101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
            + "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\nraw",
      })
  void whatIsNoProofOfATunnelIsABadGateway(String answer) throws Exception {
    origin.on("/plain", (request, connection) -> connection.send("HTTP/1.1 " + answer));
    try (Http3Client client = connect()) {
      Http3Headers head =
          client.open(tunnelRequest("/plain").add("sec-websocket-key", CLIENTS_KEY), false).head();
      assertEquals("502", head.status().toString());
      assertEquals("edge; error=http_upgrade_failed", head.get("proxy-status").toString());
    }
  }

  @Test
  void whatTheRouteDoesNotAllowIsRefusedAndNotServedFromTheCache() throws Exception {
    origin.on("/http/a", TestOrigin.ok("cache-control: max-age=100\r\n", TestOrigin.ascii("a")));
    try (Http3Client client = connect()) {
      assertEquals("200", client.get("/http/a").status());
      assertEquals("501", client.open(tunnelRequest("/http/a"), false).status());
      assertEquals(
          "501",
          client.open(tunnelRequest("CONNECT", "/both", "connect-udp"), false).status(),
          "a protocol that no route knows");
      // A version that is not 13 is no offer that could be checked.
      assertEquals(
          "501",
          client
              .open(
                  tunnelRequest("CONNECT", "/both", "websocket").add("sec-websocket-version", "12"),
                  false)
              .status());
    }
    assertEquals(1, origin.count("/http/a"));
  }

  @Test
  void withoutARouteThatAllowsItNothingIsAnnouncedAndItIsMalformed(@TempDir Path other)
      throws Exception {
    String none =
        Edge.origins(origin.url())
            + "http3: {listeners: [secure]}\nroutes:\n  - {name: all, origin: main}\n";
    try (Edge closed = Edge.start(other, "32MiB", none);
        Http3Client client = connect(closed)) {
      assertNull(client.settings.get(50, TimeUnit.SECONDS).connectProtocolEnabled());
      assertEquals("reset H3_MESSAGE_ERROR", client.open(tunnelRequest("/both"), false).end());
    }
  }

  // ---- hostile

  @ParameterizedTest
  @CsvSource({
    "CONNECT, websocket, connection, upgrade",
    "CONNECT, websocket, upgrade, websocket",
    "CONNECT, websocket, transfer-encoding, chunked",
    "CONNECT, websocket, keep-alive, 5",
    "CONNECT, websocket, proxy-connection, close",
    "CONNECT, websocket, content-length, 0",
    "CONNECT, websocket, content-length, 5",
    "CONNECT, websocket, :protocol, websocket",
    "GET, websocket, x, y",
    "POST, websocket, x, y",
    "CONNECT, '', x, y",
    "CONNECT, web socket, x, y",
    "CONNECT, 'websocket, h2c', x, y",
    "CONNECT, websocket/, x, y",
    "CONNECT, web/socket/13, x, y",
  })
  void whatSmugglesIsMalformed(String method, String protocol, String name, String value)
      throws Exception {
    try (Http3Client client = connect()) {
      Http3Headers headers =
          tunnelRequest(method, "/smuggled", protocol)
              .add("sec-websocket-version", "13")
              .add(name, value);
      assertEquals("reset H3_MESSAGE_ERROR", client.open(headers, false).end());
    }
    assertEquals(0, origin.count("/smuggled"));
  }

  @ParameterizedTest
  @ValueSource(strings = {":scheme", ":path", ":authority"})
  void everyPseudoFieldIsNeeded(String missing) throws Exception {
    try (Http3Client client = connect()) {
      Http3Headers headers = tunnelRequest("/smuggled").add("host", "a.example");
      headers.remove(missing);
      assertEquals("reset H3_MESSAGE_ERROR", client.open(headers, false).end());
    }
    assertEquals(0, origin.count("/smuggled"));
  }

  @Test
  void connectWithoutAProtocolIsStillRefused() throws Exception {
    try (Http3Client client = connect()) {
      Http3Headers headers = Http3Client.request("CONNECT", "/");
      headers.remove(":path");
      headers.remove(":scheme");
      assertEquals("405", client.open(headers, false).status());
    }
  }

  /** RFC 9114 §4.4: only DATA may follow. */
  @Test
  void fieldsInATunnelEndTheConnection() throws Exception {
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    accept(
        "/fields",
        (request, connection) -> {
          connection.awaitClose();
          ended.complete(true);
        });
    try (Http3Client client = connect()) {
      Http3Client.Answer tunnel = open(client, "/fields");
      Http3Headers trailers = Http3Client.request("GET", "/").clear().add("a", "b");
      tunnel.stream().writeAndFlush(new DefaultHttp3HeadersFrame(trailers));
      assertEquals(Http3ErrorCode.H3_FRAME_UNEXPECTED.code(), client.closed());
      assertTrue(ended.get());
    }
    edge.awaitSum(0, c -> c.tunnelsOpen);
  }

  @Test
  void framesThatMeanNothingDoNotHoldATunnelUp() throws Exception {
    accept(
        "/grease",
        (request, connection) -> {
          for (int i = 0; i < 3; i++) {
            connection.send(connection.bytes(1));
          }
          connection.awaitClose();
        });
    try (Http3Client client = connect()) {
      Http3Client.Answer tunnel = open(client, "/grease");
      for (int i = 1; i <= 3; i++) {
        // Reserved (RFC 9114 §7.2.8); each in a packet of its own.
        tunnel.stream()
            .writeAndFlush(
                new DefaultHttp3UnknownFrame(
                    0x21 + 0x1f * 3, Unpooled.wrappedBuffer(TestOrigin.ascii("grease"))))
            .sync();
        client.data(tunnel, "x", false);
        awaitBody(tunnel, "x".repeat(i));
      }
      client.reset(tunnel);
    }
    edge.awaitSum(0, c -> c.tunnelsOpen);
  }

  // ---- flow

  @Tag("full")
  @Test
  void whatAnOriginDoesNotReadStaysWithTheClient() throws Exception {
    byte[] much = Edge.bytes(7, 64 * MIB);
    CountDownLatch mayRead = new CountDownLatch(1);
    CompletableFuture<byte[]> read = new CompletableFuture<>();
    accept(
        "/slow-origin",
        (request, connection) -> {
          TestOrigin.await(mayRead);
          read.complete(connection.bytes(much.length));
          connection.awaitClose();
        });
    origin.on("/beside-slow", TestOrigin.ok("", TestOrigin.ascii("b")));
    long before = edge.sum(c -> c.bytesFromClients);
    try (Http3Client client = connect();
        Http3Client other = connect()) {
      Http3Client.Answer tunnel = open(client, "/slow-origin");
      for (int from = 0; from < much.length; from += MIB) {
        client.data(tunnel, text(Arrays.copyOfRange(much, from, from + MIB)), false);
      }
      awaitStandstill(() -> edge.sum(c -> c.bytesFromClients) - before);
      long taken = edge.sum(c -> c.bytesFromClients) - before;
      assertTrue(taken < much.length / 2, () -> taken + " bytes were taken");
      assertEquals("200", other.get("/beside-slow").status());
      mayRead.countDown();
      Bytes.assertEquals(much, read.get());
      client.reset(tunnel);
      edge.awaitSum(0, c -> c.tunnelsOpen);
    }
  }

  private static void awaitStandstill(LongSupplier bytes) {
    long[] last = {0, 0};
    Await.until(
        "what is not read stands still",
        () -> {
          long now = bytes.getAsLong();
          last[1] = now == last[0] && now > 0 ? last[1] + 1 : 0;
          last[0] = now;
          return last[1] > 300;
        });
  }

  @Test
  @Tag("full")
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
          connection.awaitClose();
        });
    origin.on("/beside", TestOrigin.ok("", TestOrigin.ascii("b")));
    try (Http3Client client = new Http3Client(edge.tlsPort(), edge.authority(), 64 * 1024)) {
      Http3Client.Answer tunnel = open(client, "/slow-client");
      client.reads(tunnel, false);
      awaitStandstill(written::get);
      assertTrue(written.get() < much.length / 2, () -> written + " bytes were taken");
      Http3Client.Answer beside = client.get("/beside");
      assertEquals("end", beside.end());
      client.reads(tunnel, true);
      Await.until("all comes", () -> tunnel.body.length() == much.length);
      Bytes.assertEquals(much, tunnel.body.toString().getBytes(StandardCharsets.ISO_8859_1));
      client.reset(tunnel);
    }
    edge.awaitSum(0, c -> c.tunnelsOpen);
  }

  // ---- ends

  @ParameterizedTest
  @ValueSource(strings = {"H3_REQUEST_CANCELLED", "H3_CONNECT_ERROR", "H3_NO_ERROR"})
  void aResetOfTheClientIsOneOfTheOrigin(String error) throws Exception {
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    accept(
        "/left",
        (request, connection) -> {
          connection.awaitClose();
          ended.complete(true);
        });
    try (Http3Client client = connect()) {
      Http3Client.Answer tunnel = open(client, "/left");
      tunnel.stream().shutdown(Http3ErrorCode.valueOf(error).code());
      assertTrue(ended.get());
      edge.awaitSum(0, c -> c.tunnelsOpen);
      // The connection goes on.
      assertEquals("501", client.open(tunnelRequest("/http/x"), false).status());
    }
  }

  /** That a client has asked us to stop is told when something is written, which a probe does. */
  @Test
  void aClientThatAsksUsToStopEndsATunnelWhoseOriginIsSilent(@TempDir Path other) throws Exception {
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    accept(
        "/stopped",
        (request, connection) -> {
          connection.awaitClose();
          ended.complete(true);
        });
    try (Edge brief = Edge.start(other, "32MiB", config("timeouts: {no-progress: 1s}\n"));
        Http3Client client = connect(brief)) {
      Http3Client.Answer tunnel = open(client, "/stopped");
      tunnel.stream().shutdownInput(Http3ErrorCode.H3_REQUEST_CANCELLED.code());
      assertTrue(ended.get());
      brief.awaitSum(0, c -> c.tunnelsOpen);
    }
  }

  @Test
  void aResetOfTheOriginIsOneOfTheStream() throws Exception {
    accept(
        "/reset",
        (request, connection) -> {
          connection.send("x");
          connection.bytes(1);
          connection.reset();
        });
    try (Http3Client client = connect()) {
      Http3Client.Answer tunnel = open(client, "/reset");
      awaitBody(tunnel, "x");
      client.data(tunnel, "y", false);
      assertEquals("reset H3_REQUEST_CANCELLED", tunnel.end());
    }
    edge.awaitSum(0, c -> c.tunnelsOpen);
  }

  @Test
  void theEndOfTheOriginIsTheEndOfTheStreamWhileTheOtherWayGoesOn() throws Exception {
    CompletableFuture<String> last = new CompletableFuture<>();
    byte[] much = Edge.bytes(8, 3 * MIB);
    accept(
        "/half",
        (request, connection) -> {
          connection.send("bye");
          connection.shutdownOutput();
          last.complete(text(connection.bytes(much.length)));
        });
    try (Http3Client client = connect()) {
      Http3Client.Answer tunnel = open(client, "/half");
      assertEquals("end", tunnel.end());
      assertEquals("bye", tunnel.body.toString());
      // More than windows hold: credit still comes.
      client.data(tunnel, text(much), true);
      assertEquals(text(much), last.get());
      edge.awaitSum(0, c -> c.tunnelsOpen);
    }
  }

  @Test
  void theEndOfTheClientIsTheEndToTheOriginWhileTheOtherWayGoesOn() throws Exception {
    byte[] much = Edge.bytes(9, 3 * MIB);
    accept(
        "/other-half",
        (request, connection) -> {
          assertEquals("last", text(connection.bytes(4)));
          connection.awaitClose();
          connection.send(much);
          connection.close();
        });
    try (Http3Client client = connect()) {
      Http3Client.Answer tunnel = open(client, "/other-half");
      client.data(tunnel, "last", true);
      assertEquals("end", tunnel.end());
      Bytes.assertEquals(much, tunnel.body.toString().getBytes(StandardCharsets.ISO_8859_1));
      edge.awaitSum(0, c -> c.tunnelsOpen);
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
        Http3Client client = connect(before)) {
      Http3Client.Answer tunnel = client.open(tunnelRequest("/tls-origin"), false);
      client.data(tunnel, "ping", false);
      assertEquals("200", tunnel.status());
      assertEquals("end", tunnel.end());
      assertEquals("ping", tunnel.body.toString());
      before.awaitSum(0, c -> c.tunnelsOpen);
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
    try (Http3Client client = connect()) {
      open(client, "/gone");
      open(client, "/gone");
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
    String brief = "tunnels: {idle-timeout: 1s}\ntimeouts: {no-progress: 1s}\n";
    try (Edge closing = Edge.start(other, "32MiB", config(brief));
        Http3Client client = connect(closing)) {
      Http3Client.Answer tunnel = open(client, "/idle");
      client.data(tunnel, "x", false);
      // Probes of the connection do not count.
      assertEquals("reset H3_REQUEST_CANCELLED", tunnel.end());
      closing.awaitSum(0, c -> c.tunnelsOpen);
      assertEquals("200", client.get("/beside-idle").status());
    }
  }

  @Tag("full")
  @Test
  void boundsOfRequestsDoNotEndATunnel(@TempDir Path other) throws Exception {
    accept(
        "/long",
        (request, connection) -> {
          connection.bytes(MIB);
          connection.send("x".repeat(2 * MIB));
          connection.awaitClose();
        });
    accept(
        "/still",
        (request, connection) -> {
          connection.send(connection.bytes(4));
          connection.awaitClose();
        });
    origin.on("/http/big", TestOrigin.ok("cache-control: no-store\r\n", Edge.bytes(1, 4 * MIB)));
    String small =
        "limits: {request-body: 64KiB}\n"
            + "timeouts: {no-progress: 1s, request-body-idle: 1s, request-total: 3s,"
            + " keep-alive: 1s}\n";
    try (Edge bounded = Edge.start(other, "32MiB", config(small));
        Http3Client client = new Http3Client(bounded.tlsPort(), bounded.authority(), 64 * 1024)) {
      Http3Client.Answer unread = open(client, "/long");
      client.reads(unread, false);
      client.data(unread, "x".repeat(MIB), false);
      Http3Client.Answer still = open(client, "/still");
      Http3Client.Answer request = client.get("/http/big");
      assertEquals("200", request.status());
      client.reads(request, false);
      Await.until(
          "a request that is not read is given up", () -> bounded.sum(c -> c.stalledClosed) == 1);
      // Five a second: QUIC, left alone, takes a client for gone after two seconds.
      Await.until("the connection is kept alive", () -> still.emptyFrames.get() > 20);
      client.reads(unread, true);
      Await.until("the tunnel goes on", () -> unread.body.length() == 2 * MIB);
      client.data(still, "ping", false);
      awaitBody(still, "ping");
      assertEquals(2, bounded.sum(c -> c.tunnelsOpen));
    }
  }

  @Test
  void thereAreNoMoreThanMayBe(@TempDir Path other) throws Exception {
    accept("/many", (request, connection) -> connection.awaitClose());
    try (Edge small = Edge.start(other, "32MiB", config("tunnels: {limit: 1}\n"));
        Http3Client client = connect(small)) {
      Http3Client.Answer first = open(client, "/many");
      assertEquals("503", client.open(tunnelRequest("/many"), false).status());
      assertEquals(1, small.sum(c -> c.tunnelsRefused));
      client.reset(first);
      small.awaitSum(0, c -> c.tunnelsOpen);
      open(client, "/many");
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
    try (Http3Client client = connect(stopped)) {
      Http3Client.Answer tunnel = client.open(tunnelRequest("/drained"), false);
      client.data(tunnel, "to origin!", false);
      assertEquals("200", tunnel.status());
      awaitBody(tunnel, "to client");
      stopped.awaitSum(1, c -> c.tunnelsOpen);
      stopped.stop();
      client.goAwayAnnounced.get(50, TimeUnit.SECONDS);
      client.closed();
    }
    stopped.close();
    assertEquals("HTTP/3", WebSocketOrigin.logged(log).get("protocol").asString());
  }
}
