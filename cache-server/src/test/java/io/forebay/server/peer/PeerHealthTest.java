package io.forebay.server.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class PeerHealthTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final PeerHealth health = new PeerHealth();

  private void eject(long now) {
    for (int i = 1; i < PeerHealth.FAILURES; i++) {
      assertFalse(health.failed(now));
    }
    assertTrue(health.failed(now));
  }

  @Test
  void failuresCountInARow() {
    for (int i = 0; i < 10; i++) {
      assertFalse(health.failed(0));
      assertFalse(health.failed(0));
      health.succeeded();
      assertTrue(health.tryAsk(0));
    }
  }

  @Test
  void aNodeThatIsOutIsProbedByOneRequest() {
    eject(0);
    assertFalse(health.tryAsk(SECOND - 1));
    assertTrue(health.tryAsk(SECOND));
    assertFalse(health.tryAsk(SECOND), "one at a time");
    assertTrue(health.isOut(SECOND));
    health.givenUp();
    assertTrue(health.tryAsk(SECOND), "a probe without an outcome makes room for the next");
    health.succeeded();
    assertTrue(health.tryAsk(SECOND));
    assertTrue(health.tryAsk(SECOND));
  }

  @Test
  void eachFailedProbeDoublesTheTimeUpToHalfAMinute() {
    eject(0);
    long now = 0;
    for (long seconds : new long[] {1, 2, 4, 8, 16, 30, 30, 30, 30}) {
      assertFalse(health.tryAsk(now + seconds * SECOND - 1), seconds + " s");
      now += seconds * SECOND;
      assertTrue(health.tryAsk(now), seconds + " s");
      assertFalse(health.failed(now));
    }
  }

  @Test
  void whatWasSentBeforeItWasOutSaysNothingNew() {
    eject(0);
    for (int i = 0; i < 10; i++) {
      assertFalse(health.failed(SECOND / 2));
    }
    assertEquals(true, health.tryAsk(SECOND));
  }
}
