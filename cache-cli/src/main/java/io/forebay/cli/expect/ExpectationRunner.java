package io.forebay.cli.expect;

import io.forebay.cli.console.ExitCode;
import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigProblem;
import io.forebay.server.text.Printable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Runs scripts of expectations. */
public final class ExpectationRunner {
  /** In place of a random one, so that Via and Cache-Status can be expected. */
  private static final String NODE_ID = "forebay";

  private final ConfigEnvironment machine;
  private final String version;

  /**
   * A runner.
   *
   * @param machine whose variables and directories configurations see
   * @param version of Forebay
   */
  public ExpectationRunner(ConfigEnvironment machine, String version) {
    this.machine = machine;
    this.version = version;
  }

  /**
   * Runs a script.
   *
   * @param file the script
   * @param config the configuration, or null for the one that the script names
   */
  public ScriptReport run(Path file, @Nullable Path config) {
    ScriptReader.Outcome outcome = ScriptReader.read(file);
    Script script = outcome.script();
    if (script == null) {
      return refused(file, "", ExitCode.BAD_CONFIGURATION, outcome.problems());
    }
    Path tested = config == null ? script.config() : config;
    if (tested == null) {
      ConfigProblem problem =
          new ConfigProblem(
              file.toString(),
              1,
              1,
              "config",
              "is missing",
              "name the configuration, or use --config FILE");
      return refused(file, "", ExitCode.BAD_CONFIGURATION, List.of(problem));
    }
    Instant start = script.start();
    AtomicLong clockMillis =
        new AtomicLong(
            start == null ? System.currentTimeMillis() / 1000 * 1000 : start.toEpochMilli());
    try (ScriptedOrigins origins = new ScriptedOrigins(clockMillis::get);
        RehearsedNode node =
            RehearsedNode.start(
                tested,
                script.settings(),
                environment(script),
                version,
                origins,
                clockMillis::get)) {
      List<ConfigProblem> unknown = unknownOrigins(script, origins);
      if (!unknown.isEmpty()) {
        return refused(file, tested.toString(), ExitCode.BAD_CONFIGURATION, unknown);
      }
      List<ScriptReport.StepResult> steps = new ScriptRun(script, node, origins, clockMillis).run();
      boolean isGood = steps.stream().allMatch(ScriptReport.StepResult::isGood);
      return new ScriptReport(
          file.toString(),
          tested.toString(),
          steps,
          List.of(),
          isGood ? ExitCode.OK : ExitCode.FAILURE);
    } catch (RefusedException e) {
      return refused(file, tested.toString(), e.exitCode(), e.problems());
    } catch (IOException e) {
      ConfigProblem problem =
          new ConfigProblem(tested.toString(), 0, 0, "", "cannot be tested: " + e, "");
      return refused(file, tested.toString(), ExitCode.NO_RESOURCE, List.of(problem));
    }
  }

  private static ScriptReport refused(
      Path file, String config, int exitCode, List<ConfigProblem> problems) {
    return new ScriptReport(file.toString(), config, List.of(), problems, exitCode);
  }

  private ConfigEnvironment environment(Script script) {
    Map<String, String> variables = new HashMap<>(machine.variables());
    variables.putAll(script.environment());
    return new ConfigEnvironment(
        variables,
        machine.workingDirectory(),
        machine.systemFile(),
        machine.systemData(),
        machine.home(),
        NODE_ID);
  }

  private static List<ConfigProblem> unknownOrigins(Script script, ScriptedOrigins origins) {
    List<ConfigProblem> problems = new ArrayList<>();
    for (Expectation.Value<String> name : script.origins()) {
      if (!origins.knows(name.value())) {
        problems.add(
            name.place()
                .problem(
                    "",
                    "there is no origin named " + Printable.shown(name.value()),
                    Printable.suggestion(name.value(), origins.names())));
      }
    }
    return problems;
  }
}
