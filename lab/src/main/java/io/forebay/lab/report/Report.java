package io.forebay.lab.report;

import io.forebay.lab.result.ResultFiles;
import io.forebay.lab.result.RunResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
    List<Section> sections = new ArrayList<>(ReportSections.of(runs, Published.read()));
    PlotFiles plots = PlotFiles.write(sections, directory.resolve("plots"), browser);
    sections.add(
        new Section(
            "files",
            "Files",
            List.of(
                new ReportBlock.Text(
                    "results.json has all figures: of each step, repetition and second. "
                        + plots.note()),
                new ReportBlock.Command("./forebay lab report DIRECTORY"))));
    String lead = lead(runs);
    Files.writeString(
        directory.resolve("index.html"), HtmlWriter.page(TITLE, lead, sections, plots.drawings()));
    Files.writeString(
        directory.resolve("report.md"),
        MarkdownWriter.page(TITLE, lead, sections, plots.pictures()));
    return List.of(plots.note());
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
}
