package io.forebay.benchmarks.lab;

import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.ClusterYaml;
import io.forebay.testing.Directories;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.EtcdFixture;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What purges of a cluster take on loopback: five nodes, three members of etcd.
 *
 * <pre>
 * java @benchmarks/jvm.options -cp benchmarks/target/benchmarks.jar \\
 *     io.forebay.benchmarks.lab.ClusterLab cache-cli/target/forebay.jar [PURGES]
 * </pre>
 *
 * <p>Prints a table: the time until all have confirmed a purge, how many purges a second are put in
 * force on each node, how long a node needs for those that it has missed, what the death of etcd's
 * leader costs purges and hits, and what an object costs that another node has. The load of the
 * machine is printed with it.
 */
public final class ClusterLab {
  private static final int NODES = 5;
  private static final int MEMBERS = 3;
  private static final int PURGES = 400;
  private static final int WARM_UP = 500;

  /** etcd commits to its store each 100 ms. */
  private static final long REST_MILLIS = 150;

  private static final int MISSED = 10_000;
  private static final int APPLIED = 10_000;
  private static final int BATCH = 250;
  private static final int WRITERS = 4;
  private static final int ROUNDS = 3;
  private static final int PATHS = 100;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** Longer than the nodes and members need to be killed. */
  private static final Duration END_LIMIT = Duration.ofSeconds(20);

  private final EtcdFixture etcd;
  private final Path directory;
  private final List<EdgeProcess> edges = new ArrayList<>();
  private final AtomicInteger number = new AtomicInteger();

  private ClusterLab(EtcdFixture etcd, Path directory) {
    this.etcd = etcd;
    this.directory = directory;
  }

