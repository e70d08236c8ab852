package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.LimitKey;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fills and their followers: joining, leaving, and the effect on the origin's response. */
@Tag("slow")
final class ServerFillTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";
  private static final int MIB = 1 << 20;

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch gate = new CountDownLatch(1);
  private final CountDownLatch lost = new CountDownLatch(1);

  @BeforeEach
  void start() throws IOException {
    edge = Edge.before(origin, directory, "64MiB", "");
  }

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    edge.close();
    origin.close();
  }

  /** Sends so many bytes, then waits for the gate; tells when the connection is lost meanwhile. */
  private TestOrigin.Answer inTwoParts(byte[] body, int first) {
    return (request, connection) -> {
      TestOrigin.sendHead(connection, FRESH, body.length).send(Arrays.copyOf(body, first));
      begun.countDown();
      if (request.number() > 1) {
        connection.send(Arrays.copyOfRange(body, first, body.length));
        return;
      }
      TestOrigin.await(gate);
      try {
        connection.send(Arrays.copyOfRange(body, first, body.length));
      } catch (IOException e) {
        lost.countDown();
        throw e;
      }
    };
  }

  private List<RawClient> clients(int count) {
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      clients.add(edge.connect());
    }
    return clients;
  }

  @Test
  void clientsOfBothLoopsShareOneFetch() throws Exception {
    byte[] body = Edge.bytes(1, 3 * MIB);
    origin.on("/a", inTwoParts(body, MIB));
    List<RawClient> clients = clients(40);
    Await.until(
        "both loops have clients",
        () -> edge.server().counters().stream().allMatch(c -> c.connectionsAccepted > 0));
    clients.forEach(client -> client.request("GET", "/a"));
    Await.until("all but one have joined", () -> edge.sum(c -> c.joined) == 39);
    gate.countDown();
    int collapsed = 0;
    for (RawClient client : clients) {
      Response reply = client.reply();
      Bytes.assertEquals(body, reply.body());
      collapsed += reply.field("cache-status").contains("; collapsed") ? 1 : 0;
      client.close();
    }
    assertEquals(39, collapsed);
    assertEquals(1, origin.count("/a"));
    edge.awaitSum(1, c -> c.fillsStarted);
  }

  @Test
  void theOthersGetEverythingWhenTheFirstLeaves() throws Exception {
    byte[] body = Edge.bytes(2, 4 * MIB);
    origin.on("/a", inTwoParts(body, MIB));
    RawClient first = edge.connect().request("GET", "/a");
    Response head = first.head();
    assertEquals(200, head.status());
    first.bytes(100_000);
    List<RawClient> others = clients(12);
    others.forEach(client -> client.request("GET", "/a"));
    Await.until("they have joined", () -> edge.sum(c -> c.joined) == 12);
    first.close();
    Await.until("the first has left", () -> edge.sum(c -> c.clientAborts) == 1);
    gate.countDown();
    for (RawClient client : others) {
      Bytes.assertEquals(body, client.reply().body());
      client.close();
    }
    assertEquals(1, origin.count("/a"));
  }

  @Test
  void theOthersGetEverythingWhenTheFirstLeavesBeforeTheHead() throws Exception {
    byte[] body = Edge.bytes(3, MIB);
    CountDownLatch asked = new CountDownLatch(1);
    origin.on(
        "/a",
        (request, connection) -> {
          asked.countDown();
          TestOrigin.await(gate);
          TestOrigin.sendOk(connection, FRESH, body);
        });
    RawClient first = edge.connect().request("GET", "/a");
    assertTrue(asked.await(30, TimeUnit.SECONDS));
    List<RawClient> others = clients(6);
    others.forEach(client -> client.request("GET", "/a"));
    Await.until("they have joined", () -> edge.sum(c -> c.joined) == 6);
    first.close();
    Await.until("the first has left", () -> edge.sum(c -> c.clientAborts) == 1);
    gate.countDown();
    for (RawClient client : others) {
      Bytes.assertEquals(body, client.reply().body());
      client.close();
    }
    assertEquals(1, origin.count("/a"));
  }

  @Test
  void letsTheOriginGoWhenEverybodyLeavesEarly() throws Exception {
    byte[] body = Edge.bytes(4, 20 * MIB);
    CountDownLatch closed = new CountDownLatch(1);
    origin.on(
        "/a",
        (request, connection) -> {
          if (request.number() > 1) {
            TestOrigin.sendOk(connection, FRESH, body);
            return;
          }
          TestOrigin.sendHead(connection, FRESH, body.length).send(Arrays.copyOf(body, 100_000));
          begun.countDown();
          connection.awaitClose();
          closed.countDown();
        });
    List<RawClient> clients = clients(5);
    clients.forEach(client -> client.request("GET", "/a"));
    for (RawClient client : clients) {
      assertEquals(200, client.head().status());
      client.close();
    }
    assertTrue(closed.await(30, TimeUnit.SECONDS));
    edge.awaitIdle();
    edge.awaitSum(0, c -> c.fillsInstalled);
    try (RawClient later = edge.connect()) {
      Bytes.assertEquals(body, later.get("/a").body());
    }
    assertEquals(2, origin.count("/a"));
  }

  @Test
  void finishesForNobodyWhenLittleIsMissing() throws Exception {
    byte[] body = Edge.bytes(5, 500_000);
    origin.on("/a", inTwoParts(body, 100_000));
    RawClient only = edge.connect().request("GET", "/a");
    assertEquals(200, only.head().status());
    only.close();
    Await.until("it has left", () -> edge.sum(c -> c.clientAborts) == 1);
    gate.countDown();
    Await.until("it is stored", () -> edge.sum(c -> c.fillsInstalled) == 1);
    try (RawClient later = edge.connect()) {
      Response hit = later.get("/a");
      assertTrue(hit.isHit());
      Bytes.assertEquals(body, hit.body());
    }
    assertEquals(1, origin.count("/a"));
  }

  @Test
  void goesOnForNobodyAfterItWasHeldForASlowReader() throws Exception {
    // More than half of it has arrived when the reader leaves, and the origin was paused by then.
    byte[] body = Edge.bytes(6, 30 * MIB);
    AtomicLong written = new AtomicLong();
    // With a validator: else more than a quarter of memory could not be kept for who comes later.
    origin.on("/a", counting(FRESH + "etag: \"1\"\r\n", body, written));
    RawClient slow = new RawClient(edge.port(), 16 * 1024).request("GET", "/a");
    assertEquals(200, slow.head().status());
    for (long read = 0; read < 16 * MIB; read += 64 * 1024) {
      slow.bytes(64 * 1024);
    }
    slow.close();
    Await.until("it is stored", () -> edge.sum(c -> c.fillsInstalled) == 1);
    try (RawClient later = edge.connect()) {
      Bytes.assertEquals(body, later.get("/a").body());
    }
    assertEquals(1, origin.count("/a"));
  }

  @Test
  void theOriginWaitsForTheOnlyReaderAndItGetsEverything() throws Exception {
    byte[] body = Edge.bytes(7, 30 * MIB);
    AtomicLong written = new AtomicLong();
    origin.on("/a", counting(FRESH, body, written));
    try (RawClient slow = new RawClient(edge.port(), 16 * 1024)) {
      slow.request("GET", "/a");
      Response head = slow.head();
      int step = 256 * 1024;
      for (int read = 0; read < body.length; read += step) {
        byte[] part = slow.bytes(Math.min(step, body.length - read));
        Bytes.assertEquals(Arrays.copyOfRange(body, read, read + part.length), part);
        // A sixteenth of memory, and what the kernel holds on both connections.
        assertTrue(written.get() - read < 4 * MIB + 16 * MIB, "ahead of the reader");
      }
      assertEquals(200, head.status());
    }
    assertEquals(1, origin.count("/a"));
  }

  private static TestOrigin.Answer counting(String fields, byte[] body, AtomicLong written) {
    return (request, connection) -> {
      TestOrigin.sendHead(connection, fields, body.length);
      for (int from = 0; from < body.length; from += 64 * 1024) {
        int to = Math.min(body.length, from + 64 * 1024);
        connection.send(Arrays.copyOfRange(body, from, to));
        written.set(to);
      }
    };
  }

  @Test
  void passesThroughBeyondTheBoundOnFollowers() throws Exception {
    edge.stop();
    edge.configure(
        "MEMORY=64MiB\n" + Edge.origins(origin.url()) + "limits: {followers-per-fill: 3}\n");
    edge.start();
    byte[] body = Edge.bytes(8, MIB);
    origin.on("/a", inTwoParts(body, 1000));
    List<RawClient> clients = clients(3);
    clients.forEach(client -> client.request("GET", "/a"));
    Await.until("two have joined the first", () -> edge.sum(c -> c.joined) == 2);
    // Else the fourth may be the first at the origin.
    TestOrigin.await(begun);
    try (RawClient fourth = edge.connect()) {
      Bytes.assertEquals(body, fourth.get("/a").body());
    }
    assertEquals(2, origin.count("/a"));
    assertEquals(1, edge.sum(c -> c.hits(LimitKey.FOLLOWERS_PER_FILL)));
    gate.countDown();
    for (RawClient client : clients) {
      Bytes.assertEquals(body, client.reply().body());
      client.close();
    }
  }
}
