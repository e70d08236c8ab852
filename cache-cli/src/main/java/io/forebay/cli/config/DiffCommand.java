package io.forebay.cli.config;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommandException;
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

/** Compares two configurations that a node accepted. */
@Command(
    name = "diff",
    header = "Show what differs between two configurations that a running node accepted.",
    sortOptions = false,
    description = {
      "",
      "Without numbers: the newest configuration and the one before it. With one number: that one"
          + " and the newest. Secrets are not shown.",
      ""
    },
    footer = {"", "Example:", "  forebay config diff 12 14"})
final class DiffCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "FROM",
      description = "Number of the earlier configuration.")
  private @Nullable Long from;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "TO",
      description = "Number of the later configuration.")
  private @Nullable Long to;

  DiffCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    JsonNode difference;
    try (AdminClient client = admin.client()) {
      JsonNode all = client.get("/v1/config/history").path("configurations");
      if (all.isEmpty() || (from == null && all.size() < 2)) {
        throw new CommandException(
            ExitCode.FAILURE, "there is no earlier configuration to compare with");
      }
      long last = all.path(all.size() - 1).path("number").asLong(0);
      long earlier = from != null ? from : all.path(all.size() - 2).path("number").asLong(0);
      long later = to != null ? to : last;
      difference = client.get("/v1/config/changes/" + earlier + "/" + later);
    }
    ConfigDifference.print(output, difference);
    return ExitCode.OK;
  }
}
