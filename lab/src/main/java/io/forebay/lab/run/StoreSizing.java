package io.forebay.lab.run;

import io.forebay.lab.result.StepResult;
import io.forebay.lab.scenario.Load;
import io.forebay.lab.scenario.Setup;
import io.forebay.lab.scenario.Setup.HitRatio;
import io.forebay.lab.scenario.Setup.HitRatioBy;
import io.forebay.lab.scenario.Setup.HitRatioOf;
import io.forebay.lab.scenario.Step;
import io.forebay.lab.target.StoreSizeSearch;
import io.forebay.lab.target.Target;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Opens benches whose store has the size that gives the wanted hit ratio. The size is searched once
 * for each program and set-up: a bench is started with a guess, loaded and measured, and started
 * again with the next guess. The memory tier is sized, or the disk tier where hits are to come from
 * disks.
 */
final class StoreSizing {
  /** Of a load that only measures the ratio. */
  private static final double MOST_SECONDS = 10;

  private static final long LEAST_MEMORY = 64L << 20;
  private static final long SEED = 77;

  private final Instruments instruments;
  private final StepRunner runner;
  private final Progress progress;
  private final Map<Found, Setup> found = new HashMap<>();

  StoreSizing(Instruments instruments, StepRunner runner, Progress progress) {
    this.instruments = instruments;
    this.runner = runner;
    this.progress = progress;
  }

  private record Found(String target, Setup setup) {}

  /** A bench of the step's set-up; with a store that was sized, if the set-up asks for that. */
  TestBed open(Target target, Step step) throws IOException, InterruptedException {
    HitRatio ratio = step.setup().sizedBy();
    if (ratio == null) {
      return TestBed.open(instruments, target, step.setup(), progress);
    }
    Found key = new Found(target.name(), step.setup());
    Setup known = found.get(key);
    if (known == null) {
      known =
          ratio.wanted() <= 0 || ratio.wanted() >= 1 ? step.setup() : search(target, step, ratio);
      found.put(key, known);
    }
    return TestBed.open(instruments, target, known, progress);
  }

  private Setup search(Target target, Step step, HitRatio ratio)
      throws IOException, InterruptedException {
    Setup setup = step.setup();
    boolean isDisk = setup.tier() == Setup.Tier.DISK;
    long least = isDisk ? 1 : LEAST_MEMORY * setup.server().instances();
    long most = 2 * setup.footprintBytes() * setup.server().instances();
    long estimated =
        ratio.by() == HitRatioBy.ESTIMATED && !isDisk ? estimate(target, step, ratio) : -1;
    long guess = estimated < 0 ? Math.round(ratio.wanted() * most / 2) : estimated;
    StoreSizeSearch search =
        new StoreSizeSearch(ratio.wanted(), least, Math.max(least, most), guess);
    while (search.state() == StoreSizeSearch.State.SEARCHING) {
      double measured = measure(target, step, sized(setup, isDisk, search.size()), ratio);
      if (Double.isNaN(measured)) {
        return setup;
      }
      search.measured(measured);
    }
    return sized(setup, isDisk, search.size());
  }

  /**
   * Bytes by the program's own curve, after it saw the load once; -1 where it has none. The curve
   * has few points, so what it tells is where the search begins.
   */
  private long estimate(Target target, Step step, HitRatio ratio)
      throws IOException, InterruptedException {
    try (TestBed bench = TestBed.open(instruments, target, step.setup(), progress)) {
      progress.preparing(target.name(), "estimate");
      runner.run(bench, quick(step), 0, SEED);
      return bench.memoryFor(ratio);
    }
  }

  private double measure(Target target, Step step, Setup setup, HitRatio ratio)
      throws IOException, InterruptedException {
    try (TestBed bench = TestBed.open(instruments, target, setup, progress)) {
      progress.preparing(target.name(), "size");
      StepResult result = runner.run(bench, quick(step), 0, SEED);
      return ratio.of() == HitRatioOf.BYTES
          ? result.server().byteHitRatio()
          : result.server().hitRatio();
    }
  }

  private static Step quick(Step step) {
    Load load = step.load();
    return step.with(load.withMeasuredSeconds(Math.min(load.measuredSeconds(), MOST_SECONDS)));
  }

  private static Setup sized(Setup setup, boolean isDisk, long bytes) {
    return isDisk
        ? setup.withStore(setup.server().memoryBytes(), bytes)
        : setup.withStore(bytes, setup.server().diskBytes());
  }
}
