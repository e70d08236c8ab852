package io.forebay.cli.origins;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** Takes a drained server of an origin back into service. */
@Command(
    name = "undrain",
    header = "Send requests to a drained server again.",
    sortOptions = false,
    description = {
      "",
      "SERVER is what was drained: a URL, or ADDRESS:PORT. It may be gone from the configuration.",
      ""
    },
    footer = {"", "Example:", "  forebay origins undrain http://10.0.0.1:8080"})
final class UndrainCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();
  @Mixin private final ServerSelection selection = new ServerSelection();

  UndrainCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    JsonNode outcome;
    try (AdminClient client = admin.client()) {
      outcome = client.post("/v1/origins/undrain", selection.order());
    }
    output.json(outcome);
    output.line(
        ServerSelection.name(outcome)
            + (outcome.path("changed").asBoolean(false) ? " is used again" : " was not drained"));
    for (JsonNode endpoint : outcome.path("endpoints")) {
      String state = endpoint.path("state").asString("?");
      if (!state.equals("usable")) {
        output.line(
            "  but "
                + endpoint.path("address").asString("?")
                + " is "
                + state
                + ": "
                + endpoint.path("why").asString("?"));
      }
    }
    return ExitCode.OK;
  }
}
