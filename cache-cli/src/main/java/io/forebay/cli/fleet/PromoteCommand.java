package io.forebay.cli.fleet;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommandException;
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

/** Ends a stage of a roll-out and begins the next one. */
@Command(
    name = "promote",
    header = "Begin the next stage of a roll-out now.",
    sortOptions = false,
    description = {
      "",
      "After the last stage the version is in force on all nodes. Where an operator has",
      "begun the present stage, STAGE is needed: so two people who promote at once end",
      "one stage, and the second is told what is running.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  forebay cluster config promote",
      "  forebay cluster config promote 2"
    })
final class PromoteCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Parameters(
      arity = "0..1",
      paramLabel = "STAGE",
      description =
          "The stage to end, from 1 on, as 'forebay cluster config history' names it. Any other"
              + " stage is left as it is.")
  private @Nullable Integer stage;

  PromoteCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    if (stage != null && stage < 1) {
      throw new CommandException(ExitCode.USAGE, "stages count from 1 on");
    }
    JsonNode rollout;
    try (AdminClient client = admin.client()) {
      rollout =
          client.post(
              "/v1/cluster/config/promote", stage == null ? Map.of() : Map.of("stage", stage - 1));
    }
    output.json(rollout);
    output.line(RolloutJson.summary(rollout));
    return ExitCode.OK;
  }
}
