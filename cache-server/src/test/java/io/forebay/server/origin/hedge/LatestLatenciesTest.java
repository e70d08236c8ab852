package io.forebay.server.origin.hedge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LatestLatenciesTest {
  private final LatestLatencies latencies = new LatestLatencies();

  @Test
  void nothingIsLateBeforeLatenciesAreKnown() {
    add(LatestLatencies.STEP - 1, 5);
    assertEquals(Long.MAX_VALUE, latencies.p95Nanos());
    add(1, 5);
    assertEquals(TimeUnit.MILLISECONDS.toNanos(5), latencies.p95Nanos());
  }

  @Test
  void oneInTwentyIsLonger() {
    for (int i = 1; i <= LatestLatencies.WINDOW; i++) {
      add(1, i);
    }
    assertEquals(TimeUnit.MILLISECONDS.toNanos(244), latencies.p95Nanos());
  }

  @Test
  void onlyTheLatestCount() {
    add(LatestLatencies.WINDOW, 500);
    add(LatestLatencies.WINDOW, 7);
    assertEquals(TimeUnit.MILLISECONDS.toNanos(7), latencies.p95Nanos());
  }

  @Test
  void nothingIsLateWithinAMillisecond() {
    add(LatestLatencies.STEP, 0);
    assertEquals(TimeUnit.MILLISECONDS.toNanos(1), latencies.p95Nanos());
  }

  private void add(int count, long millis) {
    for (int i = 0; i < count; i++) {
      latencies.add(TimeUnit.MILLISECONDS.toNanos(millis));
    }
  }
}
