package io.forebay.lab.run;

import io.forebay.lab.host.PowerMeter;
import io.forebay.lab.result.RunResult;
import io.forebay.lab.result.StepResult;
import io.forebay.lab.scenario.Hosts;
import io.forebay.lab.scenario.Scenario;
import io.forebay.lab.scenario.Setup;
import io.forebay.lab.scenario.Step;
import io.forebay.lab.target.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs scenarios with some programs. Repetitions of programs alternate, so that what changes on the
 * machine with time is not taken for a difference of programs.
 */
public final class ScenarioRun implements AutoCloseable {
  private static final long SEEDS_OF_A_REPETITION = 100_000;

  private final Instruments instruments;
  private final String command;
  private final Progress progress;
  private final StepRunner runner;
  private final StoreSizing sizing;

  /**
   * A run.
   *
   * @param command that repeats it, for the results
   */
  ScenarioRun(Instruments instruments, String command, Progress progress) {
    this.instruments = instruments;
    this.command = command;
    this.progress = progress;
    runner = new StepRunner(instruments, progress);
    sizing = new StoreSizing(instruments, runner, progress);
  }

  /**
   * A run on this machine.
   *
   * @param directory below which servers have their files while they run
   * @param hosts others that take part, or null
   * @param isNamespace whether this process has a network namespace of its own, in which packets
   *     can be delayed
   * @param command that repeats the run, for the results
   */
  public static ScenarioRun here(
      Path directory,
      PowerMeter power,
      @Nullable Hosts hosts,
      boolean isNamespace,
      String command,
      Progress progress)
      throws IOException, InterruptedException {
    return new ScenarioRun(
        RealInstruments.create(directory, power, hosts, isNamespace), command, progress);
  }

  /**
   * One result for each program, in their order. What a program can't do is a step that was
   * skipped, with the reason.
   *
   * @throws InterruptedException when the thread is interrupted; all that was started is stopped
   */
  public List<RunResult> run(Scenario scenario, List<Target> targets) throws InterruptedException {
    String startedAt = instruments.clock().instant().toString();
    Map<Target, List<StepResult>> results = new LinkedHashMap<>();
    targets.forEach(target -> results.put(target, new ArrayList<>()));
    for (int repetition = 1; repetition <= scenario.repetitions(); repetition++) {
      for (Map.Entry<Target, List<StepResult>> entry : results.entrySet()) {
        new Pass(scenario, entry.getKey(), repetition, entry.getValue()).run();
      }
    }
    List<RunResult> runs = new ArrayList<>();
    for (Map.Entry<Target, List<StepResult>> entry : results.entrySet()) {
      runs.add(
          new RunResult(
              RunResult.VERSION,
              scenario.name(),
              scenario.profile().label(),
              scenario.factor(),
              entry.getKey().name(),
              version(entry.getKey()),
              startedAt,
              command,
              instruments.facts().get(),
              settings(scenario),
              entry.getValue()));
    }
    return runs;
  }

  /** Ends what scenarios share: origin and certificates. */
  @Override
  public void close() throws IOException {
    instruments.close();
  }

  private static String version(Target target) throws InterruptedException {
    try {
      return target.missing() == null ? target.version() : "not installed";
    } catch (IOException unknown) {
      return "unknown: " + unknown.getMessage();
    }
  }

  private static Map<String, Object> settings(Scenario scenario) {
    Map<String, Object> settings = new HashMap<>(scenario.settings());
    settings.put("time-factor", scenario.timeFactor());
    settings.put("repetitions", scenario.repetitions());
    return settings;
  }

  /** All steps of a scenario with one program, once. */
  private final class Pass {
    private final Scenario scenario;
    private final Target target;
    private final int repetition;
    private final List<StepResult> results;
    private @Nullable TestBed bed;
    private @Nullable Setup opened;
    private long number;

    Pass(Scenario scenario, Target target, int repetition, List<StepResult> results) {
      this.scenario = scenario;
      this.target = target;
      this.repetition = repetition;
      this.results = results;
    }

    void run() throws InterruptedException {
      try {
        for (Step entry : scenario.steps()) {
          follow(StepPolicy.of(entry));
        }
      } finally {
        close();
      }
    }

    private void follow(StepPolicy policy) throws InterruptedException {
      @Nullable StepResult last = null;
      for (Step step = policy.next(null); step != null; step = policy.next(last)) {
        progress.begins(scenario.name(), target.name(), step.name(), repetition);
        last = result(step);
        results.add(last);
        progress.ended(scenario.name(), target.name(), last);
        if (last.load().requests() == 0) {
          // A server that answered nothing may not be the one that was started.
          close();
          return;
        }
      }
    }

    private StepResult result(Step step) throws InterruptedException {
      String missing = target.missing();
      if (missing == null) {
        missing = instruments.machine().lacks(step.setup());
      }
      if (missing != null) {
        return runner.skipped(step, repetition, missing);
      }
      try {
        TestBed ready = ready(step);
        return runner.run(ready, step, repetition, repetition * SEEDS_OF_A_REPETITION + number++);
      } catch (UnsupportedOperationException impossible) {
        return runner.skipped(step, repetition, String.valueOf(impossible.getMessage()));
      } catch (IOException failed) {
        return runner.skipped(
            step, repetition, target.name() + " could not be started: " + failed.getMessage());
      }
    }

    /** The bed of the step before if it has the same set-up, else a new one. */
    private TestBed ready(Step step) throws IOException, InterruptedException {
      TestBed open = bed;
      if (open != null && step.setup().equals(opened)) {
        return open;
      }
      close();
      TestBed made = sizing.open(target, step);
      bed = made;
      opened = step.setup();
      return made;
    }

    private void close() {
      TestBed open = bed;
      bed = null;
      opened = null;
      if (open == null) {
        return;
      }
      try {
        open.close();
      } catch (IOException failed) {
        progress.problem(target.name() + " could not be stopped: " + failed.getMessage());
      }
    }
  }
}
