package io.forebay.cli.cluster;

import picocli.CommandLine.Command;

/** Removes a node that is gone from the cluster. */
@Command(
    name = "forget",
    header = "Remove a node that is gone: purges no longer wait for it.",
    sortOptions = false,
    description = {
      "",
      "A node that is alive is not removed: stop it first. One that comes back joins",
      "again and catches up.",
      ""
    },
    footer = {"", "Example:", "  forebay cluster forget edge-7"})
final class ForgetCommand extends NodeCommand {
  ForgetCommand() {}

  @Override
  public Integer call() {
    return give("forget", "is forgotten");
  }
}
