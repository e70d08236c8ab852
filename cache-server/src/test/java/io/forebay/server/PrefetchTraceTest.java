package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A trace of channels over real sockets: viewers choose channels by Zipf's law, play one segment
 * every two seconds of the node's clock, and zap or leave at random. What is fetched ahead is
 * mostly used.
 */
@Timeout(600)
final class PrefetchTraceTest {
  private static final int CHANNELS = 40;
  private static final long STEP_MILLIS = 2_000;

  @TempDir Path directory;

  /** What a run came to; times are those of misses of clients. */
  private record Outcome(
      long fetched, long ahead, long used, long wasted, long misses, List<Long> missNanos) {
    double percentileMillis(double share) {
      List<Long> sorted = missNanos.stream().sorted().toList();
      return sorted.isEmpty()
          ? 0
          : sorted.get((int) Math.min(sorted.size() - 1, sorted.size() * share)) / 1e6;
    }
  }

  @Tag("full")
  @Test
  @Tag("slow")
  void whatIsFetchedAheadIsMostlyUsed() throws Exception {
    long seed = Long.getLong("test.seed", System.nanoTime());
    System.out.println("PrefetchTraceTest: -Dtest.seed=" + seed);
    Outcome outcome = run(seed, true, 120, 150, 0);
    System.out.println(describe(outcome));
    assertTrue(outcome.ahead > 0);
    assertTrue(outcome.used * 100 >= outcome.ahead * 80, () -> describe(outcome));
    assertTrue(outcome.wasted * 100 <= outcome.fetched * 5, () -> describe(outcome));
  }

  /**
   * With and without, in turn, three times; prints what the misses of clients took. Figures, no
   * assertion: {@code -Dtest=PrefetchTraceTest -Dtest.excludedGroups=}.
   */
  @Test
  @Tag("campaign")
  void latenciesOfMissesWithAndWithout() throws Exception {
    List<Long> with = new ArrayList<>();
    List<Long> without = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Outcome off = run(i, false, 40, 100, 5);
      Outcome on = run(i, true, 40, 100, 5);
      System.out.println("without: " + describe(off));
      System.out.println("with:    " + describe(on));
      with.addAll(on.missNanos);
      without.addAll(off.missNanos);
    }
    Outcome all = new Outcome(0, 0, 0, 0, with.size(), with);
    Outcome none = new Outcome(0, 0, 0, 0, without.size(), without);
    System.out.printf(
        "misses of clients: p50 %.2f ms with, %.2f without; p99 %.2f ms with, %.2f without; %d with,"
            + " %d without%n",
        all.percentileMillis(0.5),
        none.percentileMillis(0.5),
        all.percentileMillis(0.99),
        none.percentileMillis(0.99),
        with.size(),
        without.size());
  }

  private static String describe(Outcome one) {
    return "fetched %d bytes, ahead %d, used %d, wasted %d; %d misses, p50 %.2f ms, p99 %.2f ms"
        .formatted(
            one.fetched,
            one.ahead,
            one.used,
            one.wasted,
            one.misses,
            one.percentileMillis(0.5),
            one.percentileMillis(0.99));
  }

  private static final class Viewer {
    int channel;
    int position;
  }

  private static int channel(SplittableRandom random) {
    double sum = 0;
    for (int i = 1; i <= CHANNELS; i++) {
      sum += 1.0 / i;
    }
    double left = random.nextDouble() * sum;
    for (int i = 1; i <= CHANNELS; i++) {
      left -= 1.0 / i;
      if (left < 0) {
        return i - 1;
      }
    }
    return CHANNELS - 1;
  }

  private Outcome run(long seed, boolean isAhead, int steps, int viewerCount, long originMillis)
      throws Exception {
    Path own = Files.createTempDirectory(directory, "run");
    AtomicLong clock = new AtomicLong(System.currentTimeMillis());
    SplittableRandom random = new SplittableRandom(seed);
    int segments = steps + 20;
    try (TestOrigin origin = new TestOrigin()) {
      for (int channel = 0; channel < CHANNELS; channel++) {
        for (int i = 0; i < segments; i++) {
          byte[] body = Edge.bytes(channel, 3_000 + 50 * channel);
          origin.on(
              "/v/" + channel + "/" + i + ".m4s",
              (request, connection) -> {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(originMillis));
                TestOrigin.sendOk(connection, "cache-control: max-age=36000\r\n", body);
              });
        }
      }
      String route =
          isAhead ? "prefetch: {enabled: on, after: 5, sources: number}" : "cmcd: {cmsd: off}";
      try (Edge edge =
          Edge.start(
              own,
              "64MiB",
              Edge.origins(origin.url())
                  + "limits: {requests-per-connection: 1000000}\n"
                  + "routes: [{match: {path: /}, ROUTE}]\n".replace("ROUTE", route),
              clock::get)) {
        return play(edge, clock, random, steps, viewerCount);
      }
    }
  }

  private static Outcome play(
      Edge edge, AtomicLong clock, SplittableRandom random, int steps, int viewerCount)
      throws IOException {
    List<RawClient> clients = new ArrayList<>();
    List<Long> missNanos = new ArrayList<>();
    long missBytes = 0;
    try {
      for (int i = 0; i < 4; i++) {
        clients.add(edge.connect());
      }
      Viewer[] viewers = new Viewer[viewerCount];
      Arrays.setAll(viewers, i -> tunedIn(random, 0));
      for (int step = 0; step < steps; step++) {
        for (int i = 0; i < viewerCount; i++) {
          if (random.nextInt(60) == 0) {
            viewers[i] = tunedIn(random, step);
          }
          Viewer viewer = viewers[i];
          String path = "/v/" + viewer.channel + "/" + viewer.position++ + ".m4s";
          RawClient client = clients.get(i % clients.size());
          long start = System.nanoTime();
          client.request("GET", path);
          RawClient.Response reply = client.reply();
          long nanos = System.nanoTime() - start;
          if (reply.status() != 200) {
            throw new IOException(reply.toString());
          }
          if (!reply.isHit()) {
            missNanos.add(nanos);
            missBytes += reply.body().length;
          }
        }
        clock.addAndGet(STEP_MILLIS);
        Await.until("no fill in progress", () -> edge.server().fillsInProgress() == 0);
      }
      // What is left unused by now is wasted.
      clock.addAndGet(120_000);
      clients.getFirst().request("GET", "/v/0/0.m4s");
      clients.getFirst().reply();
      clients.get(1).request("GET", "/v/0/0.m4s");
      clients.get(1).reply();
    } finally {
      clients.forEach(RawClient::close);
    }
    long ahead = edge.sum(counters -> counters.prefetch.bytes);
    Await.until(
        "all that was fetched ahead is used or wasted",
        () ->
            edge.sum(counters -> counters.prefetch.usedBytes + counters.prefetch.wastedBytes)
                == edge.sum(counters -> counters.prefetch.bytes));
    return new Outcome(
        missBytes + ahead,
        ahead,
        edge.sum(counters -> counters.prefetch.usedBytes),
        edge.sum(counters -> counters.prefetch.wastedBytes),
        missNanos.size(),
        missNanos);
  }

  /** Viewers of a channel are within three segments of one another. */
  private static Viewer tunedIn(SplittableRandom random, int step) {
    Viewer viewer = new Viewer();
    viewer.channel = channel(random);
    viewer.position = step + random.nextInt(3);
    return viewer;
  }
}
