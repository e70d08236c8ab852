package io.forebay.lab.run;

import io.forebay.lab.host.HostRecord;
import io.forebay.lab.load.LoadGenerator;
import io.forebay.lab.load.LoadOutcome;
import io.forebay.lab.load.LoadPlan;
import io.forebay.lab.result.LoadTotals;
import io.forebay.lab.result.ServerTotals;
import io.forebay.lab.result.StepResult;
import io.forebay.lab.scenario.Step;
import io.forebay.lab.target.RunningTarget.Counters;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs one step on a bench. */
final class StepRunner {
  private final Instruments instruments;
  private final Progress progress;

  StepRunner(Instruments instruments, Progress progress) {
    this.instruments = instruments;
    this.progress = progress;
  }

  /**
   * Loads the server and judges the figures. A load that fails is a result that does not count.
   *
   * @param seed of what is asked for
   */
  StepResult run(TestBed bench, Step step, int repetition, long seed) throws InterruptedException {
    Step placed = step.with(bench.setup());
    try {
      return measure(bench, placed, repetition, seed);
    } catch (UnsupportedOperationException | IllegalArgumentException impossible) {
      return skipped(placed, repetition, String.valueOf(impossible.getMessage()));
    } catch (IOException failed) {
      return failed(placed, repetition, "the step failed: " + failed.getMessage());
    }
  }

  /** Of a step that can't be done; its figures are all zero. */
  StepResult skipped(Step step, int repetition, String reason) {
    Map<String, Object> dials = Dials.of(step, instruments.machine().cores());
    dials.put("skipped", true);
    return new StepResult(
        step.name(),
        repetition,
        dials,
        Totals.NO_LOAD,
        Totals.NO_SERVER,
        List.of(),
        List.of("skipped: " + reason));
  }

  private StepResult failed(Step step, int repetition, String reason) {
    return new StepResult(
        step.name(),
        repetition,
        Dials.of(step, instruments.machine().cores()),
        Totals.NO_LOAD,
        Totals.NO_SERVER,
        List.of(),
        List.of(reason));
  }

  private StepResult measure(TestBed bench, Step step, int repetition, long seed)
      throws IOException, InterruptedException {
    LoadPlan plan = Plans.plan(step, bench.addresses(), bench.trust(), seed);
    LoadGenerator generator = instruments.loads().named(step.load().client());
    try (Meter.Recording recording =
        instruments
            .meter()
            .start(bench::serverProcesses, bench::originProcesses, () -> clients(bench))) {
      Window window = new Window(bench, recording);
      LoadOutcome outcome = generator.run(plan, window);
      HostRecord host = recording.stop();
      Counters after = bench.counters();
      LoadTotals load = outcome.totals();
      ServerTotals server =
          Totals.server(
              host.total(), load.seconds(), window.before(), after, host.maxResidentBytes());
      List<String> voids =
          Verdict.voids(
              step.load(),
              load,
              server,
              instruments.clients().isHere()
                  ? Verdict.Capacity.shared(
                      instruments.machine().cores(), server, step.setup().origin().threads())
                  : new Verdict.Capacity(
                      instruments.clients().cores(), step.setup().origin().threads()));
      return new StepResult(
          step.name(),
          repetition,
          Dials.of(step, instruments.machine().cores()),
          load,
          server,
          Totals.samples(outcome.seconds(), host.seconds(), window.lead()),
          voids);
    }
  }

  /** What this process started and is neither server nor origin. */
  private static List<ProcessHandle> clients(TestBed bench) {
    Set<ProcessHandle> others = new HashSet<>(bench.serverProcesses());
    others.addAll(bench.originProcesses());
    List<ProcessHandle> clients = new ArrayList<>();
    try (var children = ProcessHandle.current().descendants()) {
      children.filter(child -> !others.contains(child)).forEach(clients::add);
    }
    return clients;
  }

  /** Finds the moment from which on a load is measured. */
  private final class Window implements LoadGenerator.Observer {
    private static final double NANOS = 1e9;

    private final TestBed bench;
    private final Meter.Recording recording;
    private final long startedAt = System.nanoTime();
    private Counters before;
    private @Nullable IOException failure;
    private int lead = -1;

    Window(TestBed bench, Meter.Recording recording) throws IOException, InterruptedException {
      this.bench = bench;
      this.recording = recording;
      before = bench.counters();
    }

    @Override
    public synchronized void measuring() {
      recording.mark();
      try {
        before = bench.counters();
      } catch (IOException failed) {
        failure = failed;
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public synchronized void second(LoadOutcome.Second second) {
      if (lead < 0) {
        double elapsed = (System.nanoTime() - startedAt) / NANOS;
        lead = (int) Math.max(0, Math.round(elapsed - second.second() - 1));
      }
      progress.second(second);
    }

    synchronized Counters before() throws IOException {
      if (failure != null) {
        throw failure;
      }
      return before;
    }

    synchronized int lead() {
      return Math.max(0, lead);
    }
  }
}
