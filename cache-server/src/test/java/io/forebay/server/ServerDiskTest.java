package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.node.NodeControl;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.forebay.testing.RawHttp2;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects that are not in memory are served from disks, over real sockets. */
@Tag("slow")
final class ServerDiskTest {
  private static final String FRESH = "cache-control: max-age=1000\r\netag: \"1\"\r\n";
  private static final int OBJECTS = 60;

  /** Whole in a head, of one slice, and of many; 40 MB in all. */
  private static final List<byte[]> BODIES =
      IntStream.range(0, OBJECTS)
          .mapToObj(n -> Edge.bytes(n, n % 3 == 0 ? 20_000 : n % 3 == 1 ? 300_000 : 1_700_001))
          .toList();

  /** The same after a restart, when the port is another. */
  private static final String HOST = "Host: www.example";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    for (int n = 0; n < OBJECTS; n++) {
      origin.on("/" + n, TestOrigin.ok(FRESH, body(n)));
    }
    edge =
        Edge.start(
            directory,
            "16MiB",
            // No test is about slowness: on a busy machine neither origin nor disk counts as slow.
            """
              - {name: h2c, address: "127.0.0.1:0", h2c: true}
            origins: {main: {url: "ORIGIN", keep-alive: 5s, timeouts: {first-byte: 10m, idle: 10m}}}
            stores:
              one: {path: "DIR/one", size: 64MiB, slow: 10m}
              two: {path: "DIR/two", size: 64MiB, slow: 10m}
            """
                .replace("ORIGIN", origin.url())
                .replace("DIR", directory.toString()));
    Await.until("disks", () -> edge.server().notReady().isEmpty());
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private static byte[] body(int n) {
    return BODIES.get(n);
  }

  private void fill() throws IOException {
    try (RawClient client = edge.connect()) {
      for (int n = 0; n < OBJECTS; n++) {
        Bytes.assertEquals(body(n), client.get("/" + n, HOST).body());
      }
    }
    edge.awaitIdle();
    Await.until(
        "records on disks",
        () -> edge.server().disks().stream().allMatch(disk -> disk.writtenBytes() > 4 << 20));
  }

  private int requests() {
    int sum = 0;
    for (int n = 0; n < OBJECTS; n++) {
      sum += origin.count("/" + n);
    }
    return sum;
  }

  /** Of what found no buffer free an object may have to be fetched again, but of nothing else. */
  private long dropped() {
    return edge.server().disks().stream().mapToLong(DiskStats::dropped).sum();
  }

  private void assertAskedOnce() {
    assertTrue(
        requests() <= OBJECTS + dropped(), requests() + " requests, " + dropped() + " dropped");
  }

  @Test
  void whatMemoryCannotHoldIsAHitAndAskedOfTheOriginOnce() throws IOException {
    fill();
    for (int round = 0; round < 2; round++) {
      try (RawClient client = edge.connect()) {
        for (int n = 0; n < OBJECTS; n++) {
          Response reply = client.get("/" + n, HOST);
          Bytes.assertEquals(body(n), reply.body(), "object " + n);
          assertTrue(
              reply.field("cache-status").startsWith("edge; hit") || dropped() > 0,
              reply.toString());
        }
      }
    }
    assertAskedOnce();
    assertTrue(edge.server().disks().stream().allMatch(disk -> disk.reads() > 10));
  }

  @Test
  void aRangeOfAnObjectOnADiskReadsItsSlicesOnly() throws IOException {
    fill();
    long before = edge.server().disks().stream().mapToLong(DiskStats::readBytes).sum();
    try (RawClient client = edge.connect()) {
      Response reply = client.request("GET", "/2", HOST, "range: bytes=1000000-1000999").reply();
      assertEquals(206, reply.status());
      byte[] whole = body(2);
      for (int n = 0; n < 1000; n++) {
        assertEquals(whole[1_000_000 + n], reply.body()[n]);
      }
    }
    long read = edge.server().disks().stream().mapToLong(DiskStats::readBytes).sum() - before;
    assertTrue(read < 1_400_000, read + " bytes read");
  }

  private static final int SMALL = 1_200;

  private static byte[] small(int n) {
    return Edge.bytes(5_000 + n, 20_000);
  }

  /** One and a half times what memory holds, in objects whose body lies with the head. */
  private void fillWithSmallObjects(String host) throws IOException {
    try (RawClient client = edge.connect()) {
      for (int n = 0; n < SMALL; n++) {
        origin.on("/small/" + n, TestOrigin.ok(FRESH, small(n)));
        Bytes.assertEquals(small(n), client.get("/small/" + n, host).body());
      }
    }
    edge.awaitIdle();
    Await.until(
        "records on disks",
        () -> edge.server().disks().stream().allMatch(disk -> disk.writtenBytes() > 2 << 20));
  }

  private long reads() {
    return edge.server().disks().stream().mapToLong(DiskStats::reads).sum();
  }

