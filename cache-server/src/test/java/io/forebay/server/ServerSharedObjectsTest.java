package io.forebay.server;

import static io.forebay.server.SharingNodes.HOST;
import static io.forebay.server.SharingNodes.PATHS;
import static io.forebay.server.SharingNodes.get;
import static io.forebay.server.SharingNodes.pathOfB;
import static io.forebay.server.SharingNodes.post;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.purge.PurgeRefusedException;
import io.forebay.storage.placement.StorageClassStats;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes that give each other objects: what the one says of them to the other. */
@Tag("full")
final class ServerSharedObjectsTest {
  @TempDir Path directory;
  private SharingNodes nodes;
  private TestOrigin origin;
  private volatile String version = "1";

  @BeforeEach
  void prepare() throws Exception {
    nodes = new SharingNodes(directory);
    origin = nodes.origin();
  }

  @AfterEach
  void stop() throws Exception {
    nodes.close();
  }

  @Test
  void aPurgeThatWaitsForTheLogIsNotUndoneByAnotherNode() throws Exception {
    nodes.on((request, connection) ->
        TestOrigin.sendOk(
            connection, "cache-control: max-age=3600\r\n", TestOrigin.ascii(version)));
    Edge a = nodes.start("a");
    Edge b = nodes.start("b");
    String path = pathOfB(a);
    assertEquals("1", get(a, path).text());
    assertEquals("1", get(b, path).text());
    assertEquals(1, origin.count(path));
    version = "2";
    nodes.etcd().kill(0);
    PurgeOrder order = new PurgeOrder(PurgeKind.URL, "http://site.example" + path, false);
    assertThrows(PurgeRefusedException.class, () -> a.server().purge(order), "it waits");

    assertEquals("2", get(a, path).text());

    assertEquals("1", get(b, path).text(), "the other node cannot know it yet");
    nodes.etcd().restart(0);
    Await.until("the other node knows it", () -> get(b, path).text().equals("2"));
    assertEquals("2", get(a, path).text());
    Await.until("node b is asked again", () -> !pathOfB(a).isEmpty());
  }

  private void countChanges() {
    Map<String, Integer> versions = new ConcurrentHashMap<>();
    nodes.on((request, connection) -> {
      if (!request.method().equals("GET")) {
        versions.merge(request.target(), 2, (old, ignored) -> old + 1);
      }
      TestOrigin.sendOk(
          connection,
          "cache-control: max-age=3600\r\n",
          TestOrigin.ascii("" + versions.getOrDefault(request.target(), 1)));
    });
  }

  @Test
  void whatAClientHasChangedDoesNotComeBackFromAnotherNode() throws Exception {
    countChanges();
    Edge a = nodes.start("a");
    Edge b = nodes.start("b");
    assertTrue(!pathOfB(a).isEmpty());
    for (int i = 0; i < PATHS; i++) {
      String path = "/" + i;
      assertEquals("1", get(a, path).text());
      assertEquals("1", get(b, path).text());
      assertEquals(200, post(a, path).status());
      assertEquals("2", get(a, path).text(), path);
    }
    for (int i = 0; i < PATHS; i++) {
      String path = "/" + i;
      Await.until("node b has forgotten it", () -> get(b, path).text().equals("2"));
    }
  }

  @Test
  void whatAClientHasChangedDoesNotComeBackFromTheShield() throws Exception {
    countChanges();
    Edge a = nodes.start("a", "  group: fra\n  shield: hub\n", "");
    Edge b = nodes.start("b", "  group: hub\n  tier: 1\n", "");
    String path = pathOfB(a);
    assertEquals("1", get(a, path).text());
    assertTrue(get(b, path).isHit(), "the shield has it");
    assertEquals(200, post(a, path).status());
    assertEquals("2", get(a, path).text());
    Await.until("the shield is told", () -> get(b, path).text().equals("2"));
  }

  private static long copiesBytes(Edge edge) {
    return edge.server().storageClasses().stream()
        .filter(one -> one.name().equals("node.copies"))
        .mapToLong(StorageClassStats::memoryBytes)
        .sum();
  }

  @Test
  void whatAnotherNodeOwnsStaysACopyAfterAHead() throws Exception {
    nodes.on(TestOrigin.ok("etag: \"1\"\r\ncache-control: max-age=1\r\n", TestOrigin.ascii("x")));
    Edge a = nodes.start("a");
    Edge ignored = nodes.start("b");
    String path = pathOfB(a);
    assertEquals("x", get(a, path).text());
    a.awaitSum(1, counters -> counters.fillsInstalled);
    long before = copiesBytes(a);
    assertTrue(before > 0);
    Await.until(
        "the origin is asked for the head",
        () -> {
          assertEquals(200, RawClient.head(a.port(), path, HOST).status());
          return origin.requests(path).stream().anyMatch(one -> one.method().equals("HEAD"));
        });
    Await.until(
        "a new head is among the copies", Duration.ofSeconds(20), () -> copiesBytes(a) > before);
  }

