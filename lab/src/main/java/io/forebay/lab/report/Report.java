package io.forebay.lab.report;

import io.forebay.lab.result.ResultFiles;
import io.forebay.lab.result.RunResult;
import io.forebay.lab.result.Sample;
import io.forebay.lab.result.StepResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * The report of a directory of results:
 *
 * <pre>
 *   index.html         all of it, in one file
 *   report.md          the same
 *   plots/NAME.png     plots, by Chromium where it is installed
 *   plots/NAME-N.svg   each panel
 *   results.json       what it was made of
 * </pre>
 */
public final class Report {

  private static final String TITLE = "Forebay lab";

  private Report() {}

  /**
   * Writes the report of some runs.
   *
   * @return what a user should know about it, each a sentence
   */
  public static List<String> write(List<RunResult> runs, Path directory)
      throws IOException, InterruptedException {
    String path = System.getenv().getOrDefault("PATH", "");
    return write(runs, directory, ChromiumScreenshots.find(path));
  }

  static List<String> write(
      List<RunResult> runs, Path directory, Optional<ChromiumScreenshots> browser)
      throws IOException, InterruptedException {
    ResultFiles.write(directory, runs);
    List<Section> sections = new ArrayList<>(sections(runs, Published.read()));
    Path plots = Files.createDirectories(directory.resolve("plots"));
    Map<String, PlotSvg.Drawing> drawings = new HashMap<>();
    List<Chart> charts = charts(sections);
    for (Chart chart : charts) {
      draw(chart, drawings, plots);
    }
    Set<String> pictures = new HashSet<>();
    String note = pictures(charts, drawings, plots, browser, pictures);
    sections.add(
        new Section(
            "files",
            "Files",
            List.of(
                new Block.Text(
                    "results.json has all figures: of each step, repetition and second. " + note),
                new Block.Command("./forebay lab report DIRECTORY"))));
    String lead = lead(runs);
    Files.writeString(
        directory.resolve("index.html"), HtmlWriter.page(TITLE, lead, sections, drawings));
    Files.writeString(
        directory.resolve("report.md"), MarkdownWriter.page(TITLE, lead, sections, pictures));
    return List.of(note);
  }

  private static String lead(List<RunResult> runs) {
    long steps = runs.stream().mapToLong(run -> run.steps().size()).sum();
    long voids =
        runs.stream().flatMap(run -> run.steps().stream()).filter(step -> !step.counts()).count();
    return runs.size()
        + (runs.size() == 1 ? " run, " : " runs, ")
        + steps
        + (steps == 1 ? " measurement, " : " measurements, ")
        + voids
        + " of them void. Figures are medians of repetitions, with least and most in brackets."
        + " Grey rows are published figures of other machines.";
  }

