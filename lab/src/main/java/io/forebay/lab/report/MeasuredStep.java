package io.forebay.lab.report;

import io.forebay.lab.result.Figure;
import io.forebay.lab.result.Latency;
import io.forebay.lab.result.RunResult;
import io.forebay.lab.result.StepResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Repetitions of one step that are shown in one row: all that count, or all that do not.
 *
 * @param run that the first of them belongs to
 */
record MeasuredStep(RunResult run, String step, boolean counts, List<StepResult> steps) {

  private record Key(
      String scenario,
      String profile,
      double factor,
      String target,
      String version,
      String step,
      boolean counts) {}

  /** All steps in the order of the runs, those that count apart from those that do not. */
  static List<MeasuredStep> of(List<RunResult> runs) {
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
    List<MeasuredStep> measured = new ArrayList<>();
    first.forEach((key, run) ->
        measured.add(new MeasuredStep(run, key.step(), key.counts(), List.copyOf(steps.get(key)))));
    return measured;
  }

  /** In one row with another step: what both have to say of why they do not count. */
  MeasuredStep with(MeasuredStep other) {
    return new MeasuredStep(
        run, step, counts, Stream.concat(steps.stream(), other.steps.stream()).toList());
  }

  /** As tables show it. */
  String text(Figure figure) {
    return Numbers.text(spread(figure));
  }

  @Nullable Spread spread(Figure figure) {
    return Spread.of(steps, figure);
  }

  double median(Figure figure) {
    Spread spread = spread(figure);
    return spread == null ? Double.NaN : spread.median();
  }

  /** A dial as a number; NaN where it is none. */
  double number(String name) {
    return Facts.number(steps.getFirst().dials().get(name));
  }

  String dialText(String name) {
    Object value = steps.getFirst().dials().get(name);
    if (value == null) {
      return "–";
    }
    double number = Facts.number(value);
    return Double.isNaN(number) ? value.toString() : Numbers.text(number);
  }

  /** CPU of the server in percent of the machine's. */
  @Nullable Spread cpuPercent() {
    double cpus = Facts.cpus(run);
    Spread busy = spread(Figure.CORES);
    return busy == null || Double.isNaN(cpus) ? null : busy.times(100 / cpus);
  }

  /** Mean last byte of the objects whose name holds one of some texts; null where none does. */
  @Nullable Spread lastByteOf(String... parts) {
    return Spread.of(
        steps.stream()
            .mapToDouble(step ->
                step.load().byObject().entrySet().stream()
                    .filter(entry -> List.of(parts).stream().anyMatch(entry.getKey()::contains))
                    .map(entry -> entry.getValue())
                    .filter(latency -> latency.count() > 0)
                    .mapToDouble(Latency::mean)
                    .average()
                    .orElse(Double.NaN))
            .toArray());
  }

  /** All objects that any repetition tells of. */
  TreeSet<String> objects() {
    TreeSet<String> objects = new TreeSet<>();
    steps.forEach(step -> objects.addAll(step.load().byObject().keySet()));
    return objects;
  }

  /** Why the figures do not count, each once. */
  List<String> sentences() {
    return steps.stream().flatMap(step -> step.voids().stream()).distinct().toList();
  }

  /** The program, its version and where it ran. */
  String who() {
    return run.target() + " " + run.targetVersion();
  }
}
