package io.forebay.server.cluster.fleet;

import java.util.List;

/** Decides which version each node should have. Pure functions. */
final class RolloutPlan {
  private RolloutPlan() {}

  /** The version that a node should have. */
  static long wanted(Rollout rollout, String node, String group) {
    return isReached(rollout, node, group) ? rollout.candidate() : rollout.version();
  }

  /** Whether a node is in one of the stages so far. */
  static boolean isReached(Rollout rollout, String node, String group) {
    return rollout.isRolling()
        && rollout.stages().subList(0, rollout.stage() + 1).stream()
            .anyMatch(stage -> stage.has(node, group));
  }

  /** Identifies the roll-out, the stage and the version that the traffic of a node belongs to. */
  static String mark(Rollout rollout, long version) {
    return rollout.id() + ":" + rollout.stage() + ":" + version;
  }

  /** The traffic of the nodes that have the candidate, since the stage began. */
  static TrafficCounts reached(Rollout rollout, List<NodeReport> nodes) {
    String mark = mark(rollout, rollout.candidate());
    TrafficCounts sum = TrafficCounts.NONE;
    for (NodeReport node : nodes) {
      sum = node.isAlive() && node.mark().equals(mark) ? sum.plus(node.traffic()) : sum;
    }
    return sum;
  }

  /**
   * The traffic to compare {@link #reached} with: that of nodes without the candidate; else that of
   * such nodes in an earlier stage; else that of the same nodes before they took it.
   */
  static TrafficCounts others(Rollout rollout, List<NodeReport> nodes) {
    String own = mark(rollout, rollout.candidate());
    String mark = mark(rollout, rollout.version());
    TrafficCounts without = TrafficCounts.NONE;
    TrafficCounts before = TrafficCounts.NONE;
    for (NodeReport node : nodes) {
      if (node.isAlive() && node.mark().equals(mark)) {
        without = without.plus(node.traffic());
      } else if (node.isAlive() && node.mark().equals(own)) {
        before = before.plus(node.before());
      }
    }
    if (without.requests() >= RolloutGuard.MIN_REQUESTS) {
      return without;
    }
    return rollout.reference().requests() >= RolloutGuard.MIN_REQUESTS
        ? rollout.reference()
        : before;
  }
}
