package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.purge.PurgeRefusedException;
import io.forebay.storage.placement.StorageClassStats;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.EtcdFixture;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes that give each other objects: what the one says of them to the other. */
@Tag("full")
final class ServerSharedObjectsTest {
  /** The same for both nodes, so that they have the same keys. */
  private static final String HOST = "Host: site.example";

  private static final int PATHS = 40;

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private EtcdFixture etcd;
  private Certificates certificates;
  private final Map<String, Integer> shares = new ConcurrentHashMap<>();
  private volatile String version = "1";

  @BeforeEach
  void prepare() throws Exception {
    certificates = Certificates.in(Files.createDirectories(directory.resolve("tls")));
    certificates.forUri("a", "forebay://test/a");
    certificates.forUri("b", "forebay://test/b");
    etcd = EtcdFixture.start(directory.resolve("etcd"), 1);
  }

  @AfterEach
  void stop() throws Exception {
    etcd.close();
    origin.close();
  }

  private Edge node(String name, String more) throws Exception {
    return node(name, "", more);
  }

  /** The same with more lines of {@code cluster}. */
  private Edge node(String name, String lines, String more) throws Exception {
    int port = Ports.free();
    int share = Ports.free();
    shares.put(name, share);
    Edge edge =
        Edge.before(
            origin,
            Files.createDirectories(directory.resolve(name)),
            "32MiB",
            """
            forwarding: {node-id: %s}
            cluster:
              name: test
              listen: "127.0.0.1:%d"
              advertise: "127.0.0.1:%d"
              tls: {ca: "%s", certificate: "%s", key: "%s"}
              log: {endpoints: "%s"}
              purge: {fence-after: 60s, log-down: local}
              share: {listen: "127.0.0.1:%d"}
            """
                    .formatted(
                        name,
                        port,
                        port,
                        certificates.authorityPem(),
                        certificates.pem(name),
                        certificates.key(name),
                        etcd.endpointList(),
                        share)
                + lines
                + more);
    Await.until("the node knows all purges", () -> edge.server().notReady().isEmpty());
    return edge;
  }

  /** The first one stops first: what its loops have cached counts for both. */
  private record Nodes(Edge a, Edge b) implements AutoCloseable {
    static Nodes of(Edge a, Callable<Edge> b) throws Exception {
      try {
        return new Nodes(a, b.call());
      } catch (Exception | Error e) {
        a.close();
        throw e;
      }
    }

    @Override
    public void close() throws IOException {
      a.stop();
      // A test may have stopped it.
      b.close();
      a.close();
    }
  }

  private void on(TestOrigin.Answer answer) {
    for (int i = 0; i < PATHS; i++) {
      origin.on("/" + i, answer);
    }
  }

  /** A path that node a asks node b for. */
  private static String pathOfB(Edge a) {
    String[] found = new String[1];
    Await.until(
        "node b owns a key",
        () -> {
          for (int i = 0; i < PATHS && found[0] == null; i++) {
            String told = a.explain(200, "{\"url\": \"http://site.example/" + i + "\"}").toString();
            found[0] = told.contains("before the origin: b") ? "/" + i : null;
          }
          return found[0] != null;
        });
    return found[0];
  }

  private static Response get(Edge edge, String path) throws Exception {
    return RawClient.get(edge.port(), path, HOST);
  }

  @Test
  void aPurgeThatWaitsForTheLogIsNotUndoneByAnotherNode() throws Exception {
    on((request, connection) ->
        TestOrigin.sendOk(
            connection, "cache-control: max-age=3600\r\n", TestOrigin.ascii(version)));
    try (Nodes nodes = Nodes.of(node("a", ""), () -> node("b", ""))) {
      Edge a = nodes.a();
      Edge b = nodes.b();
      String path = pathOfB(a);
      assertEquals("1", get(a, path).text());
      assertEquals("1", get(b, path).text());
      assertEquals(1, origin.count(path));
      version = "2";
      etcd.kill(0);
      PurgeOrder order = new PurgeOrder(PurgeKind.URL, "http://site.example" + path, false);
      assertThrows(PurgeRefusedException.class, () -> a.server().purge(order), "it waits");

      assertEquals("2", get(a, path).text());

      assertEquals("1", get(b, path).text(), "the other node cannot know it yet");
      etcd.restart(0);
      Await.until("the other node knows it", () -> get(b, path).text().equals("2"));
      assertEquals("2", get(a, path).text());
      Await.until("node b is asked again", () -> !pathOfB(a).isEmpty());
    }
  }

  private void countChanges() {
    Map<String, Integer> versions = new ConcurrentHashMap<>();
    on((request, connection) -> {
      if (!request.method().equals("GET")) {
        versions.merge(request.target(), 2, (old, ignored) -> old + 1);
      }
      TestOrigin.sendOk(
          connection,
          "cache-control: max-age=3600\r\n",
          TestOrigin.ascii("" + versions.getOrDefault(request.target(), 1)));
    });
  }

