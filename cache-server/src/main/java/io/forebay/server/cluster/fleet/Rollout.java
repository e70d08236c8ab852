package io.forebay.server.cluster.fleet;

import java.util.List;

/**
 * The versions that nodes should have. Version 0 is no document: the node's own file alone.
 *
 * @param id of the latest order; tells two orders of the same version apart
 * @param version of all nodes except those of the stages so far
 * @param previous the version before it
 * @param candidate the version that is being rolled out, or 0
 * @param stages of the roll-out
 * @param stage index of the present one
 * @param reference traffic of nodes without the candidate, from the last stage that left some
 * @param failed the version that was last rolled back; 0 for none
 * @param reason of the latest change
 * @param author of the latest change
 * @param at time of the latest change, for people
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

  /** The reason of a stage that an operator began. */
  private static final String PROMOTED = "promoted";

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

  /** Where etcd has lost what it was: a version that nodes still have. */
  static Rollout resumed(long version) {
    return new Rollout(
        "",
        version,
        0,
        0,
        List.of(),
        0,
        RolloutGuard.DEFAULT,
        TrafficCounts.NONE,
        0,
        "version " + version + " was found on a node",
        "",
        "");
  }

  public boolean isRolling() {
    return candidate != 0;
  }

  /** Whether the latest change went back already: the one before it is then not what is meant. */
  boolean isRolledBack() {
    return failed != 0 || previous > version;
  }

  /**
   * Whether the latest change was an order to end a stage: the present one is then not what another
   * operator means who gives the same order.
   */
  boolean isPromoted() {
    return reason.equals(PROMOTED);
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

  /** Begins the first stage of a new version. */
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

  /** Begins the next stage, or ends the roll-out. */
  Rollout advance(TrafficCounts others, String why, String who, String when) {
    return stage + 1 < stages.size()
        ? with(version, previous, candidate, stage + 1, others, 0, why, who, when)
        : with(candidate, version, 0, stage, TrafficCounts.NONE, 0, why, who, when);
  }

  /** The same by an order. */
  Rollout promote(TrafficCounts others, String who, String when) {
    return advance(others, PROMOTED, who, when);
  }

  /** Gives the candidate up. */
  Rollout giveUp(String why, String who, String when) {
    return with(version, previous, 0, stage, TrafficCounts.NONE, candidate, why, who, when);
  }

  /** Gives all nodes an earlier version at once. */
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

  /** What is in force and what is being rolled out, for messages. */
  String summary() {
    String latest = (isPromoted() ? ", promoted by " : ", changed by ") + author + " at " + at;
    if (isRolling()) {
      return "version "
          + candidate
          + " is being rolled out, in stage "
          + (stage + 1)
          + " of "
          + stages.size()
          + (isPromoted() ? latest : "");
    }
    return version == 0
        ? "no document is in force"
        : "version " + version + " is in force" + (author.isEmpty() ? "" : latest);
  }
}
