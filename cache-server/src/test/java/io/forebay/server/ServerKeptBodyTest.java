package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Bodies without a strong validator, whose lost bytes cannot be fetched again: a response that has
 * begun is kept until it is sent, and one that cannot be kept does not begin (I9).
 */
@Tag("slow")
final class ServerKeptBodyTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final String TAGGED = FRESH + "etag: \"v1\"\r\n";
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch gate = new CountDownLatch(1);

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  private void start(String memory) throws IOException {
    edge = Edge.before(origin, directory, memory, "limits: {private-copies: 64MiB}\n");
  }

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    edge.close();
    origin.close();
  }

  private void store(String path, byte[] body) throws IOException {
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(body, client.get(path).body());
    }
    edge.awaitIdle();
  }

  /** Replaces, in a tier of 64 MiB, all that may leave memory. */
  private void turnOver() throws IOException {
    byte[] body = Edge.bytes(22, MIB);
    try (RawClient client = edge.connect()) {
      for (int i = 0; i < 3 * 64; i++) {
        origin.on("/churn/" + i, TestOrigin.ok(TAGGED, body));
        assertEquals(200, client.get("/churn/" + i).status());
        if (i >= 12) {
          assertEquals(200, client.get("/churn/" + (i - 12)).status());
        }
      }
    }
    assertTrue(edge.server().store().reclaimedRegions() > 16);
  }

  private void assertNothingAborted() {
    edge.awaitIdle();
    edge.awaitSum(0, c -> c.responsesAborted);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "etag: W/\"v1\"\r\n"})
  void aSlowReaderOfAHitGetsAllOfItFromMemory(String validator) throws IOException {
    start("64MiB");
    byte[] body = Edge.bytes(20, 12 * MIB);
    origin.on("/slow", TestOrigin.ok(FRESH + validator, body));
    store("/slow", body);
    try (RawClient slow = new RawClient(edge.port(), 4 * KIB)) {
      slow.request("GET", "/slow");
      Response head = slow.head();
      assertTrue(head.isHit());
      turnOver();
      Bytes.assertEquals(body, slow.body(head));
    }
    assertEquals(1, origin.count("/slow"));
    assertNothingAborted();
  }

  @Test
  void aSlowReaderOfRangesGetsAllOfThem() throws IOException {
    start("64MiB");
    byte[] body = Edge.bytes(24, 12 * MIB);
    origin.on("/slow", TestOrigin.ok(FRESH, body));
    store("/slow", body);
    try (RawClient slow = new RawClient(edge.port(), 4 * KIB)) {
      slow.request("GET", "/slow", "Range: bytes=11000000-11999999,5-8000000");
      Response head = slow.head();
      assertEquals(206, head.status());
      turnOver();
      List<MultipartBody.Part> parts =
          MultipartBody.parse(head.field("content-type"), slow.body(head));
      Bytes.assertEquals(Arrays.copyOfRange(body, 11_000_000, 12_000_000), parts.get(0).bytes());
      Bytes.assertEquals(Arrays.copyOfRange(body, 5, 8_000_001), parts.get(1).bytes());
    }
    assertNothingAborted();
  }

  /** Two of them are more than may be kept of 64 MiB. */
  @Test
  void whatCannotBeKeptIsAMissBeforeItsHead() throws IOException {
    start("64MiB");
    byte[] one = Edge.bytes(25, 12 * MIB);
    byte[] other = Edge.bytes(26, 12 * MIB);
    origin.on("/one", TestOrigin.ok(FRESH, one));
    origin.on("/other", TestOrigin.ok(FRESH, other));
    store("/one", one);
    store("/other", other);
    try (RawClient slow = new RawClient(edge.port(), 4 * KIB);
        RawClient second = edge.connect()) {
      slow.request("GET", "/one");
      Response head = slow.head();
      assertTrue(head.isHit());
      Response passed = second.get("/other");
      assertTrue(passed.field("cache-status").contains("not-kept"), passed.toString());
      Bytes.assertEquals(other, passed.body());
      Bytes.assertEquals(one, slow.body(head));
      // The bound is for what is being sent.
      edge.awaitIdle();
      assertTrue(second.get("/other").isHit());
    }
    assertEquals(1, edge.sum(c -> c.bodiesNotKept));
    assertEquals(1, origin.count("/one"));
    assertEquals(2, origin.count("/other"));
    assertNothingAborted();
  }

  /** The fill is over long before its readers are. */
  @Tag("full")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void slowReadersOfAFillGetAllOfItWhateverBecomesOfTheObject(boolean isPurged) throws IOException {
    start("64MiB");
    byte[] body = Edge.bytes(27, 7 * MIB / 2);
    CountDownLatch joined = new CountDownLatch(1);
    origin.on(
        "/slow",
        (request, connection) -> {
          TestOrigin.sendHead(connection, FRESH, body.length).send(Arrays.copyOf(body, MIB));
          TestOrigin.await(joined);
          connection.send(Arrays.copyOfRange(body, MIB, body.length));
        });
    try (RawClient leader = new RawClient(edge.port(), 4 * KIB);
        RawClient follower = new RawClient(edge.port(), 4 * KIB)) {
      leader.request("GET", "/slow");
      Response first = leader.head();
      follower.request("GET", "/slow");
      Response second = follower.head();
      assertTrue(second.field("cache-status").contains("collapsed"), second.toString());
      if (isPurged) {
        edge.purgeUrl("/slow");
      }
      joined.countDown();
      Await.until("the fill is over", () -> edge.server().fillsInProgress() == 0);
      turnOver();
      Bytes.assertEquals(body, leader.body(first));
      Bytes.assertEquals(body, follower.body(second));
    }
    assertEquals(1, origin.count("/slow"));
    assertNothingAborted();
  }

  /** It outgrows what unfinished objects may take while two read it. */
  @Test
  void whoFollowsAFillThatRunsOutOfRoomGetsAllOfIt() throws Exception {
    start("16MiB");
    byte[] body = Edge.bytes(28, 6 * MIB);
    CountDownLatch crowded = new CountDownLatch(1);
    origin.on(
        "/grows",
        (request, connection) -> {
          TestOrigin.sendHead(connection, FRESH, body.length).send(Arrays.copyOf(body, MIB / 2));
          TestOrigin.await(crowded);
          connection.send(Arrays.copyOfRange(body, MIB / 2, body.length));
        });
    // As much of each as nobody holds the origin for, and no more while the gate is closed.
    byte[] other = Edge.bytes(29, MIB);
    List<RawClient> crowd = new ArrayList<>();
    try (RawClient leader = new RawClient(edge.port(), 4 * KIB);
        RawClient follower = edge.connect();
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      leader.request("GET", "/grows");
      Response first = leader.head();
      follower.request("GET", "/grows");
      Response second = follower.head();
      assertTrue(second.field("cache-status").contains("collapsed"), second.toString());
      for (int i = 0; i < 10; i++) {
        origin.on(
            "/crowd/" + i,
            (request, connection) -> {
              if (!request.field("range").isEmpty()) {
                // One of these may run out of room too: then its rest is asked for.
                sendRange(connection, request.field("range"), other);
                return;
              }
              TestOrigin.sendHead(connection, TAGGED, other.length)
                  .send(Arrays.copyOf(other, 900 * KIB));
              TestOrigin.await(gate);
              connection.send(Arrays.copyOfRange(other, 900 * KIB, other.length));
            });
        crowd.add(edge.connect().request("GET", "/crowd/" + i));
      }
      // One of the crowd may run out of room itself, hence not all 8 MiB.
      Await.until(
          "there is no room for the rest", () -> edge.server().store().unfinishedBytes() > 5 * MIB);
      crowded.countDown();
      CompletableFuture<byte[]> followed =
          CompletableFuture.supplyAsync(() -> read(follower, second), threads);
      Bytes.assertEquals(body, leader.body(first));
      Bytes.assertEquals(body, followed.get());
      gate.countDown();
      for (RawClient one : crowd) {
        Bytes.assertEquals(other, one.reply().body());
      }
    } finally {
      crowd.forEach(RawClient::close);
    }
    assertEquals(1, origin.count("/grows"));
    assertNothingAborted();
  }

  private static void sendRange(Connection connection, String range, byte[] body)
      throws IOException {
    String[] ends = range.substring("bytes=".length()).split("-", -1);
    int first = Integer.parseInt(ends[0]);
    int last = ends[1].isEmpty() ? body.length - 1 : Integer.parseInt(ends[1]);
    connection
        .send(
            "HTTP/1.1 206 Partial Content\r\n"
                + TAGGED
                + "content-range: bytes "
                + first
                + "-"
                + last
                + "/"
                + body.length
                + "\r\ncontent-length: "
                + (last + 1 - first)
                + "\r\n\r\n")
        .send(Arrays.copyOfRange(body, first, last + 1));
  }

  private static byte[] read(RawClient client, Response head) {
    try {
      return client.body(head);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Who reads slowly has let its beginning go by then. */
  @Test
  void whoComesAfterTheBeginningIsGoneAsksByHimself() throws Exception {
    start("16MiB");
    byte[] body = Edge.bytes(30, 6 * MIB);
    origin.on("/large", TestOrigin.ok(FRESH, body));
    try (RawClient slow = new RawClient(edge.port(), 4 * KIB);
        RawClient late = edge.connect()) {
      slow.request("GET", "/large");
      Response head = slow.head();
      byte[] begun = slow.bytes(3 * MIB);
      Response reply = late.get("/large");
      assertFalse(reply.field("cache-status").contains("collapsed"), reply.toString());
      Bytes.assertEquals(body, reply.body());
      Bytes.assertEquals(Arrays.copyOf(body, 3 * MIB), begun);
      Bytes.assertEquals(
          Arrays.copyOfRange(body, 3 * MIB, body.length), slow.bytes(body.length - 3 * MIB));
      assertEquals(200, head.status());
    }
    assertEquals(2, origin.count("/large"));
    assertNothingAborted();
  }
}
