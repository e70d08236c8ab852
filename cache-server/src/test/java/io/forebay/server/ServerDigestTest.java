package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.BrokenException;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9530: digests of origins are verified, stored responses get some, none is ever wrong. */
@Timeout(240)
final class ServerDigestTest {
  private static final String FRESH = "cache-control: max-age=10\r\netag: \"1\"\r\n";

  @TempDir Path directory;
  private final AtomicLong clock = new AtomicLong(System.currentTimeMillis());
  private final TestOrigin origin = new TestOrigin();
  private @Nullable Edge edge;

  @AfterEach
  void stop() throws IOException {
    edge().close();
    origin.close();
  }

  private Edge edge() {
    return requireNonNull(edge);
  }

  private void start(String settings) throws IOException {
    edge =
        Edge.start(
            directory,
            "64MiB",
            "http3: {listeners: [secure]}\n"
                + Edge.origins(origin.url())
                + "routes: [{origin: main, digest: {"
                + settings
                + "}}]\n",
            clock::get);
  }

  private static String digest(String algorithm, byte[] body) throws NoSuchAlgorithmException {
    byte[] digest =
        MessageDigest.getInstance(algorithm.equals("sha-256") ? "SHA-256" : "SHA-512").digest(body);
    return algorithm + "=:" + Base64.getEncoder().encodeToString(digest) + ":";
  }

