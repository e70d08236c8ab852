package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient.Response;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What survives a restart: every cached object and every purge. */
final class RestartIT {
  @TempDir Path directory;

  @Tag("full")
  @Test
  void killedWithoutWarningItServesWhatItHadWithoutTheOrigin() throws Exception {
    try (NginxOrigin origin = NginxOrigin.start(directory.resolve("nginx"));
        EdgeProcess edge = EdgeProcess.in(directory.resolve("edge"), origin.url()).start()) {
      Tree tree = origin.tree(4);
      List<Tree.Entry> kept = new ArrayList<>();
      for (int length : new int[] {0, 1, 30_000, 33_000, 72 << 10, (1 << 20) + 1, 12 << 20}) {
        kept.add(tree.write("/kept/" + length, length));
      }
      for (int i = 0; i < 300; i++) {
        kept.add(tree.write("/many/" + i, 2_000 + i));
      }
      List<Tree.Entry> purged =
          List.of(
              tree.write("/purged-by-url", 50_000),
              tree.write("/gone/by-prefix", 2 << 20),
              tree.write("/gone/too", 10));
      for (Tree.Entry file : kept) {
        file.assertSame(edge.get(file.path()));
      }
      for (Tree.Entry file : purged) {
        file.assertSame(edge.get(file.path()));
      }
      Admin.purgeUrl(edge, "/purged-by-url");
      Admin.purge(edge, Map.of("prefixes", List.of(edge.url("/gone/"))));

      edge.kill();
      origin.kill();
      edge.restart();
      assertAllHits(edge, kept);
      for (Tree.Entry file : purged) {
        assertEquals(502, edge.get(file.path()).status(), "still purged: " + file.path());
      }

      // Once more, without a purge in between: the second recovery reads what the first one wrote.
      edge.kill();
      edge.restart();
      assertAllHits(edge, kept);
      for (Tree.Entry file : purged) {
        assertEquals(502, edge.get(file.path()).status(), "still purged: " + file.path());
      }

      origin.restart();
      Tree.Entry anew = tree.write("/purged-by-url", 50_001);
      anew.assertSame(edge.get(anew.path()));
      assertTrue(edge.get(anew.path()).isFromCache());
    }
  }

  /** While the index is rebuilt an answer may still be a miss, but never a wrong one. */
  private static void assertAllHits(EdgeProcess edge, List<Tree.Entry> files) throws Exception {
    for (Tree.Entry file : files) {
      Await.until(
          "a hit on " + file.path(),
          () -> {
            Response response = edge.get(file.path());
            if (response.status() == 502) {
              return false;
            }
            file.assertSame(response);
            assertTrue(response.isFromCache(), response::toString);
            return true;
          });
    }
  }

  @Tag("full")
  @Test
  void stoppedInOrderItIsWarmAtOnce() throws Exception {
    try (NginxOrigin origin = NginxOrigin.start(directory.resolve("nginx"));
        EdgeProcess edge = EdgeProcess.in(directory.resolve("edge"), origin.url()).start()) {
      Tree tree = origin.tree(5);
      List<Tree.Entry> files = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        files.add(tree.write("/f" + i, 1 + i * 40_000));
      }
      for (Tree.Entry file : files) {
        file.assertSame(edge.get(file.path()));
      }
      Admin.purgeUrl(edge, "/f7");
      assertEquals(0, edge.terminate());
      assertFalse(Ports.isListening(edge.port()));
      origin.kill();
      edge.restart();
      for (Tree.Entry file : files) {
        Response response = edge.get(file.path());
        if (file.path().equals("/f7")) {
          assertEquals(502, response.status());
        } else {
          file.assertSame(response);
          assertTrue(response.isFromCache(), response::toString);
        }
      }
      assertEquals(0, edge.terminate());
    }
  }

  /** Crash while a hundred fills and purges are under way: what comes after is right or a miss. */
  @Tag("full")
  @Test
  void killedUnderLoadItServesNothingWrong() throws Exception {
    try (NginxOrigin origin =
            NginxOrigin.start(
                directory.resolve("nginx"),
                "add_header Cache-Control 'public, max-age=3600'; limit_rate 2m;");
        EdgeProcess edge = EdgeProcess.in(directory.resolve("edge"), origin.url()).start();
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      Tree tree = origin.tree(6);
      List<Tree.Entry> files = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        files.add(tree.write("/f" + i, 1 + i * 20_000));
      }
      CountDownLatch some = new CountDownLatch(files.size() / 2);
      List<Future<?>> gets = new ArrayList<>();
      for (Tree.Entry file : files) {
        gets.add(
            clients.submit(() -> {
              file.assertSame(edge.get(file.path()));
              some.countDown();
              return null;
            }));
      }
      assertTrue(some.await(30, TimeUnit.SECONDS), "half of them arrived");
      Admin.purgeUrl(edge, "/f3");
      edge.kill();
      // Acknowledged, so in force; and the file changed, so an old answer would be a wrong one.
      List<Tree.Entry> after = new ArrayList<>(files);
      after.set(3, tree.write("/f3", 777));
      for (Future<?> get : gets) {
        try {
          get.get(30, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException brokenOff) {
          // its connection died with the edge
        }
      }
      edge.restart();
      for (int round = 0; round < 2; round++) {
        for (Tree.Entry file : after) {
          file.assertSame(edge.get(file.path()));
        }
      }
    }
  }

  @Tag("full")
  @Test
  void terminationLetsRequestsUnderWayFinish() throws Exception {
    byte[] body = new byte[300_000];
    Arrays.fill(body, (byte) 'x');
    CountDownLatch isAsked = new CountDownLatch(1);
    CountDownLatch isStopping = new CountDownLatch(1);
    try (PathOrigin origin = PathOrigin.start();
        EdgeProcess edge = EdgeProcess.in(directory.resolve("edge"), origin.url()).start();
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      origin.on(
          "/last",
          exchange -> {
            isAsked.countDown();
            if (!isStopping.await(20, TimeUnit.SECONDS)) {
              exchange.reset();
              return;
            }
            exchange.respond(200, "Cache-Control: max-age=3600\r\n", body);
          });
      Future<Response> last = clients.submit(() -> edge.get("/last"));
      assertTrue(isAsked.await(10, TimeUnit.SECONDS));
      Future<Integer> exit = clients.submit(edge::terminate);
      Await.until("it takes no new connections", () -> !Ports.isListening(edge.port()));
      isStopping.countDown();
      assertArrayEquals(body, last.get(20, TimeUnit.SECONDS).body());
      assertEquals(0, exit.get(20, TimeUnit.SECONDS));
    }
  }
}