  @Test
  void aNodeThatStopsSendsWhatItHasBegun() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    // Without a validator: the rest could not come from elsewhere.
    nodes.on((request, connection) -> {
      TestOrigin.sendHead(connection, "cache-control: max-age=3600\r\n", 2).send("a");
      TestOrigin.await(gate);
      connection.send("b");
    });
    Edge a = nodes.start("a");
    Edge b = nodes.start("b");
    try (RawClient client = a.connect()) {
      client.request("GET", pathOfB(a), HOST);
      Response head = client.head();
      assertEquals("a", new String(client.partOfBody(head, 1), StandardCharsets.US_ASCII));
      int port = nodes.sharePort("b");
      Thread stopping = Thread.ofVirtual().start(() -> b.stop(Duration.ofSeconds(60)));
      Await.until(
          "the node takes no more connections",
          () -> {
            try (Socket ignored = new Socket(InetAddress.getLoopbackAddress(), port)) {
              return false;
            } catch (ConnectException e) {
              return true;
            }
          });
      gate.countDown();
      assertEquals("b", new String(client.restOfBody(head, 1), StandardCharsets.US_ASCII));
      stopping.join();
    } finally {
      gate.countDown();
    }
  }

  /** A client of node a waits for what node b fetches: the origin holds its first answer back. */
  private final class HeldFetch implements AutoCloseable {
    final CountDownLatch gate = new CountDownLatch(1);
    final PausableLink link;
    final Edge b;
    final RawClient client;
    final String path;

    /** What node b had sent before the origin was asked. */
    final long before;

    HeldFetch() throws Exception {
      AtomicBoolean isHeld = new AtomicBoolean(true);
      nodes.on((request, connection) -> {
        if (isHeld.getAndSet(false)) {
          TestOrigin.await(gate);
        }
        TestOrigin.sendOk(connection, "cache-control: max-age=3600\r\n", TestOrigin.ascii("x"));
      });
      link = nodes.link("b");
      Edge a = nodes.start("a");
      b = nodes.start("b");
      path = pathOfB(a);
      client = a.connect();
      client.request("GET", path, HOST);
      Await.until("node b asks the origin", () -> origin.count(path) == 1);
      before = link.answers();
    }

    @Override
    public void close() throws Exception {
      gate.countDown();
      client.close();
    }
  }

  @Test
  void aNodeWhoseOriginIsSlowIsWaitedFor() throws Exception {
    try (HeldFetch fetch = new HeldFetch()) {
      Await.until(
          "it has shown for more than five seconds that it fetches",
          () -> fetch.link.answers() >= fetch.before + 7);
      fetch.gate.countDown();
      assertEquals("x", fetch.client.reply().text());
      assertEquals(1, origin.count(fetch.path));
      assertTrue(fetch.b.server().notReady().isEmpty());
    }
  }

  @Test
  void aNodeThatIsCutOffWhileItFetchesIsPassedOver() throws Exception {
    try (HeldFetch fetch = new HeldFetch()) {
      Await.until("it has shown that it fetches", () -> fetch.link.answers() > fetch.before);
      fetch.link.pause();
      assertEquals("x", fetch.client.reply().text());
      assertEquals(2, origin.count(fetch.path));
      fetch.gate.countDown();
      assertTrue(fetch.b.server().notReady().isEmpty(), "etcd has it");
    }
  }

  @Test
  void tagsThatChangeWithoutTheBytesReachTheOtherNode() throws Exception {
    nodes.on((request, connection) -> {
      boolean isFirst = request.number() == 1;
      String fields =
          "etag: \""
              + version
              + "\"\r\nsurrogate-key: "
              + (isFirst ? "old" : "new")
              + "\r\ncache-control: max-age="
              + (isFirst ? 1 : 3600)
              + "\r\n";
      if (request.field("if-none-match").equals("\"" + version + "\"")) {
        TestOrigin.notModified(connection, fields);
      } else {
        TestOrigin.sendOk(connection, fields, TestOrigin.ascii(version));
      }
    });
    Edge a = nodes.start("a");
    Edge b = nodes.start("b");
    String path = pathOfB(a);
    assertEquals("1", get(a, path).text());
    Await.until(
        "node b has validated it",
        () -> {
          assertEquals("1", get(b, path).text());
          return origin.count(path) == 2;
        });
    Await.until(
        "node a has it from there",
        () -> {
          Response response = get(a, path);
          assertEquals("1", response.text());
          return response.field("cache-control").equals("max-age=3600");
        });
    assertEquals(2, origin.count(path));
    version = "2";

    a.purge(PurgeKind.TAG, "new", false);

    assertEquals("2", get(a, path).text());
    assertEquals("2", get(b, path).text());
  }

  @Test
  void whatIsValidatedBeforeEachUseIsSoOnTheOtherNodeToo() throws Exception {
    nodes.on((request, connection) -> {
      String fields =
          "etag: \""
              + version
              + "\"\r\nforebay-cache-control: max-age=3600, no-cache\r\n"
              + "cache-control: max-age=3600\r\n";
      if (request.field("if-none-match").equals("\"" + version + "\"")) {
        TestOrigin.notModified(connection, fields);
      } else {
        TestOrigin.sendOk(connection, fields, TestOrigin.ascii(version));
      }
    });
    Edge a = nodes.start("a");
    Edge b = nodes.start("b");
    String path = pathOfB(a);
    assertEquals("1", get(a, path).text());
    version = "2";
    assertEquals("2", get(a, path).text());
    assertEquals("2", get(b, path).text());
  }

  @Test
  void aLifetimeMeantForTheNodesAloneReachesTheOtherNode() throws Exception {
    nodes.on((request, connection) ->
        TestOrigin.sendOk(
            connection,
            "surrogate-control: max-age=3600\r\ncache-control: max-age=0\r\n",
            TestOrigin.ascii("x")));
    String route =
        "routes: [{name: all, match: {path: /}, origin: main,"
            + " targeted-fields: [surrogate-control]}]\n";
    Edge a = nodes.start("a", "", route);
    Edge ignored = nodes.start("b", "", route);
    String path = pathOfB(a);
    assertTrue(get(a, path).field("cache-status").contains("b; "), "node b was asked");
    Await.until(
        "node a has it for as long as node b",
        Duration.ofSeconds(20),
        () -> get(a, path).field("cache-status").matches(".*a; hit.*"));
    assertEquals(1, origin.count(path));
  }
}
