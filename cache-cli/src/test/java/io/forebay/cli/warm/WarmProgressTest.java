package io.forebay.cli.warm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.warm.WarmProgress.Count;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class WarmProgressTest {
  private final StringWriter err = new StringWriter();
  private final AtomicLong nanos = new AtomicLong();

  @Test
  void printsALineEveryFiveSecondsAtMost() {
    try (WarmProgress lines = WarmProgress.lines(new PrintWriter(err), nanos::get)) {
      for (int tick = 0; tick < 100; tick++) {
        nanos.addAndGet(Duration.ofMillis(250).toNanos());
        lines.show(new Count(tick, 1, 200, 3_000_000));
      }
    }

    assertEquals(5, err.toString().lines().count(), err.toString());
    assertEquals(
        "warm: 19 of 200, 1 failed, 2.9 MiB", err.toString().lines().findFirst().orElseThrow());
  }

  @Test
  void barRedrawsOneLineAndEndsIt() {
    try (WarmProgress bar = WarmProgress.bar(new PrintWriter(err))) {
      bar.show(new Count(5, 0, 10, 1 << 20));
    }

    assertTrue(err.toString().contains("\r"), err.toString());
    assertEquals(1, err.toString().chars().filter(c -> c == '\n').count(), err.toString());
    assertTrue(err.toString().contains("5/10"), err.toString());
  }

  /** Closed before the library has drawn it for the first time, or after: the line ends once. */
  @Test
  void aBarThatEndsAtOnceEndsItsLineOnce() {
    for (int i = 0; i < 200; i++) {
      StringWriter out = new StringWriter();
      WarmProgress.bar(new PrintWriter(out)).close();
      assertEquals(1, out.toString().chars().filter(c -> c == '\n').count(), out.toString());
    }
  }
}
