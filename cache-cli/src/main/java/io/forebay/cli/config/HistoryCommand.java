package io.forebay.cli.config;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** Lists the configurations that a node accepted. */
@Command(
    name = "history",
    header = "List the last 50 configurations that a running node accepted.",
    sortOptions = false,
    description = {
      "",
      "The node keeps the text of each in the directory config-history of its data directory.",
      ""
    })
final class HistoryCommand implements Callable<Integer> {
  /** Enough of a hash to tell configurations apart. */
  private static final int SHOWN_HASH = 12;

  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  HistoryCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    JsonNode history;
    try (AdminClient client = admin.client()) {
      history = client.get("/v1/config/history");
    }
    output.json(history);
    output.line(
        String.format(
            "%6s  %-20s  %-12s  %-10s  %-24s  %s",
            "NUMBER", "TIME", "HASH", "SOURCE", "BY", "FILE"));
    for (JsonNode entry : history.path("configurations")) {
      String hash = entry.path("hash").asString("");
      output.line(
          String.format(
              "%6d  %-20s  %-12s  %-10s  %-24s  %s",
              entry.path("number").asLong(0),
              entry.path("time").asString("").replaceFirst("\\.\\d+Z$", "Z"),
              hash.substring(0, Math.min(SHOWN_HASH, hash.length())),
              source(entry),
              entry.path("author").asString(""),
              entry.path("file").asString("none")));
    }
    return ExitCode.OK;
  }

  /** Whether the fleet's document was joined, and which version of it. */
  private static String source(JsonNode entry) {
    long version = entry.path("fleetVersion").asLong(0);
    return version == 0 ? "local" : "fleet " + version;
  }
}
