package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.LimitKey;
import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    return "limits: {recovery-fetches: " + fetches + "}\n" + DiskGate.yaml(origin, directory);
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

  private Response get(String path) throws IOException {
    try (RawClient client = edge.connect()) {
      return client.get(path, "Host: site.test");
    }
  }

  private CompletableFuture<Response> ask(String path) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return get(path);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        },
        threads);
  }

  private static void assertWhole(int seed, CompletableFuture<Response> asked) throws Exception {
    Response answer = asked.get(60, TimeUnit.SECONDS);
    assertEquals(200, answer.status());
    assertArrayEquals(Edge.bytes(seed, LENGTH), answer.body());
  }

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