  private static void change(Edge edge, String path) throws Exception {
    assertEquals(200, RawClient.request(edge.port(), "POST", path, "", HOST).status());
  }

  @Test
  void whatAClientHasChangedDoesNotComeBackFromAnotherNode() throws Exception {
    countChanges();
    try (Nodes nodes = Nodes.of(node("a", ""), () -> node("b", ""))) {
      Edge a = nodes.a();
      Edge b = nodes.b();
      assertTrue(!pathOfB(a).isEmpty());
      for (int i = 0; i < PATHS; i++) {
        String path = "/" + i;
        assertEquals("1", get(a, path).text());
        assertEquals("1", get(b, path).text());
        change(a, path);
        assertEquals("2", get(a, path).text(), path);
      }
      for (int i = 0; i < PATHS; i++) {
        String path = "/" + i;
        Await.until("node b has forgotten it", () -> get(b, path).text().equals("2"));
      }
    }
  }

  @Test
  void whatAClientHasChangedDoesNotComeBackFromTheShield() throws Exception {
    countChanges();
    try (Nodes nodes =
        Nodes.of(
            node("a", "  group: fra\n  shield: hub\n", ""),
            () -> node("b", "  group: hub\n  tier: 1\n", ""))) {
      Edge a = nodes.a();
      Edge b = nodes.b();
      String path = pathOfB(a);
      assertEquals("1", get(a, path).text());
      assertTrue(get(b, path).isHit(), "the shield has it");
      change(a, path);
      assertEquals("2", get(a, path).text());
      Await.until("the shield is told", () -> get(b, path).text().equals("2"));
    }
  }

  private static long copiesBytes(Edge edge) {
    return edge.server().storageClasses().stream()
        .filter(one -> one.name().equals("node.copies"))
        .mapToLong(StorageClassStats::memoryBytes)
        .sum();
  }

  @Test
  void whatAnotherNodeOwnsStaysACopyAfterAHead() throws Exception {
    on(TestOrigin.ok("etag: \"1\"\r\ncache-control: max-age=1\r\n", TestOrigin.ascii("x")));
    try (Nodes nodes = Nodes.of(node("a", ""), () -> node("b", ""))) {
      Edge a = nodes.a();
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
  }

  @Test
  void aNodeThatStopsSendsWhatItHasBegun() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    // Without a validator: the rest could not come from elsewhere.
    on((request, connection) -> {
      TestOrigin.sendHead(connection, "cache-control: max-age=3600\r\n", 2).send("a");
      TestOrigin.await(gate);
      connection.send("b");
    });
    try (Nodes nodes = Nodes.of(node("a", ""), () -> node("b", ""));
        RawClient client = nodes.a().connect()) {
      client.request("GET", pathOfB(nodes.a()), HOST);
      Response head = client.head();
      assertEquals("a", new String(client.partOfBody(head, 1), StandardCharsets.US_ASCII));
      int port = Objects.requireNonNull(shares.get("b"));
      Thread stopping = Thread.ofVirtual().start(() -> nodes.b().stop(Duration.ofSeconds(60)));
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

  @Test
  void tagsThatChangeWithoutTheBytesReachTheOtherNode() throws Exception {
    on((request, connection) -> {
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
    try (Nodes nodes = Nodes.of(node("a", ""), () -> node("b", ""))) {
      Edge a = nodes.a();
      Edge b = nodes.b();
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
  }

  @Test
  void whatIsValidatedBeforeEachUseIsSoOnTheOtherNodeToo() throws Exception {
    on((request, connection) -> {
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
    try (Nodes nodes = Nodes.of(node("a", ""), () -> node("b", ""))) {
      Edge a = nodes.a();
      Edge b = nodes.b();
      String path = pathOfB(a);
      assertEquals("1", get(a, path).text());
      version = "2";
      assertEquals("2", get(a, path).text());
      assertEquals("2", get(b, path).text());
    }
  }

  @Test
  void aLifetimeMeantForTheNodesAloneReachesTheOtherNode() throws Exception {
    on((request, connection) ->
        TestOrigin.sendOk(
            connection,
            "surrogate-control: max-age=3600\r\ncache-control: max-age=0\r\n",
            TestOrigin.ascii("x")));
    String route =
        "routes: [{name: all, match: {path: /}, origin: main,"
            + " targeted-fields: [surrogate-control]}]\n";
    try (Nodes nodes = Nodes.of(node("a", route), () -> node("b", route))) {
      Edge a = nodes.a();
      String path = pathOfB(a);
      assertTrue(get(a, path).field("cache-status").contains("b; "), "node b was asked");
      Await.until(
          "node a has it for as long as node b",
          Duration.ofSeconds(20),
          () -> get(a, path).field("cache-status").matches(".*a; hit.*"));
      assertEquals(1, origin.count(path));
    }
  }
}
