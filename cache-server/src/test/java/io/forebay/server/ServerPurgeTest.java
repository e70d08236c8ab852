package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.purge.PurgeDone;
import io.forebay.server.purge.PurgeOrder;
import io.forebay.server.purge.PurgeRefusedException;
import io.forebay.server.purge.PurgeRefusedException.Refusal;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * I2 on the request path: whatever is in progress when a purge is acknowledged, the purged object
 * is gone.
 */
@Tag("slow")
final class ServerPurgeTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch gate = new CountDownLatch(1);
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    edge = Edge.before(origin, directory);
  }

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    edge.close();
    origin.close();
  }

  /** So that a request can have what is fresh revalidated, and others can join that. */
  private void honourClients() throws IOException {
    edge.stop();
    edge.configure(
        Edge.origins(origin.url()) + "routes: [{origin: main, client-directives: honour}]\n");
    edge.start();
  }

  private void awaitReached() throws InterruptedException {
    assertTrue(reached.await(30, TimeUnit.SECONDS));
  }

  private Response hit(String path) {
    Response[] last = new Response[1];
    try (RawClient client = edge.connect()) {
      Await.until(
          "a hit for " + path,
          () -> {
            last[0] = get(client, path);
            return last[0].isHit();
          });
    }
    return last[0];
  }

  private static Response get(RawClient client, String path) {
    try {
      return client.get(path);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Old content from the first request, which stops at the given place; new from then on. */
  private byte[][] oldThenNew(String path, String fields, boolean stopsBeforeHead) {
    byte[][] bodies = {Edge.bytes(1, 400_000), Edge.bytes(2, 400_000)};
    origin.on(
        path,
        (request, connection) -> {
          if (request.number() > 1) {
            TestOrigin.sendOk(connection, fields, bodies[1]);
            return;
          }
          if (stopsBeforeHead) {
            reached.countDown();
            TestOrigin.await(gate);
          }
          TestOrigin.sendHead(connection, fields, bodies[0].length)
              .send(Arrays.copyOf(bodies[0], 200_000));
          if (!stopsBeforeHead) {
            reached.countDown();
            TestOrigin.await(gate);
          }
          connection.send(Arrays.copyOfRange(bodies[0], 200_000, bodies[0].length));
        });
    return bodies;
  }

  @Test
  void whatIsStoredIsGone() throws IOException {
    origin.on(
        "/a",
        (request, connection) ->
            TestOrigin.sendOk(connection, FRESH, TestOrigin.ascii("v" + request.number())));
    try (RawClient client = edge.connect()) {
      assertEquals("v1", client.get("/a").text());
      assertEquals("v1", hit("/a").text());
      edge.purgeUrl("/a");
      assertEquals("v2", client.get("/a").text());
    }
  }

  @Test
  void aPurgeBeforeTheHeadOvertakesTheFill() throws Exception {
    overtakes("/a", FRESH, true, () -> edge.purgeUrl("/a"));
  }

  @Test
  void aPurgeInMidBodyOvertakesTheFill() throws Exception {
    overtakes("/a", FRESH, false, () -> edge.purgeUrl("/a"));
  }

  @Test
  void aPurgeOfATagThatOnlyTheHeadNamesOvertakesTheFill() throws Exception {
    overtakes(
        "/a",
        FRESH + "surrogate-key: news sport\r\n",
        true,
        () -> edge.purge(PurgeKind.TAG, "sport", false));
  }

  @Test
  void aPurgeOfEverythingOvertakesTheFill() throws Exception {
    overtakes("/a", FRESH, false, () -> edge.purge(PurgeKind.EVERYTHING, "", false));
  }

  /** Once the sweep for it has begun, who waits for a head of before stores nothing: one more. */
  @Test
  void aPurgeByPatternOvertakesTheFillAndWhoJoinedIt() throws Exception {
    overtakes("/a", FRESH, true, 3, () -> edge.purge(PurgeKind.PATTERN, "path ^/a$", false));
  }

  @Test
  void aPurgeByPatternOfAFieldThatOnlyTheHeadNamesOvertakesTheFill() throws Exception {
    overtakes(
        "/a",
        FRESH + "content-type: video/mp4\r\n",
        true,
        3,
        () -> edge.purge(PurgeKind.PATTERN, "header content-type: ^video/", false));
  }

  @Test
  void aPurgeByPatternInMidBodyOvertakesTheFill() throws Exception {
    overtakes("/a", FRESH, false, 3, () -> edge.purge(PurgeKind.PATTERN, "path ^/a$", true));
  }

  @Test
  void aSoftPurgeOvertakesTheFill() throws Exception {
    overtakes("/a", FRESH, true, () -> edge.purge(PurgeKind.URL, edge.url("/a"), true));
  }

  private void overtakes(String path, String fields, boolean isBeforeHead, Runnable purge)
      throws Exception {
    overtakes(path, fields, isBeforeHead, 2, purge);
  }

  private void overtakes(
      String path, String fields, boolean isBeforeHead, int mostFetches, Runnable purge)
      throws Exception {
    byte[][] bodies = oldThenNew(path, fields, isBeforeHead);
    try (RawClient early = edge.connect();
        RawClient late = edge.connect()) {
      early.request("GET", path);
      awaitReached();
      purge.run();
      late.request("GET", path);
      if (isBeforeHead) {
        Await.until("the late one has joined", () -> edge.sum(c -> c.joined) == 1);
        gate.countDown();
        Bytes.assertEquals(bodies[1], late.reply().body());
      } else {
        // The old fill still stands still.
        Bytes.assertEquals(bodies[1], late.reply().body());
        gate.countDown();
      }
      Bytes.assertEquals(bodies[0], early.reply().body(), "who came before may have the old one");
    }
    Await.until("no fill is left", () -> edge.server().fillsInProgress() == 0);
    Bytes.assertEquals(bodies[1], hit(path).body());
    assertTrue(origin.count(path) >= 2 && origin.count(path) <= mostFetches);
  }

  @Test
  void aPurgeBetweenARevalidationAndIts304IsNotUndoneByIt() throws Exception {
    honourClients();
    origin.on(
        "/a",
        (request, connection) -> {
          if (request.number() == 1) {
            TestOrigin.sendOk(connection, FRESH + "etag: \"1\"\r\n", TestOrigin.ascii("old"));
          } else if (request.number() == 2) {
            assertEquals("\"1\"", request.field("if-none-match"));
            reached.countDown();
            TestOrigin.await(gate);
            TestOrigin.notModified(connection, FRESH + "etag: \"1\"\r\n");
          } else {
            assertEquals("", request.field("if-none-match"));
            TestOrigin.sendOk(connection, FRESH, TestOrigin.ascii("new"));
          }
        });
    try (RawClient early = edge.connect();
        RawClient late = edge.connect()) {
      assertEquals("old", early.get("/a").text());
      Await.until("it is stored", () -> edge.sum(c -> c.fillsInstalled) == 1);
      early.request("GET", "/a", "Cache-Control: no-cache");
      awaitReached();
      edge.purgeUrl("/a");
      late.request("GET", "/a");
      gate.countDown();
      assertEquals("new", late.reply().text());
      // What the 304 confirmed is gone for everybody, so the early one has to fetch as well.
      assertEquals("new", early.reply().text());
    }
    assertEquals("new", hit("/a").text());
    // The early one joins the fetch of the late one, or comes after its end and asks for itself.
    assertTrue(origin.count("/a") == 3 || origin.count("/a") == 4, "" + origin.count("/a"));
  }

  @Test
  void aSoftPurgeAsksTheOriginAndKeepsTheBodyThatItConfirms() throws Exception {
    byte[] body = Edge.bytes(3, 300_000);
    origin.on(
        "/a",
        (request, connection) -> {
          if (request.number() == 1) {
            TestOrigin.sendOk(connection, FRESH + "etag: \"1\"\r\nx-of: body\r\n", body);
          } else {
            assertEquals("\"1\"", request.field("if-none-match"));
            TestOrigin.notModified(connection, FRESH + "etag: \"1\"\r\nx-of: 304\r\n");
          }
        });
    try (RawClient client = edge.connect()) {
      Bytes.assertEquals(body, client.get("/a").body());
      Bytes.assertEquals(body, hit("/a").body());
      edge.purge(PurgeKind.URL, edge.url("/a"), true);
      Response confirmed = client.get("/a");
      assertFalse(confirmed.isHit());
      Bytes.assertEquals(body, confirmed.body());
      assertEquals("304", confirmed.field("x-of"));
      Response hit = client.get("/a");
      assertTrue(hit.isHit());
      Bytes.assertEquals(body, hit.body());
      assertEquals("304", hit.field("x-of"));
    }
    assertEquals(2, origin.count("/a"));
    edge.awaitSum(1, c -> c.revalidated);
  }

  @Test
  void aSoftPurgeThatIsUndoneAsksTheOriginForNothing() throws Exception {
    origin.on(
        "/a",
        (request, connection) ->
            TestOrigin.sendOk(connection, FRESH, TestOrigin.ascii("v" + request.number())));
    try (RawClient client = edge.connect()) {
      assertEquals("v1", client.get("/a").text());
      assertEquals("v1", hit("/a").text());
      PurgeDone soft = edge.server().purge(new PurgeOrder(PurgeKind.URL, edge.url("/a"), true));
      PurgeDone undo = edge.server().undo(soft.id());
      assertTrue(undo.sequence() > soft.sequence());
      Await.until(
          "memory is looked through",
          () -> Objects.requireNonNull(edge.server().purgeStatus(undo.id())).isSwept());
      Response response = client.get("/a");
      assertTrue(response.isHit());
      assertEquals("v1", response.text());
      assertEquals(1, origin.count("/a"));
      PurgeDone hard = edge.server().purge(new PurgeOrder(PurgeKind.URL, edge.url("/a"), false));
      PurgeRefusedException refused =
          assertThrows(PurgeRefusedException.class, () -> edge.server().undo(hard.id()));
      assertEquals(Refusal.FINAL, refused.refusal());
      assertEquals("v2", client.get("/a").text());
    }
  }

  @Test
  void aPurgeByAgeTakesWhatWasStoredBeforeAndNothingYounger() throws Exception {
    for (String path : List.of("/old", "/new", "/other")) {
      origin.on(
          path,
          (request, connection) ->
              TestOrigin.sendOk(
                  connection,
                  FRESH + (path.equals("/other") ? "" : "surrogate-key: news\r\n"),
                  TestOrigin.ascii("v" + request.number())));
    }
    try (RawClient client = edge.connect()) {
      assertEquals("v1", client.get("/old").text());
      assertEquals("v1", client.get("/other").text());
      assertEquals("v1", hit("/old").text());
      Instant time = Instant.now().plusMillis(1);
      Await.until("a later time", () -> Instant.now().isAfter(time));
      assertEquals("v1", client.get("/new").text());
      assertEquals("v1", hit("/new").text());
      PurgeOrder tag = new PurgeOrder(PurgeKind.TAG, "news", false).ofStoredBefore(time);
      long id = edge.server().purge(tag).id();
      assertEquals(
          "stored-before " + time + " of tag news",
          Objects.requireNonNull(edge.server().purgeStatus(id)).text());
      assertEquals("v2", client.get("/old").text());
      assertTrue(client.get("/new").isHit());
      assertTrue(client.get("/other").isHit());
      PurgeOrder path = new PurgeOrder(PurgeKind.PATTERN, "path ^/other", false);
      assertTrue(edge.server().purge(path.ofStoredBefore(Instant.EPOCH)).id() > id);
      assertTrue(client.get("/other").isHit());
      assertTrue(edge.server().purge(path.ofStoredBefore(time)).id() > id);
      assertEquals("v2", client.get("/other").text());
      PurgeOrder all = new PurgeOrder(PurgeKind.EVERYTHING, "*", false).ofStoredBefore(time);
      assertTrue(edge.server().purge(all).id() > id);
      assertTrue(client.get("/new").isHit());
    }
  }

  @Test
  void aRevalidationThatASoftPurgeOvertookConfirmsNothingToThoseWhoCameLater() throws Exception {
    honourClients();
    origin.on(
        "/a",
        (request, connection) -> {
          if (request.number() == 1) {
            TestOrigin.sendOk(connection, FRESH + "etag: \"1\"\r\n", TestOrigin.ascii("old"));
          } else if (request.number() == 2) {
            reached.countDown();
            TestOrigin.await(gate);
            TestOrigin.notModified(connection, FRESH + "etag: \"1\"\r\n");
          } else {
            TestOrigin.sendOk(connection, FRESH + "etag: \"2\"\r\n", TestOrigin.ascii("new"));
          }
        });
    try (RawClient early = edge.connect();
        RawClient late = edge.connect()) {
      assertEquals("old", early.get("/a").text());
      Await.until("it is stored", () -> edge.sum(c -> c.fillsInstalled) == 1);
      early.request("GET", "/a", "Cache-Control: no-cache");
      awaitReached();
      edge.purge(PurgeKind.URL, edge.url("/a"), true);
      late.request("GET", "/a");
      Await.until("the late one has joined", () -> edge.sum(c -> c.joined) == 1);
      gate.countDown();
      assertEquals("new", late.reply().text());
      // What was confirmed may be served to the one that came before the purge; on its own loop it
      // may also find what the late one has brought meanwhile.
      assertTrue(Set.of("old", "new").contains(early.reply().text()));
    }
    assertEquals("new", hit("/a").text());
    assertEquals(3, origin.count("/a"));
  }

  @Test
  void stayGoneOverARestart() throws Exception {
    for (String path : new String[] {"/kept", "/purged", "/tagged"}) {
      origin.on(
          path,
          (request, connection) ->
              TestOrigin.sendOk(
                  connection,
                  FRESH + (path.equals("/tagged") ? "surrogate-key: t\r\n" : ""),
                  TestOrigin.ascii(path + request.number())));
      try (RawClient client = edge.connect()) {
        assertEquals(path + 1, client.get(path, "Host: www.example").text());
      }
    }
    Await.until("all are stored", () -> edge.sum(c -> c.fillsInstalled) == 3);
    edge.purge(PurgeKind.URL, "http://www.example/purged", false);
    edge.purge(PurgeKind.TAG, "t", false);
    boolean isKept = edge.server().store().outlivesProcess();
    edge.stop();
    edge.start();
    try (RawClient client = edge.connect()) {
      assertEquals("/purged2", client.get("/purged", "Host: www.example").text());
      assertEquals("/tagged2", client.get("/tagged", "Host: www.example").text());
      Response kept = client.get("/kept", "Host: www.example");
      assertEquals(isKept, kept.isHit());
      assertEquals(isKept ? "/kept1" : "/kept2", kept.text());
    }
  }

  /**
   * A purge is forgotten when nothing that it matches can be stored any more. Who follows a fill of
   * before it, and is late to learn of its end, is not served what that has brought for all that.
   */
  @Test
  void whoIsLateToLeaveAFillOfBeforeDoesSoAlsoWhenThePurgeIsForgotten() throws IOException {
    origin.on(
        "/late",
        (request, connection) -> {
          boolean isFirst = request.number() == 1;
          if (isFirst) {
            reached.countDown();
            TestOrigin.await(gate);
          }
          TestOrigin.sendOk(connection, FRESH, TestOrigin.ascii(isFirst ? "old" : "new"));
        });
    AtomicLong clock = new AtomicLong(System.currentTimeMillis());
    AtomicReference<String> toStop = new AtomicReference<>("");
    CountDownLatch stopped = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    edge.close();
    edge =
        Edge.start(
            Files.createTempDirectory(directory, "edge"),
            "32MiB",
            Edge.origins(origin.url()),
            () -> {
              if (Thread.currentThread().getName().equals(toStop.get())) {
                toStop.set("");
                stopped.countDown();
                awaitUninterrupted(goesOn);
              }
              return clock.get();
            });
    try (RawClient first = clientOfLoop(0);
        RawClient late = clientOfLoop(1);
        RawClient other = clientOfLoop(1)) {
      first.request("GET", "/late");
      TestOrigin.await(reached);
      edge.purgeUrl("/late");
      late.request("GET", "/late");
      edge.awaitSum(1, c -> c.joined);
      toStop.set("loop-1");
      other.request("GET", "/other");
      TestOrigin.await(stopped);
      gate.countDown();
      assertEquals("old", first.reply().text());
      Await.until("the fill is over", () -> edge.server().fillsInProgress() == 0);
      clock.addAndGet(61_000);
      Await.until(
          "the purge is forgotten", () -> edge.server().latestPurges(1).getFirst().isSwept());
      goesOn.countDown();
      assertEquals("new", late.reply().text());
    } finally {
      goesOn.countDown();
    }
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      TestOrigin.await(latch);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A connection that this loop has. */
  private RawClient clientOfLoop(int loop) {
    while (true) {
      long before = edge.sum(c -> c.connectionsAccepted);
      long ofLoop = edge.server().counters().get(loop).connectionsAccepted;
      RawClient client = edge.connect();
      edge.awaitSum(before + 1, c -> c.connectionsAccepted);
      if (edge.server().counters().get(loop).connectionsAccepted > ofLoop) {
        return client;
      }
      client.close();
    }
  }
}
