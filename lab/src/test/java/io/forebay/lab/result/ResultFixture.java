package io.forebay.lab.result;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Results that tests are made of: plausible figures of a small machine. */
public final class ResultFixture {

  private ResultFixture() {}

  public static RunResult run(String scenario, List<StepResult> steps) {
    return run(scenario, "forebay", steps);
  }

  public static RunResult run(String scenario, String target, List<StepResult> steps) {
    return new RunResult(
        RunResult.VERSION,
        scenario,
        "here",
        60,
        target,
        "1.2",
        "2026-11-26T20:00:00Z",
        "./forebay lab run " + scenario + " --profile here",
        Map.of("cpu", "AMD EPYC <test> & co", "cpus", 2, "kernel", "6.1.0"),
        Map.of("memory", "256m"),
        steps);
  }

  /** One repetition of 10 s, after 2 s of warm-up. */
  public static StepResult step(
      String name, int repetition, Map<String, Object> dials, double gigabits, String... voids) {
    return step(name, repetition, dials, gigabits, 2_000_000, null, voids);
  }

  public static StepResult step(
      String name,
      int repetition,
      Map<String, Object> dials,
      double gigabits,
      long body,
      @Nullable Double watts,
      String... voids) {
    long bytes = ((long) (gigabits * 1e9 / 8)) * 10;
    long requests = bytes / body;
    List<Sample> samples = new ArrayList<>();
    for (int second = 0; second < 12; second++) {
      samples.add(
          new Sample(
              second,
              requests / 10 + second % 3,
              bytes / 10 + second * 1_000L,
              0,
              20 + second % 4,
              1.1,
              bytes / 10,
              watts));
    }
    Latency first = new Latency(requests, 1.5, 1.2, 6.5, 9, 12);
    Latency last = new Latency(requests, 12.5, 11, 44, 60, 80);
    return new StepResult(
        name,
        repetition,
        dials,
        new LoadTotals(
            10,
            requests,
            bytes,
            8,
            0,
            Map.of("timeout", 2L),
            first,
            last,
            Latency.NONE,
            0.4,
            Map.of("hls-video-4096", last, "hls-audio-384", first)),
        new ServerTotals(
            0.7,
            0.4,
            0.05,
            0.1,
            bytes + bytes / 50,
            400L << 20,
            0,
            0,
            0,
            0,
            watts,
            requests,
            requests * 9 / 10,
            bytes,
            bytes / 8,
            Map.of("memory", bytes)),
        samples,
        List.of(voids));
  }
}
