package io.forebay.lab.report;

import io.forebay.lab.result.RunResult;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What a report says of runs: a section for each published test and profile, and one of machines.
 */
final class ReportSections {

  private ReportSections() {}

  /** Tables and plots of all runs, and their machines. */
  static List<Section> of(List<RunResult> runs, Published published) {
    List<Section> sections = new ArrayList<>();
    Set<String> done = new HashSet<>();
    for (Layout layout : Layout.all()) {
      Predicate<String> fits = scenario -> layout.fits(scenario) && !done.contains(scenario);
      List<RunResult> fitting = runs.stream().filter(run -> fits.test(run.scenario())).toList();
      // Runs of different profiles measure different things, so they share no table.
      Set<String> profiles = new LinkedHashSet<>();
      fitting.forEach(run -> profiles.add(run.profile()));
      for (String profile : profiles) {
        List<RunResult> same =
            fitting.stream().filter(run -> run.profile().equals(profile)).toList();
        String suffix = profiles.size() == 1 ? "" : "-" + (sections.size() + 1);
        sections.add(section(layout, suffix, same, published));
      }
      fitting.forEach(run -> done.add(run.scenario()));
    }
    if (!runs.isEmpty()) {
      sections.add(MachineSection.of(runs));
    }
    return sections;
  }

  private static Section section(
      Layout layout, String suffix, List<RunResult> runs, Published published) {
    List<MeasuredStep> steps = MeasuredStep.of(runs);
    List<ReportBlock> blocks = new ArrayList<>();
    blocks.add(new ReportBlock.Text(factors(runs, steps)));
    if (steps.isEmpty()) {
      blocks.add(new ReportBlock.Text("No step has run."));
    } else {
      layout.blocks(steps, published).forEach(block -> blocks.add(renamed(block, suffix)));
      blocks.add(new ReportBlock.Grid(ResourceTable.of(steps)));
    }
    for (int i = 0; i < runs.size(); i++) {
      blocks.add(new ReportBlock.Picture(RunTimeline.of(runs.get(i), layout.id() + suffix, i + 1)));
    }
    Set<String> commands = new LinkedHashSet<>();
    runs.forEach(run -> commands.add(run.command()));
    blocks.add(new ReportBlock.Text("Repeat it with:"));
    blocks.add(new ReportBlock.Command(String.join("\n", commands)));
    return new Section(
        layout.id() + suffix,
        layout.title() + (suffix.isEmpty() ? "" : " (profile " + runs.getFirst().profile() + ")"),
        blocks);
  }

  /** Each chart of a report has files of its own. */
  private static ReportBlock renamed(ReportBlock block, String suffix) {
    return block instanceof ReportBlock.Picture(Chart chart)
        ? new ReportBlock.Picture(new Chart(chart.name() + suffix, chart.title(), chart.panels()))
        : block;
  }

  /** By how much less than in the published test there is of everything, and how often. */
  private static String factors(List<RunResult> runs, List<MeasuredStep> steps) {
    Set<String> factors = new LinkedHashSet<>();
    for (RunResult run : runs) {
      factors.add(
          run.scenario()
              + (run.factor() == 1 ? " as published" : " by " + Numbers.text(run.factor())));
    }
    boolean isFull = runs.stream().allMatch(run -> run.factor() == 1);
    int most = steps.stream().mapToInt(step -> step.steps().size()).max().orElse(0);
    return "Profile "
        + runs.getFirst().profile()
        + ": "
        + (isFull
            ? "memory, footprint and length of steps as published (factor 1). "
            : "memory, footprint and length of steps are divided: "
                + String.join(", ", factors)
                + ". ")
        + most
        + (most == 1 ? " repetition." : " repetitions.");
  }
}
