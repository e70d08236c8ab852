package io.forebay.cli.cluster;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.cli.console.Terminal;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what the nodes of a cluster do, again and again. */
@Command(
    name = "top",
    header = "Show what the cluster and its nodes do, refreshed each second.",
    sortOptions = false,
    description = {
      "",
      "The first line has the sums over all nodes that answer: requests of clients, the",
      "share answered without an origin, of requests and of bytes, traffic to clients,",
      "requests to origins, responses with 5xx or broken off, purges that wait for the",
      "log or for nodes, and the largest distance to the newest purge. Rates are those",
      "of the last ten seconds. Requests between nodes count for the nodes' own ratios",
      "only. With --json, one object for each refresh.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  forebay cluster top",
      "  forebay cluster top --sort hits --interval 5",
      "  forebay cluster top --once --json | jq .total"
    })
final class TopCommand implements Callable<Integer> {
  private static final String ERASE_LINE = "\u001b[K";
  private static final String ERASE_BELOW = "\u001b[J";
  private static final String ERASE_ALL = "\u001b[2J";
  private static final String HOME = "\u001b[H";

  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Option(names = "--once", description = "Show one table and exit.")
  private boolean isOnce;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "1",
      description = "Seconds between refreshes; default 1.")
  private double intervalSeconds;

  @Option(
      names = "--sort",
      paramLabel = "BY",
      defaultValue = "name",
      description =
          "Order of the nodes: ${COMPLETION-CANDIDATES}; default name. Figures: the highest first,"
              + " of hits and bytes the lowest.")
  private TopOrder order = TopOrder.NAME;

  TopCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    if (!(intervalSeconds >= 0.1 && intervalSeconds <= 3600)) {
      throw new CommandException(ExitCode.USAGE, "--interval must be between 0.1 and 3600 seconds");
    }
    Output output = common.output();
    boolean isDrawn = !isOnce && !output.isJson() && Terminal.isOutput();
    try (AdminClient client = admin.client()) {
      // The first failure ends it; a node that goes away later may come back.
      TopReport report = TopReport.of(client.get("/v1/cluster"), order);
      if (isDrawn) {
        output.raw(ERASE_ALL + HOME);
      }
      show(output, report, isDrawn);
      long next = System.nanoTime();
      while (!isOnce) {
        next = Math.max(next + (long) (intervalSeconds * 1e9), System.nanoTime());
        TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
        try {
          show(output, TopReport.of(client.get("/v1/cluster"), order), isDrawn);
        } catch (CommandException gone) {
          output.note("forebay: " + gone.getMessage());
        }
      }
    }
    return ExitCode.OK;
  }

  private static void show(Output output, TopReport report, boolean isDrawn) {
    output.json(report.json());
    if (isDrawn) {
      List<String> lines =
          new TopScreen(output, Terminal.width(), Math.max(8, Terminal.height() - 1)).lines(report);
      // In place: what is not overwritten is erased, so nothing flickers.
      output.raw(HOME + String.join(ERASE_LINE + "\n", lines) + ERASE_BELOW);
    } else if (!output.isJson()) {
      new TopScreen(output, Integer.MAX_VALUE, Integer.MAX_VALUE)
          .lines(report)
          .forEach(output::line);
    }
  }
}
