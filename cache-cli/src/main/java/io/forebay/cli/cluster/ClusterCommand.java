package io.forebay.cli.cluster;

import io.forebay.cli.console.CommonOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/** Commands about the cluster of a node. */
@Command(
    name = "cluster",
    header = "Show the nodes of a cluster; drain and forget nodes.",
    sortOptions = false,
    subcommands = {
      StatusCommand.class,
      DrainCommand.class,
      UndrainCommand.class,
      ForgetCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Examples:",
      "  forebay cluster status",
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
        common.spec.commandLine(), "missing subcommand: cluster status, drain, undrain or forget");
  }
}
