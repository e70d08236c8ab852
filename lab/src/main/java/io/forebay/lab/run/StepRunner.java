package io.forebay.lab.run;

import io.forebay.lab.host.HostRecord;
import io.forebay.lab.load.LoadGenerator;
import io.forebay.lab.load.LoadOutcome;
import io.forebay.lab.load.LoadPlan;
import io.forebay.lab.result.LoadTotals;
import io.forebay.lab.result.ServerTotals;
import io.forebay.lab.result.StepResult;
import io.forebay.lab.scenario.Step;
import io.forebay.lab.target.OtherCores;
import io.forebay.lab.target.RunningTarget.Counters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs one step on a bed. */
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
  StepResult run(TestBed bed, Step step, int repetition, long seed) throws InterruptedException {
    Step placed = step.with(bed.setup());
    try {
      return measure(bed, placed, repetition, seed);
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

  private StepResult measure(TestBed bed, Step step, int repetition, long seed)
      throws IOException, InterruptedException {
    Path trust = bed.trust();
    LoadPlan plan =
        Plans.plan(step, bed.addresses(), trust == null ? null : Files.readString(trust), seed);
    LoadGenerator generator = instruments.loads().named(step.load().client());
    if (instruments.clients().isHere()) {
      OtherCores.use(bed.originProcesses(), instruments.machine().cpus(bed.setup().server()));
    }
    try (Meter.Recording recording =
        instruments.meter().start(bed::serverProcesses, bed::originProcesses, () -> clients(bed))) {
      Window window = new Window(bed, recording);
      LoadOutcome outcome = generator.run(plan, window);
      HostRecord host = recording.stop();
      host.remarks().forEach(progress::problem);
      Reading after = Reading.of(bed);
      Reading before = window.before();
      LoadTotals load = outcome.totals();
      ServerTotals server =
          Totals.server(host.total(), load, before.server, after.server, host.maxResidentBytes());
      List<String> voids =
          VoidReasons.of(
              step.load(),
              new VoidReasons.Evidence(
                  load,
                  server,
                  step.setup().objects(),
                  capacity(step, server),
                  host.total().others(),
                  before.fetchesUntil(after)));
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

  private VoidReasons.Capacity capacity(Step step, ServerTotals server) {
    int originThreads = step.setup().origin().threads();
    return instruments.clients().isHere()
        ? VoidReasons.Capacity.shared(instruments.machine().cores(), server, originThreads)
        : new VoidReasons.Capacity(instruments.clients().cores(), originThreads);
  }

  /** Counters of the server, and the origin's before and after they were read; -1 for unknown. */
  private record Reading(long originBefore, Counters server, long originAfter) {

    static Reading of(TestBed bed) throws IOException, InterruptedException {
      return new Reading(bed.originRequests(), bed.counters(), bed.originRequests());
    }

    VoidReasons.@Nullable Fetches fetchesUntil(Reading later) {
      return originBefore < 0
          ? null
          : new VoidReasons.Fetches(
              later.originBefore - originAfter,
              later.originAfter - originBefore,
              server.originRequests() < 0 || later.server.originRequests() < 0
                  ? -1
                  : later.server.originRequests() - server.originRequests());
    }
  }

  /** What this process started and is neither server nor origin. */
  private static List<ProcessHandle> clients(TestBed bed) {
    Set<ProcessHandle> others = new HashSet<>(bed.serverProcesses());
    others.addAll(bed.originProcesses());
    List<ProcessHandle> clients = new ArrayList<>();
    try (var children = ProcessHandle.current().descendants()) {
      children.filter(child -> !others.contains(child)).forEach(clients::add);
    }
    return clients;
  }

  /** Finds the moment from which on a load is measured. */
  private final class Window implements LoadGenerator.Observer {
    private static final double NANOS = 1e9;

    private final TestBed bed;
    private final Meter.Recording recording;
    private final long startedAt = System.nanoTime();
    private Reading before;
    private @Nullable IOException failure;
    private int lead = -1;

    Window(TestBed bed, Meter.Recording recording) throws IOException, InterruptedException {
      this.bed = bed;
      this.recording = recording;
      before = Reading.of(bed);
    }

    @Override
    public synchronized void measuring() {
      recording.mark();
      try {
        before = Reading.of(bed);
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

    synchronized Reading before() throws IOException {
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
