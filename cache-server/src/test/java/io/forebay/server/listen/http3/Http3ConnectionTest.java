package io.forebay.server.listen.http3;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.Http3Config;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.TimeoutsConfig;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.listen.ForgetfulNat;
import io.forebay.server.listen.ListenFixture;
import io.forebay.server.listen.ScriptedExchanges;
import io.forebay.server.loop.ListenException;
import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.Http2Client;
import io.forebay.testing.Http3Client;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http3.DefaultHttp3UnknownFrame;
import io.netty.handler.codec.http3.Http3ErrorCode;
import io.netty.handler.codec.http3.Http3Headers;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
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
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@Tag("slow")
class Http3ConnectionTest {

  private static final Http3Config HTTP3 =
      new Http3Config(List.of("tls"), 64, Duration.ofHours(1), 0);

  @TempDir static Path directory;
  private static Certificates tls;
  private ListenFixture server;

  @BeforeAll
  static void makeCertificate() throws Exception {
    tls = Certificates.in(directory);
    tls.ecdsa("server", "localhost", "127.0.0.1");
  }

  @BeforeEach
  void start() throws ListenException {
    server = open(ListenFixture.LIMITS, ListenFixture.TIMEOUTS, HTTP3, 1);
  }

  private static ListenFixture open(
      LimitsConfig limits, TimeoutsConfig timeouts, Http3Config http3, int loops)
      throws ListenException {
    return new ListenFixture(
        ListenFixture.config(
            limits,
            timeouts,
            "auto",
            loops,
            http3,
            new ListenerConfig(
                "tls", new Address("127.0.0.1", 0), tls.pem("server"), tls.key("server"))));
  }

  private void reopen(LimitsConfig limits, TimeoutsConfig timeouts, Http3Config http3)
      throws ListenException {
    server.close();
    server = open(limits, timeouts, http3, 1);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Http3Client connect() throws Exception {
    return new Http3Client(server.port(), tls.pem("server"));
  }

  @Test
  void servesAnOrdinaryClient() throws Exception {
    try (Http3Client client = connect()) {
      Http3Client.Answer answer = client.get("/show?q=1");
      Http3Headers head = answer.head();
      assertEquals("200", head.status().toString());
      assertEquals("yes", head.get("x-test").toString());
      assertEquals("end", answer.end());
      assertEquals(Integer.parseInt(head.get("content-length").toString()), answer.body.length());
      assertTrue(
          answer
              .body
              .toString()
              .startsWith("GET https a.example /show q=1 HTTP/3 127.0.0.1 known=0 body=false 0"),
          answer.body.toString());
      assertFalse(answer.body.toString().contains(":path"));

      Http3Client.Answer head2 = client.open(Http3Client.request("HEAD", "/show"), true);
      assertEquals("200", head2.status());
      assertEquals("end", head2.end());
      assertEquals(0, head2.body.length());
    }
    assertEquals(1, server.counters().http3.established);
  }

  @Test
  void takesBodies() throws Exception {
    String body = "0123456789".repeat(60_000);
    try (Http3Client client = connect()) {
      Http3Client.Answer echo =
          client.open(
              Http3Client.request("POST", "/echo").setLong("content-length", body.length()), false);
      client.data(echo, body, true);
      assertEquals("end", echo.end());
      assertEquals(body, echo.body.toString());

      Http3Client.Answer unknown = client.open(Http3Client.request("POST", "/echo"), false);
      client.data(unknown, "one", false);
      client.data(unknown, "two", true);
      assertEquals("end", unknown.end());
      assertEquals("onetwo", unknown.body.toString());

      Http3Client.Answer none = client.open(Http3Client.request("POST", "/show"), true);
      assertEquals("end", none.end());
      assertTrue(none.body.toString().contains("body=false"), none.body.toString());
    }
  }

  @Test
  void servesManyStreamsAtOnce() throws Exception {
    try (Http3Client client = connect()) {
      List<Http3Client.Answer> all = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        all.add(client.get("/big?" + i * 20_000));
      }
      for (int i = 0; i < 50; i++) {
        assertEquals("end", all.get(i).end());
        assertEquals(i * 20_000, all.get(i).body.length());
      }
    }
  }

