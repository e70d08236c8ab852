package io.forebay.lab.report;

import io.forebay.lab.result.Figure;
import io.forebay.lab.result.Latency;
import io.forebay.lab.result.RunResult;
import io.forebay.lab.result.StepResult;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Repetitions of one step that are shown in one row: all that count, or all that do not.
 *
 * @param run that the first of them belongs to
 */
record Measured(RunResult run, String step, boolean counts, List<StepResult> steps) {

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
