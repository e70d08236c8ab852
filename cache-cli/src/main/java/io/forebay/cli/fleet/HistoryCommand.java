package io.forebay.cli.fleet;

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

/** Lists the versions, the roll-out, and the version on each node. */
@Command(
    name = "history",
    header = "List the last 50 versions, the roll-out and what each node has.",
    sortOptions = false,
    description = {"", "Exit code 3: a node that is alive has refused its version.", ""},
    footer = {"", "Example:", "  forebay cluster config history"})
final class HistoryCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  HistoryCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    JsonNode state;
    try (AdminClient client = admin.client()) {
      state = client.get("/v1/cluster/config");
    }
    output.json(state);
    JsonNode rollout = state.path("rollout");
    output.line(RolloutJson.summary(rollout));
    output.line(output.faint(version("VERSION", "STATE", "TIME", "BYTES", "FILES", "BY", "NOTE")));
    for (JsonNode one : state.path("versions")) {
      output.line(
          version(
              one.path("version").asLong(0),
              state(one.path("version").asLong(0), rollout),
              one.path("at").asString(""),
              one.path("size").asLong(0),
              one.path("files").asInt(0),
              one.path("author").asString(""),
              one.path("note").asString("")));
    }
    output.line(output.faint(node("NODE", "GROUP", "STATE", "VERSION", "REQUESTS", "5XX")));
    boolean isProblem = false;
    for (JsonNode one : state.path("nodes")) {
      boolean isAlive = one.path("alive").asBoolean(false);
      JsonNode has = one.path("version");
      output.line(
          node(
              one.path("node").asString("?"),
              one.path("group").asString("?"),
              isAlive ? one.path("ready").asBoolean(false) ? "ready" : "alive" : "gone",
              has.isNumber() ? has.asString("?") : "?",
              one.path("requests").asLong(0),
              one.path("errors").asLong(0)));
      if (one.path("problem").isString()) {
        isProblem |= isAlive;
        output.line("    " + output.bad(one.path("problem").asString("")));
      }
    }
    return isProblem ? ExitCode.PARTIAL : ExitCode.OK;
  }

  private static String state(long version, JsonNode rollout) {
    if (version == rollout.path("version").asLong(0)) {
      return "in force";
    }
    if (version == rollout.path("candidate").asLong(0)) {
      return "rolling";
    }
    return version == rollout.path("failed").asLong(0) ? "failed" : "";
  }

  private static String version(Object... cells) {
    return String.format(Locale.ROOT, "  %7s  %-8s  %-20s %9s %6s  %-18s %s", cells)
        .stripTrailing();
  }

  private static String node(Object... cells) {
    return String.format(Locale.ROOT, "  %-20s %-12s %-6s %8s %9s %6s", cells);
  }
}
