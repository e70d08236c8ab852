package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.TestOrigin.Answer;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ranges of objects that are not stored: fetched in slices, stored, joined and completed, and never
 * mixed with another representation (RFC 9110 §14, RFC 9111 §3.3, §3.4).
 */
@Tag("slow")
final class ServerRangeMissTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final String TAGGED = FRESH + "etag: \"v1\"\r\n";
  private static final String CHANGED = FRESH + "etag: \"v2\"\r\n";
  private static final int MIB = 1 << 20;

  /** What the store takes in a tier of 64 MiB. */
  private static final int SLICE = 64 << 10;

  /** Of the longest run in such a tier. */
  private static final int RUN = 64 * SLICE;

  private static final int LENGTH = 12 * MIB + 321;
  private static final byte[] BODY = Edge.bytes(70, LENGTH);
  private static final byte[] OTHER = Edge.bytes(71, LENGTH);

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch gate = new CountDownLatch(1);

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    edge.close();
    origin.close();
  }

  private void start(String fetch, Answer answer) throws IOException {
    edge =
        Edge.before(
            origin,
            directory,
            "64MiB",
            "routes: [{origin: main, range-far: 1MiB, range-fetch: " + fetch + "}]\n");
    assertEquals(SLICE, edge.server().store().regionBytes() / 16);
    origin.on("/v", answer);
  }

  private static String range(int from, int to) {
    return "Range: bytes=" + from + "-" + (to - 1);
  }

  private static void assertPart(Response reply, byte[] body, int from, int to) {
    assertEquals(206, reply.status(), reply.toString());
    assertEquals(
        "bytes " + from + "-" + (to - 1) + "/" + body.length, reply.field("content-range"));
    Bytes.assertEquals(PartOrigin.part(body, from, to), reply.body());
  }

  private List<String> askedFor() {
    return PartOrigin.asked(origin.requests("/v"));
  }

  private static String slices(int from, int to) {
    return "bytes=" + from * SLICE + "-" + (to * SLICE - 1);
  }

  @Test
  void aFarRangeIsFetchedBySliceAndStoredAndLaterRangesCompleteIt() throws IOException {
    start("far", PartOrigin.of(BODY, TAGGED));
    try (RawClient client = edge.connect()) {
      Response first = client.get("/v", range(100 * SLICE + 7, 102 * SLICE + 9));
      assertPart(first, BODY, 100 * SLICE + 7, 102 * SLICE + 9);
      assertEquals("edge; fwd=uri-miss; fwd-status=206; stored", first.field("cache-status"));
      assertEquals(List.of(slices(100, 103)), askedFor());
      assertEquals(List.of(), origin.requests("/v").getFirst().fields("if-range"));
      edge.awaitIdle();
      Response again = client.get("/v", range(101 * SLICE, 102 * SLICE));
      assertTrue(again.isHit(), again.field("cache-status"));
      assertPart(again, BODY, 101 * SLICE, 102 * SLICE);
      client.request("HEAD", "/v");
      Response head = client.head();
      assertTrue(head.isHit());
      assertEquals(Integer.toString(LENGTH), head.field("content-length"));

      assertPart(client.get("/v", range(99 * SLICE, 104 * SLICE)), BODY, 99 * SLICE, 104 * SLICE);
      edge.awaitIdle();
      Bytes.assertEquals(BODY, client.get("/v").body());
      edge.awaitIdle();
      Response whole = client.get("/v");
      assertTrue(whole.isHit());
      Bytes.assertEquals(BODY, whole.body());
    }
    // Nothing was fetched twice, and nothing whole.
    List<String> ranges = askedFor();
    assertFalse(ranges.contains("-"), ranges.toString());
    long bytes = 0;
    for (var request : origin.requests("/v")) {
      int[] ends = PartOrigin.ends(request, LENGTH);
      bytes += ends[1] - ends[0];
    }
    assertEquals(LENGTH, bytes, ranges.toString());
    assertTrue(
        origin.requests("/v").stream()
            .skip(1)
            .allMatch(request -> request.field("if-range").equals("\"v1\"")));
  }

  @ParameterizedTest
  @CsvSource({
    "whole, bytes=8000000-8000099, -",
    "far, bytes=1000-1099, -",
    "far, bytes=0-, -",
    "far, bytes=8000000-8000099, bytes=7995392-8060927",
    "far, bytes=8000000-, bytes=7995392-12189695",
    "far, 'bytes=8000000-8000099,0-9', bytes=7995392-8060927",
    "far, bytes=5-1, -",
    "slices, bytes=1000-1099, bytes=0-65535",
    "slices, bytes=0-, bytes=0-4194303",
    "slices, bytes=65535-65536, bytes=0-131071",
  })
  void whatIsFetchedFirstIsTheRoutesChoice(String fetch, String ranges, String expected)
      throws IOException {
    start(fetch, PartOrigin.of(BODY, TAGGED));
    try (RawClient client = edge.connect()) {
      Response reply = client.get("/v", "Range: " + ranges);
      assertTrue(reply.status() == 206 || expected.equals("-"), reply.toString());
    }
    assertEquals(expected, askedFor().getFirst());
  }

  @Test
  void anOpenRangeIsFetchedRunByRun() throws IOException {
    start("far", PartOrigin.of(BODY, TAGGED));
    try (RawClient client = edge.connect()) {
      assertPart(client.get("/v", "Range: bytes=2000000-"), BODY, 2_000_000, LENGTH);
    }
    int first = 2_000_000 / SLICE * SLICE;
    assertEquals("bytes=" + first + "-" + (first + RUN - 1), askedFor().getFirst());
    assertTrue(askedFor().size() <= 4, askedFor().toString());
  }

  @Test
  void aSuffixLearnsTheLengthFromTheFirstSlice() throws IOException {
    start("far", PartOrigin.of(BODY, TAGGED));
    try (RawClient client = edge.connect()) {
      assertPart(client.get("/v", "Range: bytes=-300"), BODY, LENGTH - 300, LENGTH);
    }
    assertEquals(
        List.of(slices(0, 1), "bytes=" + LENGTH / SLICE * SLICE + "-" + (LENGTH - 1)), askedFor());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 32 << 10, SLICE - 1, SLICE})
  void aBodyThatTheFirstSlicesHoldIsStoredWhole(int length) throws IOException {
    byte[] body = Edge.bytes(72, length);
    // No validator is needed: nothing will have to be joined to it.
    start("slices", PartOrigin.of(body, FRESH));
    try (RawClient client = edge.connect()) {
      assertPart(client.get("/v", "Range: bytes=0-0"), body, 0, 1);
      edge.awaitIdle();
      Response whole = client.get("/v");
      assertTrue(whole.isHit(), whole.field("cache-status"));
      assertEquals("", whole.field("content-range"));
      Bytes.assertEquals(body, whole.body());
    }
    assertEquals(List.of(slices(0, 1)), askedFor());
  }

  @Test
  void severalRangesOfWhatIsNotStoredFetchOnlyTheirSlices() throws IOException {
    start("slices", PartOrigin.of(BODY, TAGGED));
    try (RawClient client = edge.connect()) {
      Response reply = client.get("/v", "Range: bytes=5-9,6553600-6553699,-20");
      List<MultipartBody.Part> parts =
          MultipartBody.parse(reply.field("content-type"), reply.body());
      Bytes.assertEquals(PartOrigin.part(BODY, 5, 10), parts.get(0).bytes());
      Bytes.assertEquals(PartOrigin.part(BODY, 6_553_600, 6_553_700), parts.get(1).bytes());
      Bytes.assertEquals(PartOrigin.part(BODY, LENGTH - 20, LENGTH), parts.get(2).bytes());
    }
    assertEquals(
        List.of(
            slices(0, 1), slices(100, 101), "bytes=" + LENGTH / SLICE * SLICE + "-" + (LENGTH - 1)),
        askedFor());
  }

  @Test
  void rangesAtTheSameTimeFetchNoSliceTwice() throws IOException {
    start(
        "slices",
        (request, connection) -> {
          if (request.number() == 1) {
            asked.countDown();
            TestOrigin.await(gate);
          }
          PartOrigin.send(request, connection, BODY, TAGGED);
        });
    try (RawClient one = edge.connect();
        RawClient two = edge.connect();
        RawClient three = edge.connect();
        RawClient whole = edge.connect()) {
      one.request("GET", "/v", range(10 * SLICE, 20 * SLICE));
      TestOrigin.await(asked);
      two.request("GET", "/v", range(15 * SLICE, 25 * SLICE));
      three.request("GET", "/v", range(10 * SLICE, 11 * SLICE));
      whole.request("GET", "/v");
      Await.until("they have joined", () -> edge.sum(c -> c.joined) == 3);
      assertEquals(1, origin.count("/v"));
      gate.countDown();
      assertPart(one.reply(), BODY, 10 * SLICE, 20 * SLICE);
      assertPart(two.reply(), BODY, 15 * SLICE, 25 * SLICE);
      assertPart(three.reply(), BODY, 10 * SLICE, 11 * SLICE);
      Bytes.assertEquals(BODY, whole.reply().body());
    }
    long bytes = 0;
    for (var request : origin.requests("/v")) {
      int[] ends = PartOrigin.ends(request, LENGTH);
      bytes += ends[1] - ends[0];
    }
    assertEquals(LENGTH, bytes, askedFor().toString());
  }

  /** Each answers the first range wrongly; what then comes whole is right. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "elsewhere",
        "shorter",
        "longer",
        "total",
        "unknown",
        "multipart",
        "two",
        "none",
        "weak",
        "unvalidated",
        "length"
      })
  void anAnswerThatDoesNotFitIsNotStoredAndTheWholeIsFetched(String lie) throws IOException {
    String fields =
        switch (lie) {
          case "weak" -> FRESH + "etag: W/\"v1\"\r\n";
          case "unvalidated" -> FRESH;
          default -> TAGGED;
        };
    start(
        "slices",
        (request, connection) -> {
          if (request.field("range").isEmpty()) {
            TestOrigin.sendOk(connection, fields, BODY);
            return;
          }
          int[] ends = PartOrigin.ends(request, LENGTH);
          String from = Integer.toString(ends[0]);
          String right = from + "-" + (ends[1] - 1) + "/" + LENGTH;
          switch (lie) {
            case "elsewhere" ->
                PartOrigin.sendHead(
                    connection, fields, (ends[0] + 1) + "-" + ends[1] + "/" + LENGTH, ends);
            case "shorter" ->
                PartOrigin.sendHead(
                    connection,
                    fields,
                    from + "-" + (ends[1] - 2) + "/" + LENGTH,
                    new int[] {ends[0], ends[1] - 1});
            case "longer" ->
                PartOrigin.sendHead(
                    connection,
                    fields,
                    from + "-" + ends[1] + "/" + LENGTH,
                    new int[] {ends[0], ends[1] + 1});
            case "total" ->
                PartOrigin.sendHead(
                    connection, fields, from + "-" + (ends[1] - 1) + "/" + (ends[1] - 1), ends);
            case "unknown" ->
                PartOrigin.sendHead(connection, fields, from + "-" + (ends[1] - 1) + "/*", ends);
            case "multipart" ->
                connection.send(
                    "HTTP/1.1 206 Partial Content\r\n"
                        + fields
                        + "content-type: multipart/byteranges; boundary=x\r\n"
                        + "content-length: 7\r\n\r\n\r\n--x--");
            case "two" ->
                PartOrigin.sendHead(
                    connection, fields + "content-range: bytes " + right + "\r\n", right, ends);
            case "none" ->
                connection.send(
                    "HTTP/1.1 206 Partial Content\r\n" + fields + "content-length: 0\r\n\r\n");
            case "length" ->
                PartOrigin.sendHead(connection, fields, right, new int[] {ends[0], ends[1] - 1});
            default -> {
              PartOrigin.sendHead(connection, fields, right, ends);
              connection.send(PartOrigin.part(OTHER, ends[0], ends[1]));
            }
          }
        });
    try (RawClient client = edge.connect()) {
      Response reply = client.get("/v", range(3 * SLICE + 1, 4 * SLICE + 1));
      assertPart(reply, BODY, 3 * SLICE + 1, 4 * SLICE + 1);
      Bytes.assertEquals(BODY, client.get("/v").body());
      edge.awaitIdle();
      Response whole = client.get("/v");
      assertTrue(whole.isHit(), whole.field("cache-status"));
      Bytes.assertEquals(BODY, whole.body());
    }
    assertEquals(List.of(slices(3, 5), "-"), askedFor().subList(0, 2));
  }

  @Test
  void anOriginThatIgnoresRangesIsReadOnceAndStoredWhole() throws IOException {
    start("slices", TestOrigin.ok(FRESH, BODY));
    try (RawClient client = edge.connect()) {
      assertPart(client.get("/v", range(SLICE, LENGTH)), BODY, SLICE, LENGTH);
      edge.awaitIdle();
      Response whole = client.get("/v");
      assertTrue(whole.isHit());
      Bytes.assertEquals(BODY, whole.body());
    }
    assertEquals(1, origin.count("/v"));
  }

  @Test
  void a416IsPassedOnAsTheClientAskedAndNothingIsRemembered() throws IOException {
    start(
        "far",
        (request, connection) -> {
          if (request.field("range").endsWith("-")) {
            connection.send(
                "HTTP/1.1 416 Range Not Satisfiable\r\ncontent-range: bytes */"
                    + LENGTH
                    + "\r\ncontent-length: 0\r\n\r\n");
          } else {
            PartOrigin.send(request, connection, BODY, TAGGED);
          }
        });
    try (RawClient client = edge.connect()) {
      Response reply = client.get("/v", "Range: bytes=99999999-");
      assertEquals(416, reply.status());
      assertEquals("bytes */" + LENGTH, reply.field("content-range"));
      assertEquals("edge; fwd=bypass; fwd-status=416; detail=range", reply.field("cache-status"));
      assertEquals("bytes=99999999-", askedFor().getLast());
      assertPart(client.get("/v", range(9 * MIB, 10 * MIB)), BODY, 9 * MIB, 10 * MIB);
      edge.awaitIdle();
      assertTrue(client.get("/v", range(9 * MIB, 10 * MIB)).isHit());
      // By now the length is known here.
      assertEquals(416, client.get("/v", "Range: bytes=99999999-").status());
    }
    assertEquals(3, origin.count("/v"));
  }

  @Test
  void aRangeThatMayNotBeStoredIsPassedAndItsUrlIsRemembered() throws IOException {
    start("slices", PartOrigin.of(BODY, "cache-control: private\r\netag: \"v1\"\r\n"));
    try (RawClient client = edge.connect()) {
      assertPart(client.get("/v", range(SLICE + 5, SLICE + 10)), BODY, SLICE + 5, SLICE + 10);
      assertPart(client.get("/v", range(SLICE + 5, SLICE + 10)), BODY, SLICE + 5, SLICE + 10);
    }
    String own = "bytes=" + (SLICE + 5) + "-" + (SLICE + 9);
    assertEquals(List.of(slices(1, 2), own, own), askedFor());
  }

  @Test
  void aBodyThatChangesHalfWayBreaksOffWhatWasBegunAndIsFetchedAnew() throws IOException {
    start(
        "slices",
        (request, connection) ->
            PartOrigin.send(
                request,
                connection,
                request.number() == 1 ? BODY : OTHER,
                request.number() == 1 ? TAGGED : CHANGED));
    try (RawClient client = edge.connect()) {
      client.request("GET", "/v", "Range: bytes=0-");
      Response head = client.head();
      assertEquals(206, head.status());
      assertEquals("\"v1\"", head.field("etag"));
      byte[] read = client.upTo(LENGTH);
      // What was said of the first run was true, and nothing of the other body follows it.
      assertEquals(RUN, read.length);
      Bytes.assertEquals(PartOrigin.part(BODY, 0, RUN), read);
    }
    edge.awaitSum(1, c -> c.responsesAborted);
    edge.awaitSum(1, c -> c.sliceRunsDenied);
    try (RawClient client = edge.connect()) {
      assertPart(client.get("/v", range(5, 100)), OTHER, 5, 100);
      Bytes.assertEquals(OTHER, client.get("/v").body());
    }
  }

  @Test
  void aBodyThatHasChangedBeforeTheHeadWentOutIsFetchedAnew() throws IOException {
    start(
        "slices",
        (request, connection) ->
            PartOrigin.send(
                request,
                connection,
                request.number() == 1 ? BODY : OTHER,
                request.number() == 1 ? TAGGED : CHANGED));
    try (RawClient client = edge.connect()) {
      assertPart(client.get("/v", range(0, 10)), BODY, 0, 10);
      edge.awaitIdle();
      assertPart(client.get("/v", range(50 * SLICE, 51 * SLICE)), OTHER, 50 * SLICE, 51 * SLICE);
      edge.awaitIdle();
      assertPart(client.get("/v", range(0, 10)), OTHER, 0, 10);
    }
  }

  @Test
  void whatWasWholeOfARangeThatBrokeOffIsKept() throws IOException {
    start(
        "slices",
        (request, connection) -> {
          if (request.number() > 2) {
            PartOrigin.send(request, connection, BODY, TAGGED);
            return;
          }
          if (request.number() == 2) {
            // That for the rest.
            connection.close();
            return;
          }
          int[] ends = PartOrigin.ends(request, LENGTH);
          PartOrigin.sendHead(
              connection, TAGGED, ends[0] + "-" + (ends[1] - 1) + "/" + LENGTH, ends);
          connection.send(PartOrigin.part(BODY, ends[0], ends[0] + 3 * SLICE + 100));
          connection.close();
        });
    try (RawClient client = edge.connect()) {
      client.request("GET", "/v", range(10 * SLICE, 20 * SLICE));
      assertEquals(206, client.head().status());
      byte[] read = client.upTo(10 * SLICE);
      assertTrue(read.length < 10 * SLICE);
      Bytes.assertEquals(PartOrigin.part(BODY, 10 * SLICE, 10 * SLICE + read.length), read);
    }
    edge.awaitIdle();
    try (RawClient client = edge.connect()) {
      assertTrue(client.get("/v", range(10 * SLICE, 13 * SLICE)).isHit());
      assertPart(client.get("/v", range(10 * SLICE, 20 * SLICE)), BODY, 10 * SLICE, 20 * SLICE);
    }
    String rest = "bytes=" + (13 * SLICE + 100) + "-" + (20 * SLICE - 1);
    assertEquals(List.of(slices(10, 20), rest, slices(13, 20)), askedFor());
  }

  @Test
  void aRangeThatBreaksOffGoesOnAndIsStored() throws IOException {
    start(
        "slices",
        (request, connection) -> {
          if (request.number() > 1) {
            PartOrigin.send(request, connection, BODY, TAGGED);
            return;
          }
          int[] ends = PartOrigin.ends(request, LENGTH);
          PartOrigin.sendHead(
              connection, TAGGED, ends[0] + "-" + (ends[1] - 1) + "/" + LENGTH, ends);
          connection.send(PartOrigin.part(BODY, ends[0], ends[0] + 3 * SLICE + 100));
          connection.close();
        });
    try (RawClient client = edge.connect()) {
      assertPart(client.get("/v", range(10 * SLICE, 20 * SLICE)), BODY, 10 * SLICE, 20 * SLICE);
      edge.awaitIdle();
      assertTrue(client.get("/v", range(10 * SLICE, 20 * SLICE)).isHit());
    }
    assertEquals(2, askedFor().size());
  }

  @Test
  void whatIsPurgedWhileItsHeadIsFetchedIsNotServedToWhoComesLater() throws IOException {
    start(
        "slices",
        (request, connection) -> {
          if (request.number() == 1) {
            asked.countDown();
            TestOrigin.await(gate);
            PartOrigin.send(request, connection, BODY, TAGGED);
          } else {
            PartOrigin.send(request, connection, OTHER, CHANGED);
          }
        });
    try (RawClient before = edge.connect();
        RawClient after = edge.connect()) {
      before.request("GET", "/v", range(0, 100));
      TestOrigin.await(asked);
      edge.purgeUrl("/v");
      after.request("GET", "/v", range(0, 100));
      Await.until("it has joined", () -> edge.sum(c -> c.joined) == 1);
      gate.countDown();
      assertPart(after.reply(), OTHER, 0, 100);
      assertEquals(206, before.reply().status());
      edge.awaitIdle();
      assertPart(after.get("/v", range(0, 100)), OTHER, 0, 100);
    }
  }

  @Test
  void variantsAreToldApart() throws IOException {
    start(
        "slices",
        (request, connection) ->
            PartOrigin.send(
                request,
                connection,
                request.field("x-kind").equals("b") ? OTHER : BODY,
                FRESH
                    + "vary: x-kind\r\netag: \""
                    + (request.field("x-kind").equals("b") ? "b" : "a")
                    + "\"\r\n"));
    try (RawClient client = edge.connect()) {
      for (int i = 0; i < 2; i++) {
        assertPart(client.get("/v", range(70, 90), "X-Kind: a"), BODY, 70, 90);
        assertPart(client.get("/v", range(70, 90), "X-Kind: b"), OTHER, 70, 90);
        edge.awaitIdle();
      }
    }
    assertEquals(2, origin.count("/v"));
  }

  @Test
  void aHeadThatEverybodyLeftBeforeItCameIsKeptWithoutABody() throws IOException {
    CountDownLatch closed = new CountDownLatch(1);
    start(
        "slices",
        (request, connection) -> {
          if (request.number() > 1) {
            PartOrigin.send(request, connection, BODY, TAGGED);
            return;
          }
          asked.countDown();
          TestOrigin.await(gate);
          int[] ends = PartOrigin.ends(request, LENGTH);
          PartOrigin.sendHead(
              connection, TAGGED, ends[0] + "-" + (ends[1] - 1) + "/" + LENGTH, ends);
          connection.awaitClose();
          closed.countDown();
        });
    RawClient only = edge.connect().request("GET", "/v", "Range: bytes=0-");
    TestOrigin.await(asked);
    only.close();
    Await.until("it has left", () -> edge.sum(c -> c.clientAborts) == 1);
    gate.countDown();
    TestOrigin.await(closed);
    edge.awaitIdle();
    try (RawClient client = edge.connect()) {
      assertPart(client.get("/v", range(5, 9)), BODY, 5, 9);
    }
    assertEquals("\"v1\"", origin.requests("/v").getLast().field("if-range"));
  }
}
