package io.forebay.lab.model;

import io.forebay.lab.result.Figure;
import io.forebay.lab.result.RunResult;
import io.forebay.lab.result.StepResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * What a run measured of a server, as the models take it: one step, medians of its repetitions that
 * count.
 *
 * @param step which one, with scenario, profile and program
 * @param gigabits a second that clients got in bodies
 * @param watts of the server
 * @param byteHits share of the bytes that did not come from the origin
 * @param diskGigabytes that a day at this rate writes to all disks of the machine
 */
public record MeasuredServer(
    String step, Input gigabits, Input watts, Input byteHits, Input diskGigabytes) {

  /**
   * A value and where it comes from.
   *
   * @param unit as it is printed; empty for a share
   */
  public record Input(String name, double value, String unit, String source) {}

  /**
   * Which step of the results.
   *
   * @param scenario null where the results have one alone
   * @param step null where the scenario has one alone
   */
  public record Choice(@Nullable String scenario, String program, @Nullable String step) {
    private boolean fits(RunResult run, StepResult one) {
      return run.target().equals(program)
          && (scenario == null || run.scenario().equals(scenario))
          && (step == null || one.name().equals(step));
    }
  }

  /**
   * Takes the values from results.
   *
   * @param givenWatts instead of measured ones
   * @throws IllegalArgumentException where no step or more than one fits, where it is VOID, or
   *     where a value is missing; the message says which
   */
  public static MeasuredServer of(List<RunResult> runs, Choice choice, OptionalDouble givenWatts) {
    Map<String, List<StepResult>> fitting = new LinkedHashMap<>();
    List<String> others = new ArrayList<>();
    for (RunResult run : runs) {
      for (StepResult step : run.steps()) {
        if (choice.fits(run, step)) {
          fitting.computeIfAbsent(name(run, step), _ -> new ArrayList<>()).add(step);
        } else if (!others.contains(name(run, step))) {
          others.add(name(run, step));
        }
      }
    }
    if (fitting.isEmpty()) {
      throw new IllegalArgumentException(
          "no step fits; the results have: " + String.join("; ", others));
    }
    if (fitting.size() > 1) {
      throw new IllegalArgumentException(
          "choose one with --scenario, --program and --step: "
              + String.join("; ", fitting.keySet()));
    }
    Map.Entry<String, List<StepResult>> only = fitting.entrySet().iterator().next();
    return of(only.getKey(), only.getValue(), givenWatts);
  }

  private static String name(RunResult run, StepResult step) {
    return String.format(
        Locale.ROOT,
        "step %s of %s with %s %s, profile %s",
        step.name(),
        run.scenario(),
        run.target(),
        run.targetVersion(),
        run.profile());
  }

  private static MeasuredServer of(
      String name, List<StepResult> repetitions, OptionalDouble givenWatts) {
    List<StepResult> counted = repetitions.stream().filter(StepResult::counts).toList();
    if (counted.isEmpty()) {
      throw new IllegalArgumentException(
          name
              + " is VOID: "
              + String.join(
                  "; ",
                  repetitions.stream().flatMap(one -> one.voids().stream()).distinct().toList()));
    }
    String median =
        counted.size() == 1
            ? "1 repetition that counts"
            : "median of " + counted.size() + " repetitions that count";
    return new MeasuredServer(
        name,
        measured(
            "throughput",
            "Gbit/s",
            Figure.GOODPUT,
            counted,
            name,
            "bodies that clients got, " + median),
        givenWatts.isPresent()
            ? new Input("power", givenWatts.getAsDouble(), "W", "option --watts")
            : measured("power", "W", Figure.WATTS, counted, name, "meter of the run, " + median),
        measured(
            "byte hit ratio",
            "",
            Figure.BYTE_HIT_RATIO,
            counted,
            name,
            "the program's counters, " + median),
        measured(
            "written to disks",
            "GB a day",
            Figure.DISK_GIGABYTES_A_DAY,
            counted,
            name,
            "all disks of the machine, " + median));
  }

  private static Input measured(
      String label,
      String unit,
      Figure figure,
      List<StepResult> steps,
      String name,
      String source) {
    double value = figure.median(steps);
    if (Double.isNaN(value)) {
      throw new IllegalArgumentException(
          name
              + " has no "
              + label
              + (figure == Figure.WATTS
                  ? ": run it with a meter (--watts FILE.csv, or RAPL as root), or write --watts"
                  : ""));
    }
    return new Input(label, value, unit, source);
  }

  /** What the server fetches meanwhile. */
  public Input originGigabits() {
    return new Input(
        "from the origin",
        gigabits.value * (1 - byteHits.value),
        "Gbit/s",
        "Gbit/s * (1 - byte hit ratio)");
  }

  /** All, as they are printed. */
  public List<Input> inputs() {
    return List.of(gigabits, watts, byteHits, originGigabits(), diskGigabytes);
  }
}
