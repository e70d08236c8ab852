package io.forebay.lab.command;

import io.forebay.lab.compare.Comparison;
import io.forebay.lab.compare.Difference;
import io.forebay.lab.compare.Verdict;
import io.forebay.lab.result.ResultFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Tells change from noise between two results. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Compares the steps that two results have in common: requests/s, Gbit/s, first and last byte,"
          + " CPU, hit ratio. Prints the ratio of B to A with its interval (95 %%), and whether it is"
          + " the same, better or worse.",
      "",
      "A change is certain (Welch's t test on logarithms of the repetitions, without the worst fifth, with the rule of"
          + " Benjamini and Hochberg over all figures at 1 %%) and large enough to matter: 1 %% of hit"
          + " ratios, 5 %% of rates and CPU, 10 %% of medians and 15 %% of p99 of times.",
      "Each side needs 3 repetitions that count, and 5 find more. Void ones are left out."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:nothing is worse",
      "1:a file cannot be read, or the results have no step in common",
      "2:wrong usage",
      "3:something is worse"
    },
    footer = {"", "Example:", "  forebay lab compare results/before results/after"})
final class CompareCommand implements Callable<Integer> {

  private static final long SEED = 1;

  @Parameters(index = "0", paramLabel = "A", description = "Results before: a directory or file.")
  private Path before = Path.of("");

  @Parameters(index = "1", paramLabel = "B", description = "Results after: a directory or file.")
  private Path after = Path.of("");

  @Option(names = "--json", description = "Prints JSON.")
  private boolean isJson;

  @Option(
      names = "--threshold",
      paramLabel = "PERCENT",
      description = "Smallest change that matters, of every figure.")
  private @Nullable Double threshold;

  @Spec private CommandSpec spec = CommandSpec.create();

  CompareCommand() {}

  @Override
  public Integer call() {
    if (threshold != null && !(threshold >= 0 && threshold <= 1_000)) {
      throw new ParameterException(spec.commandLine(), "--threshold is between 0 and 1000");
    }
    OptionalDouble smallest =
        threshold == null ? OptionalDouble.empty() : OptionalDouble.of(threshold / 100);
    Comparison comparison;
    try {
      comparison = Comparison.of(ResultFiles.read(before), ResultFiles.read(after), smallest, SEED);
    } catch (IOException e) {
      spec.commandLine().getErr().println("forebay lab compare: " + e.getMessage());
      return LabExit.FAILURE;
    }
    if (comparison.differences().isEmpty()) {
      spec.commandLine()
          .getErr()
          .println(
              "forebay lab compare: no step with the same scenario, profile, program and name is in"
                  + " both");
      return LabExit.FAILURE;
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(isJson ? json(comparison) : table(comparison));
    out.flush();
    return comparison.count(Verdict.WORSE) > 0 ? LabExit.WORSE : LabExit.OK;
  }

  private static String table(Comparison comparison) {
    Columns columns = new Columns("step", "figure", "A", "B", "B/A", "95 %", "").text(1).text(6);
    for (Difference one : comparison.differences()) {
      columns.row(
          one.scenario() + " " + one.step() + ", " + one.target(),
          one.figure().label(),
          number(one.before()),
          number(one.after()),
          String.format(Locale.ROOT, "%.3f", one.ratio()),
          Double.isNaN(one.low())
              ? ""
              : String.format(Locale.ROOT, "%.3f to %.3f", one.low(), one.high()),
          one.verdict().text());
    }
    StringBuilder text = new StringBuilder(columns.text());
    text.append('\n');
    List<String> counts = new ArrayList<>();
    for (Verdict verdict : Verdict.values()) {
      counts.add(comparison.count(verdict) + " " + verdict.text());
    }
    text.append(String.join(", ", counts)).append('\n');
    comparison.onlyBefore().forEach(step -> text.append("only in A: ").append(step).append('\n'));
    comparison.onlyAfter().forEach(step -> text.append("only in B: ").append(step).append('\n'));
    return text.toString();
  }

  private static String number(double value) {
    return Double.isNaN(value) ? "n/a" : String.format(Locale.ROOT, "%.4g", value);
  }

  private static String json(Comparison comparison) {
    List<Map<String, @Nullable Object>> differences = new ArrayList<>();
    for (Difference one : comparison.differences()) {
      Map<String, @Nullable Object> entry = new LinkedHashMap<>();
      entry.put("scenario", one.scenario());
      entry.put("step", one.step());
      entry.put("target", one.target());
      entry.put("figure", one.figure().label());
      entry.put("before", known(one.before()));
      entry.put("after", known(one.after()));
      entry.put("ratio", known(one.ratio()));
      entry.put("low", known(one.low()));
      entry.put("high", known(one.high()));
      entry.put("p", known(one.p()));
      entry.put("repetitionsBefore", one.repetitionsBefore());
      entry.put("repetitionsAfter", one.repetitionsAfter());
      entry.put("verdict", one.verdict().text());
      differences.add(entry);
    }
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("version", 1);
    document.put("differences", differences);
    document.put("onlyBefore", comparison.onlyBefore());
    document.put("onlyAfter", comparison.onlyAfter());
    return JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build()
            .writeValueAsString(document)
        + "\n";
  }

  private static @Nullable Double known(double value) {
    return Double.isFinite(value) ? value : null;
  }
}
