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

/** Removes a node that is gone from the cluster. */
@Command(
    name = "forget",
    header = "Remove a node that is gone: purges no longer wait for it.",
    sortOptions = false,
    description = {
      "",
      "A node that is alive is not removed: stop it first. One that comes back joins",
      "again and catches up.",
      ""
    },
    footer = {"", "Example:", "  forebay cluster forget edge-7"})
final class ForgetCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Parameters(paramLabel = "NODE", description = "Name of the node: its forwarding.node-id.")
  private String node = "";

  ForgetCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    JsonNode answer;
    try (AdminClient client = admin.client()) {
      answer = client.post("/v1/cluster/forget", Map.of("node", node));
    }
    output.json(answer);
    output.line(node + " is forgotten");
    return ExitCode.OK;
  }
}
