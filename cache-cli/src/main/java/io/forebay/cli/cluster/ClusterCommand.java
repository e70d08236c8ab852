package io.forebay.cli.cluster;

import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.fleet.FleetConfigCommand;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/** Commands about the cluster of a node. */
@Command(
    name = "cluster",
    header = "Nodes of a cluster, and the configuration that they share.",
    sortOptions = false,
    subcommands = {
      StatusCommand.class,
      TopCommand.class,
      DrainCommand.class,
      UndrainCommand.class,
      ForgetCommand.class,
      FleetConfigCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Examples:",
      "  forebay cluster status",
      "  forebay cluster top",
      "  forebay cluster drain edge-7 --wait",
      "  forebay cluster undrain edge-7",
      "  forebay cluster forget edge-7"
    })
public final class ClusterCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();

  public ClusterCommand() {}

  @Override
  public Integer call() {
    throw new ParameterException(
        common.spec.commandLine(),
        "missing subcommand: cluster status, top, drain, undrain, forget or config");
  }
}
