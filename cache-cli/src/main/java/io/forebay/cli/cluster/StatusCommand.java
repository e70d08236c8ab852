package io.forebay.cli.cluster;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.util.ArrayList;
import java.util.List;
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
      "One line per node: whether it is alive or drained, how many revisions of the",
      "log it is behind the newest purge, the age of its last proof that it knows all",
      "purges, and its requests and hits in the last ten seconds.",
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
    output.line(
        output.faint(
            row(
                "NODE", "GROUP", "STATE", "BEHIND", "PROOF", "REQ/S", "HITS", "CUT-OFF",
                "ADDRESS")));
    for (JsonNode node : state.path("nodes")) {
      boolean isAlive = node.path("alive").asBoolean(false);
      boolean isDraining = node.path("draining").asBoolean(false);
      JsonNode revision = node.path("revision");
      String line =
          row(
              node.path("node").asString("?"),
              node.path("group").asString("?"),
              !isAlive ? "gone" : isDraining ? "drains" : "alive",
              revision.isNumber() ? Long.toString(Math.max(0, newest - revision.asLong())) : "?",
              text(node.path("proofAgeMillis"), "%.0f ms"),
              text(node.path("requestsPerSecond"), "%.1f"),
              text(node.path("hitRatio"), "%.4f"),
              node.path("cutOff").asString("?"),
              node.path("address").asString("?"));
      output.line(isAlive ? line : output.bad(line));
      if (!node.path("notReady").isEmpty()) {
        output.line("    not ready: " + codes(node.path("notReady")));
      }
      if (node.path("problem").isString()) {
        output.line("    " + node.path("problem").asString(""));
      }
    }
    if (state.path("problem").isString()) {
      output.line(output.bad("this node: " + state.path("problem").asString("")));
    }
    return ExitCode.OK;
  }

  private static String text(JsonNode number, String format) {
    return number.isNumber() ? String.format(Locale.ROOT, format, number.asDouble()) : "?";
  }

  private static String codes(JsonNode codes) {
    List<String> all = new ArrayList<>();
    codes.forEach(code -> all.add(code.asString("?")));
    return String.join(", ", all);
  }

  private static String row(Object... cells) {
    return String.format(Locale.ROOT, "  %-20s %-12s %-6s %8s %9s %9s %7s  %-8s %s", cells);
  }
}
