package io.forebay.e2e.storm;

/** A fault of a cluster. */
enum Nemesis {
  KILLED_NODE(Target.NODE),
  STOPPED_NODE(Target.NODE),
  CUT_FROM_LOG(Target.NODE),
  CUT_FROM_NODES(Target.NODE),
  ONE_WAY(Target.NODE),
  FULL_JOURNAL(Target.NODE),
  SLOW_DISK(Target.NODE),
  MOVED_CLOCK(Target.NODE),
  KILLED_MEMBER(Target.LOG),
  STOPPED_MEMBER(Target.LOG),
  COMPACTED_LOG(Target.LOG_AND_NODE),
  HALVES(Target.ALL),
  EVERYTHING_KILLED(Target.ALL),
  RESTORED_LOG(Target.ALL);

  /** What a fault needs for itself. */
  enum Target {
    NODE,
    LOG,
    LOG_AND_NODE,
    ALL
  }

  /**
   * What a fault led to.
   *
   * @param isShown whether something shows that it was there
   */
  record Trace(boolean isShown, String text) {}

  private final Target target;

  Nemesis(Target target) {
    this.target = target;
  }

  /** Whether both can be at the same time, on different nodes. */
  boolean isBeside(Nemesis other) {
    return target == Target.NODE
        ? other.target != Target.ALL
        : other.target == Target.NODE && target != Target.ALL;
  }

  /** Makes the fault, and undoes it. */
  Trace strike(Scene scene) throws Exception {
    Trace trace =
        switch (this) {
          case KILLED_NODE -> ProcessFaults.killNode(scene);
          case STOPPED_NODE -> ProcessFaults.stopNode(scene);
          case CUT_FROM_LOG -> NetworkFaults.cutFromLog(scene);
          case CUT_FROM_NODES -> NetworkFaults.cutFromNodes(scene);
          case ONE_WAY -> NetworkFaults.oneWay(scene);
          case FULL_JOURNAL -> DiskFaults.fullJournal(scene);
          case SLOW_DISK -> DiskFaults.slowDisk(scene);
          case MOVED_CLOCK -> ClockFaults.move(scene);
          case KILLED_MEMBER -> ProcessFaults.killMember(scene);
          case STOPPED_MEMBER -> ProcessFaults.stopMember(scene);
          case COMPACTED_LOG -> LogFaults.compact(scene);
          case HALVES -> NetworkFaults.halves(scene);
          case EVERYTHING_KILLED -> ProcessFaults.killEverything(scene);
          case RESTORED_LOG -> LogFaults.restore(scene);
        };
    return new Trace(trace.isShown(), this + " " + trace.text());
  }
}
