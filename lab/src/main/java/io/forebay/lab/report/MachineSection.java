package io.forebay.lab.report;

import io.forebay.lab.result.RunResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Which machine, programs and settings a report is of. */
final class MachineSection {

  private MachineSection() {}

  static Section of(List<RunResult> runs) {
    List<ReportBlock> blocks = new ArrayList<>();
    Map<Map<String, String>, Set<String>> machines = new LinkedHashMap<>();
    for (RunResult run : runs) {
      machines
          .computeIfAbsent(texts(run.facts()), ignored -> new LinkedHashSet<>())
          .add(run.scenario() + " with " + run.target());
    }
    machines.forEach((facts, names) ->
        blocks.add(
            new ReportBlock.Values(
                machines.size() == 1
                    ? "Machine of all runs"
                    : "Machine of " + String.join(", ", names),
                facts,
                false)));
    Map<String, String> versions = new TreeMap<>();
    runs.forEach(run -> versions.put(run.target(), run.targetVersion()));
    blocks.add(new ReportBlock.Values("Versions", versions, false));
    for (RunResult run : runs) {
      Map<String, String> settings = new LinkedHashMap<>();
      settings.put("started at", run.startedAt());
      settings.putAll(texts(run.settings()));
      blocks.add(
          new ReportBlock.Values(
              "Settings of " + run.scenario() + " with " + run.target(), settings, true));
    }
    return new Section("machine", "Machine, versions and settings", blocks);
  }

  private static Map<String, String> texts(Map<String, Object> values) {
    Map<String, String> texts = new TreeMap<>();
    values.forEach((name, value) -> texts.put(name, text(value)));
    return texts;
  }

  private static String text(Object value) {
    return switch (value) {
      case Map<?, ?> map -> {
        List<String> parts = new ArrayList<>();
        map.forEach((name, part) -> parts.add(name + ": " + part));
        parts.sort(Comparator.naturalOrder());
        yield "{" + String.join(", ", parts) + "}";
      }
      default -> value.toString();
    };
  }
}
