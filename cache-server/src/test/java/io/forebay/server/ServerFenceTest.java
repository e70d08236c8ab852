package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.forebay.server.node.NodeStatus.NotReady;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.purge.PurgeRefusedException;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
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

  /** The same, where requests wait for each other for as long as the test takes. */
  private String patientCluster() throws Exception {
    return cluster("") + "routes: [{name: all, match: {path: /}, origin: main, share-wait: 10m}]\n";
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

  /** The fields of a version, which make a 304 of it where the node has it. */
  private static void answer(TestOrigin.Request request, Connection connection, int current)
      throws IOException {
    String tag = "\"" + current + "\"";
    String fields = "etag: " + tag + "\r\ncache-control: max-age=1000\r\n";
    if (request.field("if-none-match").equals(tag)) {
      TestOrigin.notModified(connection, fields);
    } else {
      TestOrigin.sendOk(connection, fields, TestOrigin.ascii("" + current));
    }
  }

  private static RawClient send(Edge edge, String path) {
    return edge.connect()
        .send("GET " + path + " HTTP/1.1\r\nhost: 127.0.0.1:" + edge.port() + "\r\n\r\n");
  }

  @Test
  void requestsThatWaitShareTheValidationThatBeginsAfterThey() throws Exception {
    AtomicInteger current = new AtomicInteger(1);
    CountDownLatch reached = new CountDownLatch(1);
    origin.on(
        "/hot",
        (request, connection) -> {
          int now = current.get();
          if (request.number() == 2) {
            reached.countDown();
            TestOrigin.await(gate);
          }
          answer(request, connection, now);
        });
    List<RawClient> waiting = new ArrayList<>();
    try (Edge edge = Edge.before(origin, directory, "32MiB", patientCluster())) {
      assertEquals("1", get(edge, "/hot").text());
      try (RawClient early = send(edge, "/hot")) {
        reached.await();
        // A purge that this node cannot know is acknowledged while the validation is under way.
        current.set(2);
        for (int i = 0; i < 200; i++) {
          waiting.add(send(edge, "/hot"));
        }
        edge.awaitSum(202, counters -> counters.fenced);
        assertEquals(2, origin.count("/hot"), "they wait");

        gate.countDown();

        assertEquals("1", early.reply().text());
        for (RawClient client : waiting) {
          assertEquals("2", client.reply().text());
        }
      }
      // One, or one more where a loop looked before and asked after the others.
      assertTrue(origin.count("/hot") <= 4, () -> origin.count("/hot") + " requests");
    } finally {
      waiting.forEach(RawClient::close);
    }
  }

  /** A reader, and what was current when it began. */
  private record Reader(RawClient client, int since) {}

  @Test
  void noInterleavingOfPurgesAndValidationsServesWhatIsOlderThanTheReader() throws Exception {
    long seed = Long.getLong("test.seed", System.nanoTime());
    System.out.println("ServerFenceTest: -Dtest.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    AtomicInteger current = new AtomicInteger(1);
    AtomicInteger inFlight = new AtomicInteger();
    AtomicInteger mostInFlight = new AtomicInteger();
    Semaphore answers = new Semaphore(0);
    origin.on(
        "/hot",
        (request, connection) -> {
          int now = current.get();
          mostInFlight.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
          answers.acquireUninterruptibly();
          inFlight.decrementAndGet();
          answer(request, connection, now);
        });
    List<Reader> readers = new ArrayList<>();
    try (Edge edge = Edge.before(origin, directory, "32MiB", patientCluster())) {
      try {
        for (int i = 0; i < 300; i++) {
          switch (random.nextInt(4)) {
            case 0, 1 -> {
              int since = current.get();
              readers.add(new Reader(send(edge, "/hot"), since));
              edge.awaitSum(readers.size(), counters -> counters.fenced);
            }
            case 2 -> current.incrementAndGet();
            default -> {
              answerOne(inFlight, answers);
            }
          }
        }
        Await.until(
            "all are answered",
            () -> {
              answerOne(inFlight, answers);
              return readers.stream().allMatch(reader -> reader.client().hasBytes());
            });
      } finally {
        answers.release(1_000);
      }
      for (Reader reader : readers) {
        int got = Integer.parseInt(reader.client().reply().text());
        assertTrue(got >= reader.since(), () -> got + " to a reader of " + reader.since());
      }
      assertEquals(1, mostInFlight.get(), "one request for a key at a time");
      assertTrue(
          origin.count("/hot") < readers.size(),
          () -> origin.count("/hot") + " requests for " + readers.size() + " readers");
    } finally {
      readers.forEach(reader -> reader.client().close());
    }
  }

  private static void answerOne(AtomicInteger inFlight, Semaphore answers) {
    if (inFlight.get() > 0 && answers.availablePermits() == 0) {
      answers.release();
    }
  }

  @Test
  void theResponseToAPostThatBeganEarlierStandsInForNoValidation() throws Exception {
    AtomicInteger current = new AtomicInteger(1);
    CountDownLatch posted = new CountDownLatch(1);
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch ofPost = new CountDownLatch(1);
    origin.on(
        "/form",
        (request, connection) -> {
          int now = current.get();
          if (request.method().equals("POST")) {
            posted.countDown();
            TestOrigin.await(ofPost);
            TestOrigin.sendOk(
                connection,
                "content-location: /form\r\ncache-control: max-age=1000\r\n",
                TestOrigin.ascii("" + now));
            return;
          }
          if (request.number() == 2) {
            reached.countDown();
            TestOrigin.await(gate);
          }
          answer(request, connection, now);
        });
    try (Edge edge = Edge.before(origin, directory, "32MiB", patientCluster());
        RawClient poster = edge.connect()) {
      poster.request("POST", "/form", "content-length: 0");
      posted.await();
      try (RawClient early = send(edge, "/form")) {
        reached.await();
        current.set(2);
        try (RawClient reader = send(edge, "/form")) {
          edge.awaitSum(2, counters -> counters.fenced);
          ofPost.countDown();
          assertEquals("1", poster.reply().text());
          gate.countDown();
          assertEquals("1", early.reply().text());
          assertEquals("2", reader.reply().text());
        }
      }
    } finally {
      ofPost.countDown();
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
