package io.forebay.cli.store;

import io.forebay.cli.console.ProgressDisplay;
import java.io.PrintWriter;
import tools.jackson.databind.JsonNode;

/** Shows the progress of a verification on a terminal. */
@FunctionalInterface
interface VerifyProgress extends AutoCloseable {
  default void show(JsonNode status) {}

  @Override
  void close();

  static VerifyProgress bar(PrintWriter err) {
    return new Bar(err);
  }

  /** One bar, redrawn in place. */
  final class Bar implements VerifyProgress {
    private static final int MEBI = 1 << 20;

    private final ProgressDisplay display;

    private Bar(PrintWriter err) {
      display = new ProgressDisplay(err, "verify", " MiB", MEBI);
    }

    @Override
    public void show(JsonNode status) {
      long bad = status.path("bad").asLong(0);
      display.show(
          status.path("passedBytes").asLong(0),
          status.path("totalBytes").asLong(0),
          bad == 0 ? "" : bad + " bad");
    }

    @Override
    public void close() {
      display.close();
    }
  }
}
