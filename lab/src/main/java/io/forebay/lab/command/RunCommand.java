package io.forebay.lab.command;

import io.forebay.lab.host.PowerMeter;
import io.forebay.lab.report.Report;
import io.forebay.lab.report.TerminalTable;
import io.forebay.lab.result.ResultFiles;
import io.forebay.lab.result.RunResult;
import io.forebay.lab.result.StepResult;
import io.forebay.lab.run.ScenarioRun;
import io.forebay.lab.scenario.Hosts;
import io.forebay.lab.scenario.Profile;
import io.forebay.lab.scenario.Scenario;
import io.forebay.lab.scenario.ScenarioException;
import io.forebay.lab.scenario.Scenarios;
import io.forebay.lab.target.Target;
import io.forebay.lab.target.Targets;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Runs scenarios and writes their report. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description = {
      "Runs a scenario: starts origin, server and clients here, measures, writes a report.",
      "Exits with 0 when the report is written and a figure counts, with 3 when none does (all"
          + " are VOID or skipped), with 2 for wrong usage, with 130 after ^C, else with 1."
    })
final class RunCommand implements Callable<Integer> {
  private static final String FOREBAY = "forebay";

  @Parameters(
      paramLabel = "NAME|all|FILE",
      arity = "1..*",
      description = "Scenarios as in 'lab list', all of them, or files of your own.")
  private List<String> names = List.of();

  @Option(
      names = "--profile",
      paramLabel = "PROFILE",
      defaultValue = "here",
      description = "smoke (minutes for all), here (two cores, 24 GB; the default) or full.")
  private String profile = "here";

  @Option(
      names = "--hosts",
      paramLabel = "FILE",
      description = "Other hosts with clients and origin; docs/LAB.md has the format.")
  private @Nullable Path hosts;

  @Option(
      names = "--peers",
      paramLabel = "NAME",
      split = ",",
      description = "Other programs in the same scenarios: nginx, ats, varnish, haproxy.")
  private List<String> peers = List.of();

  @Option(
      names = "--repetitions",
      paramLabel = "N",
      description = "Of each scenario, instead of what its file says.")
  private @Nullable Integer repetitions;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Of the report; default lab-results/ and the time.")
  private @Nullable Path out;

  @Option(
      names = "--work",
      paramLabel = "DIR",
      description = "Of servers' files while they run; default the directory for temporary files.")
  private @Nullable Path work;

  @Option(
      names = "--watts",
      paramLabel = "FILE.csv",
      description = "Readings of an outside meter: a time and watts in each line.")
  private @Nullable Path watts;

  @Option(
      names = "--forebay-jar",
      paramLabel = "FILE",
      description = "The edge's jar; default FOREBAY_JAR, else that of this checkout.")
  private @Nullable Path forebayJar;

