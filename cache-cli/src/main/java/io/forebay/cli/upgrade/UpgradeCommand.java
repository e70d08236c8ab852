package io.forebay.cli.upgrade;

import io.forebay.cli.config.ConfigOptions;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.config.ConfigProblem;
import io.forebay.server.handover.UpgradeClient;
import io.forebay.server.handover.UpgradeClient.Upgraded;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Replaces the process that serves by a new one, without refusing a client. */
@Command(
    name = "upgrade",
    header = "Replace the running node by a new process, without refusing a client.",
    sortOptions = false,
    description = {
      "",
      "The running process starts the new one with its own command line, so of the jar that is"
          + " there now, and passes its listening sockets and its store to it. Where that fails,"
          + " it serves on. Options and file only say which data directory the node has.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 the new process serves, 1 the old one serves on, or none answers.",
      "",
      "Example:",
      "  forebay upgrade --config /etc/forebay/forebay.yaml"
    })
public final class UpgradeCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final ConfigOptions config = new ConfigOptions();

  @Option(
      names = "--jar",
      paramLabel = "FILE",
      description = "Jar of the new process; default that of the running one.")
  private @Nullable Path jar;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "300",
      description =
          "After this time the new process is ended and the old one serves on; default"
              + " ${DEFAULT-VALUE}.")
  private int timeoutSeconds;

  public UpgradeCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    Output output = common.output();
    long from = System.nanoTime();
    try {
      Upgraded done =
          UpgradeClient.upgrade(
              data(),
              jar,
              Duration.ofSeconds(timeoutSeconds),
              pid -> output.line("process " + pid + " started"));
      long millis = (System.nanoTime() - from) / 1_000_000;
      output.json(
          Map.of(
              "event",
              "upgraded",
              "pid",
              done.pid(),
              "pauseMillis",
              done.pauseMillis(),
              "cut",
              done.cut(),
              "totalMillis",
              millis));
      output.line(
          "process "
              + done.pid()
              + " serves; new connections waited for at most "
              + done.pauseMillis()
              + " ms, "
              + done.cut()
              + " connections were cut, all of it took "
              + millis
              + " ms");
      return ExitCode.OK;
    } catch (IOException e) {
      throw new CommandException(ExitCode.FAILURE, String.valueOf(e.getMessage()));
    }
  }

  private Path data() {
    ConfigLoader loader = new ConfigLoader(config.environment());
    return switch (loader.load(config.file, config.given())) {
      case ConfigOutcome.Refused refused ->
          throw new CommandException(
              ExitCode.BAD_CONFIGURATION,
              String.join("\n", refused.problems().stream().map(ConfigProblem::toString).toList()));
      case ConfigOutcome.Loaded loaded -> loaded.config().store().data();
    };
  }
}
