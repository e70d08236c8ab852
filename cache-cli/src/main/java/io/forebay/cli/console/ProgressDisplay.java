package io.forebay.cli.console;

import java.io.PrintWriter;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** One progress bar on a terminal, redrawn in place. */
public final class ProgressDisplay implements AutoCloseable {
  private static final int INTERVAL_MILLIS = 200;

  private final ProgressLine line;
  private final ProgressBar bar;

  /**
   * {@code unit} stands behind the numbers, which are divided by {@code unitSize}; empty and 1 for
   * plain numbers.
   */
  public ProgressDisplay(PrintWriter err, String name, String unit, long unitSize) {
    line = new ProgressLine(err);
    bar =
        new ProgressBarBuilder()
            .setTaskName(name)
            .setInitialMax(0)
            .setUnit(unit, unitSize)
            .setStyle(ProgressBarStyle.ASCII)
            .setUpdateIntervalMillis(INTERVAL_MILLIS)
            .setConsumer(line)
            .build();
  }

  public void show(long done, long total, String message) {
    bar.maxHint(total);
    bar.stepTo(done);
    bar.setExtraMessage(message);
  }

  @Override
  public void close() {
    bar.close();
    line.close();
  }
}
