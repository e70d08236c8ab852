package io.forebay.server.listen.http2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.TimeoutsConfig;
import io.forebay.server.listen.ListenFixture;
import io.forebay.server.listen.ScriptedExchanges;
import io.forebay.server.loop.ListenException;
import io.forebay.testing.Certificates;
import io.forebay.testing.Http2Client;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
@Tag("slow")
class Http2ConnectionTest {

  private static final int WINDOW = 65_535;

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
    server = open(ListenFixture.LIMITS, ListenFixture.TIMEOUTS);
  }

  private static ListenFixture open(LimitsConfig limits, TimeoutsConfig timeouts)
      throws ListenException {
    return new ListenFixture(
        ListenFixture.config(
            limits,
            timeouts,
            "auto",
            1,
            new ListenerConfig(
                "tls", new Address("127.0.0.1", 0), tls.pem("server"), tls.key("server"))));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Http2Client connect() throws Exception {
    return new Http2Client(server.port(), tls.pem("server"), WINDOW);
  }

  private HttpClient jdkClient() throws Exception {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_2)
        .sslContext(tls.clientContext())
        .build();
  }

  private URI uri(String pathAndQuery) {
    return URI.create("https://localhost:" + server.port() + pathAndQuery);
  }

  @Test
  void servesAnOrdinaryClient() throws Exception {
    try (HttpClient client = jdkClient()) {
      HttpResponse<String> response =
          client.send(
              HttpRequest.newBuilder(uri("/show?q=1")).header("x", "1").build(),
              HttpResponse.BodyHandlers.ofString());
      assertEquals(HttpClient.Version.HTTP_2, response.version());
      assertEquals("yes", response.headers().firstValue("x-test").orElseThrow());
      assertEquals(
          response.body().length(),
          response.headers().firstValueAsLong("content-length").orElseThrow());
      assertTrue(
          response
              .body()
              .startsWith(
                  "GET https localhost:"
                      + server.port()
                      + " /show q=1 HTTP/2 127.0.0.1 known=0 body=false 0"),
          response.body());
      assertFalse(response.body().contains(":path"), response.body());

      String body = "0123456789".repeat(60_000);
      HttpResponse<String> echo =
          client.send(
              HttpRequest.newBuilder(uri("/echo"))
                  .POST(HttpRequest.BodyPublishers.ofString(body))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertEquals(body, echo.body());

      List<CompletableFuture<HttpResponse<byte[]>>> all = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        all.add(
            client.sendAsync(
                HttpRequest.newBuilder(uri("/big?" + i * 20_000)).build(),
                HttpResponse.BodyHandlers.ofByteArray()));
      }
      for (int i = 0; i < 50; i++) {
        assertEquals(i * 20_000, all.get(i).get().body().length);
      }
      HttpResponse<Void> head =
          client.send(
              HttpRequest.newBuilder(uri("/hello")).HEAD().build(),
              HttpResponse.BodyHandlers.discarding());
      assertEquals("5", head.headers().firstValue("content-length").orElseThrow());
    }
    assertEquals(1, server.counters().connectionsAccepted);
  }

  @Test
  void writesBodiesOfUnknownLengthAndTrailers() throws Exception {
    try (Http2Client client = connect()) {
      Http2Client.Answer answer = client.get(Http2Client.get("/trailers"));
      assertEquals("200", answer.head().status().toString());
      assertEquals("end", answer.end());
      assertEquals("body", answer.body.toString());
      assertEquals("1", answer.head().get("x-sum").toString());
      Http2Client.Answer chunks = client.get(Http2Client.get("/chunks?9"));
      assertEquals("end", chunks.end());
      assertFalse(chunks.head().contains("transfer-encoding"));
    }
  }

  @Test
  void joinsCookiesAndSendsInterimResponses() throws Exception {
    try (Http2Client client = connect()) {
      Http2Headers headers = Http2Client.get("/show");
      headers.add("cookie", "a=1").add("cookie", "b=2");
      Http2Client.Answer answer = client.get(headers);
      assertEquals("end", answer.end());
      assertTrue(answer.body.toString().contains("cookie=a=1; b=2\n"), answer.body.toString());
      Http2Client.Answer early = client.get(Http2Client.get("/early"));
      assertEquals("103", early.head().status().toString());
      assertEquals("200", early.head().status().toString());
    }
  }

  static Stream<Arguments> malformed() {
    return Stream.of(
        row("CR in a value", "x", "a\rb"),
        row("LF in a value", "x", "a\nb"),
        row("NUL in a value", "x", "a\u0000b"),
        row("upper-case name", "X", "a"),
        row("CR in a name", "x\r", "a"),
        row("LF in a name", "x\ny", "a"),
        row("NUL in a name", "x\u0000", "a"),
        row("blank in a name", "x y", "a"),
        row("colon in a name", "x:y", "a"),
        row("empty name", "", "a"),
        row("connection", "connection", "close"),
        row("keep-alive", "keep-alive", "1"),
        row("proxy-connection", "proxy-connection", "close"),
        row("transfer-encoding", "transfer-encoding", "chunked"),
        row("upgrade", "upgrade", "h2c"),
        row("te gzip", "te", "gzip"),
        row("other host", "host", "b.example"),
        row("unknown pseudo-header", ":x", "a"),
        row("response pseudo-header", ":status", "200"),
        // RFC 8441 §3: not offered.
        row("extended CONNECT", ":protocol", "websocket"),
        row("second path", ":path", "/b"),
        row("second authority", ":authority", "b"),
        row("content-length without a body", "content-length", "3"),
        row("a list of one content-length", "content-length", "0, 0"),
        row("bad content-length", "content-length", "+0"));
  }

  private static Arguments row(String what, String name, String value) {
    return Arguments.of(what, name, value);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("malformed")
  void resetsMalformedRequests(String what, String name, String value) throws Exception {
    try (Http2Client client = connect()) {
      Http2Headers headers = Http2Client.get("/x");
      headers.add(name, value);
      Http2Client.Answer answer = client.get(headers);
      assertEquals("reset PROTOCOL_ERROR", answer.end(), what);
      assertServesOn(client);
    }
    assertEquals(List.of("GET /hello"), server.exchanges.started);
  }

  static Stream<Arguments> badTargets() {
    return Stream.of(
        Arguments.of("GET", "x"),
        Arguments.of("GET", ""),
        Arguments.of("GET", "*"),
        Arguments.of("GET", "https://a.example/x"),
        Arguments.of("GET", "/\u0001"),
        Arguments.of("GET", "/a b"),
        Arguments.of("GET", "/%zz"),
        Arguments.of("G T", "/"),
        Arguments.of("", "/"));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("badTargets")
  void resetsBadTargets(String method, String path) throws Exception {
    try (Http2Client client = connect()) {
      Http2Client.Answer answer = client.get(Http2Client.request(method, path));
      assertEquals("reset PROTOCOL_ERROR", answer.end());
      assertServesOn(client);
    }
  }

  @Test
  void resetsRequestsWithoutPseudoHeaders() throws Exception {
    try (Http2Client client = connect()) {
      for (String missing : List.of(":method", ":path", ":scheme", ":authority")) {
        Http2Headers headers = Http2Client.get("/x");
        headers.remove(missing);
        assertEquals("reset PROTOCOL_ERROR", client.get(headers).end(), missing);
      }
      Http2Headers byHost = Http2Client.get("/hello");
      byHost.remove(":authority");
      byHost.add("host", "a.example");
      assertEquals("end", client.get(byHost).end());
    }
  }

  private static void assertServesOn(Http2Client client) throws Exception {
    Http2Client.Answer after = client.get(Http2Client.get("/hello"));
    assertEquals("end", after.end());
    assertEquals("hello", after.body.toString());
  }

  @Test
  void answersWhatIsRefusedButNotMalformed() throws Exception {
    try (Http2Client client = connect()) {
      assertRefused(client, "405", Http2Client.request("PURGE", "/"));
      assertRefused(client, "405", Http2Client.request("TRACE", "/"));
      assertRefused(client, "414", Http2Client.get("/" + "x".repeat(5000)));
      Http2Headers other = Http2Client.get("/");
      other.scheme("http");
      assertRefused(client, "421", other);
      Http2Headers large = Http2Client.request("POST", "/");
      large.add("content-length", "2000000");
      Http2Client.Answer answer = client.open(large, false);
      assertEquals("413", answer.head().status().toString());
      assertServesOn(client);
    }
    assertEquals(5, server.counters().requestsRefused);
  }

  private static void assertRefused(Http2Client client, String status, Http2Headers headers)
      throws Exception {
    Http2Client.Answer answer = client.get(headers);
    assertEquals("end", answer.end());
    assertEquals(status, answer.head().status().toString());
    assertTrue(answer.body.toString().startsWith(status + " "), answer.body.toString());
  }

  @Test
  void resetsABodyThatIsNotAsLongAsDeclared() throws Exception {
    try (Http2Client client = connect()) {
      for (String body : List.of("abc", "abcdefg")) {
        Http2Headers headers = Http2Client.request("POST", "/slow-body");
        headers.add("content-length", "5");
        Http2Client.Answer answer = client.open(headers, false);
        server.release();
        client.data(answer, body, true);
        assertEquals("reset PROTOCOL_ERROR", answer.end());
        assertEquals("/slow-body", server.exchanges.closed.poll(10, TimeUnit.SECONDS));
      }
      assertEquals(2, server.exchanges.bodyFailures.size());
    }
  }

  @Test
  void aRequestThatSaysItHasNoBodyBeginsWhenItHasNone() throws Exception {
    try (Http2Client client = connect()) {
      Http2Headers headers = Http2Client.request("POST", "/slow-body");
      headers.add("content-length", "0");
      Http2Client.Answer longer = client.open(headers, false);
      assertServesOn(client);
      client.data(longer, "x", true);
      assertEquals("reset PROTOCOL_ERROR", longer.end());
      headers.path("/show");
      Http2Client.Answer whole = client.open(headers, false);
      client.data(whole, "", true);
      assertEquals("end", whole.end());
      assertServesOn(client);
      assertTrue(server.exchanges.held.isEmpty());
      assertTrue(server.exchanges.closed.isEmpty());
    }
  }

  @Test
  void takesNoMoreOfABodyThanTheWindowBeforeItIsWanted() throws Exception {
    int length = 900_000;
    try (Http2Client client = connect()) {
      Http2Client.Answer answer = client.open(Http2Client.request("POST", "/slow-body"), false);
      Runnable demand = server.exchanges.held.take();
      for (int i = 0; i < length / 10_000; i++) {
        client.data(answer, "x".repeat(10_000), false);
      }
      client.data(answer, "", true);
      // Another stream works meanwhile, for the connection's window is larger than one stream's.
      assertServesOn(client);
      assertEquals(0, server.exchanges.bodyBytes.get());
      server.transport.loops().getFirst().eventLoop().execute(demand);
      assertEquals("end", answer.end());
      assertEquals("took " + length, answer.body.toString());
    }
  }

  @Test
  void aSlowStreamNeitherBlocksOthersNorIsBufferedFor() throws Exception {
    try (Http2Client client = connect()) {
      Http2Client.Answer slow = client.get(Http2Client.get("/big?5000000"));
      assertEquals("200", slow.head().status().toString());
      // One window came; the rest is not even offered, and another stream runs freely: its bytes
      // are credited as they come, as is the connection's share of the slow one's.
      while (slow.body.length() < WINDOW) {
        Thread.onSpinWait();
      }
      long offered = server.exchanges.bytesOffered.get();
      assertTrue(offered <= 6L * ScriptedExchanges.CHUNK_LENGTH, "offered " + offered);
      client.open(Http2Client.get("/chunks?0"), true).end();
      int credited = 0;
      while (!slow.end.isDone()) {
        int came = slow.body.length();
        if (came > credited) {
          client.credit(slow, came - credited);
          credited = came;
        }
        Thread.onSpinWait();
      }
      assertEquals("end", slow.end());
      assertEquals(5_000_000, slow.body.length());
      assertTrue(server.exchanges.waits.get() > 0);
    }
  }

  @Test
  void anAbortedResponseIsReset() throws Exception {
    try (Http2Client client = connect()) {
      for (String path : List.of("/abort", "/abort-unknown", "/short", "/long", "/throw")) {
        assertEquals("reset INTERNAL_ERROR", client.get(Http2Client.get(path)).end(), path);
      }
      assertServesOn(client);
    }
  }

  @Test
  void tellsAClientThatWaitsToSendItsBodyOnceItIsWanted() throws Exception {
    try (Http2Client client = connect()) {
      Http2Headers headers =
          Http2Client.request("POST", "/slow-body").add("expect", "100-continue");
      Http2Client.Answer answer = client.open(headers, false);
      server.release();
      assertEquals("100", answer.head().status().toString());
      client.data(answer, "abc", true);
      assertEquals("200", answer.head().status().toString());
      assertEquals("end", answer.end());
    }
  }

  @Test
  void tellsTheExchangeWhenTheStreamOrTheConnectionGoes() throws Exception {
    try (Http2Client client = connect()) {
      Http2Client.Answer one = client.get(Http2Client.get("/never"));
      client.open(Http2Client.request("POST", "/echo"), false);
      while (server.exchanges.started.size() < 2) {
        Thread.onSpinWait();
      }
      client.reset(one);
      assertEquals("/never", server.exchanges.closed.poll(10, TimeUnit.SECONDS));
    }
    assertEquals("/echo", server.exchanges.closed.poll(10, TimeUnit.SECONDS));
    assertEquals(
        "the client closed the connection",
        server.exchanges.bodyFailures.poll(10, TimeUnit.SECONDS));
  }

  @Test
  void drainsWithGoAwayAfterTheLastResponse() throws Exception {
    try (Http2Client client = connect()) {
      Http2Client.Answer slow = client.get(Http2Client.get("/slow?1"));
      Runnable step = server.exchanges.held.take();
      CompletableFuture<Boolean> drained =
          CompletableFuture.supplyAsync(() -> {
            try {
              return server.listeners.drain(Duration.ofSeconds(20));
            } catch (InterruptedException e) {
              return false;
            }
          });
      assertEquals(Http2Error.NO_ERROR.code(), client.goAway.get(10, TimeUnit.SECONDS));
      assertFalse(drained.isDone());
      server.transport.loops().getFirst().eventLoop().execute(step);
      assertEquals("end", slow.end());
      assertTrue(drained.get(10, TimeUnit.SECONDS));
    }
  }

  @Tag("full")
  @Test
  void resetsInAFloodEndTheConnection() throws Exception {
    try (Http2Client client = connect()) {
      for (int i = 0; i < 1000 && !client.goAway.isDone(); i++) {
        try {
          client.reset(client.get(Http2Client.get("/never")));
        } catch (TimeoutException e) {
          // The connection was ended between the look and the request.
          break;
        }
      }
      long told = client.goAway.get(10, TimeUnit.SECONDS);
      // The kernel's reset, sent because frames were left unread, may overtake the GOAWAY.
      assertTrue(told == Http2Error.ENHANCE_YOUR_CALM.code() || told == -1, "" + told);
    }
    assertTrue(server.exchanges.started.size() <= 210, "" + server.exchanges.started.size());
  }

  @Test
  void aClientThatOpensNoWindowIsGivenUp() throws Exception {
    server.close();
    TimeoutsConfig t = ListenFixture.TIMEOUTS;
    server =
        open(
            ListenFixture.LIMITS,
            new TimeoutsConfig(
                t.tlsHandshake(),
                t.requestHeader(),
                t.requestBodyIdle(),
                t.keepAlive(),
                Duration.ofMillis(800),
                t.drain(),
                t.requestTotal()));
    try (Http2Client client = connect()) {
      Http2Client.Answer stalled = client.get(Http2Client.get("/big?5000000"));
      assertEquals("closed", stalled.end());
    }
    assertEquals(1, server.counters().stalledClosed);
    assertEquals("/big", server.exchanges.closed.poll(10, TimeUnit.SECONDS));
  }

  @Test
  void anIdleConnectionIsClosed() throws Exception {
    server.close();
    Duration brief = Duration.ofMillis(400);
    server =
        open(
            ListenFixture.LIMITS,
            new TimeoutsConfig(
                Duration.ofSeconds(5),
                brief,
                brief,
                brief,
                Duration.ofSeconds(30),
                brief,
                Duration.ofDays(1)));
    try (Http2Client client = connect()) {
      assertServesOn(client);
      assertEquals(Http2Error.NO_ERROR.code(), client.goAway.get(10, TimeUnit.SECONDS));
      assertTrue(client.channel().closeFuture().await(10, TimeUnit.SECONDS));
    }
  }

  @Tag("full")
  @Test
  void servesCurl() throws Exception {
    requireProgram("curl", "curl");
    String said =
        run(
            "curl",
            "-sS",
            "--http2",
            "--cacert",
            tls.pem("server").toString(),
            "-w",
            " %{http_version} %{http_code}",
            uri("/hello").toString());
    assertEquals("hello 2 200", said);
  }

  @Tag("full")
  @Test
  void servesNghttp() throws Exception {
    requireProgram("nghttp", "nghttp2-client");
    String said = run("nghttp", "-y", uri("/hello").toString(), uri("/big?300000").toString());
    assertTrue(said.startsWith("hello"), said);
    assertEquals(300_005, said.length());
  }

  private static void requireProgram(String program, String debianPackage) {
    boolean isThere =
        Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
    Assumptions.assumeTrue(
        isThere, program + " is not installed; it is in the Debian package " + debianPackage);
  }

  private static String run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    assertEquals(0, process.waitFor(), said);
    return said;
  }
}
