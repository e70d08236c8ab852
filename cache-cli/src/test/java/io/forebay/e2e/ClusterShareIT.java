package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes of a cluster that give each other objects, with Debian's etcd. */
@Tag("full")
final class ClusterShareIT {
  private static final int KEYS = 1_000;
  private static final int CLIENTS = 64;

  /** The same for all nodes, so that they have the same keys. */
  private static final String HOST = "Host: site.example";

  @TempDir Path directory;
  private PathOrigin origin;

  @BeforeEach
  void start() throws Exception {
    origin = PathOrigin.start();
    origin.otherwise(exchange ->
        exchange.respond(
            200,
            "Cache-Control: max-age=3600\r\nETag: \"1\"\r\nSurrogate-Key: all\r\n",
            exchange.request().path()));
  }

  @AfterEach
  void stop() throws Exception {
    origin.close();
  }

  private ClusterEdges cluster(int nodes) throws Exception {
    return ClusterEdges.startSharing(
        directory, origin.url(), 1, nodes, name -> "", "30s", settings -> settings);
  }

  /** Asks for other objects first: a count is of nodes that run, not of five JVMs that warm up. */
  private void warmUp(ClusterEdges cluster) throws Exception {
    List<Question> questions = new ArrayList<>();
    for (int key = KEYS; key < 2 * KEYS; key++) {
      for (int node = 0; node < cluster.size(); node++) {
        questions.add(new Question(key, node));
      }
    }
    assertEquals(List.of(), ask(cluster, questions, () -> {}).stream().limit(5).toList());
  }

  /** Requests of the origin for the keys that are counted. */
  private long fetched() {
    return origin.requests().stream()
        .filter(request -> Integer.parseInt(request.path().substring("/k".length())) < KEYS)
        .count();
  }

  private static double peers(ClusterEdges cluster, String result) throws Exception {
    double sum = 0;
    for (int i = 0; i < cluster.size(); i++) {
      if (cluster.edge(i).isAlive()) {
        sum +=
            cluster
                .edge(i)
                .metrics()
                .sum("forebay_cluster_peer_requests_total", "result=\"" + result + "\"");
      }
    }
    return sum;
  }

  /** A path and the node that is asked for it. */
  private record Question(int key, int node) {}

