package io.forebay.lab.load;

import io.forebay.lab.result.Latency;
import java.util.List;
import java.util.Map;

/** What a plan must be like so that a program from outside can run it. */
record ClosedLoop(LoadPlan plan, int warmUpSeconds, int seconds) {
  private static final int MARGIN_SECONDS = 30;

  /**
   * Checks a plan.
   *
   * @throws IllegalArgumentException which says what the program cannot do
   */
  static ClosedLoop of(LoadPlan plan, String program) {
    plan.checked();
    require(
        plan.phases().stream().noneMatch(LoadPlan.Phase::hasRate),
        program + " has closed loops only: the rates must be 0, or take the lab's own client");
    require(
        plan.bodySeed() == null,
        program + " cannot compare bytes: take the lab's own client for it");
    require(
        plan.requestsPerConnection() == 0,
        program + " keeps its connections: requestsPerConnection must be 0");
    require(plan.resumedShare() == 0, program + " resumes no TLS sessions: resumedShare must be 0");
    double warmUp = 0;
    double measured = 0;
    for (LoadPlan.Phase phase : plan.phases()) {
      require(
          phase.isMeasured() || measured == 0,
          program
              + " measures one time: no phase that does not count may come after one that does");
      if (phase.isMeasured()) {
        measured += phase.seconds();
      } else {
        warmUp += phase.seconds();
      }
    }
    require(measured > 0, "a load needs a phase that counts");
    return new ClosedLoop(plan, (int) Math.ceil(warmUp), (int) Math.ceil(measured));
  }

  static void require(boolean holds, String sentence) {
    if (!holds) {
      throw new IllegalArgumentException(sentence);
    }
  }

  /** How long a run of so many seconds may take. */
  long limitMillis(int runSeconds) {
    return (runSeconds + MARGIN_SECONDS) * 1000L + plan.timeoutMillis();
  }

  /** Times by object: known if there is one object alone. */
  Map<String, Latency> byObject(Latency lastByte) {
    List<LoadPlan.ObjectClass> objects = plan.objects();
    return objects.size() == 1 ? Map.of(objects.get(0).name(), lastByte) : Map.of();
  }
}
