package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.TestOrigin.Answer;
import io.forebay.server.TestOrigin.Request;
import io.forebay.server.counters.AbortLabel;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Stored objects that have lost slices: served where they are present, completed by slice. The
 * slices are lost to eviction: what nobody asks for goes, what is asked for stays.
 *
 * <pre>
 *   slice    0 ... 7   8 ... 19   20 ... 31
 *            asked for   lost     asked for
 * </pre>
 */
@Tag("slow")
final class ServerPartialTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final String TAGGED = FRESH + "etag: \"v1\"\r\n";
  private static final String CHANGED = FRESH + "etag: \"v2\"\r\n";
  private static final int MIB = 1 << 20;

  /** A multiple of what the store takes in a tier of 64 MiB. */
  private static final int SLICE = 256 << 10;

  private static final int LENGTH = 32 * SLICE - 1000;
  private static final int LOST_FROM = 8 * SLICE;
  private static final int LOST_TO = 20 * SLICE;
  private static final String LOST = "bytes=" + LOST_FROM + "-" + (LOST_TO - 1);

  private static final byte[] CHURN = Edge.bytes(42, MIB);
  private static final byte[] BODY = Edge.bytes(40, LENGTH);
  private static final byte[] OTHER_BODY = Edge.bytes(41, LENGTH);

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch gate = new CountDownLatch(1);
  private int churned;

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    edge.close();
    origin.close();
  }

  /** Stores the object and has its middle evicted; later requests get the other answer. */
  private void loseTheMiddle(String fields, Answer later) throws IOException {
    loseTheMiddle("", fields, later);
  }

  private void loseTheMiddle(String more, String fields, Answer later) throws IOException {
    edge = Edge.before(origin, directory, "64MiB", more);
    origin.on(
        "/v",
        (request, connection) ->
            (request.number() == 1 ? TestOrigin.ok(fields, BODY) : later).to(request, connection));
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(BODY, client.get("/v").body());
      // Touches count only in regions that are closed.
      churn(client, 16);
      for (int i = 0; i < 3; i++) {
        assertTrue(client.get("/v", range(0, LOST_FROM)).isHit());
        assertTrue(client.get("/v", range(LOST_TO, LENGTH)).isHit());
      }
      while (edge.server().store().reclaimedRegions() < 5) {
        churn(client, 1);
      }
    }
    edge.awaitIdle();
    assertEquals(1, origin.count("/v"));
  }

  private void churn(RawClient client, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      String path = "/churn/" + churned++;
      origin.on(path, TestOrigin.ok(FRESH, CHURN));
      assertEquals(200, client.get(path).status());
    }
  }

  private int storedSlice() {
    return edge.server().store().regionBytes() / 16;
  }

  private static String range(int from, int to) {
    return "Range: bytes=" + from + "-" + (to - 1);
  }

  private static byte[] part(byte[] body, int from, int to) {
    return Arrays.copyOfRange(body, from, to);
  }

  private static int[] ends(Request request) {
    String asked = request.field("range");
    assertTrue(asked.matches("bytes=\\d+-\\d+"), asked);
    String[] ends = asked.substring("bytes=".length()).split("-", 2);
    return new int[] {Integer.parseInt(ends[0]), Integer.parseInt(ends[1]) + 1};
  }

  /** Answers a range as it was asked for. */
  private static Answer partOf(byte[] body, String fields) {
    return (request, connection) -> {
      int[] ends = ends(request);
      sendPartHead(connection, fields, ends[0], ends[1], body.length);
      connection.send(part(body, ends[0], ends[1]));
    };
  }

  private static void sendPartHead(
      Connection connection, String fields, int from, int to, int total) throws IOException {
    connection.send(
        "HTTP/1.1 206 Partial Content\r\n"
            + fields
            + "content-range: bytes "
            + from
            + "-"
            + (to - 1)
            + "/"
            + total
            + "\r\ncontent-length: "
            + (to - from)
            + "\r\n\r\n");
  }

  /** The same, after the first bytes only when the gate is opened. */
  private Answer partOfBehindTheGate(int firstBytes) {
    return (request, connection) -> {
      int[] ends = ends(request);
      sendPartHead(connection, TAGGED, ends[0], ends[1], LENGTH);
      connection.send(part(BODY, ends[0], ends[0] + firstBytes));
      asked.countDown();
      TestOrigin.await(gate);
      connection.send(part(BODY, ends[0] + firstBytes, ends[1]));
    };
  }

  private static Answer wholeOr(Answer part, byte[] body, String fields) {
    return (request, connection) ->
        (request.field("range").isEmpty() ? TestOrigin.ok(fields, body) : part)
            .to(request, connection);
  }

  private void assertWholeWithoutTheOrigin() throws IOException {
    int before = origin.count("/v");
    try (RawClient client = edge.connect()) {
      Response reply = client.get("/v");
      assertTrue(reply.isHit(), reply.field("cache-status"));
      Bytes.assertEquals(BODY, reply.body());
    }
    assertEquals(before, origin.count("/v"));
  }

  private static String logged(Path log) {
    try {
      return Files.exists(log) ? Files.readString(log) : "";
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatIsMissingIsFetchedByOneRangeAndIsStored() throws IOException {
    Path log = directory.resolve("access.log");
    loseTheMiddle("access-log: {output: \"" + log + "\"}\n", TAGGED, partOf(BODY, TAGGED));
    try (RawClient client = edge.connect()) {
      Response reply = client.get("/v", "If-Modified-Since: Tue, 02 Jun 2026 10:00:00 GMT");
      assertEquals(200, reply.status());
      Bytes.assertEquals(BODY, reply.body());
      assertEquals("edge; fwd=partial; fwd-status=206; stored", reply.field("cache-status"));
    }
    assertEquals(2, origin.count("/v"));
    Request asked = origin.requests("/v").get(1);
    assertEquals(LOST, asked.field("range"));
    assertEquals(List.of("\"v1\""), asked.fields("if-range"));
    assertEquals(List.of(), asked.fields("if-modified-since"));
    edge.awaitSum(1, c -> c.sliceRuns);
    edge.awaitSum((LOST_TO - LOST_FROM) / storedSlice(), c -> c.slicesFetched);
    edge.awaitIdle();
    assertWholeWithoutTheOrigin();
    Await.until("it is logged", () -> logged(log).contains("miss-partial"));
  }

  @Test
  void whatIsPresentGoesOutWhileTheRestIsFetchedAndOthersFollow() throws IOException {
    loseTheMiddle(TAGGED, partOfBehindTheGate(SLICE / 2));
    try (RawClient first = edge.connect();
        RawClient second = edge.connect();
        RawClient third = edge.connect()) {
      first.request("GET", "/v");
      Response head = first.head();
      assertEquals(200, head.status());
      byte[] begin = first.bytes(LOST_FROM + SLICE / 2);
      Bytes.assertEquals(part(BODY, 0, LOST_FROM + SLICE / 2), begin);
      second.request("GET", "/v");
      third.request("GET", "/v", range(LOST_FROM + 10, LOST_TO - 10));
      Await.until("two have joined", () -> edge.sum(c -> c.sliceRunsJoined) == 2);
      gate.countDown();
      Bytes.assertEquals(part(BODY, begin.length, LENGTH), first.bytes(LENGTH - begin.length));
      Response joined = second.reply();
      Bytes.assertEquals(BODY, joined.body());
      assertTrue(joined.field("cache-status").contains("; collapsed"), joined.toString());
      Response cut = third.reply();
      assertEquals(206, cut.status());
      Bytes.assertEquals(part(BODY, LOST_FROM + 10, LOST_TO - 10), cut.body());
    }
    assertEquals(2, origin.count("/v"));
    edge.awaitIdle();
    assertWholeWithoutTheOrigin();
  }

  @Test
  void aRangeFetchesItsOwnSlicesOnly() throws IOException {
    loseTheMiddle(TAGGED, partOf(BODY, TAGGED));
    int end = 11 * SLICE + storedSlice();
    try (RawClient client = edge.connect()) {
      Response reply = client.get("/v", range(10 * SLICE + 5, 11 * SLICE + 5));
      assertEquals(206, reply.status());
      Bytes.assertEquals(part(BODY, 10 * SLICE + 5, 11 * SLICE + 5), reply.body());
      assertTrue(reply.field("cache-status").contains("; fwd=partial; fwd-status=206"));
      assertEquals(
          "bytes=" + 10 * SLICE + "-" + (end - 1), origin.requests("/v").get(1).field("range"));
      edge.awaitIdle();
      Bytes.assertEquals(BODY, client.get("/v").body());
    }
    assertEquals(
        List.of(
            "bytes=" + LOST_FROM + "-" + (10 * SLICE - 1), "bytes=" + end + "-" + (LOST_TO - 1)),
        origin.requests("/v").stream().skip(2).map(request -> request.field("range")).toList());
    edge.awaitIdle();
    assertWholeWithoutTheOrigin();
  }

  @Test
  void rangesThatOverlapFetchNoSliceTwice() throws IOException {
    loseTheMiddle(TAGGED, partOfBehindTheGate(1));
    try (RawClient first = edge.connect();
        RawClient second = edge.connect()) {
      first.request("GET", "/v", range(10 * SLICE, 14 * SLICE));
      TestOrigin.await(asked);
      second.request("GET", "/v", range(9 * SLICE, 18 * SLICE));
      Await.until("the slice in front is fetched", () -> origin.count("/v") == 3);
      gate.countDown();
      Bytes.assertEquals(part(BODY, 10 * SLICE, 14 * SLICE), first.reply().body());
      Bytes.assertEquals(part(BODY, 9 * SLICE, 18 * SLICE), second.reply().body());
    }
    assertEquals(
        List.of(
            "bytes=" + 10 * SLICE + "-" + (14 * SLICE - 1),
            "bytes=" + 9 * SLICE + "-" + (10 * SLICE - 1),
            "bytes=" + 14 * SLICE + "-" + (18 * SLICE - 1)),
        origin.requests("/v").stream().skip(1).map(request -> request.field("range")).toList());
  }

  @Test
  void whatIsPresentNeedsNoOrigin() throws IOException {
    loseTheMiddle(TAGGED, (request, connection) -> connection.close());
    try (RawClient client = edge.connect()) {
      Response front = client.get("/v", range(5, LOST_FROM));
      assertTrue(front.isHit());
      Bytes.assertEquals(part(BODY, 5, LOST_FROM), front.body());
      Response back = client.get("/v", range(LOST_TO, LENGTH));
      assertTrue(back.isHit());
      Bytes.assertEquals(part(BODY, LOST_TO, LENGTH), back.body());
      client.request("HEAD", "/v");
      Response head = client.head();
      assertTrue(head.isHit());
      assertEquals(Integer.toString(LENGTH), head.field("content-length"));
      assertEquals(304, client.get("/v", "If-None-Match: \"v1\"").status());
    }
    assertEquals(1, origin.count("/v"));
  }

  @Test
  void aBodyThatHasChangedIsFetchedWholeWhileNothingWasSent() throws IOException {
    loseTheMiddle(TAGGED, TestOrigin.ok(CHANGED, OTHER_BODY));
    try (RawClient client = edge.connect()) {
      Response reply = client.get("/v", range(LOST_FROM + 5, LENGTH));
      assertEquals(206, reply.status());
      assertEquals("\"v2\"", reply.field("etag"));
      Bytes.assertEquals(part(OTHER_BODY, LOST_FROM + 5, LENGTH), reply.body());
      edge.awaitIdle();
      Bytes.assertEquals(OTHER_BODY, client.get("/v").body());
    }
    assertEquals(3, origin.count("/v"));
    edge.awaitSum(1, c -> c.sliceRunsDenied);
  }

  @Test
  void aBodyThatHasChangedIsFetchedWholeAlsoWhereItsBeginningIsPresent() throws IOException {
    loseTheMiddle(TAGGED, PartOrigin.of(OTHER_BODY, CHANGED));
    try (RawClient client = edge.connect()) {
      Response reply = client.get("/v");
      assertEquals(200, reply.status());
      assertEquals("\"v2\"", reply.field("etag"));
      Bytes.assertEquals(OTHER_BODY, reply.body());
    }
    edge.awaitSum(1, c -> c.sliceRunsDenied);
    edge.awaitSum(0, c -> c.responsesAborted);
  }

  @Test
  void theSameOfSeveralRangesWhereTheFirstIsPresent() throws IOException {
    loseTheMiddle(TAGGED, PartOrigin.of(OTHER_BODY, CHANGED));
    try (RawClient client = edge.connect()) {
      Response reply = client.get("/v", "Range: bytes=0-9," + LOST_FROM + "-" + (LOST_FROM + 9));
      assertEquals("\"v2\"", reply.field("etag"));
    }
    edge.awaitSum(0, c -> c.responsesAborted);
  }

  @Test
  void aBodyThatHasChangedFarBehindWhatWasLookedAtBreaksOff() throws IOException {
    loseTheMiddle(
        TAGGED,
        (request, connection) ->
            (request.number() == 2 ? partOf(BODY, TAGGED) : PartOrigin.of(OTHER_BODY, CHANGED))
                .to(request, connection));
    int far = 64 * storedSlice();
    assertTrue(LOST_FROM < far && far < LOST_TO, "slices of " + storedSlice());
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(
          part(BODY, LOST_FROM, far), client.get("/v", range(LOST_FROM, far)).body());
      edge.awaitIdle();
      client.request("GET", "/v");
      assertEquals("\"v1\"", client.head().field("etag"));
      byte[] read = client.upTo(LENGTH);
      assertTrue(read.length <= far, read.length + " bytes");
      Bytes.assertEquals(part(BODY, 0, read.length), read);
    }
    edge.awaitSum(1, c -> c.aborted(AbortLabel.BODY_CHANGED));
    try (RawClient client = edge.connect()) {
      // It has been dropped: also what was present of it.
      Response reply = client.get("/v", range(0, SLICE));
      Bytes.assertEquals(part(OTHER_BODY, 0, SLICE), reply.body());
    }
  }

  /** A body longer, shorter, elsewhere, of another length, or with another validator. */
  @ParameterizedTest
  @ValueSource(strings = {"whole", "elsewhere", "total", "validator", "length", "failure"})
  void anAnswerThatDoesNotFitIsNotMixedIn(String lie) throws IOException {
    loseTheMiddle(
        TAGGED,
        wholeOr(
            (request, connection) -> {
              int[] ends = ends(request);
              switch (lie) {
                case "whole" -> TestOrigin.sendOk(connection, TAGGED, BODY);
                case "elsewhere" -> {
                  sendPartHead(connection, TAGGED, ends[0] + 1, ends[1], LENGTH);
                  connection.send(part(OTHER_BODY, ends[0] + 1, ends[1]));
                }
                case "total" -> {
                  sendPartHead(connection, TAGGED, ends[0], ends[1], LENGTH + 1);
                  connection.send(part(OTHER_BODY, ends[0], ends[1]));
                }
                case "validator" -> {
                  sendPartHead(connection, CHANGED, ends[0], ends[1], LENGTH);
                  connection.send(part(OTHER_BODY, ends[0], ends[1]));
                }
                case "length" ->
                    connection
                        .send(
                            "HTTP/1.1 206 Partial Content\r\n"
                                + TAGGED
                                + "content-range: "
                                + request.field("range").replace("=", " ")
                                + "/"
                                + LENGTH
                                + "\r\ncontent-length: 5\r\n\r\n")
                        .send("abcde");
                default -> connection.send("HTTP/1.1 503 Unavailable\r\ncontent-length: 0\r\n\r\n");
              }
            },
            BODY,
            TAGGED));
    try (RawClient client = edge.connect()) {
      Response reply = client.get("/v", range(LOST_FROM, LOST_TO));
      assertEquals(206, reply.status());
      Bytes.assertEquals(part(BODY, LOST_FROM, LOST_TO), reply.body());
    }
    assertEquals(3, origin.count("/v"));
    edge.awaitIdle();
    assertWholeWithoutTheOrigin();
  }

  /** The declared range is right; what comes is longer, or shorter. */
  @ParameterizedTest
  @ValueSource(ints = {12 * SLICE + 1, 5 * SLICE + 7})
  void aRangeThatIsNotAsLongAsItSaysIsNotStoredAsIfItWere(int length) throws IOException {
    loseTheMiddle(
        TAGGED,
        (request, connection) -> {
          if (request.number() > 2) {
            partOf(BODY, TAGGED).to(request, connection);
            return;
          }
          connection.send(
              "HTTP/1.1 206 Partial Content\r\n"
                  + TAGGED
                  + "content-range: "
                  + request.field("range").replace("=", " ")
                  + "/"
                  + LENGTH
                  + "\r\ntransfer-encoding: chunked\r\n\r\n"
                  + Integer.toHexString(length)
                  + "\r\n");
          connection.send(part(BODY, LOST_FROM, LOST_FROM + length)).send("\r\n0\r\n\r\n");
        });
    try (RawClient client = edge.connect()) {
      client.request("GET", "/v");
      assertEquals(200, client.head().status());
      byte[] read = client.upTo(LENGTH);
      // What was said of the range was true up to there.
      assertTrue(length > 12 * SLICE || read.length < LENGTH);
      Bytes.assertEquals(part(BODY, 0, read.length), read);
    }
    edge.awaitSum(1, c -> c.sliceRunsFailed);
    edge.awaitIdle();
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(BODY, client.get("/v").body());
    }
    // What was whole of a range that broke off has been kept.
    int from = length > 12 * SLICE ? LOST_FROM : LOST_FROM + 5 * SLICE;
    assertEquals(from, ends(origin.requests("/v").get(2))[0]);
  }

  @Test
  void whatIsPurgedMeanwhileIsNotCompleted() throws IOException {
    loseTheMiddle(TAGGED, wholeOr(partOfBehindTheGate(SLICE + 7), OTHER_BODY, CHANGED));
    try (RawClient before = edge.connect();
        RawClient after = edge.connect()) {
      before.request("GET", "/v");
      assertEquals(200, before.head().status());
      byte[] begin = before.bytes(LOST_FROM + SLICE);
      edge.purgeUrl("/v");
      Response reply = after.get("/v");
      assertFalse(reply.isHit());
      Bytes.assertEquals(OTHER_BODY, reply.body());
      gate.countDown();
      // Who came before the purge is served what he was promised.
      Bytes.assertEquals(part(BODY, 0, begin.length), begin);
      Bytes.assertEquals(part(BODY, begin.length, LENGTH), before.bytes(LENGTH - begin.length));
      edge.awaitIdle();
      edge.awaitSum(0, c -> c.slicesFetched);
      Response hit = after.get("/v", range(LOST_FROM, LOST_TO));
      assertTrue(hit.isHit());
      Bytes.assertEquals(part(OTHER_BODY, LOST_FROM, LOST_TO), hit.body());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "etag: W/\"v1\"\r\n"})
  void withoutAStrongValidatorTheWholeIsFetched(String validator) throws IOException {
    loseTheMiddle(FRESH + validator, TestOrigin.ok(FRESH + validator, OTHER_BODY));
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(OTHER_BODY, client.get("/v").body());
    }
    assertEquals(2, origin.count("/v"));
    assertEquals(List.of(), origin.requests("/v").get(1).fields("range"));
    edge.awaitSum(0, c -> c.sliceRuns);
  }

  @Test
  void anAnswerThatMayNotBeStoredIsNot() throws IOException {
    String unstorable = "cache-control: no-store\r\netag: \"v1\"\r\n";
    loseTheMiddle(TAGGED, wholeOr(partOf(BODY, unstorable), BODY, unstorable));
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(BODY, client.get("/v").body());
    }
    edge.awaitIdle();
    edge.awaitSum(0, c -> c.slicesFetched);
    // Past the store, for this client alone.
    assertEquals(3, origin.count("/v"));
  }

  @Test
  void anOriginThatIsDownIsAnErrorOfItsOwn() throws IOException {
    loseTheMiddle(TAGGED, (request, connection) -> connection.close());
    try (RawClient client = edge.connect()) {
      assertEquals(502, client.get("/v", range(LOST_FROM, LENGTH)).status());
      assertTrue(client.get("/v", range(0, LOST_FROM)).isHit());
    }
  }

  @Test
  void clientsThatLeaveEndTheFetch() throws IOException {
    CountDownLatch lost = new CountDownLatch(1);
    loseTheMiddle(
        TAGGED,
        (request, connection) -> {
          int[] ends = ends(request);
          sendPartHead(connection, TAGGED, ends[0], ends[1], LENGTH);
          connection.send(part(BODY, ends[0], ends[0] + SLICE + 1));
          connection.awaitClose();
          lost.countDown();
        });
    try (RawClient client = edge.connect()) {
      client.request("GET", "/v");
      assertEquals(200, client.head().status());
      Bytes.assertEquals(part(BODY, 0, LOST_FROM + SLICE), client.bytes(LOST_FROM + SLICE));
    }
    TestOrigin.await(lost);
    edge.awaitIdle();
    // The slice that was whole by then is there.
    try (RawClient client = edge.connect()) {
      assertTrue(client.get("/v", range(LOST_FROM, LOST_FROM + SLICE)).isHit());
    }
  }
}
