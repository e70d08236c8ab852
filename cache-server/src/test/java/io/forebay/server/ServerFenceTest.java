package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.forebay.server.node.NodeStatus.NotReady;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.purge.PurgeRefusedException;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Certificates;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node of a cluster whose etcd does not answer: nothing stored is used without validation. */
@Tag("slow")
final class ServerFenceTest {
  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch gate = new CountDownLatch(1);
  private Certificates certificates;
  private volatile String version = "1";

  @BeforeEach
  void prepare() throws Exception {
    Path own = Files.createDirectories(directory.resolve("cluster"));
    certificates = Certificates.in(own);
    certificates.forUri("edge", "forebay://test/edge");
    origin.on(
        "/a",
        (request, connection) -> {
          String tag = "etag: \"" + version + "\"\r\ncache-control: max-age=1000\r\n";
          if (request.field("if-none-match").equals("\"" + version + "\"")) {
            TestOrigin.notModified(connection, tag);
          } else {
            TestOrigin.sendOk(connection, tag, TestOrigin.ascii("version " + version));
          }
        });
  }

  @AfterEach
  void stop() throws Exception {
    gate.countDown();
    origin.close();
  }

  private String cluster(String more) throws Exception {
    return """
    cluster:
      name: test
      listen: "127.0.0.1:0"
      advertise: "127.0.0.1:1"
      tls: {ca: "%s", certificate: "%s", key: "%s"}
      log: {endpoints: "http://127.0.0.1:%d"}
      purge: {%s}
    """
        .formatted(
            certificates.authorityPem(),
            certificates.pem("edge"),
            certificates.key("edge"),
            Ports.free(),
            more);
  }

  private static Response get(Edge edge, String path) throws Exception {
    try (RawClient client = edge.connect()) {
      return client.get(path);
    }
  }

  @Test
  void validatesEachUse() throws Exception {
    try (Edge edge = Edge.before(origin, directory, "32MiB", cluster(""))) {
      assertEquals("version 1", get(edge, "/a").text());
      assertEquals("version 1", get(edge, "/a").text());
      assertEquals("version 1", get(edge, "/a").text());
      assertEquals(3, origin.count("/a"));
      assertEquals("\"1\"", origin.requests("/a").get(2).field("if-none-match"));
      version = "2";
      assertEquals("version 2", get(edge, "/a").text());
      assertEquals(4, edge.sum(counters -> counters.fenced));
      assertEquals(0, edge.sum(counters -> counters.fastHits));
      assertEquals("catching-up", codes(edge));
    }
  }

  private static String codes(Edge edge) {
    return String.join(",", edge.server().notReady().stream().map(NotReady::code).toList());
  }

  @Test
  void joinsNoFetchThatBeganEarlier() throws Exception {
    CountDownLatch reached = new CountDownLatch(1);
    origin.on(
        "/held",
        (request, connection) -> {
          String body = "asked " + request.number();
          if (request.number() == 1) {
            reached.countDown();
            TestOrigin.await(gate);
          }
          TestOrigin.sendOk(connection, "cache-control: max-age=1000\r\n", TestOrigin.ascii(body));
        });
    try (Edge edge = Edge.before(origin, directory, "32MiB", cluster(""));
        RawClient first = edge.connect()) {
      first.send("GET /held HTTP/1.1\r\nhost: 127.0.0.1:" + edge.port() + "\r\n\r\n");
      reached.await();
      assertEquals("asked 2", get(edge, "/held").text());
      gate.countDown();
      assertEquals("asked 1", first.reply().text());
    }
  }

  @Test
  void servesNothingStaleInPlaceOfAFailedOrigin() throws Exception {
    origin.on(
        "/stale",
        (request, connection) -> {
          if (request.number() == 1) {
            TestOrigin.sendOk(
                connection,
                "cache-control: max-age=1000, stale-if-error=1000\r\netag: \"x\"\r\n",
                TestOrigin.ascii("stored"));
          } else {
            connection.send("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n");
          }
        });
    try (Edge edge = Edge.before(origin, directory, "32MiB", cluster(""))) {
      assertEquals(200, get(edge, "/stale").status());
      assertEquals(503, get(edge, "/stale").status());
    }
  }

  @Test
  void refusesWhereItIsToldTo() throws Exception {
    try (Edge edge = Edge.before(origin, directory, "32MiB", cluster("cut-off: refuse"))) {
      assertEquals(503, get(edge, "/a").status());
      assertEquals(0, origin.count("/a"));
    }
  }

  @Test
  void isFencedWithServeUntilItHasCaughtUpOnce() throws Exception {
    try (Edge edge = Edge.before(origin, directory, "32MiB", cluster("cut-off: serve"))) {
      assertEquals(200, get(edge, "/a").status());
      assertEquals(200, get(edge, "/a").status());
      assertEquals(2, origin.count("/a"));
      assertEquals("catching-up", codes(edge));
    }
  }

  @Test
  void acceptsNoPurge() throws Exception {
    try (Edge edge = Edge.before(origin, directory, "32MiB", cluster(""))) {
      PurgeRefusedException refused =
          assertThrows(
              PurgeRefusedException.class,
              () -> edge.server().purge(new PurgeOrder(PurgeKind.TAG, "t", false)));
      assertEquals(PurgeRefusedException.Refusal.FOR_NOW, refused.refusal());
    }
  }

  @Test
  void doesNotStartWithTheCertificateOfAnotherNode() throws Exception {
    certificates.forUri("edge", "forebay://test/another");
    IllegalStateException failed =
        assertThrows(
            IllegalStateException.class,
            () -> {
              try (Edge edge = Edge.before(origin, directory, "32MiB", cluster(""))) {
                fail("started at " + edge.url("/"));
              }
            });
    String why = String.valueOf(failed.getCause());
    assertTrue(why.contains("URI:forebay://test/edge"), why);
  }
}
