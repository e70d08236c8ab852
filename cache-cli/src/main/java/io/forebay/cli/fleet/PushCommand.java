package io.forebay.cli.fleet;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.server.cluster.fleet.DocumentParts;
import io.forebay.server.cluster.fleet.FleetException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Rolls a document out. */
@Command(
    name = "push",
    header = "Roll a configuration out to the nodes of the cluster.",
    sortOptions = false,
    description = {
      "",
      "The document is the file fleet.yaml of the directory; all files beside it and",
      "below travel with it, 16 MiB in all. In it, ${FLEET} is where they are on a node.",
      "The node that is asked checks it first. A stage that gives more errors or fewer",
      "hits than the other nodes is rolled back.",
      ""
    },
    footer = {"", "Example:", "  forebay cluster config push fleet/ --stage edge-1@5m --stage all"})
final class PushCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Parameters(paramLabel = "DIR", description = "Directory with fleet.yaml, or that file alone.")
  private Path path = Path.of("");

  @Option(
      names = "--stage",
      paramLabel = "WHO[@BAKE]",
      description =
          "A stage: names of nodes, group:NAME or all, and how long to wait before the next, such"
              + " as 30s, 5m, 1h. Default: the node that is asked for 5m, then all.")
  private List<String> stages = new ArrayList<>();

  @Option(
      names = "--max-errors",
      paramLabel = "POINTS",
      description = "Percentage points of 5xx above the other nodes; default 1.")
  private @Nullable Double maxErrors;

  @Option(
      names = "--max-hit-loss",
      paramLabel = "POINTS",
      description = "Percentage points of hit ratio below the other nodes; default 10.")
  private @Nullable Double maxHitLoss;

  @Option(names = "--note", paramLabel = "TEXT", description = "What the version is about.")
  private @Nullable String note;

  @Option(
      names = "--dry-run",
      description = "Say what would change, and which problems there are; change nothing.")
  private boolean isDryRun;

  PushCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    JsonNode answer;
    try (AdminClient client = admin.client()) {
      DocumentParts parts = DocumentParts.of(DocumentFiles.read(path));
      for (String text : parts.texts().values()) {
        JsonNode ignored = client.postText("/v1/cluster/config/parts", text);
      }
      answer = client.post("/v1/cluster/config/push", order(parts.manifest()));
    } catch (FleetException e) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
    output.json(answer);
    output.line(
        isDryRun
            ? "the document would be accepted; nothing was changed"
            : "version " + answer.path("version").asLong(0) + " is being rolled out");
    int number = 1;
    for (JsonNode stage : answer.path("stages")) {
      output.line(String.format("  %-13s  %s", "stage " + number++, stage.asString("")));
    }
    for (JsonNode key : answer.path("changed")) {
      output.line(String.format("  %-13s  %s", "changed", key.asString("")));
    }
    return ExitCode.OK;
  }

  private Map<String, Object> order(String manifest) {
    Map<String, Object> order = new LinkedHashMap<>();
    order.put("manifest", manifest);
    order.put("stages", stages);
    order.put("dryRun", isDryRun);
    if (maxErrors != null) {
      order.put("maxErrors", maxErrors);
    }
    if (maxHitLoss != null) {
      order.put("maxHitLoss", maxHitLoss);
    }
    if (note != null) {
      order.put("note", note);
    }
    return order;
  }
}
