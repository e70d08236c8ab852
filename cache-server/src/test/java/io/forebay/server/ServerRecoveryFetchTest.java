package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.LimitKey;
import io.forebay.server.exchange.PartialBody;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * While the directories of a disk are read, as many requests as {@code limits.recovery-fetches} ask
 * the origin for what is not known yet; others wait a while for it, then get 503.
 */
@Timeout(300)
@Tag("slow")
final class ServerRecoveryFetchTest {
  private static final String FRESH = "cache-control: max-age=100000\r\n";
  private static final int LENGTH = 3_000;
  private static final int OBJECTS = 20;
  private static final String TAGGED = FRESH + "etag: \"v1\"\r\n";

  /** Of the store in a tier of 24 MiB. */
  private static final int SLICE = 64 << 10;

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final CountDownLatch originGate = new CountDownLatch(1);
  private final DiskGate disk = new DiskGate("disk-one-", System::currentTimeMillis);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @AfterEach
  void stop() throws IOException {
    originGate.countDown();
    disk.open();
    threads.close();
    edge.close();
    origin.close();
  }

  private String yaml(int fetches) {
    return "limits: {recovery-fetches: "
        + fetches
        + "}\nroutes: [{origin: main, range-fetch: slices}]\n"
        + DiskGate.yaml(origin, directory);
  }

  /** A node that has stored objects, started anew without its memory and its index. */
  private void start(int fetches) throws IOException {
    edge = Edge.start(directory, "16MiB", yaml(fetches), disk);
    Await.until("the disk is empty", this::isKnown);
    for (int n = 0; n < OBJECTS; n++) {
      byte[] body = Edge.bytes(n, LENGTH);
      origin.on("/" + n, (request, connection) -> TestOrigin.sendOk(connection, FRESH, body));
      assertEquals(200, get("/" + n).status());
    }
    for (String path : new String[] {"/a", "/b"}) {
      origin.on(
          path,
          (request, connection) -> {
            TestOrigin.await(originGate);
            TestOrigin.sendOk(connection, FRESH, Edge.bytes(77, LENGTH));
          });
    }
    edge.awaitIdle();
    edge.stop();
    Files.delete(directory.resolve("one/disk.checkpoint"));
    edge.configure("MEMORY=24MiB\n" + yaml(fetches));
    disk.shut();
    edge.start();
    assertFalse(isKnown(), "the disk is to be read");
  }

  private boolean isKnown() {
    return edge.server().store().recovery().isComplete();
  }

  private Response get(String path, String... fields) throws IOException {
    try (RawClient client = edge.connect()) {
      String[] all = Arrays.copyOf(fields, fields.length + 1);
      all[fields.length] = "Host: site.test";
      return client.get(path, all);
    }
  }

  private static String range(int from, int to) {
    return "Range: bytes=" + from + "-" + (to - 1);
  }

  private static void assertPart(byte[] body, int from, int to, Response answer) {
    assertEquals(206, answer.status());
    Bytes.assertEquals(PartOrigin.part(body, from, to), answer.body());
  }