  @Test
  void aStreamThatIsNotReadHoldsNeitherTheOthersNorMemory() throws Exception {
    try (Http3Client client = new Http3Client(server.port(), tls.pem("server"), 65_536)) {
      Http3Client.Answer slow = client.get("/big?10000000");
      assertEquals("200", slow.status());
      client.reads(slow, false);
      for (int i = 0; i < 20; i++) {
        Http3Client.Answer other = client.get("/big?300000");
        assertEquals("end", other.end());
        assertEquals(300_000, other.body.length());
      }
      long offered = server.exchanges.bytesOffered.get() - 20 * 300_000L;
      assertTrue(offered < 4_000_000, "offered " + offered);
      client.reads(slow, true);
      assertEquals("end", slow.end());
      assertEquals(10_000_000, slow.body.length());
    }
  }

  @Test
  void streamsShareTheirConnection() throws Exception {
    int length = 6_000_000;
    try (Http3Client client = connect()) {
      List<Http3Client.Answer> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        all.add(client.get("/big?" + length));
      }
      CompletableFuture.anyOf(
              all.stream().map(answer -> answer.end).toArray(CompletableFuture<?>[]::new))
          .get(50, TimeUnit.SECONDS);
      for (Http3Client.Answer answer : all) {
        assertTrue(answer.body.length() > length / 4, "only " + answer.body.length());
      }
      for (Http3Client.Answer answer : all) {
        assertEquals("end", answer.end());
        assertEquals(length, answer.body.length());
      }
    }
  }

  @Test
  void sendsInterimHeadsTrailersAndBodiesOfUnknownLength() throws Exception {
    try (Http3Client client = connect()) {
      Http3Client.Answer early = client.get("/early");
      assertEquals("103", early.status());
      assertEquals("200", early.status());
      assertEquals("end", early.end());
      assertEquals("after", early.body.toString());

      Http3Client.Answer trailers = client.get("/trailers");
      assertEquals("200", trailers.status());
      assertEquals("end", trailers.end());
      assertEquals("1", trailers.head().get("x-sum").toString());
      assertEquals("body", trailers.body.toString());

      Http3Client.Answer status = client.get("/status?304");
      assertEquals("304", status.status());
      assertEquals("end", status.end());

      StringBuilder expected = new StringBuilder();
      for (int i = 0; i < 40; i++) {
        expected.append(ScriptedExchanges.pattern(i));
      }
      Http3Client.Answer chunks = client.get("/chunks?40");
      assertEquals("end", chunks.end());
      assertEquals(expected.toString(), chunks.body.toString());
    }
  }

  @Test
  void aResponseThatBreaksOffIsReset() throws Exception {
    try (Http3Client client = connect()) {
      for (String path : List.of("/abort", "/abort-unknown", "/short", "/long", "/throw")) {
        assertEquals("reset H3_INTERNAL_ERROR", client.get(path).end(), path);
      }
      assertEquals("end", client.get("/ok").end());
    }
  }

  @Test
  void aChunkOfWhichTheBeginningWasSkippedIsSentFromThere() throws Exception {
    try (Http3Client client = connect()) {
      Http3Client.Answer answer = client.get("/skipped");
      assertEquals("end", answer.end());
      assertEquals("this", answer.body.toString());
    }
  }

  /** Frames of reserved types may come between those of a body, in packets of their own. */
  @Test
  void aBodyGoesOnBehindAFrameThatMeansNothing() throws Exception {
    try (Http3Client client = connect()) {
      Http3Client.Answer answer = client.open(Http3Client.request("POST", "/echo"), false);
      client.data(answer, "one", false);
      Await.until("the first came", () -> answer.body.toString().equals("one"));
      answer.stream()
          .writeAndFlush(
              new DefaultHttp3UnknownFrame(0x21 + 0x1f * 3, Unpooled.wrappedBuffer(new byte[3])))
          .sync();
      client.data(answer, "two", true);
      assertEquals("end", answer.end());
      assertEquals("onetwo", answer.body.toString());
    }
  }

  /**
   * The end is written while acknowledgements of all that came before it are on their way: a stack
   * that takes the stream for complete then never sends it.
   */
  @Test
  void theEndOfABodyComesAlsoWhereAllItsBytesAreAcknowledged() throws Exception {
    try (Http3Client client = connect()) {
      for (int i = 0; i < 300; i++) {
        Http3Client.Answer answer = client.open(Http3Client.request("POST", "/echo"), false);
        client.data(answer, "one", false);
        Await.until("the first came", () -> answer.body.toString().equals("one"));
        client.data(answer, "two", true);
        assertEquals("end", answer.end());
        assertEquals("onetwo", answer.body.toString());
      }
    }
  }

  /** The header of a frame may come in a packet of its own: no part of the body is in it. */
  @ParameterizedTest
  @ValueSource(strings = {"DATA", "a reserved type"})
  void aBodyGoesOnBehindTheHeaderOfAFrame(String type) throws Exception {
    boolean isData = type.equals("DATA");
    try (Http3Client client = connect()) {
      Http3Client.Answer answer = client.open(Http3Client.request("POST", "/echo"), false);
      client.data(answer, "one", false);
      Await.until("the first came", () -> answer.body.toString().equals("one"));
      raw(answer, isData ? new byte[] {0, 3} : new byte[] {0x40, 0x40, 3});
      // What is answered later was read later.
      assertEquals("end", client.get("/ok").end());
      raw(answer, new byte[] {'t', 'w', 'o'});
      client.data(answer, "!", true);
      assertEquals("end", answer.end());
      assertEquals(isData ? "onetwo!" : "one!", answer.body.toString());
    }
  }

  /** Past the codec. */
  private static void raw(Http3Client.Answer answer, byte[] bytes) throws Exception {
    requireNonNull(answer.stream().pipeline().firstContext())
        .writeAndFlush(Unpooled.wrappedBuffer(bytes))
        .sync();
  }

  @Test
  void theRestOfABodyThatIsNotWantedIsStopped() throws Exception {
    try (Http3Client client = connect()) {
      Http3Client.Answer answer =
          client.open(
              Http3Client.request("POST", "/answer-then-drop").setLong("content-length", 100),
              false);
      assertEquals("200", answer.status());
      assertEquals("end", answer.end());
      assertEquals("no need", answer.body.toString());
      assertEquals("end", client.get("/ok").end());
    }
  }

  @Test
  void continueIsSentWhenTheBodyIsAskedFor() throws Exception {
    try (Http3Client client = connect()) {
      Http3Client.Answer answer =
          client.open(
              Http3Client.request("POST", "/slow-body").add("expect", "100-continue"), false);
      server.release();
      assertEquals("100", answer.status());
      client.data(answer, "12345", true);
      assertEquals("end", answer.end());
      assertEquals("took 5", answer.body.toString());
    }
  }

  static Stream<Arguments> malformed() {
    return Stream.of(
        wrong("no method", headers -> headers.remove(":method")),
        wrong("no path", headers -> headers.remove(":path")),
        wrong("no scheme", headers -> headers.remove(":scheme")),
        wrong("no authority", headers -> headers.remove(":authority")),
        wrong("two methods", headers -> headers.add(":method", "GET")),
        wrong("a pseudo-header of responses", headers -> headers.add(":status", "200")),
        wrong("an unknown pseudo-header", headers -> headers.add(":x", "1")),
        wrong("a path without a slash", headers -> headers.path("show")),
        wrong("an absolute target", headers -> headers.path("https://a.example/")),
        wrong("another Host", headers -> headers.add("host", "b.example")),
        wrong("two Hosts", headers -> headers.add("host", "a.example").add("host", "b.example")),
        wrong("an upper-case name", headers -> headers.add("X-Test", "1")),
        wrong("a name with a colon", headers -> headers.add("x:y", "1")),
        wrong("a name with a space", headers -> headers.add("x y", "1")),
        wrong("CR in a value", headers -> headers.add("x", "a\rb")),
        wrong("LF in a value", headers -> headers.add("x", "a\nb: c")),
        wrong("NUL in a value", headers -> headers.add("x", "a\0b")),
        wrong("Connection", headers -> headers.add("connection", "close")),
        wrong("Transfer-Encoding", headers -> headers.add("transfer-encoding", "chunked")),
        wrong("Keep-Alive", headers -> headers.add("keep-alive", "1")),
        wrong("Upgrade", headers -> headers.add("upgrade", "websocket")),
        wrong("TE that is no trailers", headers -> headers.add("te", "gzip")),
        wrong("two lengths", headers -> headers.add("content-length", "1, 2")),
        wrong("one length twice", h -> h.add("content-length", "0").add("content-length", "0")),
        wrong("a list of one length", headers -> headers.add("content-length", "0, 0")),
        wrong("a length that is none", headers -> headers.add("content-length", "+1")),
        wrong("a bad authority", headers -> headers.authority("a b")));
  }

  private static Arguments wrong(String what, Consumer<Http3Headers> change) {
    return Arguments.of(what, change);
  }

  /** S5: no request of these comes to an exchange (RFC 9114 §4.1.2). */
  @ParameterizedTest(name = "{0}")
  @MethodSource("malformed")
  void aMalformedRequestIsReset(String what, Consumer<Http3Headers> change) throws Exception {
    try (Http3Client client = connect()) {
      Http3Headers headers = Http3Client.request("GET", "/show");
      change.accept(headers);
      assertEquals("reset H3_MESSAGE_ERROR", client.open(headers, true).end(), what);
      assertEquals("end", client.get("/ok").end());
      assertEquals(List.of("GET /ok"), new ArrayList<>(server.exchanges.started));
    }
  }

  @Test
  void aBodyOfAnotherLengthThanDeclaredIsReset() throws Exception {
    try (Http3Client client = connect()) {
      for (String body : List.of("1234", "123456")) {
        Http3Client.Answer answer =
            client.open(
                Http3Client.request("POST", "/slow-body").setLong("content-length", 5), false);
        server.release();
        client.data(answer, body, true);
        assertEquals("reset H3_MESSAGE_ERROR", answer.end(), body);
      }
      Http3Client.Answer none =
          client.open(Http3Client.request("POST", "/echo").setLong("content-length", 5), true);
      assertEquals("reset H3_MESSAGE_ERROR", none.end());
      assertEquals("end", client.get("/ok").end());
    }
  }

  @Test
  void whatIsWellFormedAndNotServedIsAnswered() throws Exception {
    try (Http3Client client = connect()) {
      assertEquals("405", client.open(Http3Client.request("TRACE", "/"), true).status());
      assertEquals(
          "421", client.open(Http3Client.request("GET", "/").scheme("http"), true).status());
      assertEquals("414", client.get("/" + "a".repeat(5000)).status());
      assertEquals("204", client.open(Http3Client.request("OPTIONS", "*"), true).status());
      Http3Client.Answer long1 =
          client.open(
              Http3Client.request("POST", "/slow-body").setLong("content-length", 2 << 20), false);
      assertEquals("413", long1.status());
    }
  }

  /** S14, S25: beyond the bound 431, beyond twice the bound the connection ends. */
  @Test
  void fieldsBeyondTheirBoundsAreRefused() throws Exception {
    try (Http3Client client = connect()) {
      Http3Headers large = Http3Client.request("GET", "/show").add("x", "v".repeat(17 * 1024));
      assertEquals("431", client.open(large, true).status());
      Http3Headers many = Http3Client.request("GET", "/show");
      for (int i = 0; i < 200; i++) {
        many.add("x" + i, "");
      }
      assertEquals("431", client.open(many, true).status());
      assertEquals("end", client.get("/ok").end());
      client.open(Http3Client.request("GET", "/show").add("x", "v".repeat(1 << 20)), true);
      assertEquals(Http3ErrorCode.H3_EXCESSIVE_LOAD.code(), client.closed());
    }
    assertEquals(2, server.counters().limitsHit());
  }

  @Tag("full")
  @Test
  void aClientThatGoesAwayEndsItsExchanges() throws Exception {
    try (Http3Client client = connect()) {
      Http3Client.Answer answer = client.get("/big?100000000");
      assertEquals("200", answer.status());
      client.reset(answer);
      // At once, or, if the client's window is full at that moment, when nothing has moved for
      // long.
      assertEquals("/big", server.exchanges.closed.poll(60, TimeUnit.SECONDS));
    }
    try (Http3Client client = connect()) {
      client.get("/never");
      assertEquals("end", client.get("/ok").end());
    }
    assertEquals("/never", server.exchanges.closed.poll(20, TimeUnit.SECONDS));
  }

  /** S13 for HTTP/3: a request that is cancelled while it is at work counts until it has ended. */
  @Test
  void cancellingRequestsDoesNotGainMoreOfThem() throws Exception {
    int streams = ListenFixture.LIMITS.streamsPerConnection();
    TimeoutsConfig usual = ListenFixture.TIMEOUTS;
    reopen(
        ListenFixture.LIMITS,
        new TimeoutsConfig(
            usual.tlsHandshake(),
            usual.requestHeader(),
            usual.requestBodyIdle(),
            usual.keepAlive(),
            Duration.ofSeconds(1),
            usual.drain(),
            usual.requestTotal()),
        HTTP3);
    try (Http3Client client = connect()) {
      List<Http3Client.Answer> all = new ArrayList<>();
      for (int i = 0; i < streams; i++) {
        all.add(client.get("/slow"));
        server.exchanges.held.take();
      }
      // QUIC allows no more.
      assertThrows(Exception.class, () -> client.get("/slow"));
      all.forEach(client::reset);
      for (int i = 0; i < streams; i++) {
        // The exchanges are told, a while later, and only then there are more streams.
        assertEquals("/slow", server.exchanges.closed.poll(10, TimeUnit.SECONDS));
      }
    }
  }

  /**
   * A client behind a NAT that has forgotten it comes from another port, and so to the socket of
   * any loop (RFC 9000 §9.3): what it asks from there is answered, by the last of this connection.
   */
  @Tag("full")
  @Test
  void aClientWhosePortHasChangedIsAnsweredAndAskedToComeAnew() throws Exception {
    reopen(4);
    int moves = 3;
    for (int i = 0; i < moves; i++) {
      try (ForgetfulNat nat = new ForgetfulNat(server.port());
          Http3Client client = new Http3Client(nat.port(), tls.pem("server"))) {
        Http3Client.Answer answer = client.get("/big?300000");
        assertEquals("end", answer.end());
        nat.forget();
        String moved = client.exchange(get("/show"));
        assertTrue(moved.contains(" HTTP/3 127.0.0.1 "), moved);
        assertEquals(answer.stream().streamId() + 8, client.goAway.get(20, TimeUnit.SECONDS));
        assertEquals(Http3ErrorCode.H3_NO_ERROR.code(), client.closed());
      }
    }
    assertEquals(moves, sum(counters -> counters.http3.migrations));
    assertEquals(moves, sum(counters -> counters.http3.established));
  }

  /** QUIC does not send again what is lost with the old port; nobody is to wait for it. */
  @Test
  void whatIsUnderWayWhenAPortChangesIsBrokenOff() throws Exception {
    reopen(4);
    try (ForgetfulNat nat = new ForgetfulNat(server.port());
        Http3Client client = new Http3Client(nat.port(), tls.pem("server"))) {
      Http3Client.Answer big = client.get("/big?1000000000");
      assertEquals("200", big.status());
      nat.forget();
      // A client that sends nothing is not seen to have moved.
      client.get("/ok");
      assertEquals("reset H3_REQUEST_CANCELLED", big.end());
      assertEquals("/big", server.exchanges.closed.poll(20, TimeUnit.SECONDS));
      assertEquals(Http3ErrorCode.H3_NO_ERROR.code(), client.closed());
    }
    try (Http3Client client = connect()) {
      assertEquals("end", client.get("/show").end());
    }
  }

  private void reopen(int loops) throws ListenException {
    server.close();
    server = open(ListenFixture.LIMITS, ListenFixture.TIMEOUTS, HTTP3, loops);
  }

  private long sum(ToLongFunction<LoopCounters> counter) {
    return server.counters.stream().mapToLong(counter).sum();
  }

  @Test
  void resetsInAFloodEndTheConnection() throws Exception {
    try (Http3Client client = connect()) {
      for (int i = 0; i < 500 && !client.closed.isDone(); i++) {
        try {
          String end = client.open(Http3Client.request("GET", "no slash"), true).end();
          assertTrue(end.equals("reset H3_MESSAGE_ERROR") || end.equals("closed"), end);
        } catch (IOException | IllegalStateException e) {
          assertTrue(client.closed.isDone() || i > 0, "closed before the bound");
          break;
        }
      }
      assertEquals(Http3ErrorCode.H3_EXCESSIVE_LOAD.code(), client.closed());
    }
  }

  @Test
  void clientsAreAskedWhereTheyAreBeforeAnythingIsRemembered() throws Exception {
    reopen(
        ListenFixture.LIMITS,
        ListenFixture.TIMEOUTS,
        new Http3Config(List.of("tls"), 0, Duration.ZERO, 0));
    try (Http3Client client = connect()) {
      assertEquals("end", client.get("/ok").end());
    }
    assertTrue(server.counters().http3.retries > 0);
    assertEquals(0, server.counters().http3.badTokens);
    assertEquals(1, server.counters().http3.handshakes);
  }

  /**
   * What a client of Netty's sends no more once it knows of a GOAWAY, be it on its way or not: a
   * HEADERS frame. GET, https and the names of the others are QPACK's numbers 17, 23, 1 and 0.
   */
  private static byte[] get(String path) {
    String fields = "\0\0\321\327\121" + (char) path.length() + path + "\120\11a.example";
    return ("\1" + (char) fields.length() + fields).getBytes(StandardCharsets.ISO_8859_1);
  }

  @Test
  void drainLetsRequestsFinishAndTakesNoMore() throws Exception {
    try (Http3Client client = connect()) {
      Http3Client.Answer slow = client.get("/slow?1");
      Runnable rest = server.exchanges.held.take();
      CompletableFuture<Boolean> drained =
          CompletableFuture.supplyAsync(() -> {
            try {
              return server.listeners.drain(Duration.ofSeconds(20));
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
      client.goAwayAnnounced.get(20, TimeUnit.SECONDS);
      // As good as on its way when the server said so.
      String crossing = client.exchange(get("/ok"));
      assertTrue(crossing.contains("ok"), crossing);
      assertEquals(slow.stream().streamId() + 8, client.goAway.get(20, TimeUnit.SECONDS));
      assertEquals("reset H3_REQUEST_REJECTED", client.exchange(get("/ok")));
      server.transport.loops().getFirst().eventLoop().execute(rest);
      assertEquals("end", slow.end());
      assertEquals("slow 1", slow.body.toString());
      assertEquals(Http3ErrorCode.H3_NO_ERROR.code(), client.closed());
      assertTrue(drained.get(20, TimeUnit.SECONDS));
    }
  }

  @Tag("full")
  @Test
  void theLastResponseOfAConnectionIsWhole() throws Exception {
    LimitsConfig usual = ListenFixture.LIMITS;
    reopen(
        new LimitsConfig(
            usual.headerBytes(),
            usual.headerCount(),
            usual.targetBytes(),
            usual.requestBodyBytes(),
            usual.connections(),
            1,
            usual.streamsPerConnection(),
            usual.followersPerFill(),
            usual.fills(),
            usual.refusedLoads(),
            usual.recoveryFetches(),
            usual.privateCopyBytes(),
            usual.client()),
        ListenFixture.TIMEOUTS,
        HTTP3);
    for (int length = 1; length <= 1_000_000; length *= 10) {
      try (Http3Client client = connect()) {
        Http3Client.Answer answer = client.get("/big?" + length);
        assertEquals("end", answer.end());
        assertEquals(length, answer.body.length());
        assertEquals(Http3ErrorCode.H3_NO_ERROR.code(), client.closed());
      }
    }
  }

  @Test
  void otherProtocolsTellWhereHttp3Is() throws Exception {
    String expected = "h3=\":" + server.port() + "\"; ma=3600";
    try (Http2Client client = new Http2Client(server.port(), tls.pem("server"), 65_535)) {
      assertEquals(expected, client.get(Http2Client.get("/ok")).head().get("alt-svc").toString());
    }
    try (HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .sslContext(tls.clientContext())
            .build()) {
      HttpResponse<String> response =
          client.send(
              HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + "/ok"))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertEquals(expected, response.headers().firstValue("alt-svc").orElseThrow());
    }
    try (Http3Client client = connect()) {
      assertEquals(null, client.get("/ok").head().get("alt-svc"));
    }
  }

  @Test
  void idleConnectionsAndSlowHeadsEnd() throws Exception {
    TimeoutsConfig usual = ListenFixture.TIMEOUTS;
    reopen(
        ListenFixture.LIMITS,
        new TimeoutsConfig(
            usual.tlsHandshake(),
            Duration.ofMillis(300),
            Duration.ofMillis(300),
            Duration.ofMillis(300),
            usual.noProgress(),
            usual.drain(),
            usual.requestTotal()),
        HTTP3);
    try (Http3Client client = connect()) {
      // Nothing is asked at all.
      assertEquals(Http3ErrorCode.H3_NO_ERROR.code(), client.closed());
    }
    try (Http3Client client = connect()) {
      // The head is there; whether a body follows is not told.
      Http3Client.Answer answer = client.open(Http3Client.request("POST", "/echo"), false);
      assertEquals("reset H3_REQUEST_INCOMPLETE", answer.end());
    }
    try (Http3Client client = connect()) {
      Http3Client.Answer answer =
          client.open(
              Http3Client.request("POST", "/slow-body").setLong("content-length", 10), false);
      client.data(answer, "12345", false);
      server.release();
      assertEquals("408", answer.status());
    }
  }
}
