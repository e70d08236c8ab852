package io.forebay.lab.run;

import io.forebay.lab.result.ServerTotals;
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
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Opens beds whose store has the size that gives the wanted hit ratio. The size is searched once
 * for each program and set-up: a bed is started with a guess, loaded and measured, and started
 * again with the next guess. The memory tier is sized, or the disk tier where hits are to come from
 * disks.
 */
final class StoreSizing {
  /** Of a load that only measures the ratio. */
  private static final double MAX_SECONDS = 10;

  private static final long MIN_MEMORY = 64L << 20;
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

  /** A bed of the step's set-up; with a store that was sized, if the set-up asks for that. */
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
    long least = isDisk ? 1 : MIN_MEMORY * setup.server().instances();
    long most = 2 * setup.footprintBytes() * setup.server().instances();
    long estimated =
        ratio.by() == HitRatioBy.ESTIMATED && !isDisk ? estimate(target, step, ratio) : -1;
    long guess = estimated < 0 ? Math.round(ratio.wanted() * most / 2) : estimated;
    StoreSizeSearch search =
        new StoreSizeSearch(ratio.wanted(), least, Math.max(least, most), guess);
    while (search.state() == StoreSizeSearch.State.SEARCHING) {
      StepResult result = measure(target, step, sized(setup, isDisk, search.size()));
      ServerTotals server = result.server();
      double measured = ratio.of() == HitRatioOf.BYTES ? server.byteHitRatio() : server.hitRatio();
      if (Double.isNaN(measured)) {
        return setup;
      }
      // The other half is for the step, which is measured by chance again.
      double tolerance =
          HitRatioTolerance.of(ratio, server.requests(), result.load(), setup.objects()) / 2;
      search.measured(measured, Math.max(StoreSizeSearch.TOLERANCE, tolerance));
    }
    report(target, ratio, search);
    return sized(setup, isDisk, search.size());
  }

  /**
   * Bytes by the program's own curve, after it saw the load once; -1 where it has none. The curve
   * has few points, so what it tells is where the search begins.
   */
  private long estimate(Target target, Step step, HitRatio ratio)
      throws IOException, InterruptedException {
    try (TestBed bed = TestBed.open(instruments, target, step.setup(), progress)) {
      progress.preparing(target.name(), "estimate");
      runner.run(bed, quick(step), 0, SEED);
      return bed.memoryFor(ratio);
    }
  }

  /** Says why no size was found; the step is VOID then. */
  private void report(Target target, HitRatio ratio, StoreSizeSearch search) {
    @Nullable String why =
        switch (search.state()) {
          case TOO_FEW_HITS -> "the largest store has too few hits: make the footprint smaller";
          case TOO_MANY_HITS -> "the smallest store has too many hits: make the footprint larger";
          case EXHAUSTED -> "no size was found in " + search.steps() + " measurements";
          case FOUND, SEARCHING -> null;
        };
    if (why != null) {
      progress.problem(
          String.format(
              Locale.ROOT,
              "%s, %.1f %% hits by the size of the store: %s; the nearest was %.1f %%",
              target.name(),
              100 * ratio.wanted(),
              why,
              100 * search.bestRatio()));
    }
  }

  private StepResult measure(Target target, Step step, Setup setup)
      throws IOException, InterruptedException {
    String missing = instruments.machine().lacks(setup);
    if (missing != null) {
      throw new UnsupportedOperationException("the size of its store is searched for: " + missing);
    }
    try (TestBed bed = TestBed.open(instruments, target, setup, progress)) {
      progress.preparing(target.name(), "size");
      return runner.run(bed, quick(step), 0, SEED);
    }
  }

  private static Step quick(Step step) {
    Load load = step.load();
    return step.with(load.withMeasuredSeconds(Math.min(load.measuredSeconds(), MAX_SECONDS)));
  }

  private static Setup sized(Setup setup, boolean isDisk, long bytes) {
    return isDisk
        ? setup.withStore(setup.server().memoryBytes(), bytes)
        : setup.withStore(bytes, setup.server().diskBytes());
  }
}