  public static void main(String[] arguments) throws Exception {
    Thread main = Thread.currentThread();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(main), "end"));
    Path jar = Path.of(arguments[0]).toAbsolutePath();
    System.setProperty("forebay.jar", jar.toString());
    int purges = arguments.length > 1 ? Integer.parseInt(arguments[1]) : PURGES;
    Path directory = Files.createTempDirectory("forebay-cluster-");
    try (PathOrigin origin = PathOrigin.start();
        EtcdFixture etcd = EtcdFixture.start(directory.resolve("etcd"), MEMBERS)) {
      origin.otherwise(exchange ->
          exchange.respond(200, "Cache-Control: max-age=3600\r\nCache-Tag: hit\r\n", "body"));
      ClusterLab lab = new ClusterLab(etcd, directory);
      try {
        lab.start(jar, origin.url());
        System.out.println("| | result |");
        System.out.println("|---|---|");
        lab.load("before");
        PeerHits.Result hits = new PeerHits(lab.edges).measure();
        row("a hit of a peer, first byte", hits.time());
        row("a hit of a peer, CPU of all nodes", hits.cpu());
        lab.acknowledgements(purges);
        lab.rate();
        lab.catchUp();
        for (int round = 1; round <= ROUNDS; round++) {
          lab.leader(round);
        }
        lab.load("after");
      } finally {
        lab.stop();
      }
    } finally {
      Directories.delete(directory);
    }
  }

  /** At a signal: the main thread ends what it has started, and this one what is left then. */
  private static void end(Thread main) {
    main.interrupt();
    try {
      boolean ignored = main.join(END_LIMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
  }

  private void start(Path jar, String origin) throws Exception {
    Certificates certificates = Certificates.in(Files.createDirectories(directory.resolve("tls")));
    for (int i = 0; i < NODES; i++) {
      String name = "edge-" + i;
      edges.add(
          EdgeProcess.of(jar, directory.resolve(name))
              .with("--origin", origin)
              .threads(1)
              .memory("32MiB")
              .noisy()
              .jvm("-Xmx256m")
              .config(
                  ClusterYaml.of(
                      "lab",
                      name,
                      certificates,
                      etcd,
                      "  share: {listen: \"127.0.0.1:%d\", copies: never}\n"
                          .formatted(Ports.free())))
              .start());
    }
    for (EdgeProcess edge : edges) {
      Await.until(
          "the node knows the others", () -> edge.metrics().sum("forebay_cluster_alive") == NODES);
    }
  }

  private void stop() throws Exception {
    for (EdgeProcess edge : edges) {
      if (edge.isAlive()) {
        edge.kill();
      }
      edge.close();
    }
  }

  private void load(String when) throws IOException {
    row(
        "load of the machine " + when,
        Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0]
            + ", "
            + Runtime.getRuntime().availableProcessors()
            + " cores");
  }

  private static void row(String what, String result) {
    System.out.println("| " + what + " | " + result + " |");
  }

  /** Of tags that nothing has; each is a purge of its own. */
  private JsonNode purge(EdgeProcess edge, int tags, String wait)
      throws IOException, InterruptedException {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < tags; i++) {
      names.add("t" + number.incrementAndGet());
    }
    return JsonMapper.shared()
        .readTree(
            edge.adminPost(
                    "/v1/purge",
                    JsonMapper.shared()
                        .writeValueAsString(
                            JsonMapper.shared()
                                .createObjectNode()
                                .put("wait", wait)
                                .put("waitMillis", 8_000)
                                .set("tags", JsonMapper.shared().valueToTree(names))))
                .body());
  }

  /**
   * One purge at a time, by all nodes in turn: on a cluster at rest, which the goal is about, and
   * one directly after another, beside what etcd still does for the one before.
   */
  private void acknowledgements(int purges) throws Exception {
    row("a write of this process, forced, nothing beside it", ForcedWrites.alone(directory));
    for (int i = 0; i < WARM_UP; i++) {
      JsonNode ignored = purge(edges.get(i % NODES), 1, "all");
    }
    acknowledgements("at rest", purges / 2, REST_MILLIS);
    acknowledgements("one after another", purges, 0);
  }

  private void acknowledgements(String how, int purges, long restMillis) throws Exception {
    ForcedWrites forced = new ForcedWrites(etcd);
    long[] nanos = new long[purges];
    int unacknowledged = 0;
    for (int i = 0; i < purges; i++) {
      Thread.sleep(restMillis);
      long start = System.nanoTime();
      JsonNode answer = purge(edges.get(i % NODES), 1, "all");
      nanos[i] = System.nanoTime() - start;
      unacknowledged += answer.path("cluster").path("acknowledged").asBoolean(false) ? 0 : 1;
    }
    Arrays.sort(nanos);
    row(
        String.format(
            Locale.ROOT,
            "a purge until all of %d have confirmed, %s, %d purges",
            NODES,
            how,
            purges),
        String.format(
            Locale.ROOT,
            "p50 %.1f ms, p99 %.1f ms, longest %.1f ms, %d not acknowledged",
            nanos[purges / 2] / 1e6,
            nanos[purges * 99 / 100] / 1e6,
            nanos[purges - 1] / 1e6,
            unacknowledged));
    row("forced writes of etcd's logs meanwhile", forced.ofEtcd());
  }

  private double applied(EdgeProcess edge) throws IOException, InterruptedException {
    return edge.metrics().sum("forebay_cluster_applied_purges_total");
  }

  /** Several write as fast as they can; it ends when the last node has the last purge. */
  private void rate() throws Exception {
    double[] before = new double[NODES];
    for (int i = 0; i < NODES; i++) {
      before[i] = applied(edges.get(i));
    }
    long start = System.nanoTime();
    publish(APPLIED, NODES);
    double written = (System.nanoTime() - start) / 1e9;
    Await.until(
        "all nodes have all purges",
        LIMIT,
        () -> {
          for (int i = 0; i < NODES; i++) {
            if (applied(edges.get(i)) - before[i] < APPLIED) {
              return false;
            }
          }
          return true;
        });
    double seconds = (System.nanoTime() - start) / 1e9;
    row(
        String.format(Locale.ROOT, "%d purges by %d writers, %d an order", APPLIED, WRITERS, BATCH),
        String.format(
            Locale.ROOT,
            "written at %.0f/s, in force on all %d nodes at %.0f/s",
            APPLIED / written,
            NODES,
            APPLIED / seconds));
  }

  private void publish(int purges, int nodes) throws InterruptedException {
    AtomicInteger left = new AtomicInteger(purges / BATCH);
    ConcurrentLinkedQueue<Exception> failures = new ConcurrentLinkedQueue<>();
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      EdgeProcess edge = edges.get(i % nodes);
      writers.add(
          Thread.ofVirtual()
              .start(() -> {
                try {
                  while (left.getAndDecrement() > 0) {
                    JsonNode ignored = purge(edge, BATCH, "self");
                  }
                } catch (IOException | InterruptedException e) {
                  failures.add(e);
                }
              }));
    }
    for (Thread writer : writers) {
      writer.join();
    }
    if (!failures.isEmpty()) {
      throw new IllegalStateException("a writer failed", failures.peek());
    }
  }

  /** A node is killed, misses purges, and starts again; also where etcd has dropped its history. */
  private void catchUp() throws Exception {
    EdgeProcess last = edges.getLast();
    catchUp(last, 0, false);
    catchUp(last, MISSED, false);
    catchUp(last, MISSED, true);
  }

  private void catchUp(EdgeProcess edge, int missed, boolean isCompacted) throws Exception {
    edge.kill();
    if (missed > 0) {
      publish(missed, NODES - 1);
    }
    if (isCompacted) {
      etcd.compact((long) edges.getFirst().metrics().sum("forebay_cluster_position"));
    }
    long start = System.nanoTime();
    EdgeProcess ignored = edge.restart();
    row(
        missed == 0
            ? "kill -9 until ready, nothing missed"
            : String.format(
                Locale.ROOT,
                "kill -9 until ready, %d missed%s",
                missed,
                isCompacted ? ", compacted" : ""),
        String.format(
            Locale.ROOT,
            "%.2f s, %.0f purges applied, %.0f gaps",
            (System.nanoTime() - start) / 1e9,
            applied(edge),
            edge.metrics().sum("forebay_cluster_gaps_total")));
  }

  /** A path that the node has and owns: no other node has a part in its hits. */
  private static String ownHit(EdgeProcess edge) throws IOException {
    for (int i = 0; i < PATHS; i++) {
      String path = "/hit" + i;
      RawClient.Response ignored = edge.get(path);
      RawClient.Response again = edge.get(path);
      if (again.isHit() && again.field("cache-status").indexOf(',') < 0) {
        return path;
      }
    }
    throw new IllegalStateException("the node owns none of " + PATHS + " paths");
  }

  /** Purges one after another and hits all the time, while etcd's leader is killed. */
  private void leader(int round) throws Exception {
    EdgeProcess edge = edges.getFirst();
    String path = ownHit(edge);
    AtomicBoolean isOver = new AtomicBoolean();
    long[] longest = new long[2];
    AtomicInteger hits = new AtomicInteger();
    AtomicInteger others = new AtomicInteger();
    Thread reader =
        Thread.ofPlatform()
            .start(() -> {
              try (RawClient client = new RawClient(edge.port())) {
                while (!isOver.get()) {
                  long start = System.nanoTime();
                  (client.get(path).isHit() ? hits : others).incrementAndGet();
                  longest[0] = Math.max(longest[0], System.nanoTime() - start);
                  Thread.sleep(1);
                }
              } catch (IOException | InterruptedException e) {
                others.incrementAndGet();
              }
            });
    int leader = etcd.leader();
    int refused = 0;
    long begin = System.nanoTime();
    boolean isKilled = false;
    while (System.nanoTime() - begin < Duration.ofSeconds(8).toNanos()) {
      if (!isKilled && System.nanoTime() - begin > Duration.ofSeconds(1).toNanos()) {
        etcd.kill(leader);
        isKilled = true;
      }
      long start = System.nanoTime();
      JsonNode answer = purge(edge, 1, "all");
      longest[1] = Math.max(longest[1], System.nanoTime() - start);
      refused += answer.path("cluster").isObject() ? 0 : 1;
    }
    isOver.set(true);
    reader.join();
    etcd.restart(leader);
    etcd.awaitLeader();
    row(
        String.format(Locale.ROOT, "leader of etcd killed, round %d", round),
        String.format(
            Locale.ROOT,
            "longest purge %.2f s, %d refused; longest hit %.1f ms, %d hits, %d others",
            longest[1] / 1e9,
            refused,
            longest[0] / 1e6,
            hits.get(),
            others.get()));
  }
}