  @Test
  void aScanOfSmallObjectsOnDisksLeavesMemoryAsItIs() throws IOException {
    fillWithSmallObjects(HOST);
    long reclaimed = edge.server().store().reclaimedRegions();
    long before = reads();
    int fetched = 0;
    try (RawClient client = edge.connect()) {
      for (int n = 0; n < 250; n++) {
        Bytes.assertEquals(small(n), client.get("/small/" + n, HOST).body());
        fetched += origin.count("/small/" + n) - 1;
      }
    }
    edge.awaitIdle();
    assertTrue(fetched <= dropped(), fetched + " were fetched again");
    assertTrue(reads() - before >= 250 - fetched, reads() - before + " reads");
    // 5 MB in regions of 1 MiB, if they came into memory.
    long since = edge.server().store().reclaimedRegions() - reclaimed;
    assertTrue(since <= 1 + fetched / 40, since + " regions reclaimed, " + fetched + " fetched");
  }

  @Test
  void aSmallObjectOnADiskAnswersEveryKindOfRequest() throws IOException {
    fillWithSmallObjects("Host: a.example");
    long before = reads();
    try (RawClient client = edge.connect()) {
      Response part =
          client.request("GET", "/small/0", "Host: a.example", "range: bytes=100-299").reply();
      assertEquals(206, part.status());
      Bytes.assertEquals(Arrays.copyOfRange(small(0), 100, 300), part.body());
      Response parts =
          client.request("GET", "/small/1", "Host: a.example", "range: bytes=0-9,50-59").reply();
      assertEquals(206, parts.status());
      String text = new String(parts.body(), StandardCharsets.ISO_8859_1);
      for (int from : new int[] {0, 50}) {
        String bytes =
            new String(Arrays.copyOfRange(small(1), from, from + 10), StandardCharsets.ISO_8859_1);
        assertTrue(text.contains(bytes), text);
      }
      Response same =
          client.request("GET", "/small/2", "Host: a.example", "if-none-match: \"1\"").reply();
      assertEquals(304, same.status());
      Response whole = client.get("/small/3", "Host: a.example");
      Bytes.assertEquals(small(3), whole.body());
      assertTrue(
          whole.field("cache-status").startsWith("edge; hit") || dropped() > 0, whole.toString());
    }
    try (RawHttp2 client = new RawHttp2(edge.port("h2c"))) {
      client.get(1, "/small/4").flush();
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      while (body.size() < small(4).length) {
        body.writeBytes(client.await(RawHttp2.DATA).payload());
      }
      Bytes.assertEquals(small(4), body.toByteArray());
    }
    edge.awaitIdle();
    assertTrue(reads() - before >= 5 - dropped(), reads() - before + " reads");
  }

  private long transitBytes() {
    return edge.server().disks().stream().mapToLong(DiskStats::transitBytes).sum();
  }

  @Test
  void clientsThatStopReadingHoldNoTransitBuffers() throws IOException {
    fill();
    byte[] large = Edge.bytes(1000, 12_000_000);
    List<RawClient> stalled = new ArrayList<>();
    try {
      for (int n = 0; n < 4; n++) {
        origin.on("/large" + n, PartOrigin.of(large, FRESH));
        try (RawClient client = edge.connect()) {
          Bytes.assertEquals(large, client.get("/large" + n, HOST).body());
        }
      }
      edge.awaitIdle();
      // More than memory holds, so some of them are read from disks.
      for (int n = 0; n < 4; n++) {
        RawClient client = new RawClient(edge.port(), 16 << 10);
        stalled.add(client);
        client.request("GET", "/large" + n, HOST);
      }
      Await.until("all begun and stalled", () -> edge.sum(counters -> counters.privateCopies) >= 4);
      Await.until("no buffer in use", () -> transitBytes() == 0);
      try (RawClient client = edge.connect()) {
        Bytes.assertEquals(body(2), client.get("/2", HOST).body());
      }
      for (RawClient client : stalled) {
        Bytes.assertEquals(large, client.reply().body());
      }
    } finally {
      for (RawClient client : stalled) {
        client.close();
      }
    }
    Await.until("no buffer in use", () -> transitBytes() == 0);
  }

  /** What HTTP/2 has of a body goes out by windows: no chunk waits at the socket meanwhile. */
  @Test
  void streamsWhoseWindowStaysShutHoldNoTransitBuffers() throws IOException {
    byte[] large = Edge.bytes(1000, 12_000_000);
    String host = "Host: a.example";
    try (RawClient client = edge.connect()) {
      for (int n = 0; n < 4; n++) {
        origin.on("/large" + n, PartOrigin.of(large, FRESH));
        Bytes.assertEquals(large, client.get("/large" + n, host).body());
      }
    }
    edge.awaitIdle();
    long before = edge.server().disks().stream().mapToLong(DiskStats::reads).sum();
    try (RawHttp2 client = new RawHttp2(edge.port("h2c"))) {
      for (int n = 0; n < 4; n++) {
        client.get(1 + 2 * n, "/large" + n).flush();
      }
      int taken = 0;
      while (taken < 65_535) {
        taken += client.await(RawHttp2.DATA).payload().length;
      }
      Await.until(
          "some are read from a disk",
          () -> edge.server().disks().stream().mapToLong(DiskStats::reads).sum() > before);
      Await.until("no buffer in use", () -> transitBytes() == 0);
    }
  }

