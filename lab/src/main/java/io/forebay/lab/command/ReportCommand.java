package io.forebay.lab.command;

import io.forebay.lab.report.Report;
import io.forebay.lab.result.ResultFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes the report of a run again. */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Writes the report of results that \"lab run\" left in a directory: index.html (one file,"
          + " with plots), report.md, and plots as SVG and, where Chromium is installed, as PNG.",
      "Published figures stand in grey below those of the run."
    },
    footer = {"", "Example:", "  forebay lab report results/2026-11-26"})
final class ReportCommand implements Callable<Integer> {

  @Parameters(index = "0", paramLabel = "DIR", description = "Directory that has results.json.")
  private Path directory = Path.of("");

  @Spec private CommandSpec spec = CommandSpec.create();

  ReportCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    try {
      for (String note : Report.write(ResultFiles.read(directory), directory)) {
        out.println(note);
      }
    } catch (IOException e) {
      spec.commandLine().getErr().println("forebay lab report: " + e.getMessage());
      return LabExit.FAILURE;
    }
    out.println(directory.resolve("index.html"));
    return LabExit.OK;
  }
}
