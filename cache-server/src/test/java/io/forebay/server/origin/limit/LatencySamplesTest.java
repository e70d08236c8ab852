package io.forebay.server.origin.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The median of a window. */
class LatencySamplesTest {
  private final LatencySamples samples = new LatencySamples();

  @Test
  void theMedianIsExactToASixteenth() {
    for (long millis = 1; millis <= 10_000; millis = millis * 5 / 4 + 1) {
      samples.clear();
      long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
      for (int i = 0; i < 9; i++) {
        samples.add(i < 3 ? 1 : i < 6 ? nanos : nanos * 1000, 1);
      }
      assertEquals((double) nanos, (double) samples.medianNanos(), nanos / 12.0);
    }
  }

  @Test
  void latenciesOutsideOfTheScaleCountAtItsEnds() {
    samples.add(0, 1);
    assertEquals(1_024.0, (double) samples.medianNanos(), 200.0);
    samples.clear();
    samples.add(Long.MAX_VALUE, 1);
    assertEquals((double) (1L << 37), (double) samples.medianNanos(), (double) (1L << 34));
  }

  @Test
  void clearingForgetsEverything() {
    samples.add(5_000, 7);
    samples.addRejected(9);
    assertEquals(9, samples.peak());
    assertEquals(1, samples.rejected());
    samples.clear();
    assertEquals(0, samples.count() + samples.rejected() + samples.peak());
    assertEquals(0, samples.medianNanos());
  }
}
