package io.forebay.cli.fleet;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** Begins the next stage of a roll-out. */
@Command(
    name = "promote",
    header = "Begin the next stage of a roll-out now.",
    sortOptions = false,
    description = {"", "After the last stage the version is in force on all nodes.", ""},
    footer = {"", "Example:", "  forebay cluster config promote"})
final class PromoteCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  PromoteCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    JsonNode rollout;
    try (AdminClient client = admin.client()) {
      rollout = client.post("/v1/cluster/config/promote", Map.of());
    }
    output.json(rollout);
    output.line(RolloutJson.summary(rollout));
    return ExitCode.OK;
  }
}
