package io.forebay.lab.scenario;

import java.util.List;
import java.util.Map;

/**
 * A scenario after a profile was applied.
 *
 * @param name as in {@code lab run NAME}
 * @param title in a line
 * @param source the published test that it repeats, or an empty text
 * @param profile that was applied
 * @param factor by which memory, footprint and channels were divided
 * @param timeFactor by which times were divided
 * @param repetitions of all steps
 * @param steps in their order
 * @param settings all keys after the profile was applied, as in the file
 */
public record Scenario(
    String name,
    String title,
    String source,
    Profile profile,
    double factor,
    double timeFactor,
    int repetitions,
    List<Step> steps,
    Map<String, Object> settings) {

  public Scenario {
    steps = List.copyOf(steps);
    settings = Map.copyOf(settings);
  }

  public Scenario withRepetitions(int other) {
    return new Scenario(name, title, source, profile, factor, timeFactor, other, steps, settings);
  }
}
