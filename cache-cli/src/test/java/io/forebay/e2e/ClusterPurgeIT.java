package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * An acknowledged purge is true everywhere, whatever fails. Clients read objects through three
 * nodes; purgers raise the version of an object at the origin and purge it on all nodes; meanwhile
 * a node is killed, a node is stopped for seconds, and the leader of etcd is killed. An offence is
 * a read that began after a purge was acknowledged and returned an older version than that purge
 * was for.
 */
@Tag("full")
final class ClusterPurgeIT {
  private static final int NODES = 3;
  private static final int KEYS = 12;
  private static final int PURGERS = 3;
  private static final int READERS_PER_NODE = 2;
  private static final int LEAST_ACKNOWLEDGED = 300;
  private static final int WAIT_MILLIS = 8_000;

  @TempDir Path directory;

  /** The version of each object at the origin. */
  private final AtomicLongArray versions = new AtomicLongArray(KEYS);

  /** The version of the latest purge of each object that was acknowledged. */
  private final AtomicLongArray acknowledged = new AtomicLongArray(KEYS);

  private final AtomicInteger purges = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger pending = new AtomicInteger();
  private final AtomicInteger fenced = new AtomicInteger();
  private final AtomicLong reads = new AtomicLong();
  private final AtomicLong hits = new AtomicLong();
  private final ConcurrentLinkedQueue<String> offences = new ConcurrentLinkedQueue<>();
  private volatile boolean isOver;

  private void answer(PathOrigin.Exchange exchange) throws IOException {
    int key = Integer.parseInt(exchange.request().path().substring(2));
    exchange.respond(
        200,
        "Cache-Control: max-age=3600\r\nSurrogate-Key: k" + key + "\r\n",
        Long.toString(versions.get(key)));
  }

  private void read(EdgeProcess edge, SplittableRandom random) {
    while (!isOver) {
      try (RawClient client = new RawClient(edge.port())) {
        client.timeoutMillis(20_000);
        for (int i = 0; i < 200 && !isOver; i++) {
          int key = random.nextInt(KEYS);
          long least = acknowledged.get(key);
          RawClient.Response response = client.get("/k" + key, "Host: site.example");
          if (response.status() == 200) {
            reads.incrementAndGet();
            hits.addAndGet(response.isHit() ? 1 : 0);
            long version = Long.parseLong(response.text());
            if (version < least) {
              offences.add(
                  "port %d, object %d: %d was read after the purge for %d was acknowledged: %s"
                      .formatted(edge.port(), key, version, least, response.lines()));
            }
          }
        }
      } catch (IOException | RuntimeException e) {
        // The node is dead, or was killed under the request.
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  private void purge(ClusterEdges cluster, int purger, SplittableRandom random) {
    while (!isOver) {
      int key = random.nextInt(KEYS / PURGERS) * PURGERS + purger;
      long version = versions.incrementAndGet(key);
      try {
        JsonNode answer =
            ClusterEdges.purge(cluster.edge(random.nextInt(NODES)), "k" + key, WAIT_MILLIS);
        JsonNode receipt = answer.path("cluster");
        if (!receipt.isObject()) {
          refused.incrementAndGet();
        } else if (receipt.path("acknowledged").asBoolean(false)) {
          acknowledged.set(key, version);
          purges.incrementAndGet();
          fenced.addAndGet(receipt.path("fenced").isEmpty() ? 0 : 1);
        } else {
          pending.incrementAndGet();
        }
      } catch (IOException e) {
        refused.incrementAndGet();
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void awaitPurges(String what, int more) {
    int from = purges.get();
    Await.until(more + " purges " + what, Duration.ofMinutes(1), () -> purges.get() >= from + more);
  }

  /** Purges are acknowledged while a node is fenced, which they were not before. */
  private void awaitFenced(String what) {
    int from = fenced.get();
    Await.until(
        "purges find the node fenced " + what,
        Duration.ofMinutes(1),
        () -> fenced.get() >= from + 10);
  }

  @Test
  void anAcknowledgedPurgeIsTrueOnAllNodesWhateverFails() throws Exception {
    check(false);
  }

  /** Two thirds of the objects of each node come from another one. */
  @Test
  void theSameHoldsWhileNodesGiveEachOtherObjects() throws Exception {
    check(true);
  }

  private ClusterEdges cluster(String originUrl, boolean isSharing) throws Exception {
    return isSharing
        ? ClusterEdges.startSharing(
            directory, originUrl, 3, NODES, name -> "", "2s", settings -> settings)
        : ClusterEdges.start(directory, originUrl, 3, NODES);
  }

  private void check(boolean isSharing) throws Exception {
    long seed = new SplittableRandom().nextLong();
    System.out.println("ClusterPurgeIT seed " + seed + "L");
    SplittableRandom random = new SplittableRandom(seed);
    try (PathOrigin origin = PathOrigin.start();
        ClusterEdges cluster = cluster(origin.url(), isSharing)) {
      origin.otherwise(this::answer);
      try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
        try {
          for (int purger = 0; purger < PURGERS; purger++) {
            int own = purger;
            SplittableRandom its = random.split();
            clients.execute(() -> purge(cluster, own, its));
          }
          for (int i = 0; i < NODES * READERS_PER_NODE; i++) {
            EdgeProcess edge = cluster.edge(i % NODES);
            SplittableRandom its = random.split();
            clients.execute(() -> read(edge, its));
          }
          awaitPurges("before anything fails", 50);
          nemeses(cluster, random);
          Await.until(
              "enough purges are acknowledged",
              () -> purges.get() >= LEAST_ACKNOWLEDGED || !offences.isEmpty());
          if (isSharing) {
            assertTrue(
                cluster.edge(0).metrics().sum("forebay_cluster_peer_requests_total") > 0,
                "the nodes asked each other");
          }
        } finally {
          isOver = true;
        }
      }
    } finally {
      System.out.println(
          "ClusterPurgeIT: purges %d acknowledged (%d with a fenced node), %d pending, %d refused;"
                  .formatted(purges.get(), fenced.get(), pending.get(), refused.get())
              + " reads %d, hits %d; offences %d"
                  .formatted(reads.get(), hits.get(), offences.size()));
    }
    assertEquals(List.of(), offences.stream().limit(5).toList());
    assertTrue(hits.get() > 0, "the nodes served from their stores");
  }

  private void nemeses(ClusterEdges cluster, SplittableRandom random) throws Exception {
    EdgeProcess killed = cluster.edge(random.nextInt(NODES));
    killed.kill();
    awaitFenced("after it was killed");
    EdgeProcess ignored = killed.restart();
    awaitPurges("after the node is back", 10);

    EdgeProcess stopped = cluster.edge(random.nextInt(NODES));
    stopped.signal("STOP");
    try {
      awaitFenced("while it is stopped");
    } finally {
      stopped.signal("CONT");
    }
    awaitPurges("after the node goes on", 10);

    int leader = cluster.etcd().leader();
    assertTrue(leader >= 0, "etcd has a leader");
    cluster.etcd().kill(leader);
    awaitPurges("after the leader of etcd was killed", 20);
    assertTrue(cluster.etcd().leader() != leader, "another member leads");
    cluster.etcd().restart(leader);
    awaitPurges("after it is back", 10);
  }
}