  private CompletableFuture<Response> ask(String path, String... fields) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return get(path, fields);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        },
        threads);
  }

  private static void assertWhole(int seed, CompletableFuture<Response> asked) throws Exception {
    Response answer = asked.get(60, TimeUnit.SECONDS);
    assertEquals(200, answer.status());
    Bytes.assertEquals(Edge.bytes(seed, LENGTH), answer.body());
  }

  @Tag("full")
  @Test
  void soManyAskTheOriginAndTheOthersWaitForTheDisk() throws Exception {
    start(1);
    CompletableFuture<Response> first = ask("/a");
    Await.until("the origin is asked", () -> origin.count("/a") == 1);

    // The only place is taken, and nothing is known of this one.
    Response tooMany = get("/b");
    assertEquals(503, tooMany.status());
    assertTrue(tooMany.field("retry-after").matches("\\d+"), tooMany.field("retry-after"));
    assertEquals(0, origin.count("/b"));
    assertEquals(1, edge.sum(c -> c.hits(LimitKey.RECOVERY_FETCHES)));
    assertEquals(1, edge.sum(c -> c.recoveryWaits));

    // Who joins takes no place.
    CompletableFuture<Response> joining = ask("/a");
    Await.until("it is shared", () -> edge.sum(c -> c.joined) == 1);

    // What the disk has is served as soon as that is known.
    CompletableFuture<Response> waiting = ask("/5");
    Await.until("it waits", () -> edge.sum(c -> c.recoveryWaits) == 2);
    disk.open();
    assertWhole(5, waiting);
    assertEquals(1, origin.count("/5"));
    assertFalse(first.isDone());

    // From then on nobody is kept from the origin.
    Await.until("the disk is known", this::isKnown);
    CompletableFuture<Response> second = ask("/b");
    Await.until("the origin is asked at once", () -> origin.count("/b") == 1);
    originGate.countDown();
    assertWhole(77, first);
    assertWhole(77, joining);
    assertWhole(77, second);
    assertEquals(1, edge.sum(c -> c.hits(LimitKey.RECOVERY_FETCHES)));
  }

  @Test
  void aPlaceIsFreeAgainWhenItsRequestIsOver() throws Exception {
    start(1);
    CompletableFuture<Response> first = ask("/a");
    Await.until("the origin is asked", () -> origin.count("/a") == 1);
    CompletableFuture<Response> second = ask("/b");
    Await.until("it waits", () -> edge.sum(c -> c.recoveryWaits) == 1);
    originGate.countDown();
    assertWhole(77, first);
    assertWhole(77, second);
    assertEquals(0, edge.sum(c -> c.hits(LimitKey.RECOVERY_FETCHES)));
  }

  /** An object that is new, so that its head is known; of its body the beginning is stored. */
  private byte[] storeBeginning(int slices, int stored) throws IOException {
    byte[] body = Edge.bytes(9, slices * SLICE);
    origin.on("/slices", PartOrigin.of(body, TAGGED));
    for (int n = 0; n < stored; n++) {
      assertPart(
          body, n * SLICE, (n + 1) * SLICE, get("/slices", range(n * SLICE, (n + 1) * SLICE)));
    }
    edge.awaitIdle();
    return body;
  }

  @Test
  void aMissingSliceTakesAPlaceOrWaitsForTheDisk() throws Exception {
    start(1);
    byte[] body = storeBeginning(10, 1);
    int count = origin.count("/slices");
    CompletableFuture<Response> first = ask("/a");
    Await.until("the origin is asked", () -> origin.count("/a") == 1);

    // The only place is taken, and the disk may have the slice.
    Response tooMany = get("/slices", range(5 * SLICE, 5 * SLICE + 10));
    assertEquals(503, tooMany.status());
    assertTrue(tooMany.field("retry-after").matches("\\d+"), tooMany.field("retry-after"));
    assertEquals(count, origin.count("/slices"));
    assertEquals(1, edge.sum(c -> c.hits(LimitKey.RECOVERY_FETCHES)));
    assertPart(body, 0, 10, get("/slices", range(0, 10)));

    CompletableFuture<Response> waiting = ask("/slices", range(5 * SLICE, 5 * SLICE + 10));
    Await.until("it waits", () -> edge.sum(c -> c.recoveryWaits) == 2);
    disk.open();
    assertPart(body, 5 * SLICE, 5 * SLICE + 10, waiting.get(60, TimeUnit.SECONDS));
    assertEquals(count + 1, origin.count("/slices"));
    originGate.countDown();
    assertWhole(77, first);
  }

  @Test
  @Tag("full")
  void behindTheHeadAMissingSliceIsFetchedAfterAWhileWithoutAPlace() throws Exception {
    start(1);
    int stored = PartialBody.LOOKED_FOR + 2;
    byte[] body = storeBeginning(stored + 2, stored);
    int count = origin.count("/slices");
    // Each of these may have met the one before it, which had not quite left.
    long waits = edge.sum(c -> c.recoveryWaits);
    CompletableFuture<Response> first = ask("/a");
    Await.until("the origin is asked", () -> origin.count("/a") == 1);

    assertPart(body, 0, body.length, get("/slices", range(0, body.length)));
    assertEquals(count + 1, origin.count("/slices"));
    assertEquals(waits + 1, edge.sum(c -> c.recoveryWaits));
    assertEquals(0, edge.sum(c -> c.hits(LimitKey.RECOVERY_FETCHES)));
    originGate.countDown();
    assertWhole(77, first);
  }

  @Test
  void withoutALimitEveryRequestAsks() throws Exception {
    start(0);
    CompletableFuture<Response> first = ask("/a");
    CompletableFuture<Response> second = ask("/b");
    Await.until("both ask", () -> origin.count("/a") == 1 && origin.count("/b") == 1);
    originGate.countDown();
    assertWhole(77, first);
    assertWhole(77, second);
    assertEquals(0, edge.sum(c -> c.recoveryWaits));
  }
}
