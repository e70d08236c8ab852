package io.forebay.cli.cluster;

import picocli.CommandLine.Command;

/** Ends the drain of a node. */
@Command(
    name = "undrain",
    header = "End the drain of a node: it may get traffic again.",
    sortOptions = false,
    footer = {"", "Example:", "  forebay cluster undrain edge-7"})
final class UndrainCommand extends NodeCommand {
  UndrainCommand() {}

  @Override
  public Integer call() {
    return give("undrain", "may get traffic again");
  }
}
