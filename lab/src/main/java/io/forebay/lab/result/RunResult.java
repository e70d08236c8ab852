package io.forebay.lab.result;

import java.util.List;
import java.util.Map;

/**
 * One scenario with one program.
 *
 * @param version of the format, {@link #VERSION}
 * @param scenario its name
 * @param profile {@code smoke}, {@code here} or {@code full}
 * @param factor by which memory, footprint and step length are divided; 1 for {@code full}
 * @param target name of the program: {@code forebay}, {@code nginx}, {@code ats}, {@code varnish},
 *     {@code haproxy}
 * @param targetVersion as the program tells it
 * @param startedAt RFC 3339, UTC
 * @param command that repeats the run
 * @param facts of the machine: names as {@code cpu}, {@code kernel}, {@code memoryBytes}
 * @param settings of the scenario after the profile was applied, as in its YAML
 */
public record RunResult(
    int version,
    String scenario,
    String profile,
    double factor,
    String target,
    String targetVersion,
    String startedAt,
    String command,
    Map<String, Object> facts,
    Map<String, Object> settings,
    List<StepResult> steps) {

  /** Of this format. */
  public static final int VERSION = 1;

  public RunResult {
    facts = Map.copyOf(facts);
    settings = Map.copyOf(settings);
    steps = List.copyOf(steps);
  }
}
