package io.forebay.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.load.LoadPlan.ObjectClass;
import io.forebay.lab.load.LoadPlan.Phase;
import io.forebay.lab.load.LoadPlan.Popularity;
import io.forebay.lab.load.client.Client;
import io.forebay.lab.result.Latency;
import io.forebay.lab.result.LoadTotals;
import io.forebay.testing.Await;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import io.netty.buffer.ByteBuf;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClientTest {
  private PathOrigin origin = start();

  private static PathOrigin start() {
    try {
      return PathOrigin.start();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @BeforeEach
  void answerAll() {
    origin.otherwise(exchange -> exchange.respond(200, "", "hello"));
  }

  @AfterEach
  void close() throws IOException {
    origin.close();
  }

  private LoadTotals run(PathOrigin.Script script) throws Exception {
    origin.otherwise(script);
    return Plans.to(origin.url()).run().totals();
  }

  @Test
  void everyRequestThatIsDueIsMadeAndCounted() throws Exception {
    LoadOutcome outcome =
        Plans.to(origin.url())
            .connections(3)
            .phases(new Phase(0.1, 100, 100, false), new Phase(0.2, 100, 300, true))
            .run();

    LoadTotals totals = outcome.totals();
    assertEquals(50, origin.requests().size());
    assertEquals(0.2, totals.seconds());
    assertEquals(Map.of(), totals.errors());
    // By when they were due: those of the warm-up are not among them.
    assertEquals(40, totals.lastByte().count());
    assertEquals(40, totals.firstByte().count());
    assertEquals(40, totals.lateness().count());
    assertEquals(40, totals.byObject().getOrDefault("small", Latency.NONE).count());
    assertEquals(3, totals.connections());
    assertTrue(totals.firstByte().max() <= totals.lastByte().max(), totals.toString());
    assertEquals(1, outcome.seconds().size());
  }

  @Test
  void aRequestThatWaitsForAConnectionIsLateByTheServersFault() throws Exception {
    // Ten are due within 0.1 s. None is answered before 0.3 s after the first one came.
    CountDownLatch first = new CountDownLatch(1);
    long[] begun = new long[1];
    LoadTotals totals =
        run(exchange -> {
          if (first.getCount() > 0) {
            begun[0] = System.nanoTime();
            first.countDown();
          }
          Await.until(
              "time enough",
              () -> System.nanoTime() - begun[0] > TimeUnit.MILLISECONDS.toNanos(300));
          exchange.respond(200, "", "hello");
        });

    assertEquals(10, totals.lastByte().count());
    assertTrue(totals.lastByte().p50() > 200, totals.toString());
    assertTrue(totals.lateness().mean() < totals.lastByte().mean() / 2, totals.toString());
  }

  @Test
  void aClosedLoopAsksAgainAtOnce() throws Exception {
    LoadOutcome outcome =
        Plans.to(origin.url()).connections(4).phases(new Phase(0.3, 0, 0, true)).run();

    LoadTotals totals = outcome.totals();
    assertTrue(totals.requests() > 20, totals.toString());
    assertEquals(0, totals.lateness().count());
    assertEquals(Map.of(), totals.errors());
    assertEquals(totals.requests(), outcome.seconds().get(0).requests());
    assertEquals(4, origin.connections());
  }

  @Test
  void bodiesOfAllFramingsAreCounted() throws Exception {
    LoadTotals chunked =
        run(exchange -> {
          exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
          exchange.send("2\r\nhe\r\n");
          exchange.send("3;x=y\r\nllo\r\n0\r\nTrailer: x\r\n\r\n");
        });
    LoadTotals untilClose =
        run(exchange -> {
          exchange.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhel");
          exchange.send("lo");
          exchange.close();
        });

    for (LoadTotals totals : List.of(chunked, untilClose)) {
      assertEquals(10, totals.lastByte().count(), totals.toString());
      assertEquals(Map.of(), totals.errors());
      assertTrue(totals.bodyBytes() <= 50 && totals.bodyBytes() % 5 == 0, totals.toString());
    }
  }

  @Test
  void errorsAreToldByKind() throws Exception {
    assertEquals(
        Map.of("status", 10L), run(exchange -> exchange.respond(503, "", "hello")).errors());
    assertEquals(Map.of("reset", 10L), run(exchange -> exchange.reset()).errors());
    assertEquals(
        Map.of("short", 10L),
        run(
                exchange -> {
                  exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel");
                  exchange.close();
                })
            .errors());
    assertEquals(Map.of("short", 10L), run(exchange -> exchange.respond(200, "", "hell")).errors());
    assertEquals(
        Map.of("body", 10L), run(exchange -> exchange.respond(200, "", "hello, you")).errors());
    assertEquals(
        Map.of("other", 10L),
        run(exchange -> exchange.send("SMTP is not what you want\r\n\r\n")).errors());
  }

  @Test
  void aConnectionThatIsRefusedIsAnErrorAndItsRequestsAreLate() throws Exception {
    LoadTotals totals =
        Plans.to("http://127.0.0.1:" + Ports.free()).timeoutMillis(100).run().totals();

    assertEquals(0, totals.requests());
    assertEquals(10, totals.errors().get("late"));
    assertEquals(Set.of("connect", "late"), totals.errors().keySet());
  }

  @Test
  void aRequestWithoutAnAnswerTimesOutAndThoseBehindItMayBeLate() throws Exception {
    origin.otherwise(exchange -> exchange.awaitClose());
    LoadTotals totals = Plans.to(origin.url()).timeoutMillis(100).run().totals();

    assertTrue(totals.errors().containsKey("timeout"), totals.toString());
    assertTrue(Set.of("timeout", "late").containsAll(totals.errors().keySet()), totals.toString());
    assertEquals(10, totals.errors().values().stream().mapToLong(Long::longValue).sum());
    assertEquals(0, totals.lastByte().count());
  }

  @Test
  void aBurstEndsItsConnection() throws Exception {
    LoadTotals totals = Plans.to(origin.url()).bursts(2).rate(0.1, 100).run().totals();

    assertEquals(10, totals.lastByte().count());
    assertEquals(Map.of(), totals.errors());
    // The last burst may have been followed by a connection that was not used.
    assertTrue(Set.of(5, 6).contains(origin.connections()), "" + origin.connections());
    // On a busy machine some are opened when the load is over.
    assertTrue(totals.connections() <= 6, totals.toString());
  }

  @Test
  void aServerThatEndsConnectionsGetsOthers() throws Exception {
    LoadTotals totals =
        run(exchange -> {
          exchange.respond(200, "Connection: close\r\n", "hello");
          exchange.close();
        });

    assertEquals(10, totals.lastByte().count());
    assertEquals(Map.of(), totals.errors());
  }

  @Test
  void requestsGoToAllTargetsAndHaveTheirHost() throws Exception {
    try (PathOrigin other = PathOrigin.start()) {
      other.otherwise(exchange -> exchange.respond(200, "", "hello"));
      Plans.to(origin.url(), other.url()).connections(2).run();

      assertEquals(10, origin.requests().size() + other.requests().size());
      assertTrue(!origin.requests().isEmpty() && !other.requests().isEmpty());
      assertEquals("127.0.0.1:" + other.port(), other.requests().get(0).field("host"));
    }
  }

  @Test
  void freshNamesAreNeverUsedTwice() throws Exception {
    Plans plans =
        Plans.to(origin.url())
            .connections(2)
            .fresh(1)
            .objects(new ObjectClass("one", 5, 1, 1, "/x{n}/seg"));
    plans.run();
    Set<String> paths =
        origin.requests().stream().map(PathOrigin.Request::path).collect(Collectors.toSet());

    assertEquals(10, paths.size());
    assertTrue(paths.stream().allMatch(path -> path.matches("/x[0-9]+/seg")), paths.toString());
  }

  @Test
  void sequentialNumbersGoRound() throws Exception {
    Plans.to(origin.url())
        .popularity(Popularity.SEQUENTIAL)
        .objects(new ObjectClass("one", 5, 1, 10, "/{n}"))
        .connections(2)
        .run();

    assertEquals(
        Set.of("/0", "/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"),
        origin.requests().stream().map(PathOrigin.Request::path).collect(Collectors.toSet()));
  }

  @Test
  void bytesThatAreNotTheOriginsAreAnError() throws Exception {
    LoadTotals right =
        Plans.to(origin.url()).verifiedBy((seed, path) -> ClientTest::isHello).run().totals();
    origin.otherwise(exchange -> exchange.respond(200, "", "hellO"));
    LoadTotals wrong =
        Plans.to(origin.url()).verifiedBy((seed, path) -> ClientTest::isHello).run().totals();

    assertEquals(Map.of(), right.errors());
    assertEquals(Map.of("body", 10L), wrong.errors());
    assertThrows(IllegalArgumentException.class, () -> Plans.to(origin.url()).verify().run());
  }

  private static boolean isHello(ByteBuf bytes, long offset) {
    return "hello".substring((int) offset).startsWith(bytes.toString(StandardCharsets.US_ASCII));
  }

  @Test
  void theEndOfStandardInputStopsTheLoad() throws Exception {
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
        PipedWriter parent = new PipedWriter();
        BufferedReader in = new BufferedReader(new PipedReader(parent))) {
      LoadPlan plan = Plans.to(origin.url()).rate(600, 10).plan();
      List<String> lines = new CopyOnWriteArrayList<>();
      Client client = new Client(plan, new Client.Options(1, 0, 1, false), null, lines::add);
      Future<IOException> run =
          executor.submit(() -> assertThrows(IOException.class, () -> client.run(in)));
      Await.until("a request", () -> !origin.requests().isEmpty());
      parent.close();

      assertTrue(
          String.valueOf(run.get().getMessage()).contains("standard input"),
          run.get().getMessage());
    }
  }
}
