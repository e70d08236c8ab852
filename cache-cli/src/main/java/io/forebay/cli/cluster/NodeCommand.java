package io.forebay.cli.cluster;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** A command about one node of the cluster. */
abstract class NodeCommand implements Callable<Integer> {
  @Mixin final CommonOptions common = new CommonOptions();
  @Mixin final AdminOptions admin = new AdminOptions();

  @Parameters(paramLabel = "NODE", description = "Name of the node: its forwarding.node-id.")
  String node = "";

  /** Posts {@code /v1/cluster/ORDER} for the node. */
  final JsonNode post(AdminClient client, String order) {
    return client.post("/v1/cluster/" + order, Map.of("node", node));
  }

  /**
   * Gives an order and prints its outcome.
   *
   * @param outcome the text after the node's name
   */
  final int give(String order, String outcome) {
    Output output = common.output();
    JsonNode answer;
    try (AdminClient client = admin.client()) {
      answer = post(client, order);
    }
    output.json(answer);
    output.line(node + " " + outcome);
    return ExitCode.OK;
  }
}
