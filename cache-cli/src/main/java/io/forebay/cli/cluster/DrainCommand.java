package io.forebay.cli.cluster;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** Takes the traffic off a node. */
@Command(
    name = "drain",
    header = "Take the traffic off a node.",
    sortOptions = false,
    description = {
      "",
      "The node answers 503 on /readyz, with the code cluster-draining, until it is",
      "undrained; also after a restart. It goes on to apply purges, and answers the",
      "requests that it still gets.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  forebay cluster drain edge-7",
      "  forebay cluster drain edge-7 --wait --wait-most 120"
    })
final class DrainCommand extends NodeCommand {
  private static final Duration PERIOD = Duration.ofSeconds(1);

  @Option(
      names = "--wait",
      description = "Return once the node has had no request of a client for ten seconds.")
  private boolean isWaiting;

  @Option(
      names = "--wait-most",
      paramLabel = "SECONDS",
      defaultValue = "300",
      description = "For how long to wait; default 300. The exit code is 3 if it was not enough.")
  private int waitMost;

  DrainCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    if (waitMost < 1 || waitMost > 86_400) {
      throw new CommandException(ExitCode.USAGE, "--wait-most must be between 1 and 86400");
    }
    try (AdminClient client = admin.client()) {
      JsonNode answer = post(client, "drain");
      if (!isWaiting) {
        output.json(answer);
        output.line(node + " drains");
        return ExitCode.OK;
      }
      return await(client, output);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ExitCode.FAILURE, "interrupted: " + node + " drains");
    }
  }

  private int await(AdminClient client, Output output) throws InterruptedException {
    long start = System.nanoTime();
    while (true) {
      JsonNode state = state(client);
      boolean isIdle = isIdle(state);
      if (isIdle || System.nanoTime() - start >= TimeUnit.SECONDS.toNanos(waitMost)) {
        output.json(state);
        output.line(
            node
                + (isIdle ? " is drained, " : " still drains, ")
                + state.path("requestsPerSecond").asString("?")
                + " requests a second, "
                + state.path("connections").asString("?")
                + " connections open");
        return isIdle ? ExitCode.OK : ExitCode.PARTIAL;
      }
      Thread.sleep(PERIOD);
    }
  }

  private JsonNode state(AdminClient client) {
    for (JsonNode one : client.get("/v1/cluster").path("nodes")) {
      if (one.path("node").asString("").equals(node)) {
        return one;
      }
    }
    throw new CommandException(ExitCode.FAILURE, "the cluster has no node " + node + " any more");
  }

  /** A node that is not alive has no requests. */
  private static boolean isIdle(JsonNode state) {
    return !state.path("alive").asBoolean(true)
        || (state.path("drainSeen").asBoolean(false)
            && state.path("requestsPerSecond").asDouble(1) == 0);
  }
}
