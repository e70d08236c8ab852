package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.LimitKey;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.Http2Client;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The memory used for bodies that do not fit and for readers that stop reading. */
@Tag("full")
final class ServerMemoryTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";

  /** What may be completed by range, so that no reader keeps it in memory. */
  private static final String TAGGED = FRESH + "etag: \"v1\"\r\n";

  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch gate = new CountDownLatch(1);

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  private void start(String memory, String more) throws IOException {
    edge = Edge.before(origin, directory, memory, more);
  }

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    edge.close();
    origin.close();
  }

  private static void assertBody(byte[] body, RawClient client) throws IOException {
    Response reply = client.reply();
    assertEquals(200, reply.status());
    Bytes.assertEquals(body, reply.body());
  }

  @Test
  void aBodyKnownToBeLargerThanMemoryThatCouldNotBeCompletedIsPassedOnWhole() throws IOException {
    start("16MiB", "");
    byte[] body = Edge.bytes(1, 20 * MIB);
    origin.on("/a", TestOrigin.ok(FRESH, body));
    try (RawClient client = edge.connect()) {
      for (int i = 0; i < 2; i++) {
        Response reply = client.get("/a");
        Bytes.assertEquals(body, reply.body());
        assertTrue(reply.field("cache-status").endsWith("detail=no-room"));
      }
    }
    edge.awaitSum(0, c -> c.fillsInstalled);
    assertEquals(2, origin.count("/a"));
  }

  @Test
  void aBodyThatTurnsOutLargerThanMemoryReachesTheClientWhoCausedIt() throws IOException {
    start("16MiB", "");
    byte[] body = Edge.bytes(2, 20 * MIB);
    origin.on("/a", TestOrigin.chunked(FRESH, body, 100_000));
    for (int i = 1; i <= 3; i++) {
      try (RawClient client = edge.connect()) {
        assertBody(body, client.request("GET", "/a"));
      }
      edge.awaitIdle();
    }
    edge.awaitSum(0, c -> c.fillsInstalled);
    edge.awaitSum(3, c -> c.fillsUnstored);
    edge.awaitSum(0, c -> c.responsesAborted);
  }

  @Test
  void aSlowReaderOfABodyLargerThanMemoryGetsItAllAndHoldsTheOriginBack() throws IOException {
    start("16MiB", "");
    byte[] body = Edge.bytes(3, 60 * MIB);
    long before = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    origin.on("/a", TestOrigin.chunked(FRESH, body, 1 << 16));
    try (RawClient slow = new RawClient(edge.port(), 16 * KIB)) {
      slow.request("GET", "/a");
      assertEquals(200, slow.head().status());
      byte[] read =
          slow.body(
              new RawClient.Response(200, List.of("transfer-encoding: chunked"), new byte[0]));
      Bytes.assertEquals(body, read);
    }
    long used = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() - before;
    assertTrue(used < 32 * MIB, "buffers of " + used + " bytes for one reader");
  }

  /**
   * Has unfinished objects take half a MiB less than what they may take of 16 MiB, as long as the
   * gate is closed: fills so small that they let nothing go.
   */
  private List<RawClient> takeTheRoom() throws IOException {
    byte[] body = Edge.bytes(4, 2 * MIB);
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      int first = i == 0 ? MIB / 2 : MIB;
      origin.on(
          "/held/" + i,
          (request, connection) -> {
            TestOrigin.sendHead(connection, FRESH, body.length).send(Arrays.copyOf(body, first));
            TestOrigin.await(gate);
            connection.send(Arrays.copyOfRange(body, first, body.length));
          });
      RawClient client = edge.connect().request("GET", "/held/" + i);
      assertEquals(200, client.head().status());
      client.bytes(first);
      clients.add(client);
    }
    assertTrue(edge.server().store().unfinishedBytes() > 7 * MIB + MIB / 2);
    return clients;
  }

  private void giveTheRoomBack(List<RawClient> clients) throws IOException {
    gate.countDown();
    for (RawClient client : clients) {
      client.bytes(MIB);
      client.close();
    }
  }

  @Test
  void aLeaderThatLeavesWhenThereIsNoRoomLeavesNothingBehind() throws IOException {
    start("16MiB", "");
    List<RawClient> held = takeTheRoom();
    byte[] body = Edge.bytes(4, 20 * MIB);
    origin.on("/a", TestOrigin.chunked(FRESH, body, 1 << 16));
    try (RawClient leader = new RawClient(edge.port(), 4 * KIB);
        RawClient follower = new RawClient(edge.port(), 4 * KIB)) {
      leader.request("GET", "/a");
      assertEquals(200, leader.head().status());
      Await.until("it is no longer in the table", () -> edge.server().fillsInProgress() == 8);
      leader.close();
      follower.request("GET", "/a");
      assertEquals(200, follower.head().status());
    }
    giveTheRoomBack(held);
    edge.awaitIdle();
  }

  @ParameterizedTest
  @ValueSource(strings = {FRESH, TAGGED})
  void aFollowerDoesNotWaitForALeaderThatTheRestIsLeftTo(String fields) throws Exception {
    start("16MiB", "");
    List<RawClient> held = takeTheRoom();
    byte[] body = Edge.bytes(4, 3 * MIB);
    int first = 64 * KIB;
    CountDownLatch joined = new CountDownLatch(1);
    origin.on(
        "/a",
        (request, connection) -> {
          if (request.field("range").isEmpty()) {
            TestOrigin.sendHead(connection, fields, body.length).send(Arrays.copyOf(body, first));
            TestOrigin.await(joined);
            connection.send(Arrays.copyOfRange(body, first, body.length));
          } else {
            PartOrigin.send(request, connection, body, fields);
          }
        });
    // It takes 32 KiB without credit, and so never comes to the end of what there was room for.
    try (Http2Client leader = new Http2Client(edge.tlsPort(), edge.authority(), 32 * KIB);
        RawClient follower = edge.connectTls()) {
      Http2Client.Answer answer = leader.get(Http2Client.get("/a"));
      assertEquals("200", answer.head().status().toString());
      follower.request("GET", "/a", "Host: a.example");
      Response head = follower.head();
      assertTrue(head.field("cache-status").contains("; collapsed"), head.toString());
      joined.countDown();
      byte[] read = follower.upTo(body.length);
      Bytes.assertEquals(body, read);
      edge.awaitSum(0, c -> c.responsesAborted);
      assertFalse(answer.end.isDone());
    }
    giveTheRoomBack(held);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bytes=0-6291454", "bytes=0-", "bytes=5000000-6000000", "bytes=6291455-"})
  void aRangeIsServedThoughOtherFillsHaveTakenTheRoom(String range) throws IOException {
    start("16MiB", "");
    List<RawClient> held = takeTheRoom();
    byte[] body = Edge.bytes(5, 6 * MIB);
    origin.on("/a", TestOrigin.ok(FRESH, body));
    try (RawClient client = edge.connect()) {
      Response cut = client.get("/a", "Range: " + range);
      assertEquals(206, cut.status());
      String[] ends = range.substring("bytes=".length()).split("-", 2);
      int from = Integer.parseInt(ends[0]);
      int to = ends[1].isEmpty() ? body.length : Integer.parseInt(ends[1]) + 1;
      Bytes.assertEquals(Arrays.copyOfRange(body, from, to), cut.body());
      edge.awaitSum(1, c -> c.fillsUnstored);
    }
    giveTheRoomBack(held);
  }

  @Test
  void aRangeThatWaitsForItsEndIsPassedWhenThereIsNoRoom() throws IOException {
    start("16MiB", "");
    List<RawClient> held = takeTheRoom();
    byte[] body = Edge.bytes(5, 6 * MIB);
    origin.on("/a", TestOrigin.chunked(FRESH, body, 1 << 16));
    try (RawClient client = edge.connect()) {
      // Of a length that is not known, so it is sent only once all of it has come.
      Response reply = client.get("/a", "Range: bytes=5000000-5500000");
      assertEquals(200, reply.status());
      Bytes.assertEquals(body, reply.body());
      assertTrue(reply.field("cache-status").contains("fwd=bypass"), reply.toString());
    }
    assertEquals(2, origin.count("/a"));
    giveTheRoomBack(held);
  }

  @Test
  void aSmallTierThatIsTurnedOverAtFullSpeedFetchesEachObjectOnce() throws Exception {
    start("32MiB", "");
    byte[] body = Edge.bytes(11, MIB);
    int perClient = 100;
    List<Future<?>> clients = new ArrayList<>();
    // In step: who is kept from his CPU between his two requests finds the tier turned over.
    CyclicBarrier step = new CyclicBarrier(3);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 3; i++) {
        int own = i;
        clients.add(threads.submit(() -> fetchTwice("/" + own + "/", perClient, body, step)));
      }
    }
    for (Future<?> client : clients) {
      assertNull(client.get());
    }
    assertTrue(edge.server().store().reclaimedRegions() > 100);
    for (int i = 0; i < 3; i++) {
      for (int n = 0; n < perClient; n++) {
        assertEquals(1, origin.count("/" + i + "/" + n), "/" + i + "/" + n);
      }
    }
    edge.awaitSum(0, c -> c.fillsUnstored);
    edge.awaitSum(0, c -> c.responsesAborted);
  }

  private @Nullable Void fetchTwice(String prefix, int count, byte[] body, CyclicBarrier step)
      throws Exception {
    try (RawClient client = edge.connect()) {
      for (int n = 0; n < count; n++) {
        // Lengths known and unknown, and small ones among them.
        int length = n % 5 == 4 ? 2000 : body.length - n;
        byte[] own = Arrays.copyOf(body, length);
        origin.on(
            prefix + n,
            n % 2 == 0 ? TestOrigin.ok(FRESH, own) : TestOrigin.chunked(FRESH, own, 1 << 16));
        assertBody(own, client.request("GET", prefix + n));
        assertBody(own, client.request("GET", prefix + n));
        int ignored = step.await(2, TimeUnit.MINUTES);
      }
    }
    return null;
  }

  @Test
  void readersThatStallHoldNoRegionWhileMemoryTurnsOver() throws IOException {
    stall(300, "64MiB");
  }

  @Test
  @Tag("campaign")
  void twoThousandReadersThatStallHoldNoRegionWhileMemoryTurnsOver() throws IOException {
    stall(2000, "256MiB");
  }

  private void stall(int count, String copies) throws IOException {
    start("64MiB", "limits: {private-copies: " + copies + "}\n");
    byte[] body = Edge.bytes(6, 12 * MIB);
    origin.on("/stalled", TestOrigin.ok(TAGGED, body));
    try (RawClient client = edge.connect()) {
      assertBody(body, client.request("GET", "/stalled"));
    }
    List<RawClient> stalled = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      stalled.add(new RawClient(edge.port(), 4 * KIB).request("GET", "/stalled"));
    }
    for (RawClient client : stalled) {
      assertEquals(200, client.head().status());
    }
    turnOver(64 * MIB * 3L);
    Await.until("every pin is given back", () -> edge.server().store().pins() == 0);
    long limit = edge.server().config().limits().privateCopyBytes();
    assertTrue(edge.server().privateCopyBytes() > 0);
    assertTrue(edge.server().privateCopyBytes() <= limit);
    edge.awaitSum(0, c -> c.responsesAborted);
    stalled.forEach(RawClient::close);
    edge.awaitIdle();
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void whoReadsOnAfterMemoryHasTurnedOverGetsNothingWrong(String transport) throws IOException {
    start("64MiB", "threads: {loops: 2, pin: off, transport: " + transport + "}\n");
    byte[] body = Edge.bytes(10, 12 * MIB);
    origin.on("/stalled", TestOrigin.ok(TAGGED, body));
    try (RawClient client = edge.connect()) {
      assertBody(body, client.request("GET", "/stalled"));
    }
    List<RawClient> stalled = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      stalled.add(new RawClient(edge.port(), 4 * KIB).request("GET", "/stalled"));
    }
    for (RawClient client : stalled) {
      assertEquals(200, client.head().status());
    }
    turnOver(64 * MIB * 3L);
    Await.until("every pin is given back", () -> edge.server().store().pins() == 0);
    for (RawClient client : stalled) {
      // What was not in a private copy may be lost by now; then the transfer breaks off.
      byte[] read = client.upTo(body.length);
      assertTrue(read.length > 0);
      Bytes.assertEquals(Arrays.copyOf(body, read.length), read);
      client.close();
    }
  }

  /** Fills as many bytes as that with objects that others ask for, and looks at each of them. */
  private void turnOver(long bytes) throws IOException {
    byte[] body = Edge.bytes(7, MIB);
    try (RawClient client = edge.connect()) {
      for (int i = 0; i * (long) body.length < bytes; i++) {
        byte[] own = body.clone();
        own[0] = (byte) i;
        origin.on("/churn/" + i, TestOrigin.ok(FRESH, own));
        assertBody(own, client.request("GET", "/churn/" + i));
      }
    }
    assertTrue(edge.server().store().reclaimedRegions() > 0);
  }

  @Test
  void beyondTheBoundOnPrivateCopiesStalledReadersAreBrokenOff() throws IOException {
    start("64MiB", "limits: {private-copies: 2MiB}\n");
    byte[] body = Edge.bytes(8, 12 * MIB);
    origin.on("/stalled", TestOrigin.ok(TAGGED, body));
    try (RawClient client = edge.connect()) {
      assertBody(body, client.request("GET", "/stalled"));
    }
    List<RawClient> stalled = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      stalled.add(new RawClient(edge.port(), 4 * KIB).request("GET", "/stalled"));
    }
    // A copy is at most a chunk of 128 KiB, so sixteen find room; of sixty not all do.
    Await.until("those who find no room are broken off", () -> edge.sum(c -> c.stalledClosed) > 0);
    Await.until("every pin is given back", () -> edge.server().store().pins() == 0);
    assertTrue(edge.server().privateCopyBytes() <= 2 * MIB);
    assertTrue(edge.server().privateCopyBytes() > 0);
    assertTrue(edge.sum(c -> c.hits(LimitKey.PRIVATE_COPIES)) > 0);
    stalled.forEach(RawClient::close);
    edge.awaitIdle();
  }

  @Test
  void aClientThatPipelinesAndDoesNotReadIsNotCollectedFor() throws IOException {
    start("64MiB", "limits: {private-copies: 4MiB}\n");
    byte[] body = Edge.bytes(9, 30 * KIB);
    origin.on("/small", TestOrigin.ok(FRESH, body));
    try (RawClient client = edge.connect()) {
      assertBody(body, client.request("GET", "/small"));
    }
    long before = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    String one = "GET /small HTTP/1.1\r\nHost: 127.0.0.1:" + edge.port() + "\r\n\r\n";
    int requests = 1200;
    try (RawClient greedy = new RawClient(edge.port(), 4 * KIB)) {
      greedy.send(one.repeat(requests));
      Await.until("it has begun", () -> edge.sum(c -> c.connectionsAccepted) >= 2);
      Await.until("every pin is given back", () -> edge.server().store().pins() == 0);
      assertTrue(edge.server().privateCopyBytes() <= 4 * MIB);
      long used = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() - before;
      assertTrue(used < 16 * MIB, used + " bytes for one client");
      edge.awaitSum(0, c -> c.stalledClosed);
      for (int i = 0; i < requests; i++) {
        Bytes.assertEquals(body, greedy.reply().body());
      }
    }
  }
}
