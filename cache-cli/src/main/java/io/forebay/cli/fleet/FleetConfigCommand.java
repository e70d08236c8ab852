package io.forebay.cli.fleet;

import io.forebay.cli.console.CommonOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/** Commands about the configuration of a fleet. */
@Command(
    name = "config",
    header = "The configuration that all nodes of a cluster share.",
    sortOptions = false,
    subcommands = {
      DiffCommand.class,
      HistoryCommand.class,
      PromoteCommand.class,
      PushCommand.class,
      RollbackCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Examples:",
      "  forebay cluster config push fleet/ --stage edge-1@5m --stage all",
      "  forebay cluster config history"
    })
public final class FleetConfigCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();

  public FleetConfigCommand() {}

  @Override
  public Integer call() {
    throw new ParameterException(
        common.spec.commandLine(),
        "missing subcommand: cluster config push, diff, promote, rollback or history");
  }
}