  @Option(names = "--json", description = "Figures as JSON on standard output, and no table.")
  private boolean isJson;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
  private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    Profile size = profile();
    List<Scenario> scenarios = scenarios(size);
    List<Target> targets = targets();
    if (PrivateNetwork.isWanted(scenarios, hosts)) {
      return PrivateNetwork.runAgain(spec.commandLine().getParseResult().originalArgs());
    }
    Path directory = work != null ? work : Path.of(System.getProperty("java.io.tmpdir"));
    if (!Files.isDirectory(directory)) {
      throw usage("--work: " + directory + " is no directory");
    }
    @Nullable Hosts others = hosts == null ? null : readHosts(hosts);
    ProgressLines lines =
        new ProgressLines(
            new PrintWriter(System.err, false, System.err.charset()),
            Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent());
    Path to = outDirectory();
    try (Interrupts _ = Interrupts.ofThisThread()) {
      List<RunResult> runs = new ArrayList<>();
      try (ScenarioRun run =
          ScenarioRun.here(
              directory, power(), others, PrivateNetwork.isInside(), command(), lines)) {
        for (Scenario scenario : scenarios) {
          runs.addAll(run.run(scenario, targets));
          // What is stopped later on leaves the scenarios that have ended.
          ResultFiles.write(to, runs);
        }
      } finally {
        lines.end();
      }
      return report(runs, to);
    } catch (IOException failed) {
      spec.commandLine().getErr().println("forebay lab run: " + failed.getMessage());
      return LabExit.FAILURE;
    } catch (InterruptedException stopped) {
      spec.commandLine().getErr().println("stopped; nothing is left running");
      return LabExit.INTERRUPTED;
    }
  }

  private Profile profile() {
    for (Profile one : Profile.values()) {
      if (one.label().equals(profile)) {
        return one;
      }
    }
    throw usage("--profile: is '" + profile + "'; write smoke, here or full");
  }

  private List<Scenario> scenarios(Profile size) throws IOException {
    Set<String> wanted = new LinkedHashSet<>();
    for (String name : names) {
      wanted.addAll("all".equals(name) ? Scenarios.names() : List.of(name));
    }
    if (repetitions != null && (repetitions < 1 || repetitions > 1000)) {
      throw usage("--repetitions: is " + repetitions + "; write 1 to 1000");
    }
    List<Scenario> scenarios = new ArrayList<>();
    for (String name : wanted) {
      try {
        Scenario scenario = Scenarios.read(name, size, Runtime.getRuntime().availableProcessors());
        scenarios.add(repetitions == null ? scenario : scenario.withRepetitions(repetitions));
      } catch (ScenarioException wrong) {
        throw usage(String.valueOf(wrong.getMessage()));
      }
    }
    return scenarios;
  }

  private List<Target> targets() {
    if (forebayJar != null && !Files.isRegularFile(forebayJar)) {
      throw usage("--forebay-jar: " + forebayJar + " is no file");
    }
    List<Target> targets = new ArrayList<>();
    targets.add(forebayJar == null ? Targets.named(FOREBAY) : Targets.forebay(forebayJar));
    for (String peer : new LinkedHashSet<>(peers)) {
      try {
        if (!FOREBAY.equals(peer)) {
          targets.add(Targets.named(peer));
        }
      } catch (IllegalArgumentException unknown) {
        throw usage("--peers: " + unknown.getMessage());
      }
    }
    return targets;
  }

  private Hosts readHosts(Path file) throws IOException {
    try {
      return Hosts.read(file);
    } catch (ScenarioException wrong) {
      throw usage(String.valueOf(wrong.getMessage()));
    }
  }

  private PowerMeter power() throws IOException {
    return watts == null ? PowerMeter.rapl() : PowerMeter.file(watts);
  }

  private Path outDirectory() {
    return out != null
        ? out
        : Path.of(
            "lab-results",
            Instant.now().truncatedTo(ChronoUnit.SECONDS).toString().replace(":", "-"));
  }

  private Integer report(List<RunResult> runs, Path directory)
      throws IOException, InterruptedException {
    List<String> remarks = Report.write(runs, directory);
    PrintWriter to = spec.commandLine().getOut();
    if (isJson) {
      to.println(json(runs, directory));
    } else {
      to.print(TerminalTable.of(runs, TerminalTable.width(System.getenv("COLUMNS"))));
      remarks.forEach(to::println);
      to.println(directory.resolve("index.html"));
    }
    to.flush();
    return runs.stream().flatMap(run -> run.steps().stream()).anyMatch(StepResult::counts)
        ? LabExit.OK
        : LabExit.NO_FIGURE;
  }

  private static String json(List<RunResult> runs, Path directory) {
    List<Map<String, Object>> steps = new ArrayList<>();
    for (RunResult run : runs) {
      for (StepResult step : run.steps()) {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("scenario", run.scenario());
        one.put("profile", run.profile());
        one.put("program", run.target());
        one.put("step", step.name());
        one.put("repetition", step.repetition());
        one.put("requestsPerSecond", step.load().requestsPerSecond());
        one.put("gigabitsPerSecond", step.load().gigabitsPerSecond());
        one.put("firstByteP99Millis", step.load().firstByte().p99());
        one.put("lastByteP99Millis", step.load().lastByte().p99());
        one.put("cores", step.server().cores());
        one.put("hitRatio", known(step.server().hitRatio()));
        one.put("byteHitRatio", known(step.server().byteHitRatio()));
        one.put("voids", step.voids());
        steps.add(one);
      }
    }
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("report", directory.resolve("index.html").toString());
    all.put("steps", steps);
    return new JsonMapper().writerWithDefaultPrettyPrinter().writeValueAsString(all);
  }

  private static @Nullable Double known(double number) {
    return Double.isNaN(number) ? null : number;
  }

  /** As it was typed, for the results. */
  private String command() {
    return "./forebay lab "
        + String.join(" ", spec.commandLine().getParseResult().originalArgs())
            .replaceFirst("^(?!run )", "run ");
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
