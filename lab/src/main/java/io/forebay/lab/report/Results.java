package io.forebay.lab.report;

import io.forebay.lab.result.RunResult;
import io.forebay.lab.result.StepResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Repetitions of a step brought together, over all runs of the same kind. */
final class Results {

  private record Key(
      String scenario,
      String profile,
      double factor,
      String target,
      String version,
      String step,
      boolean counts) {}

  private Results() {}

  /** All steps in the order of the runs, those that count apart from those that do not. */
  static List<Measured> measured(List<RunResult> runs) {
    Map<Key, List<StepResult>> steps = new LinkedHashMap<>();
    Map<Key, RunResult> first = new LinkedHashMap<>();
    for (RunResult run : runs) {
      for (StepResult step : run.steps()) {
        Key key =
            new Key(
                run.scenario(),
                run.profile(),
                run.factor(),
                run.target(),
                run.targetVersion(),
                step.name(),
                step.counts());
        first.putIfAbsent(key, run);
        steps.computeIfAbsent(key, ignored -> new ArrayList<>()).add(step);
      }
    }
    List<Measured> measured = new ArrayList<>();
    first.forEach((key, run) ->
        measured.add(new Measured(run, key.step(), key.counts(), List.copyOf(steps.get(key)))));
    return measured;
  }
}
