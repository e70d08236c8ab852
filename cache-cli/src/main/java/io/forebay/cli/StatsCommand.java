package io.forebay.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** What a running node does and holds. */
@Command(name = "stats", header = "Show what a running node does and holds.", sortOptions = false)
final class StatsCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  StatsCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    try (AdminClient client = admin.client()) {
      JsonNode stats = client.get("/v1/stats");
      output.json(stats);
      output.line(stats.toPrettyString());
    }
    return Exit.OK;
  }
}
