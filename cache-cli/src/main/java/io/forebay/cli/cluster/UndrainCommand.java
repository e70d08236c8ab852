package io.forebay.cli.cluster;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Ends the drain of a node. */
@Command(
    name = "undrain",
    header = "End the drain of a node: it may get traffic again.",
    sortOptions = false,
    footer = {"", "Example:", "  forebay cluster undrain edge-7"})
final class UndrainCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Parameters(paramLabel = "NODE", description = "Name of the node: its forwarding.node-id.")
  private String node = "";

  UndrainCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    JsonNode answer;
    try (AdminClient client = admin.client()) {
      answer = client.post("/v1/cluster/undrain", Map.of("node", node));
    }
    output.json(answer);
    output.line(node + " may get traffic again");
    return ExitCode.OK;
  }
}
