package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The packaged jar is killed with -9 while clients load and files change under purges; after each
 * start every response matches the origin, and nearly all earlier hits are hits again.
 */
@Tag("full")
final class CrashIT {
  private static final int FIXED = 150;
  private static final int CHANGING = 10;
  private static final int CLIENTS = 4;

  @TempDir Path directory;

  @Test
  void killedOverAndOverItServesWhatTheOriginSays() throws Exception {
    run(2);
  }

  @Test
  @Tag("campaign")
  void killedOverAndOverForLong() throws Exception {
    run(25);
  }

  private void run(int rounds) throws Exception {
    long seed = new SplittableRandom().nextLong();
    System.out.println("CrashIT seed " + seed + "L");
    SplittableRandom random = new SplittableRandom(seed);
    try (NginxOrigin origin = NginxOrigin.start(directory.resolve("nginx"));
        EdgeProcess edge =
            EdgeProcess.in(directory.resolve("edge"), origin.url())
                .with("--disk", directory.resolve("disk") + ":64MiB")
                .start();
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      Tree tree = origin.tree(seed);
      List<Tree.Entry> fixed = new ArrayList<>();
      for (int n = 0; n < FIXED; n++) {
        fixed.add(tree.write("/fixed/" + n, 1 + random.nextInt(n % 10 == 0 ? 2_000_000 : 40_000)));
      }
      Tree.Entry[] changing = new Tree.Entry[CHANGING];
      for (int n = 0; n < CHANGING; n++) {
        changing[n] = tree.write("/changing/" + n, 1_000);
      }
      for (int round = 0; round < rounds; round++) {
        String where = "seed " + seed + "L, round " + round;
        AtomicBoolean isKilled = new AtomicBoolean();
        AtomicInteger answers = new AtomicInteger();
        List<Future<?>> load = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
          SplittableRandom own = random.split();
          load.add(clients.submit(() -> load(edge, fixed, own, isKilled, answers)));
        }
        int least = 100 + random.nextInt(400);
        Await.until("the load has begun", () -> answers.get() >= least || areOver(load));
        Set<Tree.Entry> before = new HashSet<>();
        for (Tree.Entry file : fixed) {
          if (edge.get(file.path()).isFromCache()) {
            before.add(file);
          }
        }
        // The last change is purged while the edge dies, or not at all: then it is repeated below.
        int changes = 1 + random.nextInt(20);
        for (int n = 0; n < changes; n++) {
          int which = random.nextInt(CHANGING);
          edge.get(changing[which].path());
          changing[which] = tree.write("/changing/" + which, 1_000 + random.nextInt(30_000));
          Admin.purgeUrl(edge, changing[which].path());
        }
        isKilled.set(true);
        edge.kill();
        for (Future<?> one : load) {
          one.get();
        }
        edge.restart();
        for (Tree.Entry file : changing) {
          file.assertSame(edge.get(file.path()));
        }
        Await.until(
            "the index is complete",
            () ->
                !Admin.stats(edge)
                    .path("store")
                    .path("recovery")
                    .path("phase")
                    .asString("")
                    .equals("rebuilding"));
        int hits = 0;
        for (Tree.Entry file : fixed) {
          Response response = edge.get(file.path());
          file.assertSame(response);
          hits += before.contains(file) && response.isFromCache() ? 1 : 0;
        }
        System.out.println(
            "  round " + round + ": " + hits + " of " + before.size() + " are hits again");
        assertTrue(hits >= before.size() * 0.95, where + ": " + hits + " of " + before.size());
        assertTrue(before.size() > FIXED / 2, where + ": hardly anything was a hit");
      }
      assertEquals(0, edge.terminate());
    }
  }

  private static boolean areOver(List<Future<?>> load) {
    return load.stream().allMatch(Future::isDone);
  }

  /** Asks until the edge is gone; what is answered whole is checked. */
  private static Void load(
      EdgeProcess edge,
      List<Tree.Entry> files,
      SplittableRandom random,
      AtomicBoolean isKilled,
      AtomicInteger answers) {
    while (!isKilled.get()) {
      Tree.Entry file = files.get(random.nextInt(files.size()));
      try {
        Response response = edge.get(file.path());
        if (!isKilled.get()) {
          file.assertSame(response);
        }
        answers.incrementAndGet();
      } catch (IOException brokenOff) {
        if (!isKilled.get()) {
          throw new java.io.UncheckedIOException(brokenOff);
        }
      }
    }
    return null;
  }
}
