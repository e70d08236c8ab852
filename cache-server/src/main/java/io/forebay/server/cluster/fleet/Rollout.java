package io.forebay.server.cluster.fleet;

import java.util.List;

/**
 * Which version nodes should have. Version 0 is none: the node's own file alone.
 *
 * @param id of the latest order, so that a node tells apart two that name one version
 * @param version of all nodes but those of the stages so far
 * @param previous what was in force before it
 * @param candidate that is rolled out, or 0
 * @param stages of that
 * @param stage index of the present one
 * @param reference traffic without the candidate, as it was when there still were such nodes
 * @param failed the version that was rolled back last; 0 for none
 * @param reason of the latest change, for people
 * @param author of the latest change
 * @param at when that was; nothing is decided by it
 */
public record Rollout(
    String id,
    long version,
    long previous,
    long candidate,
    List<RolloutStage> stages,
    int stage,
    RolloutGuard guard,
    TrafficCounts reference,
    long failed,
    String reason,
    String author,
    String at) {

  /** Before the first document. */
  static final Rollout NONE =
      new Rollout(
          "",
          0,
          0,
          0,
          List.of(),
          0,
          RolloutGuard.DEFAULT,
          TrafficCounts.NONE,
          0,
          "no document yet",
          "",
          "");

  public Rollout {
    stages = List.copyOf(stages);
  }

  public boolean isRolling() {
    return candidate != 0;
  }

  private Rollout with(
      long nextVersion,
      long nextPrevious,
      long nextCandidate,
      int nextStage,
      TrafficCounts nextReference,
      long nextFailed,
      String why,
      String by,
      String when) {
    return new Rollout(
        id,
        nextVersion,
        nextPrevious,
        nextCandidate,
        stages,
        nextStage,
        guard,
        nextReference,
        nextFailed,
        why,
        by,
        when);
  }

  /** A new version begins with its first stage. */
  Rollout begin(
      String nextId,
      long next,
      List<RolloutStage> by,
      RolloutGuard limits,
      String who,
      String when) {
    return new Rollout(
        nextId,
        version,
        previous,
        next,
        by,
        0,
        limits,
        TrafficCounts.NONE,
        0,
        "version " + next + " was pushed",
        who,
        when);
  }

  /** The next stage, or the end. */
  Rollout advance(TrafficCounts others, String why, String who, String when) {
    return stage + 1 < stages.size()
        ? with(version, previous, candidate, stage + 1, others, 0, why, who, when)
        : with(candidate, version, 0, stage, TrafficCounts.NONE, 0, why, who, when);
  }

  /** The candidate is given up. */
  Rollout giveUp(String why, String who, String when) {
    return with(version, previous, 0, stage, TrafficCounts.NONE, candidate, why, who, when);
  }

  /** An earlier version, on all nodes at once. */
  Rollout goBack(String nextId, long to, String who, String when) {
    return new Rollout(
        nextId,
        to,
        version,
        0,
        List.of(),
        0,
        guard,
        TrafficCounts.NONE,
        0,
        to == 0 ? "rolled back to no document" : "rolled back to version " + to,
        who,
        when);
  }
}
