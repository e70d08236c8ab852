package io.forebay.cli.warm;

import io.forebay.cli.console.ByteSizes;
import io.forebay.cli.console.ProgressDisplay;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Shows the progress of a warm-up: a bar on a terminal, else a line every few seconds. */
sealed interface WarmProgress extends AutoCloseable {

  /** Numbers of the whole run so far. */
  record Count(long done, long failed, long known, long bytes) {}

  void show(Count count);

  @Override
  void close();

  static WarmProgress bar(PrintWriter err) {
    return new Bar(err);
  }

  static WarmProgress lines(PrintWriter err, LongSupplier clockNanos) {
    return new Lines(err, clockNanos);
  }

  /** For programs, which read the report. */
  static WarmProgress none() {
    return new None();
  }

  /** One bar, redrawn in place. */
  final class Bar implements WarmProgress {
    private final ProgressDisplay display;

    private Bar(PrintWriter err) {
      display = new ProgressDisplay(err, "warm", "", 1);
    }

    @Override
    public void show(Count count) {
      display.show(
          count.done(),
          count.known(),
          ByteSizes.text(count.bytes())
              + (count.failed() == 0 ? "" : ", " + count.failed() + " failed"));
    }

    @Override
    public void close() {
      display.close();
    }
  }

  /** Plain lines, few enough for a log. */
  final class Lines implements WarmProgress {
    private static final long INTERVAL_NANOS = Duration.ofSeconds(5).toNanos();

    private final PrintWriter err;
    private final LongSupplier clockNanos;
    private long lastNanos;

    private Lines(PrintWriter err, LongSupplier clockNanos) {
      this.err = err;
      this.clockNanos = clockNanos;
      this.lastNanos = clockNanos.getAsLong();
    }

    @Override
    public void show(Count count) {
      long now = clockNanos.getAsLong();
      if (now - lastNanos >= INTERVAL_NANOS) {
        lastNanos = now;
        err.println(
            "warm: %d of %d, %d failed, %s"
                .formatted(
                    count.done(), count.known(), count.failed(), ByteSizes.text(count.bytes())));
        err.flush();
      }
    }

    @Override
    public void close() {}
  }

  /** Silence. */
  final class None implements WarmProgress {
    private None() {}

    @Override
    public void show(Count count) {}

    @Override
    public void close() {}
  }
}
