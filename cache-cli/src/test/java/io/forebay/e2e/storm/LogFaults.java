package io.forebay.e2e.storm;

import io.forebay.e2e.storm.Nemesis.Trace;
import io.forebay.e2e.storm.StormNetwork.Cut;
import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.EtcdFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A log that has lost history. */
final class LogFaults {
  private static final Duration NOTICED_LIMIT = Duration.ofSeconds(20);

  private LogFaults() {}

  /** History is compacted that a node has not read. */
  static Trace compact(Scene scene) throws Exception {
    StormCluster cluster = scene.cluster();
    long position = cluster.figure(scene.node(), "forebay_cluster_position");
    scene.edge().kill();
    long ignored = scene.hold(scene.millis(500, 5_000));
    long revision = cluster.revision();
    cluster.etcd().compact(revision);
    EdgeProcess back = scene.edge().restart();
    long applied = cluster.figure(scene.node(), "forebay_cluster_applied_purges_total");
    return new Trace(
        position < revision && back.isAlive(),
        "up to revision %d, %s was at %d: %d purges applied since it is back"
            .formatted(revision, scene.name(), position, applied));
  }

  /**
   * The log is set back while nodes do not reach it, and loses its name as docs/CLUSTER.md says.
   */
  static Trace restore(Scene scene) throws Exception {
    StormCluster cluster = scene.cluster();
    EtcdFixture etcd = cluster.etcd();
    Path saved = Files.createTempDirectory("saved").resolve("etcd");
    etcd.save(scene.random().nextInt(StormCluster.MEMBERS), saved);
    long ignored = scene.hold(scene.millis(300, 3_000));
    long[] gaps = new long[StormCluster.NODES];
    for (int i = 0; i < StormCluster.NODES; i++) {
      gaps[i] = cluster.figure(i, "forebay_cluster_gaps_total");
    }
    long before = cluster.revision();
    Cut cut =
        cluster.network().cut(StormNetwork.between(StormCluster.nodes(), StormCluster.members()));
    long after;
    long dropped;
    try {
      etcd.restore(saved);
      after = cluster.revision();
      cluster.deleteEpoch();
    } finally {
      dropped = cut.heal();
    }
    for (int i = 0; i < StormCluster.NODES; i++) {
      int node = i;
      Await.until(
          StormCluster.node(i) + " notices that the log is another one",
          NOTICED_LIMIT,
          () -> cluster.figure(node, "forebay_cluster_gaps_total") > gaps[node]);
    }
    return new Trace(
        after < before,
        "from revision %d to %d, %d packets dropped meanwhile: all nodes have noticed"
            .formatted(before, after, dropped));
  }
}