  // --- verified ---------------------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({
    "content-digest, sha-256, 100",
    "repr-digest, sha-512, 100",
    "content-digest, sha-512, 40000",
    "repr-digest, sha-256, 3000000"
  })
  void aBodyWithItsDigestIsStoredWithIt(String field, String algorithm, int length)
      throws Exception {
    start("verify: on");
    byte[] body = Edge.bytes(1, length);
    String line = digest(algorithm, body);
    origin.on("/a", TestOrigin.ok(FRESH + field + ": " + line + ", md5=:AAAA:\r\n", body));
    try (RawClient client = edge().connect()) {
      for (int i = 0; i < 3; i++) {
        Response response = client.get("/a");
        assertTrue(Arrays.equals(body, response.body()));
        assertEquals(line + ", md5=:AAAA:", response.field(field));
        edge().awaitIdle();
      }
    }
    assertEquals(1, origin.count("/a"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/2", "HTTP/3"})
  void aSmallBodyWithoutItsDigestIs502AndNotStored(String protocol) throws Exception {
    start("verify: on");
    byte[] body = Edge.bytes(1, 1000);
    String wrong = "repr-digest: " + digest("sha-256", new byte[1]) + "\r\n";
    origin.on("/a", TestOrigin.ok(FRESH + wrong, body));
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      for (int i = 1; i <= 2; i++) {
        Answer answer = client.ask("GET", "/a");
        assertEquals(502, answer.status(), answer::toString);
        assertEquals(List.of(), answer.all("repr-digest"));
        edge().awaitIdle();
        assertEquals(i, origin.count("/a"));
      }
    }
    assertEquals(2, edge().sum(c -> c.digestMismatches));
    assertEquals(0, edge().sum(c -> c.fillsInstalled));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLargeBodyWithoutItsDigestIsBrokenOffAndNotStored(boolean hasLength) throws Exception {
    start("verify: on");
    byte[] body = Edge.bytes(1, 3_000_000);
    String wrong = "content-digest: " + digest("sha-512", new byte[1]) + "\r\n";
    origin.on(
        "/a",
        hasLength
            ? TestOrigin.ok(FRESH + wrong, body)
            : TestOrigin.chunked(FRESH + wrong, body, 50_000));
    for (int i = 1; i <= 2; i++) {
      try (RawClient client = edge().connect()) {
        client.request("GET", "/a");
        Response head = client.head();
        // The head may not have gone when the whole body was there.
        if (head.status() == 200) {
          assertThrows(BrokenException.class, () -> client.body(head));
        } else {
          assertEquals(502, head.status());
        }
      }
      edge().awaitIdle();
      assertEquals(i, origin.count("/a"));
    }
    assertEquals(0, edge().sum(c -> c.fillsInstalled));
  }

  @Test
  void whereARouteDoesNotVerifyDigestsPassAsTheyCome() throws Exception {
    start("verify: off");
    String wrong = digest("sha-256", new byte[1]);
    origin.on(
        "/a",
        TestOrigin.ok(
            FRESH + "repr-digest: " + wrong + "\r\ndigest: sha-256=AA==\r\n", Edge.bytes(1, 100)));
    try (RawClient client = edge().connect()) {
      for (int i = 0; i < 2; i++) {
        Response response = client.get("/a");
        assertEquals(200, response.status());
        assertEquals(wrong, response.field("repr-digest"));
        assertEquals("sha-256=AA==", response.field("digest"));
        edge().awaitIdle();
      }
    }
    assertEquals(1, origin.count("/a"));
  }

  @Test
  void aFetchWhoseClientLeavesKeepsNoPartThatCannotBeVerified() throws Exception {
    start("verify: on");
    byte[] body = Edge.bytes(1, 8_000_000);
    String right = "repr-digest: " + digest("sha-256", body) + "\r\n";
    CountDownLatch gate = new CountDownLatch(1);
    origin.on(
        "/a",
        (request, connection) -> {
          TestOrigin.sendHead(connection, FRESH + "accept-ranges: bytes\r\n" + right, body.length)
              .send(Arrays.copyOf(body, 2_500_000));
          if (request.number() == 1) {
            TestOrigin.await(gate);
          }
          connection.send(Arrays.copyOfRange(body, 2_500_000, body.length));
        });
    try (RawClient client = edge().connect()) {
      client.request("GET", "/a");
      Response head = client.head();
      client.partOfBody(head, 2_000_000);
    }
    Await.until("the fetch is given up", () -> edge().sum(c -> c.fillsFailed) == 1);
    gate.countDown();
    assertEquals(0, edge().sum(c -> c.fillsKept));
    try (RawClient client = edge().connect()) {
      assertTrue(Arrays.equals(body, client.get("/a").body()));
    }
  }

  // --- added ------------------------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({
    "0, true",
    "100, true",
    "20000, true",
    "40000, true",
    "3000000, true",
    "100, false",
    "20000, false",
    "40000, false",
    "3000000, false"
  })
  void aStoredResponseGetsTheDigestsThatItLacks(int length, boolean hasLength) throws Exception {
    start("verify: on, add: [sha-256, sha-512]");
    byte[] body = Edge.bytes(length, length);
    String sent = FRESH + "repr-digest: " + digest("sha-512", body) + "\r\n";
    origin.on("/a", hasLength ? TestOrigin.ok(sent, body) : TestOrigin.chunked(sent, body, 10_000));
    List<String> both = List.of(digest("sha-512", body), digest("sha-256", body));
    try (RawClient client = edge().connect()) {
      assertTrue(Arrays.equals(body, client.get("/a").body()));
      edge().awaitIdle();
      Response hit = client.get("/a");
      assertTrue(hit.isHit());
      assertTrue(Arrays.equals(body, hit.body()));
      assertEquals(both, hit.all("repr-digest"));
      client.request("HEAD", "/a");
      assertEquals(both, client.head().all("repr-digest"));
      if (length > 0) {
        Response range = client.get("/a", "Range: bytes=1-10");
        assertEquals(206, range.status());
        assertEquals(both, range.all("repr-digest"));
      }
    }
    assertEquals(1, origin.count("/a"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/2", "HTTP/3"})
  void itIsTheSameOverEachProtocol(String protocol) throws Exception {
    start("add: [sha-256]");
    byte[] body = TestOrigin.ascii("body");
    origin.on("/a", TestOrigin.ok(FRESH, body));
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      assertEquals(List.of(), client.ask("GET", "/a").all("repr-digest"), "not known yet");
      edge().awaitIdle();
      assertEquals(List.of(digest("sha-256", body)), client.ask("GET", "/a").all("repr-digest"));
      assertEquals(List.of(digest("sha-256", body)), client.ask("HEAD", "/a").all("repr-digest"));
    }
  }

  @Test
  void aRevalidationChangesNoDigest() throws Exception {
    start("add: [sha-256]");
    byte[] body = TestOrigin.ascii("body");
    String other = digest("sha-256", new byte[1]);
    origin.on(
        "/a",
        (request, connection) -> {
          if (request.number() == 1) {
            TestOrigin.sendOk(connection, FRESH, body);
          } else {
            TestOrigin.notModified(
                connection,
                FRESH
                    + "repr-digest: "
                    + other
                    + "\r\ncontent-digest: "
                    + other
                    + "\r\ndigest: sha-256=AA==\r\n");
          }
        });
    try (RawClient client = edge().connect()) {
      client.get("/a");
      edge().awaitIdle();
      clock.addAndGet(20_000);
      for (int i = 0; i < 2; i++) {
        Response response = client.get("/a");
        assertEquals(List.of(digest("sha-256", body)), response.all("repr-digest"));
        assertFalse(response.has("content-digest"));
        assertFalse(response.has("digest"));
        edge().awaitIdle();
      }
    }
    assertEquals(2, origin.count("/a"));
  }

  @Test
  void errorsAndWhatIsNotStoredGetNone() throws Exception {
    start("add: [sha-256]");
    origin.on("/passed", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("a")));
    origin.on(
        "/gone",
        (request, connection) ->
            connection.send(
                "HTTP/1.1 404 Not Found\r\ncache-control: max-age=9\r\ncontent-length: 1\r\n\r\nx"));
    try (RawClient client = edge().connect()) {
      for (String path : List.of("/passed", "/gone", "/passed", "/gone")) {
        assertFalse(client.get(path).has("repr-digest"), path);
        edge().awaitIdle();
      }
    }
  }

  @Test
  void aCodedCopyHasNoDigestOfIdentity() throws Exception {
    start("add: [sha-256]");
    byte[] text = "0123456789 ".repeat(500).getBytes(StandardCharsets.US_ASCII);
    String digest = digest("sha-256", text);
    origin.on(
        "/a",
        TestOrigin.ok(
            FRESH + "content-type: text/plain\r\ncontent-digest: " + digest + "\r\n", text));
    try (RawClient client = edge().connect()) {
      Await.until(
          "a copy is served",
          () -> {
            Response response = client.get("/a", "Accept-Encoding: gzip");
            if (response.has("content-encoding")) {
              assertFalse(response.has("repr-digest"), response::toString);
              assertFalse(response.has("content-digest"), response::toString);
            }
            return edge().sum(c -> c.copies.served) > 0;
          });
      Response identity = client.get("/a");
      assertEquals(digest, identity.field("repr-digest"));
      assertEquals(digest, identity.field("content-digest"));
    }
  }

  // --- what clients want ------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void aStoredResponseHasTheDigestsThatTheClientWants(String protocol) throws Exception {
    start("add: [sha-256, sha-512]");
    byte[] body = Edge.bytes(1, 3000);
    origin.on("/a", TestOrigin.ok(FRESH, body));
    String sha256 = digest("sha-256", body);
    String sha512 = digest("sha-512", body);
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      client.ask("GET", "/a");
      edge().awaitIdle();
      assertDigests(List.of(sha256 + ", " + sha512), List.of(), client.ask("GET", "/a"));
      for (String want : List.of("sha-256=x", "sha-256=11", "sha-256")) {
        assertDigests(
            List.of(sha256 + ", " + sha512),
            List.of(),
            client.ask("GET", "/a", "want-repr-digest", want));
      }
      assertDigests(
          List.of(sha512),
          List.of(),
          client.ask("GET", "/a", "want-repr-digest", "sha-256=3, sha-512=10"));
      assertDigests(
          List.of(), List.of(), client.ask("GET", "/a", "want-repr-digest", "sha-256=0, md5=5"));
      assertDigests(
          List.of(sha256),
          List.of(sha512),
          client.ask(
              "GET", "/a", "want-repr-digest", "sha-256=1", "want-content-digest", "sha-512=1"));
      // Of a part and of no content there is no digest; of what it is a part of there is.
      for (String[] asked :
          List.of(
              new String[] {"GET", "range", "bytes=1-2"},
              new String[] {"GET", "range", "bytes=1-2,5-6"},
              new String[] {"HEAD", "x", "y"})) {
        assertDigests(
            List.of(sha512),
            List.of(),
            client.ask(
                asked[0],
                "/a",
                asked[1],
                asked[2],
                "want-repr-digest",
                "sha-512=1",
                "want-content-digest",
                "sha-512=1"));
      }
    }
    assertEquals(1, origin.count("/a"));
  }

  private static void assertDigests(
      List<String> ofRepresentation, List<String> ofContent, Answer answer) {
    assertEquals(ofRepresentation, answer.all("repr-digest"), answer::toString);
    assertEquals(ofContent, answer.all("content-digest"), answer::toString);
  }

  @Test
  void aFetchAsksForWhatTheRouteWantsAndItsClientGetsWhatItWantsOfThat() throws Exception {
    start("verify: on, add: [sha-512]");
    byte[] body = TestOrigin.ascii("body");
    String both = digest("sha-256", body) + ", " + digest("sha-512", body);
    origin.on("/a", TestOrigin.ok(FRESH + "repr-digest: " + both + "\r\n", body));
    try (ProtocolClient client = ProtocolClient.connect(edge(), "plain")) {
      Answer first =
          client.ask(
              "GET", "/a", "want-repr-digest", "sha-256=2", "want-content-digest", "sha-256=0");
      assertDigests(List.of(digest("sha-256", body)), List.of(), first);
      edge().awaitIdle();
      assertDigests(List.of(both), List.of(), client.ask("GET", "/a"));
    }
    TestOrigin.Request asked = origin.requests("/a").getFirst();
    assertEquals("sha-256=5, sha-512=10", asked.field("want-repr-digest"));
    assertEquals("", asked.field("want-content-digest"));
  }

  @Test
  void preferencesOfPassedRequestsAreTheOriginsToHonour() throws Exception {
    start("add: [sha-256]");
    byte[] body = TestOrigin.ascii("body");
    String both = digest("sha-256", body) + ", " + digest("sha-512", body);
    origin.on(
        "/a", TestOrigin.ok("cache-control: no-store\r\nrepr-digest: " + both + "\r\n", body));
    try (ProtocolClient client = ProtocolClient.connect(edge(), "plain")) {
      client.ask("POST", "/a", "want-repr-digest", "sha-256=7");
      Answer passed = client.ask("GET", "/a", "want-repr-digest", "sha-256=7");
      assertDigests(List.of(both), List.of(), passed);
    }
    assertEquals("sha-256=7", origin.requests("/a").getFirst().field("want-repr-digest"));
  }

  @Test
  void aCodedCopyHasNoDigestThatIsWanted() throws Exception {
    start("add: [sha-256]");
    byte[] text = "0123456789 ".repeat(500).getBytes(StandardCharsets.US_ASCII);
    origin.on("/a", TestOrigin.ok(FRESH + "content-type: text/plain\r\n", text));
    try (ProtocolClient client = ProtocolClient.connect(edge(), "plain")) {
      Await.until(
          "a copy is served",
          () -> {
            Answer answer =
                client.ask(
                    "GET",
                    "/a",
                    "accept-encoding",
                    "gzip",
                    "want-repr-digest",
                    "sha-256=1",
                    "want-content-digest",
                    "sha-256=1");
            if (!answer.all("content-encoding").isEmpty()) {
              assertDigests(List.of(), List.of(), answer);
            }
            return edge().sum(c -> c.copies.served) > 0;
          });
    }
  }

  @Test
  void hitsWithoutPreferencesStayInTheFastLane() throws Exception {
    start("add: [sha-256]");
    origin.on("/a", TestOrigin.ok(FRESH, TestOrigin.ascii("body")));
    try (RawClient client = edge().connect()) {
      client.get("/a");
      edge().awaitIdle();
      Await.until(
          "a hit of the fast lane",
          () -> {
            assertTrue(client.get("/a").isHit());
            return edge().sum(c -> c.fastHits) > 0;
          });
      long fast = edge().sum(c -> c.fastHits);
      assertTrue(client.get("/a", "Want-Repr-Digest: sha-256=1").isHit());
      assertEquals(fast, edge().sum(c -> c.fastHits));
      assertTrue(client.get("/a").isHit());
      edge().awaitSum(fast + 1, c -> c.fastHits);
    }
  }

  // --- the content that is sent -----------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({"plain, 100", "TLS, 100", "HTTP/2, 100", "HTTP/3, 100", "plain, 100000"})
  void aContentDigestIsOfTheContentThatIsSent(String protocol, int length) throws Exception {
    start("verify: off");
    byte[] body = Edge.bytes(1, length);
    String digest = digest("sha-256", body);
    origin.on(
        "/a",
        TestOrigin.ok(
            FRESH + "content-digest: " + digest + "\r\nrepr-digest: " + digest + "\r\n", body));
    List<String> all = List.of(digest);
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      for (int i = 0; i < 3; i++) {
        assertEquals(all, client.ask("GET", "/a").all("content-digest"));
        edge().awaitIdle();
      }
      for (Answer part :
          List.of(
              client.ask("HEAD", "/a"),
              client.ask("GET", "/a", "range", "bytes=1-2"),
              client.ask("GET", "/a", "range", "bytes=1-2,5-6"))) {
        assertEquals(List.of(), part.all("content-digest"), part::toString);
        assertEquals(all, part.all("repr-digest"), part::toString);
      }
      assertEquals(
          List.of(), client.ask("GET", "/a", "if-none-match", "\"1\"").all("content-digest"));
    }
    assertEquals(1, origin.count("/a"));
  }
}
