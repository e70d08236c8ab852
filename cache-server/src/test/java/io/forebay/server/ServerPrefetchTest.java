package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Next objects of popular streams are fetched ahead, within bounds and without a trace of errors.
 */
@Timeout(240)
@Tag("slow")
final class ServerPrefetchTest {
  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final String EAGER =
      "prefetch: {enabled: on, after: 2, share: 100%, sources: [SOURCES]}";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch gate = new CountDownLatch(1);
  private @Nullable Edge edge;

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    edge().close();
    origin.close();
  }

  private Edge edge() {
    return requireNonNull(edge);
  }

  private void segments(int from, int to) {
    for (int i = from; i <= to; i++) {
      origin.on("/v/" + i + ".m4s", TestOrigin.ok(FRESH, Edge.bytes(i, 4_000)));
    }
    origin.on("/v/init.mp4", TestOrigin.ok(FRESH, Edge.bytes(0, 100_000)));
  }

  private void start(String route) throws IOException {
    start("keep-alive: 5s", route);
  }

  private void start(String ofOrigin, String route) throws IOException {
    edge =
        Edge.start(
            directory,
            "32MiB",
            """
            http3: {listeners: [secure]}
            origins: {main: {url: "URL", OF_ORIGIN}}
            routes:
              - {match: {path: /}}
              - {name: video, match: {path: /v/}, cmcd: on, ROUTE}
            """
                .replace("URL", origin.url())
                .replace("OF_ORIGIN", ofOrigin)
                .replace("ROUTE", route));
  }

  private Answer get(ProtocolClient client, String path, String... fields) throws Exception {
    Answer answer = client.ask("GET", path, fields);
    edge().awaitIdle();
    return answer;
  }

  private void awaitAsked(String path) {
    Await.until(path + " is fetched", () -> origin.count(path) == 1);
    edge().awaitIdle();
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "HTTP/2", "HTTP/3"})
  void theNextNumberIsThereBeforeAClientAsks(String protocol) throws Exception {
    segments(1, 9);
    start(EAGER.replace("SOURCES", "number"));
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      get(client, "/v/init.mp4");
      get(client, "/v/1.m4s?CMCD=bl%3D1");
      get(client, "/v/2.m4s?CMCD=bl%3D2");
      awaitAsked("/v/3.m4s");
      assertEquals("/v/3.m4s", origin.requests("/v/3.m4s").getFirst().target());
      Answer hit = get(client, "/v/3.m4s");
      assertTrue(hit.isHit(), hit::toString);
      assertEquals(4_000, hit.body().length());
      awaitAsked("/v/4.m4s");
    }
    assertEquals(0, origin.count("/v/5.m4s"));
    edge().awaitSum(2, counters -> counters.prefetch.started);
    edge().awaitSum(8_000, counters -> counters.prefetch.bytes);
    edge().awaitSum(4_000, counters -> counters.prefetch.usedBytes);
    edge().awaitSum(0, counters -> counters.prefetch.wastedBytes);
  }

  @Test
  void whatIsNotPopularIsNotFetchedAhead() throws Exception {
    segments(1, 9);
    start(EAGER.replace("SOURCES", "number").replace("after: 2", "after: 4"));
    try (ProtocolClient client = ProtocolClient.connect(edge(), "plain")) {
      get(client, "/v/init.mp4");
      for (int i = 1; i <= 3; i++) {
        get(client, "/v/" + i + ".m4s");
      }
      edge().awaitSum(0, counters -> counters.prefetch.started);
      get(client, "/v/3.m4s");
      awaitAsked("/v/4.m4s");
    }
  }

  @Test
  void theBudgetHoldsFetchesBack() throws Exception {
    segments(1, 99);
    start(EAGER.replace("SOURCES", "number").replace("share: 100%", "share: 5%"));
    try (ProtocolClient client = ProtocolClient.connect(edge(), "plain")) {
      get(client, "/v/1.m4s");
      get(client, "/v/2.m4s");
      edge().awaitSum(1, counters -> counters.prefetch.heldBack);
      edge().awaitSum(0, counters -> counters.prefetch.started);
      assertEquals(0, origin.count("/v/3.m4s"));
    }
  }

  @Test
  void theErrorOfASegmentThatIsNotThereYetIsNotRemembered() throws Exception {
    segments(1, 2);
    start(EAGER.replace("SOURCES", "number") + ", negative-ttl: {404: 1h}");
    try (ProtocolClient client = ProtocolClient.connect(edge(), "plain")) {
      get(client, "/v/init.mp4");
      get(client, "/v/1.m4s");
      get(client, "/v/2.m4s");
      awaitAsked("/v/3.m4s");
      edge().awaitSum(1, counters -> counters.prefetch.unfinished);
      segments(3, 3);
      Answer answer = get(client, "/v/3.m4s");
      assertEquals(200, answer.status(), answer::toString);
      assertEquals(4_000, answer.body().length());
      // What clients cause is remembered as ever.
      assertEquals(404, get(client, "/v/77.m4s").status());
      Answer again = get(client, "/v/77.m4s");
      assertTrue(again.isHit(), again::toString);
    }
  }

  @Test
  void whoHasJoinedAFetchThatFailsAsksForItself() throws Exception {
    segments(1, 2);
    origin.on(
        "/v/3.m4s",
        (request, connection) -> {
          if (request.number() == 1) {
            TestOrigin.await(gate);
            connection.send("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
          } else {
            TestOrigin.sendOk(connection, FRESH, Edge.bytes(3, 4_000));
          }
        });
    start(EAGER.replace("SOURCES", "number"));
    try (ProtocolClient client = ProtocolClient.connect(edge(), "plain");
        ProtocolClient other = ProtocolClient.connect(edge(), "plain")) {
      get(client, "/v/init.mp4");
      get(client, "/v/1.m4s");
      client.ask("GET", "/v/2.m4s");
      Await.until("the fetch ahead is on its way", () -> origin.count("/v/3.m4s") == 1);
      Thread opening =
          Thread.ofVirtual()
              .start(() -> {
                Await.until(
                    "a client has joined", () -> edge().sum(counters -> counters.joined) == 1);
                gate.countDown();
              });
      Answer answer = other.ask("GET", "/v/3.m4s");
      opening.join();
      assertEquals(200, answer.status(), answer::toString);
      assertEquals(4_000, answer.body().length());
      assertEquals(2, origin.count("/v/3.m4s"));
    }
  }

  @Test
  void aClientThatJoinsAFetchAheadUsesIt() throws Exception {
    segments(1, 2);
    origin.on(
        "/v/3.m4s",
        (request, connection) -> {
          TestOrigin.await(gate);
          TestOrigin.sendOk(connection, FRESH, Edge.bytes(3, 4_000));
        });
    start(EAGER.replace("SOURCES", "number"));
    try (ProtocolClient client = ProtocolClient.connect(edge(), "plain");
        ProtocolClient other = ProtocolClient.connect(edge(), "plain")) {
      get(client, "/v/init.mp4");
      get(client, "/v/1.m4s");
      client.ask("GET", "/v/2.m4s");
      Await.until("the fetch ahead is on its way", () -> origin.count("/v/3.m4s") == 1);
      Thread opening =
          Thread.ofVirtual()
              .start(() -> {
                Await.until(
                    "a client has joined", () -> edge().sum(counters -> counters.joined) == 1);
                gate.countDown();
              });
      Answer answer = other.ask("GET", "/v/3.m4s");
      opening.join();
      assertEquals(200, answer.status(), answer::toString);
      assertEquals(1, origin.count("/v/3.m4s"));
    }
    edge().awaitSum(4_000, counters -> counters.prefetch.usedBytes);
  }

  @Test
  void namesOfClientsLeadToTheSameRouteOnly() throws Exception {
    segments(1, 9);
    origin.on("/private/1.m4s", TestOrigin.ok(FRESH, Edge.bytes(1, 4_000)));
    start(EAGER.replace("SOURCES", "cmcd"));
    try (ProtocolClient client = ProtocolClient.connect(edge(), "plain")) {
      get(client, "/v/init.mp4");
      get(client, "/v/1.m4s");
      for (String nor :
          new String[] {
            "..%2Fprivate%2F1.m4s",
            "/private/1.m4s",
            "http:%2F%2Fother.example%2Fv%2F1.m4s",
            "//other.example/v/1.m4s",
            "..%2Fv%2F..%2Fprivate%2F1.m4s"
          }) {
        get(client, "/v/1.m4s", "cmcd-request", "nor=\"" + nor + "\"");
      }
      get(
          client,
          "/v/1.m4s",
          "cmcd-request",
          "v=2,nor=(\"5.m4s\" \"..%2Fv%2F6.m4s\" \"7.m4s\" \"8.m4s\")");
      awaitAsked("/v/5.m4s");
      awaitAsked("/v/6.m4s");
      assertTrue(get(client, "/v/6.m4s").isHit());
    }
    assertEquals(0, origin.count("/private/1.m4s"));
    assertEquals(0, origin.count("/v/7.m4s"), "two names of one request count");
    edge().awaitSum(2, counters -> counters.prefetch.started);
  }

  @Test
  void requestsWithSecretsNameNothing() throws Exception {
    segments(1, 9);
    start(EAGER.replace("SOURCES", "cmcd, number"));
    try (ProtocolClient client = ProtocolClient.connect(edge(), "plain")) {
      get(client, "/v/init.mp4");
      for (int i = 1; i <= 4; i++) {
        get(client, "/v/" + i + ".m4s", "cookie", "user=1");
        get(client, "/v/" + i + ".m4s", "authorization", "Bearer a");
      }
    }
    edge().awaitSum(0, counters -> counters.prefetch.started);
  }

  @Test
  void whatIsMuchLargerThanItsStreamIsLeftToClients() throws Exception {
    segments(1, 2);
    origin.on("/v/3.m4s", TestOrigin.ok(FRESH, Edge.bytes(3, 8_001)));
    start(EAGER.replace("SOURCES", "number"));
    try (ProtocolClient client = ProtocolClient.connect(edge(), "plain")) {
      get(client, "/v/init.mp4");
      get(client, "/v/1.m4s");
      get(client, "/v/2.m4s");
      awaitAsked("/v/3.m4s");
      edge().awaitSum(1, counters -> counters.prefetch.unfinished);
      Answer answer = get(client, "/v/3.m4s");
      assertFalse(answer.isHit(), answer::toString);
      assertEquals(8_001, answer.body().length());
    }
  }

  @Test
  void theLastSegmentOfALivePlaylistIsFetchedAhead() throws Exception {
    segments(1, 9);
    origin.on(
        "/v/live.m3u8",
        TestOrigin.ok(
            FRESH,
            TestOrigin.ascii(
                "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:1\n"
                    + "#EXTINF:2,\n1.m4s\n#EXTINF:2,\n2.m4s\n#EXTINF:2,\n8.m4s\n")));
    start(EAGER.replace("SOURCES", "playlist"));
    try (ProtocolClient client = ProtocolClient.connect(edge(), "plain")) {
      get(client, "/v/init.mp4");
      get(client, "/v/1.m4s");
      get(client, "/v/2.m4s");
      get(client, "/v/live.m3u8");
      get(client, "/v/live.m3u8");
      awaitAsked("/v/8.m4s");
      assertTrue(get(client, "/v/8.m4s").isHit());
    }
  }

  @Test
  void aFetchAheadNeverWaitsAtALimitOfItsOrigin() throws Exception {
    segments(1, 9);
    origin.on(
        "/v/slow",
        (request, connection) -> {
          TestOrigin.await(gate);
          TestOrigin.sendOk(connection, FRESH, Edge.bytes(1, 10));
        });
    start(
        "keep-alive: 5s, max-connections: 1",
        EAGER.replace("SOURCES", "number").replace("after: 2", "after: 3"));
    try (ProtocolClient client = ProtocolClient.connect(edge(), "plain");
        ProtocolClient slow = ProtocolClient.connect(edge(), "plain")) {
      get(client, "/v/init.mp4");
      get(client, "/v/1.m4s");
      get(client, "/v/2.m4s");
      Thread waiting =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  slow.ask("GET", "/v/slow");
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
      Await.until("the only connection is taken", () -> origin.count("/v/slow") == 1);
      assertTrue(client.ask("GET", "/v/2.m4s").isHit());
      edge().awaitSum(1, counters -> counters.prefetch.unfinished);
      assertEquals(0, origin.count("/v/3.m4s"));
      gate.countDown();
      waiting.join();
    }
  }

  @Test
  void aFetchAheadEndsWhenClientsHaveToWait() throws Exception {
    segments(1, 2);
    CountDownLatch held = new CountDownLatch(1);
    origin.on("/v/other.m4s", TestOrigin.ok(FRESH, Edge.bytes(1, 10)));
    origin.on(
        "/v/3.m4s",
        (request, connection) -> {
          TestOrigin.await(held);
          TestOrigin.sendOk(connection, FRESH, Edge.bytes(3, 4_000));
        });
    start(
        "keep-alive: 5s, max-connections: 1",
        EAGER.replace("SOURCES", "number").replace("after: 2", "after: 3"));
    try (ProtocolClient client = ProtocolClient.connect(edge(), "plain")) {
      get(client, "/v/init.mp4");
      get(client, "/v/1.m4s");
      get(client, "/v/2.m4s");
      assertTrue(client.ask("GET", "/v/2.m4s").isHit());
      Await.until("the only connection is taken", () -> origin.count("/v/3.m4s") == 1);
      Answer answer = client.ask("GET", "/v/other.m4s");
      assertEquals(200, answer.status(), answer::toString);
      edge().awaitSum(1, counters -> counters.prefetch.unfinished);
    } finally {
      held.countDown();
    }
  }

  @Test
  void explainSaysWhatItCosts() throws Exception {
    segments(1, 1);
    start(EAGER.replace("SOURCES", "number"));
    String explained =
        edge()
            .explain(200, "{\"url\": \"http://127.0.0.1:" + edge().port() + "/v/1.m4s\"}")
            .toString();
    assertTrue(explained.contains("a hit leaves the fast lane: the route has prefetch"), explained);
  }
}
