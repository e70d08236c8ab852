package io.forebay.cli.config;

import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.cli.console.VersionInfo;
import io.forebay.cli.expect.ExpectationRunner;
import io.forebay.cli.expect.ScriptReport;
import io.forebay.cli.expect.ScriptReport.Mismatch;
import io.forebay.cli.expect.ScriptReport.StepResult;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs an operator's expectations against a configuration. */
@Command(
    name = "test",
    header = "Run expectations against a configuration, without touching production.",
    sortOptions = false,
    description = {
      "",
      "Each FILE is a script in YAML: requests, what the origins answer, and what must come out."
          + " A node with the configuration runs on loopback for as long as its script, with"
          + " scripted origins. docs/CLI.md describes the keys.",
      ""
    },
    footer = {"", "Example:", "  forebay config test examples/tests/one-site.yaml"})
final class TestCommand implements Callable<Integer> {
  private static final String LOG = "org.slf4j.simpleLogger.";

  @Mixin private final CommonOptions common = new CommonOptions();

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Script of expectations.")
  private List<Path> files = List.of();

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Configuration to test, in place of the one that the scripts name.")
  private @Nullable Path config;

  TestCommand() {}

  @Override
  public Integer call() {
    // The node's log would stand between the results; its loggers are made when its classes load.
    boolean isOurs = System.getProperty(LOG + "defaultLogLevel") != null;
    if (isOurs && System.getenv("FOREBAY_LOG_LEVEL") == null) {
      System.setProperty(LOG + "log.io.forebay", "error");
      System.setProperty(LOG + "log.forebay", "error");
    }
    Output output = common.output();
    ExpectationRunner expectations =
        new ExpectationRunner(new ConfigOptions().environment(), VersionInfo.forebayVersion());
    int exitCode = ExitCode.OK;
    for (Path file : files) {
      ScriptReport report = expectations.run(file, config);
      if (output.isJson()) {
        printJson(output, report);
      } else {
        print(output, report);
      }
      exitCode = Math.max(exitCode, report.exitCode());
    }
    return exitCode;
  }

  private static void print(Output output, ScriptReport report) {
    report.problems().forEach(problem -> output.note("forebay: " + problem.text()));
    for (StepResult step : report.steps()) {
      if (step.isGood()) {
        continue;
      }
      output.line(output.bad("failed: ") + step.step());
      output.line("  " + output.faint(step.did()));
      for (Mismatch mismatch : step.mismatches()) {
        output.line(
            "  %s:%d:%d: %s"
                .formatted(mismatch.file(), mismatch.line(), mismatch.column(), mismatch.what()));
        output.line("    expected: " + mismatch.expected());
        output.line("    came:     " + mismatch.came());
      }
    }
    if (report.problems().isEmpty()) {
      int count = report.steps().size();
      output.line(
          report.failed() == 0
              ? "%s %s: %d of %d steps as expected"
                  .formatted(output.good("good:"), report.file(), count, count)
              : "%s %s: %d of %d steps failed"
                  .formatted(output.bad("bad:"), report.file(), report.failed(), count));
    }
  }

  /** A line for each step, and one for the script. */
  private static void printJson(Output output, ScriptReport report) {
    for (StepResult step : report.steps()) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("file", report.file());
      line.put("line", step.line());
      line.put("step", step.step());
      line.put("ok", step.isGood());
      line.put("did", step.did());
      line.put("mismatches", step.mismatches());
      output.json(line);
    }
    Map<String, Object> sum = new LinkedHashMap<>();
    sum.put("file", report.file());
    sum.put("config", report.config());
    sum.put("ok", report.exitCode() == ExitCode.OK);
    sum.put("steps", report.steps().size());
    sum.put("failed", report.failed());
    sum.put("problems", report.problems());
    output.json(sum);
  }
}
