package io.forebay.cli.doctor;

import io.forebay.cli.config.ConfigOptions;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.server.StartDryRun;
import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.config.ConfigOutcome.Loaded;
import io.forebay.server.config.ConfigOutcome.Refused;
import io.forebay.server.config.ConfigProblem;
import io.forebay.server.loop.CpuPlan;
import io.forebay.server.origin.dns.NamePlaces;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Examines the machine for a configuration. */
@Command(
    name = "doctor",
    header = "Check kernel, limits, memory, disks, ports, certificates and origins.",
    sortOptions = false,
    description = {
      "",
      "Compares the machine with what 'serve' would do with these options; without a"
          + " configuration, with the defaults. Each finding has the value, why it matters and the"
          + " command that mends it. Changes nothing and needs no privileges. Names of"
          + " origins are looked up and their servers connected to, with a TLS handshake for https;"
          + " no request is sent unless --head is given.",
      "",
      "Limits are those of this shell: for those of a service, run it as the service is run, such"
          + " as by ExecStartPre of its unit.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 no errors (warnings and hints may be), 1 errors, 78 invalid",
      "configuration.",
      "",
      "Example:",
      "  forebay doctor --config /etc/forebay/forebay.yaml"
    })
public final class DoctorCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final ConfigOptions options = new ConfigOptions();

  @Option(names = "--offline", description = "Ask no name server and connect to no origin.")
  private boolean isOffline;

  @Option(
      names = "--head",
      description = "Also send a HEAD request to each server of an origin; default: connect only.")
  private boolean asksHead;

  public DoctorCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    switch (load()) {
      case Refused refused -> {
        output.json(
            Map.of(
                "ok",
                false,
                "problems",
                refused.problems().stream().map(ConfigProblem::text).toList(),
                "checks",
                List.of()));
        refused.problems().forEach(problem -> output.note("forebay: " + problem.text()));
        return ExitCode.BAD_CONFIGURATION;
      }
      case Loaded loaded -> {
        List<Finding> findings = Examination.of(subject(loaded));
        output.json(json(findings));
        findings.forEach(finding -> print(output, finding));
        output.line(
            output.strong(
                count(findings, Level.ERROR)
                    + " errors, "
                    + count(findings, Level.WARNING)
                    + " warnings, "
                    + count(findings, Level.HINT)
                    + " hints, "
                    + count(findings, Level.OK)
                    + " ok"));
        return count(findings, Level.ERROR) == 0 ? ExitCode.OK : ExitCode.FAILURE;
      }
    }
  }

  /** Without a configuration the machine is compared with the defaults, which lack an origin. */
  private ConfigOutcome load() {
    ConfigEnvironment environment = options.environment();
    ConfigLoader loader = new ConfigLoader(environment);
    Map<String, String> given = options.given();
    ConfigOutcome outcome = loader.load(options.file, given);
    Path file = options.file != null ? options.file : loader.usualFile();
    if (outcome instanceof Refused && file == null && !given.containsKey("origin")) {
      given.put("origin", "http://localhost");
      ConfigOutcome defaults = loader.load(null, given);
      return defaults instanceof Loaded ? defaults : outcome;
    }
    return outcome;
  }

  /** What the command prints with {@code --json}, and nothing beyond this machine asked. */
  public static Map<String, Object> report(Loaded loaded) {
    return json(Examination.of(subject(loaded, null)));
  }

  private Subject subject(Loaded loaded) {
    return subject(loaded, isOffline ? null : new OriginConnector(NamePlaces.SYSTEM, asksHead));
  }

  private static Subject subject(Loaded loaded, @Nullable Outside outside) {
    return new Subject(
        new KernelFiles(Path.of("/")),
        CpuPlan.Machine.here(),
        FileSpace.here(),
        JvmFacts.here(),
        loaded.config(),
        loaded.file() == null ? "options, environment and defaults" : loaded.file().toString(),
        loaded.warnings(),
        StartDryRun.of(loaded.config()),
        KernelClock.here(),
        Instant.now(),
        outside);
  }

  private static long count(List<Finding> findings, Level level) {
    return findings.stream().filter(finding -> finding.level() == level).count();
  }

  static Map<String, Object> json(List<Finding> findings) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("ok", count(findings, Level.ERROR) == 0);
    json.put("errors", count(findings, Level.ERROR));
    json.put("warnings", count(findings, Level.WARNING));
    json.put("hints", count(findings, Level.HINT));
    json.put(
        "checks",
        findings.stream()
            .map(finding -> {
              Map<String, Object> one = new LinkedHashMap<>();
              one.put("check", finding.check());
              one.put("level", finding.level().word());
              one.put("found", finding.found());
              one.put("why", finding.why());
              one.put("fix", finding.fix());
              return one;
            })
            .toList());
    return json;
  }

  private static void print(Output output, Finding finding) {
    String level = String.format("%-8s", finding.level().word());
    String coloured =
        switch (finding.level()) {
          case OK -> output.good(level);
          case HINT -> output.faint(level);
          case WARNING, ERROR -> output.bad(level);
        };
    output.line(coloured + String.format("%-20s ", finding.check()) + finding.found());
    if (finding.level() != Level.OK) {
      output.line("        " + output.faint(finding.why()));
      output.line("        " + finding.fix());
    }
  }
}
