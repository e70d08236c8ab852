package io.forebay.lab.compare;

import io.forebay.lab.result.Latency;
import io.forebay.lab.result.LoadTotals;
import io.forebay.lab.result.ResultFixture;
import io.forebay.lab.result.RunResult;
import io.forebay.lab.result.Sample;
import io.forebay.lab.result.ServerTotals;
import io.forebay.lab.result.StepResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Results as a shared machine of two cores gives them: a repetition resembles the one before it,
 * one in twenty is disturbed by a neighbour, a second resembles the one before it, and one in fifty
 * is an outlier. All figures of a repetition suffer together.
 *
 * @param addedMillis to each response: what a loop that stalls adds
 * @param hitFactor of the hit ratio
 */
record NoisyMachine(RandomGenerator random, double addedMillis, double hitFactor) {

  private static final int SECONDS = 20;
  private static final int WARM_UP = 2;

  /** Repetitions of one step in each of two scenarios. */
  List<RunResult> runs(int repetitions) {
    return List.of(
        ResultFixture.run("one-byte", steps("c2", repetitions, 20_000, 900, 0.9, 0.99)),
        ResultFixture.run("xeon6-live", steps("live-48", repetitions, 150, 2_000_000, 9, 0.95)));
  }

  private List<StepResult> steps(
      String name, int repetitions, double rate, long body, double millis, double hits) {
    List<StepResult> steps = new ArrayList<>();
    double mood = random.nextGaussian();
    for (int repetition = 1; repetition <= repetitions; repetition++) {
      mood = 0.3 * mood + Math.sqrt(1 - 0.3 * 0.3) * random.nextGaussian();
      double disturbed = random.nextDouble() < 0.05 ? 1 + random.nextDouble() : 0;
      steps.add(step(name, repetition, rate, body, millis, hits, mood, disturbed));
    }
    return steps;
  }

  private StepResult step(
      String name,
      int repetition,
      double rate,
      long body,
      double millis,
      double hits,
      double mood,
      double disturbed) {
    double speed = Math.exp(-0.02 * mood + 0.01 * random.nextGaussian() - 0.15 * disturbed);
    double work = Math.exp(0.02 * mood + 0.015 * random.nextGaussian() + 0.1 * disturbed);
    double delay = Math.exp(0.06 * mood + 0.04 * random.nextGaussian() + 0.4 * disturbed);
    double tail = Math.exp(0.1 * mood + 0.12 * random.nextGaussian() + 0.7 * disturbed);
    List<Sample> samples = new ArrayList<>();
    double drift = random.nextGaussian();
    double requests = 0;
    double cores = 0;
    for (int second = 0; second < WARM_UP + SECONDS; second++) {
      drift = 0.6 * drift + 0.8 * random.nextGaussian();
      double outlier = random.nextDouble() < 0.02 ? 0.5 : 1;
      double now = rate * speed * Math.exp(0.04 * drift) * outlier;
      double busy = 1.2 * speed * work * Math.exp(0.03 * drift + 0.01 * random.nextGaussian());
      if (second >= WARM_UP) {
        requests += Math.floor(now);
        cores += busy / SECONDS;
      }
      samples.add(
          new Sample(
              second,
              (long) now,
              ((long) now) * body,
              0,
              4 * millis * delay * tail / outlier + addedMillis,
              busy,
              ((long) now) * body,
              null));
    }
    long count = (long) requests;
    double hitRatio = Math.min(1, hits * hitFactor * Math.exp(0.001 * random.nextGaussian()));
    return new StepResult(
        name,
        repetition,
        Map.of(),
        new LoadTotals(
            SECONDS,
            count,
            count * body,
            48,
            0,
            Map.of(),
            latency(count, millis * 0.4 * delay, tail),
            latency(count, millis * delay, tail),
            Latency.NONE,
            0.5,
            Map.of()),
        new ServerTotals(
            cores * 0.6,
            cores * 0.4,
            0,
            0.1,
            count * body,
            1,
            0,
            0,
            0,
            0,
            null,
            count,
            (long) (count * hitRatio),
            count * body,
            0,
            Map.of()),
        samples,
        List.of());
  }

  /** A stalled loop delays one request in three: the tail by all of it, the median by a part. */
  private Latency latency(long count, double p50, double tail) {
    double p99 = 4 * p50 * tail + addedMillis;
    return new Latency(count, p50 * 1.3 + addedMillis / 3, p50, p99, p99 * 1.5, p99 * 3);
  }
}
