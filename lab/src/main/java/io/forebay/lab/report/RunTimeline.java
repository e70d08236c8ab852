package io.forebay.lab.report;

import io.forebay.lab.result.RunResult;
import io.forebay.lab.result.Sample;
import io.forebay.lab.result.StepResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The seconds of a run, one step after the other. */
final class RunTimeline {

  private RunTimeline() {}

  /** Steps that do not count leave a gap. */
  static Chart of(RunResult run, String prefix, int number) {
    List<Chart.Mark> marks = new ArrayList<>();
    Map<String, ToDoubleFunction<Sample>> figures = new LinkedHashMap<>();
    figures.put("Gbit/s", sample -> sample.bodyBytes() * 8 / 1e9);
    figures.put("requests/s", Sample::requests);
    figures.put("p99 ms", Sample::lastByteP99Millis);
    figures.put("cores", Sample::cores);
    Map<String, List<Chart.Second>> tracks = new LinkedHashMap<>();
    figures.keySet().forEach(name -> tracks.put(name, new ArrayList<>()));
    int begin = 0;
    for (int i = 0; i < run.steps().size(); i++) {
      StepResult step = run.steps().get(i);
      marks.add(
          new Chart.Mark(
              begin,
              step.name()
                  + (step.repetition() > 1 ? " (" + step.repetition() + ")" : "")
                  + (step.counts() ? "" : " VOID")));
      int last = -1;
      for (Sample sample : step.samples()) {
        last = Math.max(last, sample.second());
        for (Map.Entry<String, ToDoubleFunction<Sample>> figure : figures.entrySet()) {
          double value = figure.getValue().applyAsDouble(sample);
          if (step.counts() && Double.isFinite(value)) {
            tracks
                .computeIfAbsent(figure.getKey(), ignored -> new ArrayList<>())
                .add(new Chart.Second(begin + sample.second(), i, value));
          }
        }
      }
      begin += last + 1;
    }
    List<Chart.Track> all = new ArrayList<>();
    tracks.forEach((name, seconds) -> all.add(new Chart.Track(name, seconds)));
    String title = run.scenario() + " with " + run.target() + " by second";
    return new Chart(
        prefix + "-timeline-" + number, title, List.of(new Chart.Timeline(title, marks, all)));
  }
}
