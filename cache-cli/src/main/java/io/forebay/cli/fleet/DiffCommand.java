package io.forebay.cli.fleet;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ConfigDifference;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Compares two versions of the fleet's document. */
@Command(
    name = "diff",
    header = "Show what differs between two versions on the node that is asked.",
    sortOptions = false,
    description = {
      "",
      "Without numbers: the version in force and the newest one, or the one before it.",
      "With one number: that one and the version in force. 0 is no document. Secrets",
      "are not shown. 'push --dry-run' compares a directory.",
      ""
    },
    footer = {"", "Example:", "  forebay cluster config diff 12 14"})
final class DiffCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "FROM",
      description = "The earlier version.")
  private @Nullable Long from;

  @Parameters(index = "1", arity = "0..1", paramLabel = "TO", description = "The later version.")
  private @Nullable Long to;

  DiffCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    JsonNode difference;
    try (AdminClient client = admin.client()) {
      JsonNode state = client.get("/v1/cluster/config");
      JsonNode versions = state.path("versions");
      long inForce = state.path("rollout").path("version").asLong(0);
      long newest = versions.path(versions.size() - 1).path("version").asLong(0);
      boolean isNewest = newest == inForce;
      long earlier =
          from != null
              ? from
              : isNewest ? state.path("rollout").path("previous").asLong(0) : inForce;
      long later = to != null ? to : from != null || isNewest ? inForce : newest;
      difference = client.get("/v1/cluster/config/changes/" + earlier + "/" + later);
    }
    ConfigDifference.print(output, difference);
    return ExitCode.OK;
  }
}
