package io.forebay.e2e.storm;

import io.forebay.e2e.storm.Storm.Verdict;
import io.forebay.e2e.storm.StormNetwork.Cut;
import io.forebay.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * A cluster, its clients and what befalls it, in namespaces of their own, which {@link StormRun}
 * makes. It ends when its standard input does.
 */
final class StormMain {
  private static final Duration OFFENCE_LIMIT = Duration.ofSeconds(30);
  private static final int SEED_OF_CLIENTS = 1;
  private static final int ORDERS_BEFORE = 30;

  /** Of three nodes, each does something else when it is cut off, or has a gap. */
  private static final List<String> CUT_OFFS = List.of("fence", "refuse", "fence");

  private static final List<String> GAPS = List.of("empty", "empty", "revalidate");

  private StormMain() {}

  /**
   * Runs.
   *
   * @param arguments what to do, a directory, and for storms: their number, the first seed, the
   *     file of seeds
   */
  public static void main(String[] arguments) throws Exception {
    // Answers of a few bytes would wait for acknowledgements of earlier ones.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    Thread watcher = Thread.ofPlatform().daemon(true).start(StormMain::endWithParent);
    Path directory = Path.of(arguments[1]);
    boolean isGood =
        switch (arguments[0]) {
          case "storms" ->
              storms(
                  directory,
                  Integer.parseInt(arguments[2]),
                  Long.parseLong(arguments[3]),
                  Path.of(arguments[4]));
          case "dropped-purges" -> droppedPurges(directory);
          case "claimed-fence" -> claimedFence(directory);
          default -> throw new IllegalArgumentException(arguments[0]);
        };
    System.out.println(isGood ? "as it should be" : "NOT as it should be");
    System.out.flush();
    Runtime.getRuntime().halt(isGood && watcher.isAlive() ? 0 : 1);
  }

  /** The kernel ends all other processes of the namespace with this one. */
  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) {
        // Nothing is said.
      }
    } catch (IOException e) {
      // The same.
    }
    Runtime.getRuntime().halt(3);
  }

  private static boolean storms(Path directory, int count, long firstSeed, Path seeds)
      throws Exception {
    History history = new History(StormClients.OBJECTS);
    try (VersionOrigin origin = new VersionOrigin(StormNetwork.HUB, history);
        StormCluster cluster = new StormCluster(directory, origin.url())) {
      for (int i = 0; i < StormCluster.NODES; i++) {
        cluster.addNode(CUT_OFFS.get(i), GAPS.get(i), cluster.etcd().endpointList());
      }
      try (StormClients clients = clients(cluster, history)) {
        Storm storm = new Storm(cluster, clients, history);
        int counted = 0;
        long seed = firstSeed;
        while (counted < count && seed - firstSeed < 2L * count && offences(history) == 0) {
          Verdict verdict = storm.run(seed++);
          System.out.println(verdict);
          counted += verdict.isCounted() ? 1 : 0;
          StormSeeds.append(seeds, verdict);
        }
        history.examples().forEach(System.out::println);
        return counted == count && offences(history) == 0 && history.tally().hits() > 0;
      }
    }
  }

  private static long offences(History history) {
    return history.tally().offences();
  }

  private static StormClients clients(StormCluster cluster, History history) {
    return new StormClients(cluster, history, new SplittableRandom(SEED_OF_CLIENTS));
  }

  /** A node that does not see all purges, and does not know: its reads must be found. */
  private static boolean droppedPurges(Path directory) throws Exception {
    History history = new History(StormClients.OBJECTS);
    try (VersionOrigin origin = new VersionOrigin(StormNetwork.HUB, history);
        StormCluster cluster = new StormCluster(directory, origin.url());
        DroppingRelay relay =
            new DroppingRelay(StormNetwork.HUB, cluster.etcd().endpoints().getFirst())) {
      for (int i = 0; i < StormCluster.NODES; i++) {
        cluster.addNode(
            "fence",
            "empty",
            i == StormCluster.NODES - 1 ? relay.url() : cluster.etcd().endpointList());
      }
      try (StormClients ignored = clients(cluster, history)) {
        return isFound(history, () -> relay.dropped() + " messages of the watch were dropped");
      }
    }
  }

  /** A node that serves where etcd says that it is fenced: its reads must be found. */
  private static boolean claimedFence(Path directory) throws Exception {
    History history = new History(StormClients.OBJECTS);
    int last = StormCluster.NODES - 1;
    try (VersionOrigin origin = new VersionOrigin(StormNetwork.HUB, history);
        StormCluster cluster = new StormCluster(directory, origin.url())) {
      for (int i = 0; i < StormCluster.NODES; i++) {
        cluster.addNode(i == last ? "serve" : "fence", "empty", cluster.etcd().endpointList());
      }
      try (StormClients ignored = clients(cluster, history)) {
        Await.until("purges are acknowledged", () -> history.tally().orders() >= ORDERS_BEFORE);
        if (offences(history) != 0) {
          return false;
        }
        cluster.claimFence(last);
        Cut cut =
            cluster
                .network()
                .cut(
                    StormNetwork.between(List.of(StormCluster.node(last)), StormCluster.members()));
        try {
          return isFound(history, () -> "the node was cut off");
        } finally {
          System.out.println(cut.heal() + " packets were dropped");
        }
      }
    }
  }

  private static boolean isFound(History history, Supplier<String> what) {
    try {
      Await.until(
          "a read is older than an acknowledged purge", OFFENCE_LIMIT, () -> offences(history) > 0);
    } catch (AssertionError never) {
      System.out.println(never.getMessage());
    }
    System.out.println(what.get() + ": " + history.tally());
    history.examples().stream().limit(3).forEach(System.out::println);
    return offences(history) > 0;
  }
}