  /** All but the last one, which tells about files. */
  private static List<Section> sections(List<RunResult> runs, Published published) {
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
      sections.add(machines(runs));
    }
    return sections;
  }

  private static Section section(
      Layout layout, String suffix, List<RunResult> runs, Published published) {
    List<Measured> steps = Results.measured(runs);
    List<Block> blocks = new ArrayList<>();
    blocks.add(new Block.Text(factors(runs, steps)));
    if (steps.isEmpty()) {
      blocks.add(new Block.Text("No step has run."));
    } else {
      blocks.addAll(layout.blocks(steps, published));
    }
    for (int i = 0; i < runs.size(); i++) {
      blocks.add(new Block.Picture(timeline(runs.get(i), layout.id() + suffix, i + 1)));
    }
    Set<String> commands = new LinkedHashSet<>();
    runs.forEach(run -> commands.add(run.command()));
    blocks.add(new Block.Text("Repeat it with:"));
    blocks.add(new Block.Command(String.join("\n", commands)));
    List<Block> renamed =
        blocks.stream()
            .map(block ->
                block instanceof Block.Picture picture && !suffix.isEmpty()
                    ? new Block.Picture(withSuffix(picture.chart(), suffix))
                    : block)
            .toList();
    return new Section(
        layout.id() + suffix,
        layout.title() + (suffix.isEmpty() ? "" : " (profile " + runs.getFirst().profile() + ")"),
        renamed);
  }

  private static Chart withSuffix(Chart chart, String suffix) {
    return chart.name().endsWith(suffix) || chart.name().contains(suffix + "-")
        ? chart
        : new Chart(chart.name() + suffix, chart.title(), chart.panels());
  }

  /** By how much less than in the published test there is of everything, and how often. */
  private static String factors(List<RunResult> runs, List<Measured> steps) {
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

  /** Steps that do not count leave a gap. */
  private static Chart timeline(RunResult run, String prefix, int number) {
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

  private static Section machines(List<RunResult> runs) {
    List<Block> blocks = new ArrayList<>();
    Map<Map<String, String>, Set<String>> machines = new LinkedHashMap<>();
    for (RunResult run : runs) {
      machines
          .computeIfAbsent(texts(run.facts()), ignored -> new LinkedHashSet<>())
          .add(run.scenario() + " with " + run.target());
    }
    machines.forEach((facts, names) ->
        blocks.add(
            new Block.Values(
                machines.size() == 1
                    ? "Machine of all runs"
                    : "Machine of " + String.join(", ", names),
                facts,
                false)));
    Map<String, String> versions = new TreeMap<>();
    runs.forEach(run -> versions.put(run.target(), run.targetVersion()));
    blocks.add(new Block.Values("Versions", versions, false));
    for (RunResult run : runs) {
      Map<String, String> settings = new LinkedHashMap<>();
      settings.put("started at", run.startedAt());
      settings.putAll(texts(run.settings()));
      blocks.add(
          new Block.Values(
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

  private static List<Chart> charts(List<Section> sections) {
    return sections.stream()
        .flatMap(section -> section.blocks().stream())
        .filter(Block.Picture.class::isInstance)
        .map(block -> ((Block.Picture) block).chart())
        .toList();
  }

  private static void draw(Chart chart, Map<String, PlotSvg.Drawing> drawings, Path plots)
      throws IOException {
    for (int i = 0; i < chart.panels().size(); i++) {
      String name = chart.panelName(i);
      PlotSvg.Drawing drawing = PlotSvg.draw(chart.panels().get(i), "plot-" + name);
      drawings.put(name, drawing);
      Files.writeString(plots.resolve(name + ".svg"), drawing.svg());
    }
  }

  /** Makes a picture of each chart; the first that fails ends it. */
  private static String pictures(
      List<Chart> charts,
      Map<String, PlotSvg.Drawing> drawings,
      Path plots,
      Optional<ChromiumScreenshots> browser,
      Set<String> made)
      throws IOException, InterruptedException {
    if (browser.isEmpty()) {
      return "There are no PNGs of the plots: Chromium is not installed. Each plot is an SVG below"
          + " plots.";
    }
    for (Chart chart : charts) {
      if (chart.panels().isEmpty()) {
        continue;
      }
      List<PlotSvg.Drawing> parts = new ArrayList<>();
      for (int i = 0; i < chart.panels().size(); i++) {
        parts.add(Objects.requireNonNull(drawings.get(chart.panelName(i))));
      }
      int width = Math.min(2 * PlotSvg.WIDTH, parts.stream().mapToInt(p -> p.width()).sum());
      width = Math.max(width, parts.stream().mapToInt(p -> p.width()).max().orElse(0));
      int height = 0;
      int rowWidth = 0;
      for (PlotSvg.Drawing part : parts) {
        rowWidth += part.width();
        if (height == 0 || rowWidth > width) {
          height += part.height();
          rowWidth = part.width();
        }
      }
      Path png = plots.resolve(chart.name() + ".png");
      if (!browser.get().picture(HtmlWriter.page(parts), png, width, height)) {
        return String.format(
            Locale.ROOT,
            "%s made no picture of the plot %s, so PNGs are missing from there on.",
            browser.get().program().getFileName(),
            chart.name());
      }
      made.add(chart.name());
    }
    return "Plots are below plots, as SVG and as PNG.";
  }
}
