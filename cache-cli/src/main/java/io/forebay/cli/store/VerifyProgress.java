package io.forebay.cli.store;

import io.forebay.cli.console.ProgressLine;
import java.io.PrintWriter;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import tools.jackson.databind.JsonNode;

/** How far a check of the store is, where a person watches. */
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

    private final ProgressLine line;
    private final ProgressBar bar;

    private Bar(PrintWriter err) {
      this.line = new ProgressLine(err);
      this.bar =
          new ProgressBarBuilder()
              .setTaskName("verify")
              .setInitialMax(0)
              .setUnit(" MiB", MEBI)
              .setStyle(ProgressBarStyle.ASCII)
              .setUpdateIntervalMillis(200)
              .setConsumer(line)
              .build();
    }

    @Override
    public void show(JsonNode status) {
      bar.maxHint(status.path("totalBytes").asLong(0));
      bar.stepTo(status.path("passedBytes").asLong(0));
      long bad = status.path("bad").asLong(0);
      bar.setExtraMessage(bad == 0 ? "" : bad + " bad");
    }

    @Override
    public void close() {
      bar.close();
      line.close();
    }
  }
}
