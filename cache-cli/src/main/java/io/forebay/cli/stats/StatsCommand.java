package io.forebay.cli.stats;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import tools.jackson.databind.JsonNode;

/** Shows the figures of a running node: once, or one line every few seconds. */
@Command(
    name = "stats",
    header = "Show the activity and contents of a running node.",
    sortOptions = false,
    description = {
      "",
      "Counts begin at the node's start; with --watch, rates begin at the previous line.",
      ""
    })
public final class StatsCommand implements Callable<Integer> {
  private static final int LINES_PER_HEADING = 20;

  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Option(
      names = {"-w", "--watch"},
      description = "Print a line every few seconds until Ctrl-C.")
  private boolean isWatching;

  @Option(
      names = "--sizes",
      description = "The estimated hit ratio with half, twice and four times the memory.")
  private boolean isOfSizes;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "2",
      description = "Seconds between lines; default 2.")
  private double intervalSeconds;

  @Option(names = "--count", paramLabel = "N", description = "Exit after this number of lines.")
  private long count = Long.MAX_VALUE;

  public StatsCommand() {}

  @Override
  public Integer call() {
    if (!(intervalSeconds >= 0.1 && intervalSeconds <= 3600)) {
      throw new ParameterException(
          common.spec.commandLine(), "--interval must be between 0.1 and 3600 seconds");
    }
    if (isOfSizes && isWatching) {
      throw new ParameterException(
          common.spec.commandLine(), "--sizes and --watch exclude each other");
    }
    Output output = common.output();
    try (AdminClient client = admin.client()) {
      if (isOfSizes) {
        JsonNode stats = client.get("/v1/stats");
        output.json(SizesScreen.estimates(stats));
        SizesScreen.lines(stats).forEach(output::line);
      } else if (isWatching) {
        watch(client, output);
      } else {
        JsonNode stats = client.get("/v1/stats");
        output.json(stats);
        StatsScreen.lines(stats).forEach(output::line);
      }
    }
    return ExitCode.OK;
  }

  /**
   * The first failure ends it; a node that goes away later may come back, so that is only noted.
   */
  private void watch(AdminClient client, Output output) {
    JsonNode before = client.get("/v1/stats");
    long beforeNanos = System.nanoTime();
    for (long line = 0; line < count; line++) {
      LockSupport.parkNanos((long) (intervalSeconds * Duration.ofSeconds(1).toNanos()));
      if (line % LINES_PER_HEADING == 0) {
        output.line(output.faint(StatsRates.HEADING));
      }
      try {
        JsonNode now = client.get("/v1/stats");
        long nowNanos = System.nanoTime();
        output.json(now);
        output.line(StatsRates.between(before, now, (nowNanos - beforeNanos) / 1e9).line());
        before = now;
        beforeNanos = nowNanos;
      } catch (CommandException gone) {
        output.note("forebay: " + gone.getMessage());
      }
    }
  }
}
