package io.forebay.cli;

import io.forebay.cli.aot.AotCommand;
import io.forebay.cli.bundle.BundleCommand;
import io.forebay.cli.cluster.ClusterCommand;
import io.forebay.cli.config.ConfigCommand;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.cli.console.VersionInfo;
import io.forebay.cli.demo.DemoCommand;
import io.forebay.cli.doctor.DoctorCommand;
import io.forebay.cli.explain.ExplainCommand;
import io.forebay.cli.importer.ImportCommand;
import io.forebay.cli.origins.OriginsCommand;
import io.forebay.cli.purge.PurgeCommand;
import io.forebay.cli.reload.ReloadCommand;
import io.forebay.cli.ring.HistCommand;
import io.forebay.cli.ring.LogCommand;
import io.forebay.cli.ring.TopCommand;
import io.forebay.cli.serve.ServeCommand;
import io.forebay.cli.sign.DebugTokenCommand;
import io.forebay.cli.sign.SignUrlCommand;
import io.forebay.cli.stats.StatsCommand;
import io.forebay.cli.store.StoreCommand;
import io.forebay.cli.upgrade.UpgradeCommand;
import io.forebay.cli.warm.WarmCommand;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line: subcommands, versions, and how failures become a line and an exit code. */
@Command(
    name = "forebay",
    description = "An HTTP edge cache that stays warm.",
    synopsisSubcommandLabel = "COMMAND",
    sortOptions = false,
    footer = {
      "",
      "Exit codes: 0 success, 1 failure, 2 usage error, 3 partial success, 69 the node cannot",
      "start because a resource is unavailable, 78 invalid configuration."
    })
public final class Forebay implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();

  @Option(
      names = {"-V", "--version"},
      description = "Print the versions of Forebay, Netty, BoringSSL and Java.")
  private boolean isVersion;

  Forebay() {}

  /** The process's entry, by way of the class that checked which Java this is. */
  public static void main(String[] args) {
    // Describing all commands takes a quarter of a second of CPU, which a starting node need not
    // wait for.
    boolean isServe = args.length > 0 && args[0].equals("serve");
    CommandLine line = isServe ? commandLine(List.of(new ServeCommand())) : commandLine();
    System.exit(line.execute(args));
  }

  static CommandLine commandLine() {
    return commandLine(
        List.of(
            new ServeCommand(),
            new DemoCommand(),
            new PurgeCommand(),
            new WarmCommand(),
            new StatsCommand(),
            new LogCommand(),
            new TopCommand(),
            new HistCommand(),
            new ReloadCommand(),
            new UpgradeCommand(),
            new ExplainCommand(),
            new SignUrlCommand(),
            new DebugTokenCommand(),
            new OriginsCommand(),
            new StoreCommand(),
            new ClusterCommand(),
            new ConfigCommand(),
            new DoctorCommand(),
            new BundleCommand(),
            new ImportCommand(),
            new AotCommand(),
            new GenerateCompletion()));
  }

  private static CommandLine commandLine(List<Object> commands) {
    CommandLine line = new CommandLine(new Forebay());
    commands.forEach(line::addSubcommand);
    line.setExitCodeExceptionMapper(Forebay::exitCode);
    line.setParameterExceptionHandler(Forebay::wrongUsage);
    line.setExecutionExceptionHandler((thrown, failed, parsed) -> {
      // A refused configuration is a line a problem.
      describeFailure(thrown).lines().forEach(text -> failed.getErr().println("forebay: " + text));
      if (System.getenv("FOREBAY_DEBUG") != null) {
        thrown.printStackTrace(failed.getErr());
      }
      failed.getErr().flush();
      return failed.getExitCodeExceptionMapper().getExitCode(thrown);
    });
    line.setCaseInsensitiveEnumValuesAllowed(true);
    return line;
  }

  @Override
  public Integer call() {
    Output output = common.output();
    if (isVersion) {
      VersionInfo versions = VersionInfo.read();
      output.json(versions);
      versions.lines().forEach(output::line);
      return ExitCode.OK;
    }
    common.spec.commandLine().usage(common.spec.commandLine().getErr());
    return ExitCode.USAGE;
  }

  private static int exitCode(Throwable thrown) {
    return switch (thrown) {
      case CommandException expected -> expected.exitCode();
      case ParameterException wrong -> ExitCode.USAGE;
      default -> ExitCode.FAILURE;
    };
  }

  private static String describeFailure(Throwable thrown) {
    return thrown instanceof CommandException expected
        ? CommandException.reason(expected)
        : "internal error, please report it with the output of FOREBAY_DEBUG=1: " + thrown;
  }

  private static int wrongUsage(ParameterException wrong, String[] args) {
    CommandLine failed = wrong.getCommandLine();
    StringBuilder line = new StringBuilder("forebay: ").append(oneLine(wrong.getMessage()));
    if (wrong instanceof UnmatchedArgumentException unmatched) {
      var suggestions = unmatched.getSuggestions();
      if (!suggestions.isEmpty()) {
        line.append(" (did you mean ").append(suggestions.getFirst()).append("?)");
      }
    }
    line.append("; see ").append(failed.getCommandSpec().qualifiedName()).append(" --help");
    failed.getErr().println(line);
    failed.getErr().flush();
    return failed.getExitCodeExceptionMapper().getExitCode(wrong);
  }

  private static String oneLine(@org.jspecify.annotations.Nullable String message) {
    return message == null ? "invalid usage" : message.replaceAll("\\s*\\R\\s*", " ");
  }
}
