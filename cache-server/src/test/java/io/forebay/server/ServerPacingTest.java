package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.Http3Client;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pacing, measured at the client. That a response takes its time is asserted of each one; that one
 * without pacing does not is waited for, since a busy machine may be slow at any time.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
@Timeout(300)
final class ServerPacingTest {
  private static final int BODY_BYTES = 3 << 20;
  private static final int RATE = 2 << 20;

  /**
   * TCP does not pace the first ten segments of a connection; on loopback each has up to 64 KiB.
   */
  private static final int UNPACED_BYTES = 1 << 20;

  private static final long LEAST_NANOS =
      TimeUnit.SECONDS.toNanos(1) * (BODY_BYTES - UNPACED_BYTES) / RATE;

  private final TestOrigin origin = new TestOrigin();
  private final byte[] body = Edge.bytes(1, BODY_BYTES);
  private final byte[] small = Edge.bytes(2, 30_000);
  private Edge edge;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    edge =
        Edge.before(
            origin,
            directory,
            "64MiB",
            """
            http3: {listeners: [secure]}
            routes:
              - rules:
                  - {when: {path: /free/by-rule}, pacing: {rate: 2MiB}}
                  - {when: {path: /free/small-by-rule}, pacing: {rate: 2MiB}}
              - {match: {path: /paced/}, pacing: {rate: 2MiB}}
              - match: {path: /asked/}
                cmcd: on
                pacing: {rate: 1GiB, bit-rate-factor: 2}
              - {match: {path: /burst/}, pacing: {rate: 1MiB, initial-burst: 1GiB}}
            """);
    for (String path :
        List.of(
            "/paced/big",
            "/paced/passed",
            "/burst/big",
            "/free/big",
            "/free/by-rule",
            "/asked/big")) {
      String control = path.endsWith("passed") ? "no-store" : "max-age=1000";
      origin.on(path, TestOrigin.ok("cache-control: " + control + "\r\n", body));
    }
    for (String path : List.of("/paced/small", "/free/small-by-rule")) {
      origin.on(path, TestOrigin.ok("cache-control: max-age=1000\r\n", small));
    }
    origin.on("/paced/chunked", TestOrigin.chunked("cache-control: no-store\r\n", body, 100_000));
    origin.on(
        "/paced/chunked-small", TestOrigin.chunked("cache-control: no-store\r\n", small, 10_000));
  }

  @AfterAll
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  /** One connection by one of the protocols. */
  private interface Client extends AutoCloseable {
    byte[] get(String path) throws Exception;

    @Override
    void close();
  }

  private record OverHttp1(RawClient client) implements Client {
    @Override
    public byte[] get(String path) throws IOException {
      return client.get(path).body();
    }

    @Override
    public void close() {
      client.close();
    }
  }

  private record OverHttp2(HttpClient client, int port) implements Client {
    CompletableFuture<byte[]> begin(String path) {
      return client
          .sendAsync(
              HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + path)).build(),
              HttpResponse.BodyHandlers.ofByteArray())
          .thenApply(response -> {
            assertEquals(HttpClient.Version.HTTP_2, response.version());
            return response.body();
          });
    }

    @Override
    public byte[] get(String path) throws Exception {
      return begin(path).get(60, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
      client.close();
    }
  }

  private record OverHttp3(Http3Client client) implements Client {
    @Override
    public byte[] get(String path) throws Exception {
      return bytes(client.get(path));
    }

    static byte[] bytes(Http3Client.Answer answer) throws Exception {
      assertEquals("end", answer.end());
      return answer.body.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() {
      client.close();
    }
  }

  private Client connect(String protocol) throws Exception {
    return switch (protocol) {
      case "HTTP/2" -> new OverHttp2(edge.tlsClient(HttpClient.Version.HTTP_2), edge.tlsPort());
      case "HTTP/3" -> new OverHttp3(new Http3Client(edge.tlsPort(), edge.authority(), 16 << 20));
      case "TLS" -> new OverHttp1(edge.connectTls());
      default -> new OverHttp1(edge.connect());
    };
  }

  private static long nanosOf(Callable<?> work) throws Exception {
    long start = System.nanoTime();
    work.call();
    return System.nanoTime() - start;
  }

  private static void assertPaced(long nanos, String what) {
    assertTrue(
        nanos >= LEAST_NANOS,
        () -> what + " took " + nanos / 1_000_000 + " ms, not " + LEAST_NANOS / 1_000_000);
  }

  /** Waits for one try that is faster than the pace allows. */
  private static void awaitFast(String what, Callable<?> work) {
    Await.until(what, () -> nanosOf(work) < LEAST_NANOS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void aResponseIsNoFasterThanItsRoute(String protocol) throws Exception {
    assertPaced(protocol, List.of("/paced/big"));
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void aResponseOfAnyKindIsNoFasterThanItsRoute(String protocol) throws Exception {
    assertPaced(
        protocol,
        List.of("/paced/big", "/paced/big", "/paced/passed", "/paced/chunked", "/free/by-rule"));
  }

  private void assertPaced(String protocol, List<String> paths) throws Exception {
    for (String path : paths) {
      try (Client client = connect(protocol)) {
        long nanos =
            nanosOf(() -> {
              Bytes.assertEquals(body, client.get(path));
              return null;
            });
        assertPaced(nanos, path + " over " + protocol);
      }
    }
  }

  /** The first is a miss, the second a hit of the fast lane. */
  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/3"})
  void aResponseFollowsTheBitRateThatItsPlayerNames(String protocol) throws Exception {
    assertPaced(protocol, List.of("/asked/big?CMCD=br%3D8388", "/asked/big?CMCD=br%3D8388"));
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void theThroughputThatAPlayerAsksForGoesBeforeTheBitRate(String protocol) throws Exception {
    assertPaced(protocol, List.of("/asked/big?CMCD=br%3D500000%2Crtp%3D16776"));
  }

  @Test
  void aPlayerThatStartsOrHasRunDryGetsTheRateOfTheRoute() throws Exception {
    try (Client client = connect("plain")) {
      for (String told : List.of("br%3D8388%2Csu", "br%3D8388%2Cbs", "br%3D", "bl%3D100")) {
        awaitFast(told, () -> client.get("/asked/big?CMCD=" + told));
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void smallResponsesOfOneConnectionShareTheRate(String protocol) throws Exception {
    for (String path : List.of("/paced/small", "/paced/chunked-small", "/free/small-by-rule")) {
      long fastBefore = edge.sum(counters -> counters.fastHits);
      try (Client client = connect(protocol)) {
        client.get(path);
        long nanos =
            nanosOf(() -> {
              for (int sent = 0; sent < BODY_BYTES; sent += small.length) {
                Bytes.assertEquals(small, client.get(path));
              }
              return null;
            });
        assertPaced(nanos, path + " over " + protocol);
      }
      if (protocol.equals("plain") && !path.contains("chunked")) {
        assertTrue(edge.sum(counters -> counters.fastHits) - fastBefore > 10, "the fast lane");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void whatIsInTheInitialBurstIsSentAtFullSpeed(String protocol) throws Exception {
    try (Client client = connect(protocol)) {
      awaitFast("a response within its burst", () -> client.get("/burst/big"));
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void theRateOfAConnectionIsThatOfItsResponse(String protocol) throws Exception {
    try (Client client = connect(protocol)) {
      awaitFast(
          "a response without pacing, behind one with it",
          () -> {
            client.get("/paced/small");
            return client.get("/free/big");
          });
      // The first segments of the connection are gone.
      assertPaced(nanosOf(() -> client.get("/paced/big")), "one with it, behind one without");
    }
  }

  @Tag("full")
  @Test
  void oneWithoutPacingIsNotHeldUpByOneBesideIt() throws Exception {
    try (OverHttp2 client = (OverHttp2) connect("HTTP/2")) {
      client.get("/paced/small");
      awaitFast(
          "a stream without pacing",
          () -> {
            CompletableFuture<byte[]> paced = client.begin("/paced/big");
            byte[] free = client.get("/free/big");
            paced.get(60, TimeUnit.SECONDS);
            return free;
          });
    }
    try (OverHttp3 client = (OverHttp3) connect("HTTP/3")) {
      long nanos =
          nanosOf(() -> {
            Http3Client.Answer paced = client.client().get("/paced/big");
            awaitFast("a stream without pacing", () -> client.get("/free/big"));
            return OverHttp3.bytes(paced);
          });
      assertPaced(nanos, "a paced stream beside others");
    }
  }

  @Tag("full")
  @Test
  void pacedStreamsShareTheRateOfOne() throws Exception {
    try (OverHttp2 client = (OverHttp2) connect("HTTP/2")) {
      // The connection is there, so both use it.
      client.get("/paced/small");
      long nanos =
          nanosOf(() -> {
            CompletableFuture<byte[]> one = client.begin("/paced/big");
            CompletableFuture<byte[]> other = client.begin("/paced/big");
            Bytes.assertEquals(body, one.get(60, TimeUnit.SECONDS));
            Bytes.assertEquals(body, other.get(60, TimeUnit.SECONDS));
            return null;
          });
      assertPaced(nanos / 2, "each of two streams");
    }
    try (OverHttp3 client = (OverHttp3) connect("HTTP/3")) {
      long nanos =
          nanosOf(() -> {
            Http3Client.Answer one = client.client().get("/paced/big");
            Http3Client.Answer other = client.client().get("/paced/big");
            Bytes.assertEquals(body, OverHttp3.bytes(one));
            Bytes.assertEquals(body, OverHttp3.bytes(other));
            return null;
          });
      assertPaced(nanos / 2, "each of two streams");
    }
  }

  @Test
  void aClientThatLeavesInTheMiddleLeavesNothingBehind() throws Exception {
    for (RawClient client : List.of(edge.connect(), edge.connectTls())) {
      client.request("GET", "/paced/big");
      assertEquals(200, client.head().status());
      client.close();
    }
    try (HttpClient client = edge.tlsClient(HttpClient.Version.HTTP_2)) {
      HttpResponse<InputStream> response =
          client.send(
              HttpRequest.newBuilder(
                      URI.create("https://127.0.0.1:" + edge.tlsPort() + "/paced/big"))
                  .build(),
              HttpResponse.BodyHandlers.ofInputStream());
      response.body().close();
    }
    try (Http3Client client = new Http3Client(edge.tlsPort(), edge.authority(), 16 << 20)) {
      Http3Client.Answer big = client.get("/paced/big");
      assertEquals("200", big.status());
      // Its bytes wait for credit.
      Http3Client.Answer held = client.get("/paced/small");
      assertEquals("200", held.status());
      client.reset(held);
      client.reset(big);
      Http3Client.Answer next = client.get("/paced/small");
      Bytes.assertEquals(small, OverHttp3.bytes(next));
      assertEquals("200", client.get("/paced/big").status());
    }
    edge.awaitIdle();
  }

  /** One in some sixty connections ends while QUIC is writing. */
  @Test
  @Tag("full")
  void connectionsThatEndInTheMiddleLeaveNothingBehind() throws Exception {
    for (int i = 0; i < 200; i++) {
      try (Http3Client client = new Http3Client(edge.tlsPort(), edge.authority(), 16 << 20)) {
        Http3Client.Answer big = client.get("/paced/big");
        assertEquals("200", big.status());
        client.reset(big);
        Bytes.assertEquals(small, OverHttp3.bytes(client.get("/paced/small")));
        assertEquals("200", client.get("/paced/big").status());
      }
    }
    edge.awaitIdle();
  }

  @Test
  void explainNamesARuleThatPaces() throws Exception {
    String explained =
        edge.explain(200, "{\"url\": \"" + edge.url("/free/by-rule") + "\"}").toString();
    assertTrue(explained.contains("sends at most 2097152 bytes a second"), explained);
  }
}