  /**
   * Asks all questions, each once, by that many clients.
   *
   * @param halfway run once half of them are asked
   * @return answers that were no success
   */
  private List<String> ask(ClusterEdges cluster, List<Question> questions, Runnable halfway)
      throws Exception {
    ConcurrentLinkedQueue<Question> open = new ConcurrentLinkedQueue<>(questions);
    ConcurrentLinkedQueue<String> failed = new ConcurrentLinkedQueue<>();
    AtomicInteger asked = new AtomicInteger();
    CountDownLatch half = new CountDownLatch(questions.size() / 2);
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        all.add(
            clients.submit(() -> {
              for (Question next = open.poll(); next != null; next = open.poll()) {
                try (RawClient client = new RawClient(cluster.edge(next.node()).port())) {
                  client.timeoutMillis(30_000);
                  String path = "/k" + next.key();
                  RawClient.Response response = client.get(path, HOST);
                  if (response.status() != 200 || !response.text().equals(path)) {
                    failed.add(path + ": " + response);
                  }
                } catch (IOException e) {
                  failed.add("/k" + next.key() + ": " + e);
                }
                asked.incrementAndGet();
                half.countDown();
              }
            }));
      }
      assertTrue(half.await(120, TimeUnit.SECONDS), () -> "asked " + asked.get());
      halfway.run();
      for (Future<?> one : all) {
        Object ignored = one.get();
      }
    }
    return List.copyOf(failed);
  }

  @Test
  void aClusterFetchesEachObjectOnce() throws Exception {
    int nodes = 5;
    long seed = new SplittableRandom().nextLong();
    System.out.println("ClusterShareIT seed " + seed + "L");
    try (ClusterEdges cluster = cluster(nodes)) {
      List<Question> questions = new ArrayList<>();
      for (int key = 0; key < KEYS; key++) {
        for (int node = 0; node < nodes; node++) {
          questions.add(new Question(key, node));
        }
      }
      Collections.shuffle(questions, new Random(seed));
      warmUp(cluster);
      double failedBefore = peers(cluster, "failed");

      List<String> failed = ask(cluster, questions, () -> {});

      System.out.printf(
          "ClusterShareIT: %d requests of clients, %d of the origin; store %.0f, fetch %.0f, pass"
              + " %.0f, declined %.0f, failed %.0f%n",
          questions.size(),
          fetched(),
          peers(cluster, "store"),
          peers(cluster, "fetch"),
          peers(cluster, "pass"),
          peers(cluster, "declined"),
          peers(cluster, "failed"));
      assertEquals(List.of(), failed.stream().limit(5).toList());
      // A node that does not answer in time costs one fetch more at most.
      double more = peers(cluster, "failed") - failedBefore;
      assertTrue(
          fetched() >= KEYS && fetched() <= KEYS + more,
          fetched() + " fetches, " + more + " failed");
      assertEquals(0, peers(cluster, "declined"));
    }
  }

  /** A change of the cluster halfway. */
  private interface Change {
    void make(EdgeProcess last) throws Exception;
  }

  /** Cold keys, each asked once for, while something becomes of the last node. */
  private void fetchesAtMostOnePercentMore(ClusterEdges cluster, Change change) throws Exception {
    int last = cluster.size() - 1;
    long seed = new SplittableRandom().nextLong();
    System.out.println("ClusterShareIT seed " + seed + "L");
    SplittableRandom random = new SplittableRandom(seed);
    List<Question> questions = new ArrayList<>();
    for (int key = 0; key < KEYS; key++) {
      questions.add(new Question(key, random.nextInt(last)));
    }

    List<String> failed =
        ask(
            cluster,
            questions,
            () -> {
              try {
                change.make(cluster.edge(last));
              } catch (Exception e) {
                throw new AssertionError("the cluster did not change", e);
              }
            });

    long asked = fetched();
    System.out.printf(
        "ClusterShareIT: %d requests of the origin, failed %.0f%n",
        asked, peers(cluster, "failed"));
    assertEquals(List.of(), failed.stream().limit(5).toList());
    assertTrue(asked <= KEYS + KEYS / 100, "requests of the origin: " + asked);
  }

  @Test
  void aNodeThatDiesCostsOnePercentMoreAtMost() throws Exception {
    try (ClusterEdges cluster = cluster(5)) {
      warmUp(cluster);
      fetchesAtMostOnePercentMore(cluster, EdgeProcess::kill);
      assertTrue(peers(cluster, "failed") > 0, "the dead node was asked");
    }
  }

  @Test
  void aNodeThatJoinsCostsOnePercentMoreAtMost() throws Exception {
    AtomicReference<EdgeProcess> joined = new AtomicReference<>();
    try (ClusterEdges cluster = cluster(5)) {
      warmUp(cluster);
      cluster.edge(4).kill();
      Await.until(
          "the others know that it is gone",
          () -> cluster.edge(0).metrics().sum("forebay_cluster_alive") == 4);
      fetchesAtMostOnePercentMore(cluster, last -> joined.set(last.restart()));
    } finally {
      EdgeProcess started = joined.get();
      if (started != null) {
        started.close();
      }
    }
  }

  @Test
  void copiesOfOtherNodesObjectsAreNeverOnADisk() throws Exception {
    byte[] body = new byte[100_000];
    Arrays.fill(body, (byte) 'x');
    origin.otherwise(exchange -> exchange.respond(200, "Cache-Control: max-age=3600\r\n", body));
    int nodes = 3;
    AtomicInteger disks = new AtomicInteger();
    try (ClusterEdges cluster =
        ClusterEdges.startSharing(
            directory,
            origin.url(),
            1,
            nodes,
            name -> "",
            "30s",
            settings ->
                settings.with(
                    "--disk", directory.resolve("disk-" + disks.incrementAndGet()) + ":128MiB"))) {
      // More than memory holds.
      for (int key = 0; key < 600; key++) {
        for (int node = 0; node < nodes; node++) {
          assertEquals(200, cluster.edge(node).get("/big" + key, HOST).status());
        }
      }
      assertEquals(600, origin.requests().size());
      for (int node = 0; node < nodes; node++) {
        EdgeProcess edge = cluster.edge(node);
        Await.until(
            "copies left memory",
            () ->
                edge.metrics()
                        .sum("forebay_store_class_evicted_records_total", "class=\"node.copies\"")
                    > 0);
        Await.until(
            "own objects are on the disk",
            () -> edge.metrics().sum("forebay_disk_day_written_bytes") > 0);
        assertEquals(
            0,
            edge.metrics()
                .sum("forebay_store_class_written_records_total", "class=\"node.copies\""));
      }
    }
  }

  /** A path that begins so, and whose misses ask that many other nodes before the origin. */
  private static String pathThatAsks(EdgeProcess edge, String start, int nodes) throws Exception {
    for (int i = 0; i < 100; i++) {
      if (asked(edge, start + i).size() == nodes) {
        return start + i;
      }
    }
    throw new AssertionError("no key of a hundred asks " + nodes + " nodes");
  }

  /** The nodes that a miss asks before the origin, in their order. */
  private static List<String> asked(EdgeProcess edge, String path) throws Exception {
    Commands.Finished told =
        Jar.quick().run("explain", "http://site.example" + path, "--admin-url", edge.adminUrl());
    assertTrue(told.err().contains("of the cluster"), told.toString());
    Matcher names =
        Pattern.compile("before the origin: (edge-[0-9](?:, then edge-[0-9])*)")
            .matcher(told.err());
    return names.find() ? List.of(names.group(1).split(", then ")) : List.of();
  }

  /** Three megabytes, of which the first answer stops at the half. */
  private static final class HalfSent {
    private static final String FIELDS = "Cache-Control: max-age=3600\r\nETag: \"7\"\r\n";
    private static final Pattern RANGE = Pattern.compile("bytes=([0-9]+)-([0-9]*)");

    final byte[] body = new byte[3_000_000];
    final CountDownLatch isHalfSent = new CountDownLatch(1);

    HalfSent() {
      new Random(7).nextBytes(body);
    }

    void answer(PathOrigin.Exchange exchange) throws IOException, InterruptedException {
      Matcher range = RANGE.matcher(exchange.request().field("range"));
      if (range.matches()) {
        int first = Integer.parseInt(range.group(1));
        int end =
            range.group(2).isEmpty()
                ? body.length
                : Math.min(body.length, Integer.parseInt(range.group(2)) + 1);
        exchange.respond(
            206,
            FIELDS + "Content-Range: bytes " + first + "-" + (end - 1) + "/" + body.length + "\r\n",
            Arrays.copyOfRange(body, first, end));
      } else if (isHalfSent.getCount() > 0) {
        exchange.send(
            "HTTP/1.1 200 OK\r\n" + FIELDS + "Content-Length: " + body.length + "\r\n\r\n");
        exchange.send(Arrays.copyOf(body, body.length / 2));
        isHalfSent.countDown();
        exchange.awaitClose();
      } else {
        exchange.respond(200, FIELDS, body);
      }
    }
  }

  /**
   * Asks a node for a body whose owner dies when half of it has come.
   *
   * @param nodes how many the node asks before the origin: the owner, and the second in rank
   * @return the requests of the origin, the first one without its end
   */
  private List<PathOrigin.Request> bodyWhoseOwnerDies(int nodes) throws Exception {
    HalfSent film = new HalfSent();
    origin.otherwise(film::answer);
    try (ClusterEdges cluster = cluster(3)) {
      EdgeProcess asked = cluster.edge(0);
      String path = pathThatAsks(asked, "/film", nodes);
      String name = asked(asked, path).getFirst();
      EdgeProcess owner = cluster.edge(Integer.parseInt(name.substring("edge-".length())));
      try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
        Future<RawClient.Response> response = clients.submit(() -> asked.get(path, HOST));
        assertTrue(film.isHalfSent.await(30, TimeUnit.SECONDS), "the origin was asked");
        Await.until(
            "the node has some of the body",
            () ->
                asked.metrics().sum("forebay_cluster_peer_requests_total", "result=\"fetch\"") > 0);
        owner.kill();
        assertArrayEquals(film.body, response.get(60, TimeUnit.SECONDS).body());
      }
      return origin.requests(path);
    }
  }

  @Test
  void aBodyGoesOnFromTheOriginWhereItsOwnerDies() throws Exception {
    List<PathOrigin.Request> requests = bodyWhoseOwnerDies(1);
    assertEquals(2, requests.size(), requests::toString);
    assertTrue(requests.getLast().field("range").startsWith("bytes="), requests::toString);
  }

  @Test
  void aBodyGoesOnFromTheSecondNodeWhereItsOwnerDies() throws Exception {
    List<PathOrigin.Request> requests = bodyWhoseOwnerDies(2);
    // The second one fetches the whole body: the key is its own from now on.
    assertEquals(2, requests.size(), requests::toString);
    assertEquals("", requests.getLast().field("range"), requests::toString);
  }

  @Test
  void aShieldFetchesForTheGroupsBeforeIt() throws Exception {
    try (ClusterEdges cluster =
        ClusterEdges.startSharing(
            directory,
            origin.url(),
            1,
            3,
            // Two groups of one node each, before a third.
            name ->
                name.equals("edge-2")
                    ? "  group: hub\n  tier: 1\n"
                    : "  group: " + name + "\n  shield: hub\n",
            "30s",
            settings -> settings)) {
      for (int key = 0; key < 20; key++) {
        assertEquals("/s" + key, cluster.edge(0).get("/s" + key, HOST).text());
        assertEquals("/s" + key, cluster.edge(1).get("/s" + key, HOST).text());
      }
      assertEquals(20, origin.requests().size());
      RawClient.Response hit = cluster.edge(1).get("/s0", HOST);
      assertTrue(
          hit.field("cache-status").matches("edge-2; .*edge-1; hit.*"), hit.field("cache-status"));
      assertEquals(
          0,
          cluster
              .edge(0)
              .metrics()
              .sum("forebay_store_class_written_records_total", "class=\"node.copies\""));
    }
  }

  @Test
  void whatAClientChangesIsForgottenByTheOwnerToo() throws Exception {
    AtomicInteger version = new AtomicInteger(1);
    origin.otherwise(exchange -> {
      if (!exchange.request().method().equals("GET")) {
        version.incrementAndGet();
      }
      exchange.respond(200, "Cache-Control: max-age=3600\r\n", Integer.toString(version.get()));
    });
    try (ClusterEdges cluster = cluster(2)) {
      EdgeProcess first = cluster.edge(0);
      String path = pathThatAsks(first, "/o", 1);
      assertEquals("1", first.get(path, HOST).text());
      assertEquals(200, RawClient.request(first.port(), "DELETE", path, "", HOST).status());
      Await.until("the change is seen", () -> first.get(path, HOST).text().equals("2"));
      assertEquals("2", cluster.edge(1).get(path, HOST).text());
    }
  }
}
