package io.forebay.server.origin.probe;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Log lines about verdicts that change: at most 20 in ten seconds, and then how many there were
 * besides. One thread.
 */
final class ProbeLog {
  static final int MAX_LINES = 20;
  static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LongSupplier clockNanos;
  private final Consumer<String> out;
  private long windowNanos;
  private int lines;
  private long leftOut;

  ProbeLog(LongSupplier clockNanos, Consumer<String> out) {
    this.clockNanos = clockNanos;
    this.out = out;
    this.windowNanos = clockNanos.getAsLong();
  }

  void line(String text) {
    long now = clockNanos.getAsLong();
    if (now - windowNanos >= WINDOW_NANOS) {
      windowNanos = now;
      lines = 0;
      if (leftOut > 0) {
        out.accept("probes: " + leftOut + " further changes were not logged");
        leftOut = 0;
      }
    }
    if (lines < MAX_LINES) {
      lines++;
      out.accept(text);
    } else {
      leftOut++;
    }
  }
}
