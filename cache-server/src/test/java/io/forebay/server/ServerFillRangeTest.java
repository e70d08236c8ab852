package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.TestOrigin.Answer;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ranges of a body that is being fetched: within the received part, far ahead of it, and of a
 * length that is not known yet.
 */
@Tag("slow")
final class ServerFillRangeTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final String TAGGED = FRESH + "etag: \"v1\"\r\n";
  private static final int MIB = 1 << 20;

  /** What the store takes in a tier of 64 MiB. */
  private static final int SLICE = 64 << 10;

  private static final int LENGTH = 12 * MIB + 321;
  private static final byte[] BODY = Edge.bytes(80, LENGTH);

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch gate = new CountDownLatch(1);

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    edge.close();
    origin.close();
  }

  private void start(String more, Answer answer) throws IOException {
    edge =
        Edge.before(
            origin, directory, "64MiB", "routes: [{origin: main, range-far: 1MiB" + more + "}]\n");
    origin.on("/v", answer);
  }

  /** The whole in two parts, the second behind the gate; ranges at once. */
  private Answer inTwoParts(String fields, int first) {
    return (request, connection) -> {
      if (!request.field("range").isEmpty()) {
        PartOrigin.send(request, connection, BODY, fields);
        return;
      }
      TestOrigin.sendHead(connection, fields, LENGTH).send(PartOrigin.part(BODY, 0, first));
      TestOrigin.await(gate);
      connection.send(PartOrigin.part(BODY, first, LENGTH));
    };
  }

  private static void chunk(Connection connection, byte[] bytes) throws IOException {
    connection.send(Integer.toHexString(bytes.length) + "\r\n").send(bytes).send("\r\n");
  }

  /** The same, of a length that nobody is told. */
  private Answer chunkedInTwoParts(int first, int length) {
    return (request, connection) -> {
      connection.send("HTTP/1.1 200 OK\r\n" + FRESH + "transfer-encoding: chunked\r\n\r\n");
      chunk(connection, PartOrigin.part(BODY, 0, first));
      TestOrigin.await(gate);
      chunk(connection, PartOrigin.part(BODY, first, length));
      connection.send("0\r\n\r\n");
    };
  }

  private static String range(int from, int to) {
    return "Range: bytes=" + from + "-" + (to - 1);
  }

  private static void assertPart(Response reply, int from, int to, String total) {
    assertEquals(206, reply.status(), reply.toString());
    assertEquals("bytes " + from + "-" + (to - 1) + "/" + total, reply.field("content-range"));
    Bytes.assertEquals(PartOrigin.part(BODY, from, to), reply.body());
  }

  private static void assertPart(Response reply, int from, int to) {
    assertPart(reply, from, to, Integer.toString(LENGTH));
  }

  private List<String> askedFor() {
    return PartOrigin.asked(origin.requests("/v"));
  }

  @Test
  void whatHasComeIsSentAtOnceAndWhatIsFarIsFetchedBySliceAndStored() throws IOException {
    start("", inTwoParts(TAGGED, MIB));
    try (RawClient whole = edge.connect();
        RawClient client = edge.connect()) {
      whole.request("GET", "/v");
      Response head = whole.head();
      byte[] begin = whole.bytes(MIB);
      assertPart(client.get("/v", range(1000, 9000)), 1000, 9000);
      assertEquals(1, origin.count("/v"));

      int far = 100 * SLICE;
      assertPart(client.get("/v", range(far + 5, far + SLICE + 5)), far + 5, far + SLICE + 5);
      assertPart(client.get("/v", "Range: bytes=-300"), LENGTH - 300, LENGTH);
      List<String> asked =
          List.of(
              "-",
              "bytes=" + far + "-" + (far + 2 * SLICE - 1),
              "bytes=" + LENGTH / SLICE * SLICE + "-" + (LENGTH - 1));
      assertEquals(asked, askedFor());
      assertEquals("\"v1\"", origin.requests("/v").getLast().field("if-range"));
      edge.awaitSum(3, c -> c.slicesFetched);
      // Once more, out of the store: the whole is still on its way.
      assertPart(client.get("/v", range(far, far + 2 * SLICE)), far, far + 2 * SLICE);
      assertEquals(asked, askedFor());

      gate.countDown();
      Bytes.assertEquals(PartOrigin.part(BODY, 0, MIB), begin);
      Bytes.assertEquals(PartOrigin.part(BODY, MIB, LENGTH), whole.bytes(LENGTH - MIB));
      assertEquals(200, head.status());
      edge.awaitIdle();
      Response hit = client.get("/v");
      assertTrue(hit.isHit());
      Bytes.assertEquals(BODY, hit.body());
    }
    assertEquals(3, origin.count("/v"));
    edge.awaitSum(1, c -> c.fillsInstalled);
  }

  @Test
  void whoReadsAheadComesBackToTheFillWhenItHasComeBy() throws IOException {
    start("", inTwoParts(TAGGED, MIB));
    try (RawClient whole = edge.connect();
        RawClient client = edge.connect()) {
      whole.request("GET", "/v");
      assertEquals(200, whole.head().status());
      Bytes.assertEquals(PartOrigin.part(BODY, 0, MIB), whole.bytes(MIB));
      client.request("GET", "/v", range(3 * MIB, LENGTH));
      Response head = client.head();
      assertEquals(206, head.status());
      // The first run has the maximum length; the fill continues meanwhile.
      byte[] begin = client.bytes(MIB);
      gate.countDown();
      Bytes.assertEquals(PartOrigin.part(BODY, MIB, LENGTH), whole.bytes(LENGTH - MIB));
      Bytes.assertEquals(PartOrigin.part(BODY, 3 * MIB, 4 * MIB), begin);
      Bytes.assertEquals(PartOrigin.part(BODY, 4 * MIB, LENGTH), client.bytes(LENGTH - 4 * MIB));
    }
    edge.awaitIdle();
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(BODY, client.get("/v").body());
    }
    edge.awaitSum(0, c -> c.responsesAborted);
  }

  @ParameterizedTest
  @ValueSource(strings = {FRESH, FRESH + "etag: W/\"v1\"\r\n"})
  void withoutAStrongValidatorAFarRangeWaitsForItsBytes(String fields) throws IOException {
    start("", inTwoParts(fields, MIB));
    try (RawClient whole = edge.connect();
        RawClient client = edge.connect()) {
      whole.request("GET", "/v");
      assertEquals(200, whole.head().status());
      client.request("GET", "/v", range(9 * MIB, 10 * MIB));
      Await.until("it has joined", () -> edge.sum(c -> c.joined) == 1);
      gate.countDown();
      assertPart(client.reply(), 9 * MIB, 10 * MIB);
      Bytes.assertEquals(BODY, whole.bytes(LENGTH));
    }
    assertEquals(1, origin.count("/v"));
  }

  @Test
  void whereTheOriginIgnoresRangesAFarRangeWaitsForItsBytes() throws IOException {
    start(
        "",
        (request, connection) -> {
          if (request.number() == 1) {
            inTwoParts(TAGGED, MIB).to(request, connection);
          } else {
            TestOrigin.sendHead(connection, TAGGED, LENGTH);
            connection.awaitClose();
          }
        });
    try (RawClient whole = edge.connect();
        RawClient client = edge.connect()) {
      whole.request("GET", "/v");
      assertEquals(200, whole.head().status());
      Bytes.assertEquals(PartOrigin.part(BODY, 0, MIB), whole.bytes(MIB));
      client.request("GET", "/v", range(9 * MIB, 10 * MIB));
      edge.awaitSum(1, c -> c.sliceRunsDenied);
      gate.countDown();
      assertPart(client.reply(), 9 * MIB, 10 * MIB);
      Bytes.assertEquals(PartOrigin.part(BODY, MIB, LENGTH), whole.bytes(LENGTH - MIB));
    }
    assertEquals(2, origin.count("/v"));
    edge.awaitSum(1, c -> c.fillsInstalled);
  }

  @Test
  void aFarReaderNeitherDrivesTheFillNorMakesItForget() throws IOException {
    start("", PartOrigin.of(BODY, TAGGED));
    try (RawClient slow = new RawClient(edge.port(), 16 << 10);
        RawClient client = edge.connect()) {
      slow.request("GET", "/v");
      assertEquals(200, slow.head().status());
      Await.until("the origin is paused", () -> edge.server().store().unfinishedBytes() >= 4 * MIB);
      assertPart(client.get("/v", range(11 * MIB, 12 * MIB)), 11 * MIB, 12 * MIB);
      assertTrue(edge.server().store().unfinishedBytes() < 7 * MIB, "it was driven on");
      Bytes.assertEquals(BODY, slow.bytes(LENGTH));
    }
    assertEquals(2, origin.count("/v"));
    edge.awaitSum(0, c -> c.remaindersFetched);
  }

  @Test
  void aClosedRangeOfUnknownLengthIsSentOnceItHasCome() throws IOException {
    start("", chunkedInTwoParts(MIB, 2 * MIB));
    try (RawClient whole = edge.connect();
        RawClient inside = edge.connect();
        RawClient across = edge.connect();
        RawClient cut = edge.connect();
        RawClient beyond = edge.connect()) {
      whole.request("GET", "/v");
      assertEquals(200, whole.head().status());
      assertPart(inside.get("/v", range(1000, 5000)), 1000, 5000, "*");
      across.request("GET", "/v", range(MIB - 10, MIB + 10));
      cut.request("GET", "/v", range(2 * MIB - 10, 2 * MIB + 10));
      beyond.request("GET", "/v", range(2 * MIB, 2 * MIB + 10));
      Await.until("they have joined", () -> edge.sum(c -> c.joined) == 4);
      gate.countDown();
      Response crossing = across.reply();
      assertEquals(206, crossing.status());
      Bytes.assertEquals(PartOrigin.part(BODY, MIB - 10, MIB + 10), crossing.body());
      assertPart(cut.reply(), 2 * MIB - 10, 2 * MIB, Integer.toString(2 * MIB));
      Response none = beyond.reply();
      assertEquals(416, none.status());
      assertEquals("bytes */" + 2 * MIB, none.field("content-range"));
    }
    assertEquals(1, origin.count("/v"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"bytes=-100", "bytes=2097052-", "bytes=2097052-2097152,2097100-"})
  void whatDependsOnTheEndOfABodyWaitsForIt(String range) throws IOException {
    start(", range-wait: 30s", chunkedInTwoParts(MIB, 2 * MIB));
    try (RawClient whole = edge.connect();
        RawClient client = edge.connect()) {
      whole.request("GET", "/v");
      assertEquals(200, whole.head().status());
      client.request("GET", "/v", "Range: " + range);
      Await.until("it has joined", () -> edge.sum(c -> c.joined) == 1);
      gate.countDown();
      assertPart(client.reply(), 2 * MIB - 100, 2 * MIB, Integer.toString(2 * MIB));
    }
    assertEquals(1, origin.count("/v"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"bytes=-100", "bytes=1000-", "bytes=0-9,1000-1009", "bytes=0-9999999"})
  void butNotForLongerThanItsTime(String range) throws IOException {
    start(", range-wait: 10ms", chunkedInTwoParts(MIB, 2 * MIB));
    try (RawClient client = edge.connect()) {
      client.request("GET", "/v", "Range: " + range);
      Response head = client.head();
      assertEquals(200, head.status());
      assertEquals("", head.field("content-range"));
      gate.countDown();
      Bytes.assertEquals(PartOrigin.part(BODY, 0, 2 * MIB), client.body(head));
    }
    assertEquals(1, origin.count("/v"));
  }

  @Test
  void theWholeAsAnOpenRangeDoesNotWait() throws IOException {
    start(", range-wait: 1h", chunkedInTwoParts(MIB, 2 * MIB));
    try (RawClient client = edge.connect()) {
      client.request("GET", "/v", "Range: bytes=0-");
      Response head = client.head();
      assertEquals(200, head.status());
      gate.countDown();
      Bytes.assertEquals(PartOrigin.part(BODY, 0, 2 * MIB), client.body(head));
    }
  }

  @Test
  void ofAFillThatEverybodyLeavesTheWholeSlicesAreKept() throws IOException {
    String ranged = TAGGED + "accept-ranges: bytes\r\n";
    CountDownLatch closed = new CountDownLatch(1);
    start(
        "",
        (request, connection) -> {
          if (request.number() > 1) {
            PartOrigin.send(request, connection, BODY, ranged);
            return;
          }
          TestOrigin.sendHead(connection, ranged, LENGTH)
              .send(PartOrigin.part(BODY, 0, 10 * SLICE + 99));
          connection.awaitClose();
          closed.countDown();
        });
    try (RawClient only = edge.connect()) {
      only.request("GET", "/v");
      assertEquals(200, only.head().status());
      Bytes.assertEquals(PartOrigin.part(BODY, 0, 10 * SLICE + 99), only.bytes(10 * SLICE + 99));
    }
    TestOrigin.await(closed);
    edge.awaitSum(1, c -> c.fillsKept);
    edge.awaitIdle();
    try (RawClient client = edge.connect()) {
      Response front = client.get("/v", range(0, 10 * SLICE));
      assertTrue(front.isHit(), front.field("cache-status"));
      assertPart(front, 0, 10 * SLICE);
      assertEquals(1, origin.count("/v"));
      Bytes.assertEquals(BODY, client.get("/v").body());
      assertEquals("bytes=" + 10 * SLICE + "-" + (74 * SLICE - 1), askedFor().get(1));
      assertEquals("\"v1\"", origin.requests("/v").get(1).field("if-range"));
    }
  }

  /** Otherwise later clients would receive the beginning of the body and then an abort. */
  @ParameterizedTest
  @ValueSource(strings = {FRESH + "accept-ranges: bytes\r\n", TAGGED})
  void nothingIsKeptWhereTheRestMightNotBeHad(String fields) throws IOException {
    CountDownLatch closed = new CountDownLatch(1);
    start(
        "",
        (request, connection) -> {
          if (request.number() > 1) {
            TestOrigin.sendOk(connection, fields, BODY);
            return;
          }
          TestOrigin.sendHead(connection, fields, LENGTH)
              .send(PartOrigin.part(BODY, 0, 10 * SLICE));
          connection.awaitClose();
          closed.countDown();
        });
    try (RawClient only = edge.connect()) {
      only.request("GET", "/v");
      assertEquals(200, only.head().status());
      Bytes.assertEquals(PartOrigin.part(BODY, 0, 10 * SLICE), only.bytes(10 * SLICE));
    }
    TestOrigin.await(closed);
    edge.awaitIdle();
    edge.awaitSum(0, c -> c.fillsKept);
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(BODY, client.get("/v").body());
    }
    assertEquals(List.of("-", "-"), askedFor());
  }
}
