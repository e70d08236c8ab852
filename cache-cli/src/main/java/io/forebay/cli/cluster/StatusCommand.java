package io.forebay.cli.cluster;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** Shows the nodes of a cluster as one of them sees them. */
@Command(
    name = "status",
    header = "Show the nodes of the cluster and their positions.",
    sortOptions = false,
    description = {
      "",
      "One line per node: whether it is alive, and how many revisions of the log it",
      "is behind the newest purge.",
      ""
    },
    footer = {"", "Example:", "  forebay cluster status"})
final class StatusCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  StatusCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    JsonNode state;
    try (AdminClient client = admin.client()) {
      state = client.get("/v1/cluster");
    }
    output.json(state);
    long newest = state.path("newest").asLong(0);
    output.line(
        "cluster " + state.path("cluster").asString("?") + ", newest purge at revision " + newest);
    output.line(output.faint(row("NODE", "GROUP", "STATE", "BEHIND", "CUT-OFF", "ADDRESS")));
    for (JsonNode node : state.path("nodes")) {
      boolean isAlive = node.path("alive").asBoolean(false);
      JsonNode revision = node.path("revision");
      String line =
          row(
              node.path("node").asString("?"),
              node.path("group").asString("?"),
              isAlive ? "alive" : "gone",
              revision.isNumber() ? Long.toString(Math.max(0, newest - revision.asLong())) : "?",
              node.path("cutOff").asString("?"),
              node.path("address").asString("?"));
      output.line(isAlive ? line : output.bad(line));
      if (node.path("problem").isString()) {
        output.line("    " + node.path("problem").asString(""));
      }
    }
    if (state.path("problem").isString()) {
      output.line(output.bad("this node: " + state.path("problem").asString("")));
    }
    return ExitCode.OK;
  }

  private static String row(Object... cells) {
    return String.format(Locale.ROOT, "  %-20s %-12s %-6s %8s  %-8s %s", cells);
  }
}
