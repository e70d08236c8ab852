package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.TestOrigin.Answer;
import io.forebay.storage.StoreStats;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies three times as large as memory stream through it, with fast and slow readers. */
@Tag("slow")
final class ServerLargeBodyTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final String TAGGED = FRESH + "etag: \"v1\"\r\n";
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;
  private static final int LENGTH = 48 * MIB + 321;
  private static final int HALF = 24 * MIB;
  private static final byte[] BODY = Edge.bytes(50, LENGTH);

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch gate = new CountDownLatch(1);

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  private void start(String more, Answer whole) throws IOException {
    edge = Edge.before(origin, directory, "16MiB", more);
    if (!more.isEmpty()) {
      Await.until("disks", () -> edge.server().notReady().isEmpty());
    }
    origin.on("/large", withRanges(whole, BODY));
  }

  /** Gives the whole as it is told, and parts of the same body. */
  private static Answer withRanges(Answer whole, byte[] body) {
    return (request, connection) -> {
      String range = request.field("range");
      if (range.isEmpty()) {
        whole.to(request, connection);
        return;
      }
      String[] ends = range.substring("bytes=".length()).split("-", 2);
      byte[] part =
          Arrays.copyOfRange(body, Integer.parseInt(ends[0]), Integer.parseInt(ends[1]) + 1);
      connection
          .send(
              "HTTP/1.1 206 Partial Content\r\n"
                  + TAGGED
                  + "content-range: bytes "
                  + ends[0]
                  + "-"
                  + ends[1]
                  + "/"
                  + body.length
                  + "\r\ncontent-length: "
                  + part.length
                  + "\r\n\r\n")
          .send(part);
    };
  }

  private String disk() {
    return "stores: {one: {path: \"" + directory + "/one\", size: 256MiB}}\n";
  }

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    edge.close();
    origin.close();
  }

  private Answer inTwoParts(String fields) {
    return (request, connection) -> {
      TestOrigin.sendHead(connection, fields, LENGTH).send(Arrays.copyOf(BODY, HALF));
      TestOrigin.await(gate);
      connection.send(Arrays.copyOfRange(BODY, HALF, LENGTH));
    };
  }

  private long wholeFetches() {
    return origin.requests("/large").stream()
        .filter(request -> request.field("range").isEmpty())
        .count();
  }

  private long dropped() {
    return edge.server().disks().stream().mapToLong(disk -> disk.dropped()).sum();
  }

  private StoreStats stats() {
    return edge.server().store();
  }

  @Test
  void bodiesThatMemoryCannotHoldTogetherAreAllStoredWhenTheyAreFetchedAtOnce() throws Exception {
    edge = Edge.before(origin, directory, "64MiB", disk());
    Await.until("disks", () -> edge.server().notReady().isEmpty());
    int count = 32;
    int length = 7 * MIB / 2;
    CountDownLatch begun = new CountDownLatch(count);
    for (int n = 0; n < count; n++) {
      byte[] body = Edge.bytes(60 + n, length);
      origin.on(
          "/many/" + n,
          (request, connection) -> {
            TestOrigin.sendHead(connection, TAGGED, length).send(Arrays.copyOf(body, length - KIB));
            begun.countDown();
            TestOrigin.await(begun);
            connection.send(Arrays.copyOfRange(body, length - KIB, length));
          });
    }
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (int n = 0; n < count; n++) {
        int number = n;
        all.add(
            clients.submit(() -> {
              try (RawClient client = edge.connect()) {
                Bytes.assertEquals(
                    Edge.bytes(60 + number, length), client.get("/many/" + number).body());
              }
              return null;
            }));
      }
      for (Future<?> one : all) {
        one.get();
      }
    }
    edge.awaitIdle();
    edge.awaitSum(count, c -> c.fillsInstalled);
    try (RawClient client = edge.connect()) {
      for (int n = 0; n < count; n++) {
        Response response = client.get("/many/" + n);
        assertTrue(response.isHit(), "/many/" + n);
        Bytes.assertEquals(Edge.bytes(60 + n, length), response.body());
        assertEquals(1, origin.count("/many/" + n));
      }
    }
    assertEquals(0, dropped());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void oneFastClientGetsAllOfItAndItIsStoredAsFarAsItIsThere(boolean isLengthKnown)
      throws IOException {
    start(
        "",
        isLengthKnown ? TestOrigin.ok(TAGGED, BODY) : TestOrigin.chunked(TAGGED, BODY, 100 * KIB));
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(BODY, client.get("/large").body());
      edge.awaitSum(1, c -> c.fillsInstalled);
      edge.awaitIdle();
      Response end = client.get("/large", "Range: bytes=" + (LENGTH - MIB) + "-");
      assertTrue(end.isHit(), end.field("cache-status"));
      Bytes.assertEquals(Arrays.copyOfRange(BODY, LENGTH - MIB, LENGTH), end.body());
      assertEquals(1, origin.count("/large"));
      Response begin = client.get("/large", "Range: bytes=0-99");
      assertEquals(206, begin.status());
      Bytes.assertEquals(Arrays.copyOf(BODY, 100), begin.body());
      assertEquals("bytes=0-65535", origin.requests("/large").getLast().field("range"));
      Bytes.assertEquals(BODY, client.get("/large").body());
    }
    assertEquals(1, wholeFetches());
    edge.awaitSum(0, c -> c.responsesAborted);
  }

  /** Writes as much as the disk holds twice; a part that a slow disk did not take is fetched. */
  private void writeOver() throws IOException {
    byte[] body = Edge.bytes(51, MIB);
    try (RawClient client = edge.connect()) {
      for (int n = 0; n < 2 * 256; n++) {
        origin.on("/other/" + n, withRanges(TestOrigin.ok(TAGGED, body), body));
        assertEquals(200, client.get("/other/" + n).status());
        if (n >= 4) {
          // What is asked for again is worth a write.
          assertEquals(200, client.get("/other/" + (n - 4)).status());
        }
      }
    }
  }

  /**
   * Nothing could complete it, and memory has no room to keep it: its places on the disk are held.
   */
  @Tag("full")
  @Test
  void aSlowReaderOfABodyWithoutAValidatorGetsAllOfItFromADisk() throws IOException {
    start(disk(), TestOrigin.ok(FRESH, BODY));
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(BODY, client.get("/large").body());
    }
    edge.awaitIdle();
    edge.awaitSum(1, c -> c.fillsInstalled);
    // As long as much of it is in memory alone, it is passed to the origin.
    byte[] other = Edge.bytes(52, MIB);
    int[] others = new int[1];
    Await.until(
        "a hit",
        () -> {
          try (RawClient client = edge.connect()) {
            for (int n = 0; n < 20; n++) {
              String path = "/push/" + others[0]++;
              origin.on(path, TestOrigin.ok(TAGGED, other));
              assertEquals(200, client.get(path).status());
            }
            Response whole = client.get("/large");
            Bytes.assertEquals(BODY, whole.body());
            return whole.isHit();
          }
        });
    int asked = origin.count("/large");
    try (RawClient slow = new RawClient(edge.port(), 4 * KIB)) {
      slow.request("GET", "/large");
      Response head = slow.head();
      assertTrue(head.isHit(), head.field("cache-status"));
      Bytes.assertEquals(Arrays.copyOf(BODY, MIB), slow.bytes(MIB));
      writeOver();
      Bytes.assertEquals(Arrays.copyOfRange(BODY, MIB, LENGTH), slow.bytes(LENGTH - MIB));
    }
    assertEquals(asked, origin.count("/large"));
    edge.awaitSum(0, c -> c.responsesAborted);
  }

  @Test
  void whatIsHeldIsBoundedWhileItStreams() throws IOException {
    start("", inTwoParts(TAGGED));
    try (RawClient client = edge.connect()) {
      client.request("GET", "/large");
      Response head = client.head();
      assertEquals(Integer.toString(LENGTH), head.field("content-length"));
      Bytes.assertEquals(Arrays.copyOf(BODY, HALF), client.bytes(HALF));
      Await.until("bytes that were read are released", () -> stats().unfinishedBytes() < 2 * MIB);
      assertTrue(stats().unfinishedBytes() > 0);
      assertTrue(stats().reclaimedRegions() > 4);
      gate.countDown();
      Bytes.assertEquals(Arrays.copyOfRange(BODY, HALF, LENGTH), client.bytes(LENGTH - HALF));
    }
    edge.awaitIdle();
    assertEquals(0, stats().unfinishedBytes());
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSlowClientBesideAFastOneGetsAllOfIt(boolean hasDisk) throws IOException {
    start(hasDisk ? disk() : "", TestOrigin.ok(TAGGED, BODY));
    try (RawClient slow = new RawClient(edge.port(), 4 * KIB);
        RawClient fast = edge.connect()) {
      slow.request("GET", "/large");
      Response head = slow.head();
      assertEquals(200, head.status());
      fast.request("GET", "/large");
      Bytes.assertEquals(BODY, fast.reply().body());
      Bytes.assertEquals(BODY, slow.body(head));
    }
    assertEquals(1, wholeFetches());
    edge.awaitSum(0, c -> c.responsesAborted);
    if (hasDisk && dropped() == 0) {
      edge.awaitSum(0, c -> c.sliceRuns);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whoJoinsLateGetsAllOfIt(boolean hasDisk) throws IOException {
    start(hasDisk ? disk() : "", inTwoParts(TAGGED));
    try (RawClient first = edge.connect();
        RawClient late = edge.connect()) {
      first.request("GET", "/large");
      assertEquals(200, first.head().status());
      Bytes.assertEquals(Arrays.copyOf(BODY, HALF), first.bytes(HALF));
      late.request("GET", "/large");
      Response head = late.head();
      assertTrue(head.field("cache-status").contains("; collapsed"));
      Bytes.assertEquals(Arrays.copyOf(BODY, HALF), late.bytes(HALF));
      // What the fill is still to bring is fetched by nobody else.
      assertTrue(
          origin.requests("/large").stream()
              .skip(1)
              .allMatch(request -> lastOf(request.field("range")) < HALF));
      gate.countDown();
      Bytes.assertEquals(Arrays.copyOfRange(BODY, HALF, LENGTH), first.bytes(LENGTH - HALF));
      Bytes.assertEquals(Arrays.copyOfRange(BODY, HALF, LENGTH), late.bytes(LENGTH - HALF));
    }
    assertEquals(1, wholeFetches());
    edge.awaitSum(1, c -> c.fillsInstalled);
    edge.awaitSum(0, c -> c.responsesAborted);
  }

  private static long lastOf(String range) {
    return Long.parseLong(range, range.indexOf('-') + 1, range.length(), 10);
  }

  @Test
  void whoJoinsTooLateForABodyWithoutAValidatorIsNotBegunWith() throws IOException {
    start(
        "",
        (request, connection) ->
            (request.number() == 1 ? inUnknownParts() : TestOrigin.ok(FRESH, BODY))
                .to(request, connection));
    try (RawClient first = edge.connect();
        RawClient late = edge.connect()) {
      first.request("GET", "/large");
      Response head = first.head();
      assertEquals(200, head.status());
      Await.until("the beginning is gone", () -> readOn(first) && stats().reclaimedRegions() > 16);
      Response reply = late.get("/large");
      assertTrue(reply.field("cache-status").contains("store-full"), reply.toString());
      Bytes.assertEquals(BODY, reply.body());
    }
    edge.awaitIdle();
  }

  /** Of a chunked body that never ends as long as the gate is closed. */
  private Answer inUnknownParts() {
    return (request, connection) -> {
      connection.send("HTTP/1.1 200 OK\r\n" + FRESH + "transfer-encoding: chunked\r\n\r\n");
      byte[] chunk = new byte[64 * KIB];
      while (gate.getCount() > 0) {
        connection.send("10000\r\n").send(chunk).send("\r\n");
      }
      connection.send("0\r\n\r\n");
    };
  }

  private static boolean readOn(RawClient client) {
    try {
      return client.bytes(64 * KIB).length > 0;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void onADiskItIsKeptWhole() throws IOException {
    start(disk(), TestOrigin.ok(TAGGED, BODY));
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(BODY, client.get("/large").body());
      edge.awaitIdle();
      for (int i = 0; i < 2; i++) {
        Response reply = client.get("/large");
        Bytes.assertEquals(BODY, reply.body());
        assertTrue(reply.isHit() || dropped() > 0, reply.field("cache-status"));
      }
    }
    assertTrue(origin.count("/large") == 1 || dropped() > 0);
  }

  /** More than can be kept in memory until it is sent: what the disk drops meanwhile is lost. */
  @Test
  void withoutAValidatorItIsFetchedForEachAndRangesOfItAreHits() throws IOException {
    start(disk(), TestOrigin.ok(FRESH, BODY));
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(BODY, client.get("/large").body());
      edge.awaitIdle();
      Response reply = client.get("/large");
      assertTrue(reply.field("cache-status").contains("not-kept"), reply.field("cache-status"));
      Bytes.assertEquals(BODY, reply.body());
      Response range = client.get("/large", "Range: bytes=1000-999999");
      assertTrue(range.isHit() || dropped() > 0, range.field("cache-status"));
      Bytes.assertEquals(Arrays.copyOfRange(BODY, 1000, 1_000_000), range.body());
    }
    edge.awaitSum(0, c -> c.responsesAborted);
  }

  @Test
  void aPurgeMeanwhileIsNotOutlived() throws IOException {
    start("", inTwoParts(TAGGED));
    try (RawClient client = edge.connect()) {
      client.request("GET", "/large");
      assertEquals(200, client.head().status());
      client.bytes(HALF);
      edge.purgeUrl("/large");
      gate.countDown();
      Bytes.assertEquals(Arrays.copyOfRange(BODY, HALF, LENGTH), client.bytes(LENGTH - HALF));
      edge.awaitIdle();
      edge.awaitSum(0, c -> c.fillsInstalled);
      assertEquals(200, client.get("/large").status());
    }
    assertEquals(2, wholeFetches());
  }
}