  @Test
  void aPurgedObjectIsGoneFromTheDisksToo() throws IOException {
    fill();
    for (int n = 0; n < OBJECTS; n++) {
      edge.purge(PurgeKind.URL, "http://www.example/" + n, false);
    }
    try (RawClient client = edge.connect()) {
      for (int n = 0; n < OBJECTS; n++) {
        Bytes.assertEquals(body(n), client.get("/" + n, HOST).body());
      }
    }
    assertTrue(requests() >= 2 * OBJECTS, requests() + " requests");
  }

  @Test
  void aRestartFindsThemAgain() throws IOException {
    fill();
    long droppedBefore = dropped();
    edge.stop();
    edge.start();
    Await.until("disks", () -> edge.server().notReady().isEmpty());
    try (RawClient client = edge.connect()) {
      for (int n = 0; n < OBJECTS; n++) {
        Bytes.assertEquals(body(n), client.get("/" + n, HOST).body());
      }
    }
    assertTrue(requests() <= OBJECTS + dropped() + droppedBefore, requests() + " requests");
  }

  @Test
  void aHeadThatLeavesMemoryWhileItIsConfirmedIsBroughtBackForThe304() throws Exception {
    byte[] body = Edge.bytes(77, 300_000);
    CountDownLatch gate = new CountDownLatch(1);
    origin.on(
        "/confirmed",
        (request, connection) -> {
          if (request.field("if-none-match").isEmpty()) {
            TestOrigin.sendOk(connection, "cache-control: no-cache\r\netag: \"7\"\r\n", body);
          } else {
            TestOrigin.await(gate);
            TestOrigin.notModified(connection, "cache-control: max-age=1000\r\netag: \"7\"\r\n");
          }
        });
    try (RawClient client = edge.connect();
        RawClient other = edge.connect()) {
      Bytes.assertEquals(body, client.get("/confirmed", HOST).body());
      client.request("GET", "/confirmed", HOST);
      Await.until("the question", () -> origin.count("/confirmed") == 2);
      for (int round = 0; round < 2; round++) {
        for (int n = 0; n < OBJECTS; n++) {
          Bytes.assertEquals(body(n), other.get("/" + n, HOST).body());
        }
      }
      gate.countDown();
      Response reply = client.reply();
      Bytes.assertEquals(body, reply.body());
      assertEquals(2, origin.count("/confirmed"), "it was fetched whole");
      assertTrue(reply.field("cache-status").contains("304"), reply.toString());
    }
  }

  @Test
  void namesThatVariantsAreToldApartByAreJoinedWithThoseOnADisk() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    origin.on(
        "/varied",
        (request, connection) -> {
          if (request.number() == 2) {
            TestOrigin.await(gate);
          }
          String vary = request.number() == 1 ? "accept-language" : "accept-encoding";
          TestOrigin.sendOk(
              connection,
              "cache-control: max-age=1000\r\nvary: " + vary + "\r\n",
              TestOrigin.ascii(request.field("accept-language")));
        });
    try (RawClient client = edge.connect();
        RawClient other = edge.connect()) {
      client.request("GET", "/varied", HOST, "accept-language: de").reply();
      client.request("GET", "/varied", HOST, "accept-language: fr");
      Await.until("the second question", () -> origin.count("/varied") == 2);
      for (int round = 0; round < 2; round++) {
        for (int n = 0; n < OBJECTS; n++) {
          Bytes.assertEquals(body(n), other.get("/" + n, HOST).body());
        }
      }
      // What it names joins what the marker names, which has left memory by now.
      gate.countDown();
      assertEquals(200, client.reply().status());
      for (String language : new String[] {"fr", "it"}) {
        Response reply =
            client.request("GET", "/varied", HOST, "accept-language: " + language).reply();
        assertEquals(language, new String(reply.body(), StandardCharsets.ISO_8859_1));
      }
      assertEquals(3, origin.count("/varied"), "told apart by both fields");
    }
  }

  @Test
  void aDiskTakenOfflineCostsItsOwnObjectsOnlyAndReturns() throws IOException {
    fill();
    edge.server().disk("one", NodeControl.DiskAction.OFFLINE);
    try (RawClient client = edge.connect()) {
      for (int n = 0; n < OBJECTS; n++) {
        Bytes.assertEquals(body(n), client.get("/" + n, HOST).body());
      }
    }
    int fetched = requests() - OBJECTS;
    assertTrue(fetched > 5 && fetched < 55, fetched + " fetched again");
    edge.server().disk("one", NodeControl.DiskAction.ONLINE);
    try (RawClient client = edge.connect()) {
      for (int n = 0; n < OBJECTS; n++) {
        Bytes.assertEquals(body(n), client.get("/" + n, HOST).body());
      }
    }
  }
}
