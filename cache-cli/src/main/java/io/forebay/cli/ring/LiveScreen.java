package io.forebay.cli.ring;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.util.List;
import picocli.CommandLine.Option;

/** Draws what a feed has brought, once or again and again. */
final class LiveScreen {
  private static final String HOME = "\u001b[H";
  private static final String ERASE_ALL = "\u001b[2J";
  private static final String ERASE_LINE = "\u001b[K";
  private static final String ERASE_BELOW = "\u001b[J";

  @Option(
      names = {"-1", "--once"},
      description = "Take what the rings have, print and exit.")
  private boolean isOnce;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "1",
      description = "Seconds between two screens; default 1.")
  private double intervalSeconds;

  LiveScreen() {}

  boolean isOnce() {
    return isOnce;
  }

  double intervalSeconds() {
    return intervalSeconds;
  }

  /** Refuses an interval that makes no sense. */
  void check() {
    if (!(intervalSeconds >= 0.1 && intervalSeconds <= 3600)) {
      throw new CommandException(ExitCode.USAGE, "--interval must be between 0.1 and 3600 seconds");
    }
  }

  /**
   * Goes on until the process ends, or Ctrl-C.
   *
   * @param show prints; called after each interval
   */
  void run(RingSource source, RecordFeed feed, Output output, Runnable show)
      throws InterruptedException {
    boolean isLast;
    do {
      // Asked before reading, so that the last records of the process are read after its end.
      String end = source.end();
      isLast = isOnce || end != null;
      feed.take();
      show.run();
      if (isLast && end != null) {
        output.note("forebay: " + end);
      } else if (!isLast) {
        feed.takeFor(intervalSeconds);
      }
    } while (!isLast);
    source.noteLost(output);
  }

  static void clear(Output output) {
    output.raw(ERASE_ALL + HOME);
  }

  /** Draws in place: what is not overwritten is erased, so nothing flickers. */
  static void draw(Output output, List<String> lines) {
    output.raw(HOME + String.join(ERASE_LINE + "\n", lines) + ERASE_LINE + ERASE_BELOW);
  }
}
