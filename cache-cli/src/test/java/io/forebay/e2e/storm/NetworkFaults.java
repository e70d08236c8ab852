package io.forebay.e2e.storm;

import io.forebay.e2e.storm.History.Tally;
import io.forebay.e2e.storm.Nemesis.Trace;
import io.forebay.e2e.storm.Scene.Held;
import io.forebay.e2e.storm.StormNetwork.Cut;
import io.forebay.e2e.storm.StormNetwork.Link;
import java.util.ArrayList;
import java.util.List;

/** Packets that do not arrive. Clients and the origin are always reached. */
final class NetworkFaults {
  private NetworkFaults() {}

  static Trace cutFromLog(Scene scene) throws Exception {
    return cut(
        scene,
        scene.name() + " from etcd",
        StormNetwork.between(List.of(scene.name()), StormCluster.members()),
        scene.millis(500, 10_000));
  }

  static Trace cutFromNodes(Scene scene) throws Exception {
    return cut(
        scene,
        scene.name() + " from the other nodes",
        StormNetwork.between(List.of(scene.name()), StormCluster.nodes()),
        scene.millis(500, 5_000));
  }

  static Trace oneWay(Scene scene) throws Exception {
    List<String> node = List.of(scene.name());
    List<String> members = StormCluster.members();
    List<String> nodes = StormCluster.nodes();
    int way = scene.random().nextInt(4);
    return cut(
        scene,
        switch (way) {
          case 0 -> scene.name() + " to etcd";
          case 1 -> "etcd to " + scene.name();
          case 2 -> scene.name() + " to the other nodes";
          default -> "the other nodes to " + scene.name();
        },
        switch (way) {
          case 0 -> StormNetwork.oneWay(node, members);
          case 1 -> StormNetwork.oneWay(members, node);
          case 2 -> StormNetwork.oneWay(node, nodes);
          default -> StormNetwork.oneWay(nodes, node);
        },
        scene.millis(500, way < 2 ? 10_000 : 5_000));
  }

  static Trace halves(Scene scene) throws Exception {
    List<String> one = new ArrayList<>();
    List<String> other = new ArrayList<>();
    int node = scene.random().nextInt(StormCluster.NODES);
    for (int i = 0; i < StormCluster.NODES; i++) {
      (i == node ? one : other).add(StormCluster.node(i));
    }
    // Either half has the quorum of etcd.
    int member = scene.random().nextInt(StormCluster.MEMBERS);
    boolean hasQuorum = scene.random().nextBoolean();
    for (int i = 0; i < StormCluster.MEMBERS; i++) {
      (i == member == hasQuorum ? other : one).add(StormCluster.member(i));
    }
    return cut(
        scene, one + " from " + other, StormNetwork.between(one, other), scene.millis(500, 9_000));
  }

  private static Trace cut(Scene scene, String what, List<Link> links, long millis)
      throws Exception {
    Tally before = scene.history().tally();
    Cut cut = scene.cluster().network().cut(links);
    Held held = new Held(0, false);
    long dropped;
    try {
      held =
          scene.hold(
              millis, () -> scene.cluster().figure(scene.node(), "forebay_cluster_fenced") == 1);
    } finally {
      dropped = cut.heal();
    }
    Tally meanwhile = scene.history().tally().since(before);
    return new Trace(
        dropped > 0,
        "%s for %d ms: %d packets dropped, %s%d orders, %d acknowledged with a fenced node"
            .formatted(
                what,
                held.millis(),
                dropped,
                held.isSeen() ? scene.name() + " fenced, " : "",
                meanwhile.ended(),
                meanwhile.fenced()));
  }
}
