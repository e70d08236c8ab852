package io.forebay.lab.compare;

import io.forebay.lab.result.Figure;
import io.forebay.lab.result.RunResult;
import io.forebay.lab.result.StepResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Repetitions of the same step in two results, those that count. */
record StepPair(Key key, List<StepResult> before, List<StepResult> after) {

  /** Bodies from this size on are judged by CPU per bit, smaller ones by CPU per request. */
  private static final long LARGE_BODY = 64 << 10;

  /** What makes two steps the same. */
  record Key(String scenario, String profile, double factor, String target, String step) {

    @Override
    public String toString() {
      return scenario + " " + step + " with " + target + " (profile " + profile + ")";
    }
  }

  /** All steps of a result; of a step without a repetition that counts, an empty list. */
  static Map<Key, List<StepResult>> steps(List<RunResult> runs) {
    Map<Key, List<StepResult>> steps = new LinkedHashMap<>();
    for (RunResult run : runs) {
      for (StepResult step : run.steps()) {
        List<StepResult> counted =
            steps.computeIfAbsent(
                new Key(run.scenario(), run.profile(), run.factor(), run.target(), step.name()),
                ignored -> new ArrayList<>());
        if (step.counts()) {
          counted.add(step);
        }
      }
    }
    return steps;
  }

  /** What is compared of this step. */
  List<Figure> figures() {
    List<Figure> figures =
        new ArrayList<>(
            List.of(
                Figure.REQUESTS,
                Figure.GOODPUT,
                Figure.FIRST_BYTE_P50,
                Figure.FIRST_BYTE_P99,
                Figure.LAST_BYTE_P50,
                Figure.LAST_BYTE_P99));
    figures.add(hasLargeBodies() ? Figure.CORES_PER_GIGABIT : Figure.MICROS_PER_REQUEST);
    figures.add(Figure.HIT_RATIO);
    return figures;
  }

  private boolean hasLargeBodies() {
    long bytes = 0;
    long requests = 0;
    for (StepResult step : before) {
      bytes += step.load().bodyBytes();
      requests += step.load().requests();
    }
    return requests > 0 && bytes / requests >= LARGE_BODY;
  }
}
