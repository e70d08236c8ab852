package io.forebay.cli.config;

import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.server.StartDryRun;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.config.ConfigOutcome.Loaded;
import io.forebay.server.config.ConfigOutcome.Refused;
import io.forebay.server.config.ConfigProblem;
import io.forebay.server.config.ConfigReference;
import io.forebay.server.config.ConfigView;
import io.forebay.server.tls.ClientTls;
import io.forebay.server.tls.TlsReload;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/** Checks, dumps and describes the configuration, and its history in a running node. */
@Command(
    name = "config",
    header = "Check, test, dump or describe the configuration; compare and restore accepted ones.",
    sortOptions = false,
    subcommands = {
      ConfigCommand.Check.class,
      ConfigCommand.Dump.class,
      ConfigCommand.Schema.class,
      TestCommand.class,
      HistoryCommand.class,
      DiffCommand.class,
      RollbackCommand.class
    })
public final class ConfigCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();

  public ConfigCommand() {}

  @Override
  public Integer call() {
    throw new ParameterException(
        common.spec.commandLine(),
        "missing subcommand: config check, dump, schema, test, history, diff or rollback");
  }

  private static ConfigOutcome load(ConfigOptions options) {
    return new ConfigLoader(options.environment()).load(options.file, options.given());
  }

  private static String nameOf(Loaded loaded) {
    if (loaded.file() == null) {
      return "options and environment, no file";
    }
    int included = loaded.text().included().size();
    return loaded.file()
        + (included == 0
            ? ""
            : ", with " + included + " included file" + (included > 1 ? "s" : ""));
  }

  /** One line a problem, each with its place. */
  private static int refuse(CommonOptions common, Refused refused) {
    refused.problems().forEach(problem -> common.output().note("forebay: " + problem.text()));
    return ExitCode.BAD_CONFIGURATION;
  }

  /** Says whether a node would take the configuration. */
  @Command(
      name = "check",
      header = "Check whether 'serve' accepts its configuration with these options.",
      sortOptions = false)
  static final class Check implements Callable<Integer> {
    @Mixin private final CommonOptions common = new CommonOptions();
    @Mixin private final ConfigOptions options = new ConfigOptions();

    Check() {}

    private static ConfigProblem problem(String file, String line) {
      return new ConfigProblem(file, 0, 0, "", line, "");
    }

    private record Verdict(
        boolean ok,
        List<ConfigProblem> problems,
        List<String> warnings,
        String memory,
        String index) {}

    @Override
    public Integer call() {
      Output output = common.output();
      return switch (load(options)) {
        case Loaded loaded -> {
          TlsReload tls = ClientTls.check(loaded.config(), Instant.now());
          StartDryRun memory = StartDryRun.of(loaded.config());
          List<String> warnings = new ArrayList<>(loaded.warnings());
          warnings.addAll(tls.warnings());
          warnings.addAll(memory.warnings());
          warnings.forEach(warning -> output.note("forebay: warning: " + warning));
          List<ConfigProblem> problems = new ArrayList<>();
          tls.errors().forEach(line -> problems.add(problem("certificates", line)));
          memory.errors().forEach(line -> problems.add(problem(nameOf(loaded), line)));
          if (!problems.isEmpty()) {
            output.json(new Verdict(false, problems, warnings, memory.memory(), ""));
            yield refuse(common, new Refused(problems));
          }
          output.json(new Verdict(true, List.of(), warnings, memory.memory(), memory.index()));
          output.line("good: " + nameOf(loaded));
          output.line("memory: " + memory.memory());
          if (!memory.index().isEmpty()) {
            output.line("index: " + memory.index());
          }
          yield ExitCode.OK;
        }
        case Refused refused -> {
          output.json(new Verdict(false, refused.problems(), List.of(), "", ""));
          yield refuse(common, refused);
        }
      };
    }
  }

  /** Prints the effective configuration. */
  @Command(
      name = "dump",
      header = "Print the effective configuration with these options, including defaults.",
      sortOptions = false,
      description = {
        "",
        "The output is YAML that can be loaded again. Each value except a default names its source."
            + " Secrets are not shown.",
        ""
      })
  static final class Dump implements Callable<Integer> {
    @Mixin private final CommonOptions common = new CommonOptions();
    @Mixin private final ConfigOptions options = new ConfigOptions();

    Dump() {}

    @Override
    public Integer call() {
      Output output = common.output();
      return switch (load(options)) {
        case Loaded loaded -> {
          loaded.warnings().forEach(warning -> output.note("forebay: warning: " + warning));
          if (output.isJson()) {
            output.json(Output.mapper().readTree(ConfigView.json(loaded)));
          } else {
            output.raw(ConfigView.yaml(loaded));
          }
          yield ExitCode.OK;
        }
        case Refused refused -> refuse(common, refused);
      };
    }
  }

  /** Prints the JSON Schema of the file. */
  @Command(
      name = "schema",
      header = "Print a JSON Schema of the file, for editors.",
      sortOptions = false)
  static final class Schema implements Callable<Integer> {
    @Mixin private final CommonOptions common = new CommonOptions();

    Schema() {}

    @Override
    public Integer call() {
      Output output = common.output();
      if (output.isJson()) {
        output.json(Output.mapper().readTree(ConfigReference.schema()));
      } else {
        output.raw(ConfigReference.schema());
      }
      return ExitCode.OK;
    }
  }
}
