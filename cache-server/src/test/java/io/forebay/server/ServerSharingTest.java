package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.TestOrigin.Answer;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What each of several requests for the same does when the first one's fetch turns out this way or
 * that (I6): a row of the table in ARCHITECTURE.md a test. Those that begin a fetch, leave it and
 * follow it are in {@link ServerFillTest}, variants in {@link ServerVaryTest}, what is private in
 * {@link ServerUncacheableTest}.
 */
@Tag("slow")
final class ServerSharingTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final int MIB = 1 << 20;
  private static final int TOGETHER = 8;
  private static final byte[] BODY = Edge.bytes(90, MIB);

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch gate = new CountDownLatch(1);
  private final List<RawClient> clients = new ArrayList<>();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    clients.forEach(RawClient::close);
    edge.close();
    origin.close();
  }

  private void start(String more, Answer answer) throws IOException {
    edge = Edge.before(origin, directory, "64MiB", "routes: [{origin: main" + more + "}]\n");
    origin.on("/v", answer);
  }

  private RawClient request(String... fields) {
    RawClient client = edge.connect().request("GET", "/v", fields);
    clients.add(client);
    return client;
  }

  /** The first has asked the origin, the others wait for it. */
  private List<RawClient> firstAndOthers(int others) throws IOException {
    List<RawClient> all = new ArrayList<>();
    all.add(request());
    TestOrigin.await(asked);
    for (int i = 0; i < others; i++) {
      all.add(request());
    }
    Await.until("they have joined", () -> edge.sum(c -> c.joined) == others);
    return all;
  }

  /** The first answer behind the gate, the others as the second says. */
  private Answer held(Answer first, Answer others) {
    return (request, connection) -> {
      if (request.number() == 1) {
        asked.countDown();
        TestOrigin.await(gate);
        first.to(request, connection);
      } else {
        others.to(request, connection);
      }
    };
  }

  /** Answers nobody before so many have asked: if one waited for another, none would be. */
  private static Answer together(int count, Answer answer) {
    CyclicBarrier all = new CyclicBarrier(count);
    return (request, connection) -> {
      try {
        int ignored = all.await(20, TimeUnit.SECONDS);
      } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
        throw new AssertionError("requests were queued", e);
      }
      answer.to(request, connection);
    };
  }

  @Test
  void aFetchThatFailsBeforeItsHeadFailsForAllWhoWaitAndIsNotRepeatedByEach() throws IOException {
    start(
        "",
        held(
            (request, connection) -> connection.close(),
            (request, connection) -> connection.close()));
    List<RawClient> all = firstAndOthers(5);
    gate.countDown();
    for (RawClient client : all) {
      assertEquals(502, client.reply().status());
    }
    assertTrue(origin.count("/v") <= 2, "asked " + origin.count("/v") + " times");
  }

  @Test
  void aFetchThatFailsBehindItsHeadIsSeenBrokenByAllWhoFollow() throws IOException {
    start(
        "",
        (request, connection) -> {
          TestOrigin.sendHead(connection, FRESH, BODY.length).send(Arrays.copyOf(BODY, 100_000));
          asked.countDown();
          TestOrigin.await(gate);
          connection.close();
        });
    List<RawClient> all = firstAndOthers(3);
    for (RawClient client : all) {
      Response head = client.head();
      assertEquals(Integer.toString(BODY.length), head.field("content-length"));
      Bytes.assertEquals(Arrays.copyOf(BODY, 100_000), client.bytes(100_000));
    }
    gate.countDown();
    for (RawClient client : all) {
      assertEquals(0, client.upTo(BODY.length).length);
    }
    edge.awaitSum(4, c -> c.responsesAborted);
    edge.awaitSum(0, c -> c.fillsInstalled);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cache-control: private\r\n", "cache-control: no-store\r\n"})
  void whoWaitedForWhatMayNotBeSharedAsksAtOnceAndTogether(String fields) throws IOException {
    Answer answer = TestOrigin.ok(fields, BODY);
    start("", held(answer, together(TOGETHER, answer)));
    List<RawClient> all = firstAndOthers(TOGETHER);
    gate.countDown();
    for (RawClient client : all) {
      Bytes.assertEquals(BODY, client.reply().body());
    }
    assertEquals(1 + TOGETHER, origin.count("/v"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cache-control: max-age=0\r\n",
        "cache-control: no-cache\r\n",
        "cache-control: max-age=10\r\nage: 10\r\n"
      })
  void whatIsStaleOnArrivalIsStoredForValidationAndNobodyWaitsForAnother(String fields)
      throws IOException {
    String tagged = fields + "etag: \"v1\"\r\n";
    Answer answer = TestOrigin.ok(tagged, BODY);
    start("", held(answer, together(TOGETHER, answer)));
    List<RawClient> all = firstAndOthers(TOGETHER);
    gate.countDown();
    for (RawClient client : all) {
      Response reply = client.reply();
      Bytes.assertEquals(BODY, reply.body());
      // Each has what the origin sent for it, not what it sent for another.
      assertFalse(reply.field("cache-status").contains("collapsed"), reply.toString());
    }
    assertEquals(1 + TOGETHER, origin.count("/v"));
    edge.awaitIdle();
    // From now on each is validated by itself, and at the same time as the others.
    origin.on(
        "/v",
        together(
            TOGETHER,
            (request, connection) -> {
              assertEquals("\"v1\"", request.field("if-none-match"));
              TestOrigin.notModified(connection, tagged);
            }));
    List<RawClient> next = new ArrayList<>();
    for (int i = 0; i < TOGETHER; i++) {
      next.add(request());
    }
    for (RawClient client : next) {
      Response reply = client.reply();
      Bytes.assertEquals(BODY, reply.body());
      assertTrue(reply.field("cache-status").contains("fwd-status=304"), reply.toString());
    }
    assertEquals(1 + 2 * TOGETHER, origin.count("/v"));
  }

  @Test
  void whoHasConfirmedWhatIsReplacedMeanwhileFetchesItAnew() throws IOException {
    String never = "cache-control: max-age=0\r\netag: \"v1\"\r\n";
    CountDownLatch bothAsked = new CountDownLatch(2);
    CountDownLatch confirms = new CountDownLatch(1);
    start(
        "",
        (request, connection) -> {
          switch (request.number()) {
            case 1 -> TestOrigin.sendOk(connection, never, TestOrigin.ascii("old"));
            case 2 -> {
              bothAsked.countDown();
              TestOrigin.await(gate);
              // Another body by the same tag: only the body tells what a client was sent.
              TestOrigin.sendOk(connection, never, TestOrigin.ascii("replaced"));
            }
            case 3 -> {
              bothAsked.countDown();
              TestOrigin.await(confirms);
              TestOrigin.notModified(connection, "etag: W/\"v1\"\r\n");
            }
            default -> TestOrigin.sendOk(connection, FRESH, TestOrigin.ascii("new"));
          }
        });
    assertEquals("old", request().reply().text());
    edge.awaitIdle();
    RawClient first = request();
    Await.until("the first has asked", () -> origin.count("/v") == 2);
    RawClient second = request();
    TestOrigin.await(bothAsked);
    gate.countDown();
    assertEquals("replaced", first.reply().text());
    edge.awaitSum(2, c -> c.fillsInstalled);
    confirms.countDown();
    assertEquals("new", second.reply().text());
    assertEquals("\"v1\"", origin.requests("/v").get(2).field("if-none-match"));
    assertEquals("", origin.requests("/v").get(3).field("if-none-match"));
    edge.awaitIdle();
    assertTrue(request().reply().isHit());
    assertEquals(4, origin.count("/v"));
  }

  @Test
  void whatHasBecomeStaleIsValidatedOnceForAll() throws IOException {
    String tagged = FRESH + "etag: \"v1\"\r\n";
    start(
        "",
        (request, connection) -> {
          if (request.number() == 1) {
            TestOrigin.sendOk(connection, tagged, BODY);
          } else {
            asked.countDown();
            TestOrigin.await(gate);
            TestOrigin.notModified(connection, tagged);
          }
        });
    Bytes.assertEquals(BODY, request().reply().body());
    edge.awaitIdle();
    edge.purge(PurgeKind.URL, edge.url("/v"), true);
    List<RawClient> all = firstAndOthers(TOGETHER);
    gate.countDown();
    for (RawClient client : all) {
      Response reply = client.reply();
      Bytes.assertEquals(BODY, reply.body());
      assertTrue(reply.field("cache-status").contains("fwd-status=304"), reply.toString());
    }
    assertEquals(2, origin.count("/v"));
  }

  @Test
  void whoWaitsTooLongIsPassedByItself() throws IOException {
    start(", share-wait: 10ms", held(TestOrigin.ok(FRESH, BODY), TestOrigin.ok(FRESH, BODY)));
    RawClient first = request();
    TestOrigin.await(asked);
    Response other = request().reply();
    Bytes.assertEquals(BODY, other.body());
    assertEquals("edge; fwd=bypass; fwd-status=200; detail=waited", other.field("cache-status"));
    edge.awaitSum(1, c -> c.waitsGivenUp);
    gate.countDown();
    Bytes.assertEquals(BODY, first.reply().body());
    assertEquals(2, origin.count("/v"));
    edge.awaitIdle();
    Response hit = request().reply();
    assertTrue(hit.isHit());
  }

  @Test
  void whoHasAHeadIsNotSentAwayForWaiting() throws IOException {
    start(
        ", share-wait: 10ms",
        (request, connection) -> {
          TestOrigin.sendHead(connection, FRESH, BODY.length).send(Arrays.copyOf(BODY, 1000));
          TestOrigin.await(gate);
          connection.send(Arrays.copyOfRange(BODY, 1000, BODY.length));
        });
    RawClient first = request();
    assertEquals(200, first.head().status());
    List<RawClient> all = List.of(first, request(), request());
    for (RawClient client : all.subList(1, 3)) {
      assertEquals(200, client.head().status());
    }
    for (RawClient client : all) {
      Bytes.assertEquals(Arrays.copyOf(BODY, 1000), client.bytes(1000));
    }
    gate.countDown();
    for (RawClient client : all) {
      Bytes.assertEquals(
          Arrays.copyOfRange(BODY, 1000, BODY.length), client.bytes(BODY.length - 1000));
    }
    assertEquals(1, origin.count("/v"));
    edge.awaitSum(0, c -> c.waitsGivenUp);
  }

  @Test
  void howLongWhatCanNotBeStoredIsRememberedIsTheRoutesChoice() throws IOException {
    start(
        ", hit-for-miss: 0s",
        (request, connection) ->
            TestOrigin.sendOk(
                connection, request.number() == 1 ? "cache-control: no-store\r\n" : FRESH, BODY));
    Bytes.assertEquals(BODY, request().reply().body());
    // Nothing is remembered, so the next one may be stored.
    Bytes.assertEquals(BODY, request().reply().body());
    edge.awaitSum(1, c -> c.fillsInstalled);
    assertTrue(request().reply().isHit());
  }

  @Test
  void aHeadIsForwardedAsHeadAndWaitsForNobody() throws IOException {
    start(
        "",
        (request, connection) -> {
          if (request.method().equals("HEAD")) {
            TestOrigin.sendHead(connection, FRESH, BODY.length);
          } else {
            asked.countDown();
            TestOrigin.await(gate);
            TestOrigin.sendOk(connection, FRESH, BODY);
          }
        });
    RawClient first = request();
    TestOrigin.await(asked);
    try (RawClient client = edge.connect()) {
      client.request("HEAD", "/v");
      Response head = client.head();
      assertEquals(200, head.status());
      assertEquals(Integer.toString(BODY.length), head.field("content-length"));
    }
    assertEquals("HEAD", origin.requests("/v").getLast().method());
    gate.countDown();
    Bytes.assertEquals(BODY, first.reply().body());
  }

  @Test
  void whenEverybodyLeavesBeforeTheHeadTheFetchEndsWithIt() throws IOException {
    CountDownLatch closed = new CountDownLatch(1);
    byte[] large = Edge.bytes(91, 20 * MIB);
    start(
        "",
        (request, connection) -> {
          if (request.number() > 1) {
            TestOrigin.sendOk(connection, FRESH, large);
            return;
          }
          asked.countDown();
          TestOrigin.await(gate);
          TestOrigin.sendHead(connection, FRESH, large.length);
          connection.awaitClose();
          closed.countDown();
        });
    List<RawClient> all = firstAndOthers(3);
    all.forEach(RawClient::close);
    Await.until("they have left", () -> edge.sum(c -> c.clientAborts) == 4);
    gate.countDown();
    TestOrigin.await(closed);
    edge.awaitIdle();
    Bytes.assertEquals(large, request().reply().body());
    assertEquals(2, origin.count("/v"));
  }
}
