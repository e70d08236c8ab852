package io.forebay.server.cluster.fleet;

import java.util.List;

/** Who should have which version. Pure. */
final class RolloutPlan {
  private RolloutPlan() {}

  /** The version that a node should have. */
  static long wanted(Rollout rollout, String node, String group) {
    return isReached(rollout, node, group) ? rollout.candidate() : rollout.version();
  }

  /** Whether a node is of the stages so far. */
  static boolean isReached(Rollout rollout, String node, String group) {
    return rollout.isRolling()
        && rollout.stages().subList(0, rollout.stage() + 1).stream()
            .anyMatch(stage -> stage.has(node, group));
  }

  /** What traffic is counted under while a node has a version. */
  static String mark(Rollout rollout, long version) {
    return rollout.id() + ":" + rollout.stage() + ":" + version;
  }

  /** The traffic of the nodes that a stage has reached, since it began. */
  static TrafficCounts reached(Rollout rollout, List<NodeReport> nodes) {
    String mark = mark(rollout, rollout.candidate());
    TrafficCounts sum = TrafficCounts.NONE;
    for (NodeReport node : nodes) {
      sum = node.isAlive() && node.mark().equals(mark) ? sum.plus(node.traffic()) : sum;
    }
    return sum;
  }

  /**
   * What that is compared with: nodes that have the version before, what these had in an earlier
   * stage, or the same nodes before the document.
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
