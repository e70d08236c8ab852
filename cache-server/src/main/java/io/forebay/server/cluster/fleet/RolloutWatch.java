package io.forebay.server.cluster.fleet;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Watches a roll-out and decides when it advances or goes back. Each node has one; the first
 * decision that reaches etcd counts. Each measures time by its own clock, so the clocks of nodes
 * need not agree. Confined to one thread.
 */
final class RolloutWatch {
  /** The time for which a node of a stage may lack the document, be not ready, or be gone. */
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private final long patienceNanos;
  private String mark = "";

  /** Since when a node of the stage lacks something. */
  private long missingSince;

  /** Since when every node of the stage has the document and is ready; null while one is not. */
  private @Nullable Long completeSince;

  /** Nodes that had the candidate. */
  private final Set<String> taken = new HashSet<>();

  /** Those of them that are gone, with the time at which they went away. */
  private final Map<String, Long> goneSince = new HashMap<>();

  RolloutWatch(Duration patience) {
    this.patienceNanos = patience.toNanos();
  }

  /** A decision about a roll-out. */
  sealed interface Decision {
    /** The roll-out stays as it is. */
    record Wait(String why) implements Decision {}

    /** The next stage begins, or the roll-out ends. */
    record Advance(TrafficCounts others, String why) implements Decision {}

    /** The roll-out goes back to the version before. */
    record GiveUp(String why) implements Decision {}
  }

  /**
   * Decides by the present reports.
   *
   * @param nodes all of the cluster
   * @param now by {@link System#nanoTime}
   */
  Decision step(Rollout rollout, List<NodeReport> nodes, long now) {
    if (!rollout.isRolling()) {
      forget("", now);
      return new Decision.Wait("no version is rolled out");
    }
    String current = RolloutPlan.mark(rollout, rollout.candidate());
    if (!current.equals(mark)) {
      forget(current, now);
    }
    String failure = failure(rollout, nodes, now);
    if (failure != null) {
      return new Decision.GiveUp(failure);
    }
    // Before what is missing: errors of one node count while another has not taken it yet.
    TrafficCounts others = RolloutPlan.others(rollout, nodes);
    String violation = rollout.guard().violation(RolloutPlan.reached(rollout, nodes), others);
    if (violation != null) {
      return new Decision.GiveUp(violation);
    }
    String missing = missing(rollout, nodes);
    if (missing != null) {
      if (completeSince != null) {
        completeSince = null;
        missingSince = now;
      }
      return now - missingSince >= patienceNanos
          ? new Decision.GiveUp(
              missing + " for " + TimeUnit.NANOSECONDS.toSeconds(patienceNanos) + " s")
          : new Decision.Wait(missing);
    }
    Long complete = completeSince;
    if (complete == null) {
      complete = now;
      completeSince = complete;
    }
    long left = rollout.stages().get(rollout.stage()).bake().toNanos() - (now - complete);
    return left <= 0
        ? new Decision.Advance(others, "stage " + (rollout.stage() + 1) + " has baked")
        : new Decision.Wait(
            "stage "
                + (rollout.stage() + 1)
                + " bakes for "
                + (left / 1_000_000_000 + 1)
                + " s more");
  }

  /** Forgets how long the stage was watched, while the state of the nodes is not known. */
  void pause() {
    forget("", 0);
  }

  private void forget(String next, long now) {
    mark = next;
    missingSince = now;
    completeSince = null;
    taken.clear();
    goneSince.clear();
  }

  /**
   * Why the roll-out has failed: a node refused the document, or is gone since it took it. Null for
   * neither.
   */
  private @Nullable String failure(Rollout rollout, List<NodeReport> nodes, long now) {
    Set<String> gone = new TreeSet<>(taken);
    for (NodeReport node : nodes) {
      if (!node.isAlive() || !RolloutPlan.isReached(rollout, node.node(), node.group())) {
        continue;
      }
      gone.remove(node.node());
      goneSince.remove(node.node());
      if (node.failed() == rollout.candidate()) {
        return node.node() + ": " + (node.problem() == null ? "refused" : node.problem());
      }
      if (node.version() == rollout.candidate()) {
        taken.add(node.node());
      }
    }
    for (String node : gone) {
      if (now - goneSince.computeIfAbsent(node, any -> now) >= patienceNanos) {
        return node + " is gone since it took the document";
      }
    }
    return null;
  }

  /**
   * What a node of the stages lacks; null for nothing. Nodes that were gone before do not count.
   */
  private @Nullable String missing(Rollout rollout, List<NodeReport> nodes) {
    boolean isAnyAlive = false;
    RolloutStage stage = rollout.stages().get(rollout.stage());
    for (NodeReport node : nodes) {
      if (!node.isAlive() || !RolloutPlan.isReached(rollout, node.node(), node.group())) {
        continue;
      }
      isAnyAlive |= stage.has(node.node(), node.group());
      if (node.version() != rollout.candidate()) {
        return node.node() + " has not taken the document";
      }
      if (!node.isReady()) {
        return node.node() + " is not ready";
      }
    }
    if (!goneSince.isEmpty()) {
      return String.join(", ", new TreeSet<>(goneSince.keySet())) + " is gone";
    }
    return isAnyAlive ? null : "no node of the stage is alive";
  }
}
