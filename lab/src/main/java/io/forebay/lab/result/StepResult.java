package io.forebay.lab.result;

import java.util.List;
import java.util.Map;

/**
 * One step of a scenario, once.
 *
 * @param name of the step, as in the scenario: {@code live-48}
 * @param repetition from 1
 * @param dials what was set for it: {@code connections}, {@code rate}, {@code hitRatio} …; texts,
 *     numbers and booleans
 * @param voids why the figures do not count, each a sentence; empty where they do
 */
public record StepResult(
    String name,
    int repetition,
    Map<String, Object> dials,
    LoadTotals load,
    ServerTotals server,
    List<Sample> samples,
    List<String> voids) {

  public StepResult {
    dials = Map.copyOf(dials);
    samples = List.copyOf(samples);
    voids = List.copyOf(voids);
  }

  public boolean counts() {
    return voids.isEmpty();
  }
}
