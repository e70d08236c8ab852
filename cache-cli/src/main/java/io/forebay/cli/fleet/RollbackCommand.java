package io.forebay.cli.fleet;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Gives up a roll-out, or goes back to an earlier version. */
@Command(
    name = "rollback",
    header = "Give up a roll-out, or go back to an earlier version.",
    sortOptions = false,
    description = {
      "",
      "While a version is being rolled out: its nodes get the one before. Otherwise all",
      "nodes go back at once, to the version before or to VERSION; 0 is no document.",
      ""
    },
    footer = {"", "Example:", "  forebay cluster config rollback 7"})
final class RollbackCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Parameters(
      arity = "0..1",
      paramLabel = "VERSION",
      description = "As 'forebay cluster config history' lists it.")
  private @Nullable Long version;

  RollbackCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    JsonNode rollout;
    try (AdminClient client = admin.client()) {
      rollout =
          client.post(
              "/v1/cluster/config/rollback",
              version == null ? Map.of() : Map.of("version", version));
    }
    output.json(rollout);
    output.line(RolloutJson.summary(rollout));
    return ExitCode.OK;
  }
}
