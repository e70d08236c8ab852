package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A hundred connections at full speed: no error, and constant memory. */
@Tag("full")
@Tag("alone")
final class LoadIT {
  private static final int CONNECTIONS = 100;
  private static final long SAMPLE_MILLIS = 100;
  private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
  private static final Pattern DIRECT_BUDGET = Pattern.compile("direct +at most ([0-9.]+) MiB");
  private static final Pattern STORE_BUDGET = Pattern.compile("store, total +([0-9.]+) MiB");

  /** What the kernel's page accounting and late compilation may still move. */
  private static final long FLAT_KIB = 12 << 10;

  @TempDir Path directory;

  @Test
  void aHundredConnectionsSeeNoErrorAndMemoryStandsStill() throws Exception {
    load(Integer.getInteger("forebay.e2e.wrkSeconds", 5), 3);
  }

  @Test
  @Tag("campaign")
  void aHundredConnectionsSeeNoErrorAndMemoryStandsStillForHalfAMinute() throws Exception {
    load(30, 20);
  }

  private void load(int seconds, int flatSeconds) throws Exception {
    Path wrk = Tools.require("wrk");
    try (NginxOrigin origin = NginxOrigin.start(directory.resolve("nginx"));
        EdgeProcess edge =
            EdgeProcess.in(directory.resolve("edge"), origin.url())
                // As the launcher runs it, and its heap touched beforehand: what still grows is
                // ours.
                .jvm("-XX:+UseSerialGC", "-Xms192m", "-Xmx192m", "-XX:+AlwaysPreTouch")
                .start();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Tree tree = origin.tree(10);
      Tree.Entry small = tree.write("/1k", 1 << 10);
      Tree.Entry large = tree.write("/200k", 200 << 10);
      small.assertSame(edge.get(small.path()));
      large.assertSame(edge.get(large.path()));
      // A second for the compiler, not measured.
      run(wrk, 1, edge.url(small.path()));
      run(wrk, 1, edge.url(large.path()));
      long descriptors = edge.descriptors();

      for (Tree.Entry file : List.of(small, large)) {
        Future<Commands.Finished> wrkEnd =
            threads.submit(() -> run(wrk, seconds, edge.url(file.path())));
        List<Long> rss = new ArrayList<>();
        long start = System.nanoTime();
        while (true) {
          try {
            Commands.Finished finished = wrkEnd.get(SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
            Matcher rate = RATE.matcher(finished.out());
            assertTrue(rate.find(), finished.out());
            System.out.println(
                file.path() + ": " + rate.group(1) + " requests/s of 100 connections");
            break;
          } catch (TimeoutException running) {
            if (System.nanoTime() - start
                > Duration.ofSeconds(Math.max(0, seconds - flatSeconds)).toNanos()) {
              rss.add(edge.rssKib());
            }
          }
        }
        long grown = rss.getLast() - rss.getFirst();
        System.out.println(
            file.path() + ": RSS " + rss.getFirst() + " KiB, then " + rss.getLast() + " KiB");
        assertTrue(
            grown <= FLAT_KIB, () -> file.path() + ": RSS grew by " + grown + " KiB: " + rss);
        assertWithinBudget(edge);
        file.assertSame(edge.get(file.path()));
        origin.assertRequests(1, file.path());
      }
      Await.until("all connections are gone", () -> edge.descriptors() <= descriptors);
    }
  }

  private static Commands.Finished run(Path wrk, int seconds, String url) throws Exception {
    Commands.Finished finished =
        Commands.run(
                Duration.ofSeconds(seconds + 30L),
                List.of(
                    wrk.toString(),
                    "-t1",
                    "-c" + CONNECTIONS,
                    "-d" + seconds + "s",
                    "--timeout",
                    "10s",
                    url))
            .orFail();
    assertFalse(finished.out().contains("Socket errors"), finished.out());
    assertFalse(finished.out().contains("Non-2xx"), finished.out());
    return finished;
  }

  /** What the start screen promised, against what the allocator and the kernel say. */
  private static void assertWithinBudget(EdgeProcess edge) throws Exception {
    String screen = edge.outText();
    double direct = edge.metrics().sum("forebay_netty_direct_memory_bytes");
    double directBudget = mebibytes(DIRECT_BUDGET, screen);
    assertTrue(direct > 0 && direct <= directBudget, "direct: " + direct + " of " + directBudget);
    double mapped = (double) edge.mappedBytes();
    double mappedBudget = mebibytes(STORE_BUDGET, screen);
    assertTrue(mapped > 0 && mapped <= mappedBudget, "mapped: " + mapped + " of " + mappedBudget);
    // A lease ends when the kernel has acknowledged what it covered, or with its connection.
    Await.until("no lease is left", () -> edge.metrics().sum("forebay_store_pins") == 0);
  }

  private static double mebibytes(Pattern pattern, String screen) {
    Matcher matcher = pattern.matcher(screen);
    assertTrue(matcher.find(), () -> pattern + " is not in:\n" + screen);
    return Double.parseDouble(matcher.group(1)) * (1 << 20);
  }
}
