package io.forebay.e2e.storm;

import io.forebay.e2e.storm.History.Tally;
import io.forebay.e2e.storm.Nemesis.Trace;
import io.forebay.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Faults of half a minute, which a seed decides: two rounds, each of one fault or of two at the
 * same time. Seeds that follow each other begin with every kind of fault in turn.
 */
final class Storm {
  /** Fewer acknowledged purges say little. */
  static final int LEAST_PURGES = 1_000;

  private static final long MOST_NANOS = Duration.ofSeconds(30).toNanos();
  private static final long[] ROUND_ENDS = {
    Duration.ofSeconds(12).toNanos(), Duration.ofSeconds(21).toNanos()
  };
  private static final int ORDERS_BETWEEN = 20;

  private final StormCluster cluster;
  private final StormClients clients;
  private final History history;

  Storm(StormCluster cluster, StormClients clients, History history) {
    this.cluster = cluster;
    this.clients = clients;
    this.history = history;
  }

  /**
   * What came of a storm.
   *
   * @param isCounted whether each fault has shown itself, and enough purges were acknowledged
   */
  record Verdict(long seed, boolean isCounted, Tally tally, double seconds, List<Trace> traces) {
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      text.append(
          "storm %d %s, %.1f s: %s"
              .formatted(seed, isCounted ? "counts" : "does not count", seconds, tally));
      for (Trace trace : traces) {
        text.append("\n    ").append(trace.isShown() ? "" : "NOT SHOWN: ").append(trace.text());
      }
      return text.toString();
    }
  }

  /** One fault of a round. */
  private record Part(Nemesis nemesis, int node, SplittableRandom random) {}

  Verdict run(long seed) throws Exception {
    List<List<Part>> rounds = rounds(seed);
    Tally before = history.tally();
    long start = System.nanoTime();
    List<Trace> traces = new ArrayList<>();
    for (int i = 0; i < rounds.size(); i++) {
      long wanted = history.tally().orders() + ORDERS_BETWEEN;
      awaitUntil(start + MOST_NANOS, () -> history.tally().orders() >= wanted);
      if (System.nanoTime() < start + ROUND_ENDS[i]) {
        traces.addAll(strike(rounds.get(i), start + ROUND_ENDS[i]));
      }
    }
    awaitUntil(start + MOST_NANOS, () -> history.tally().since(before).purges() >= LEAST_PURGES);
    double seconds = (System.nanoTime() - start) / 1e9;
    Tally tally = history.tally().since(before);
    cluster.awaitReady();
    clients.readAll();
    Tally all = history.tally().since(before);
    return new Verdict(
        seed,
        traces.stream().allMatch(Trace::isShown)
            && tally.purges() >= LEAST_PURGES
            && seconds < MOST_NANOS / 1e9 + 1,
        all,
        seconds,
        traces);
  }

  private static void awaitUntil(long end, Callable<Boolean> condition) {
    long left = end - System.nanoTime();
    if (left > 0) {
      try {
        Await.until("the storm goes on", Duration.ofNanos(left), condition);
      } catch (AssertionError over) {
        // Its time is over, and what came of it says how far it has come.
      }
    }
  }

  private static List<List<Part>> rounds(long seed) {
    Nemesis[] all = Nemesis.values();
    SplittableRandom random = new SplittableRandom(seed);
    List<List<Part>> rounds = new ArrayList<>();
    for (int i = 0; i < ROUND_ENDS.length; i++) {
      Nemesis first =
          i == 0
              ? all[(int) Math.floorMod(seed, (long) all.length)]
              : all[random.nextInt(all.length)];
      int node = random.nextInt(StormCluster.NODES);
      List<Part> round = new ArrayList<>(List.of(new Part(first, node, random.split())));
      List<Nemesis> beside = Arrays.stream(all).filter(first::isBeside).toList();
      if (!beside.isEmpty() && random.nextInt(3) > 0) {
        round.add(
            new Part(
                beside.get(random.nextInt(beside.size())),
                (node + 1 + random.nextInt(StormCluster.NODES - 1)) % StormCluster.NODES,
                random.split()));
      }
      rounds.add(round);
    }
    return rounds;
  }

  private List<Trace> strike(List<Part> round, long end) throws Exception {
    List<Future<Trace>> strikes = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Part part : round) {
        Scene scene = new Scene(cluster, history, part.random(), part.node(), end);
        strikes.add(threads.submit(() -> part.nemesis().strike(scene)));
      }
    }
    List<Trace> traces = new ArrayList<>();
    for (Future<Trace> strike : strikes) {
      try {
        traces.add(strike.get());
      } catch (ExecutionException e) {
        throw new AssertionError("a fault could not be made or undone", e.getCause());
      }
    }
    return traces;
  }
}
