package io.forebay.lab.load.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.load.LoadPlan.Phase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArrivalsTest {
  private static final long MILLI = 1_000_000;

  private static List<Long> millis(int first, int stride, Phase... phases) {
    Arrivals arrivals = new Arrivals(List.of(phases), first, stride);
    List<Long> dues = new ArrayList<>();
    for (; arrivals.peek() != Arrivals.NEVER; arrivals.take()) {
      dues.add(Math.round(arrivals.peek() / (double) MILLI));
    }
    arrivals.take();
    assertEquals(Arrivals.NEVER, arrivals.peek());
    return dues;
  }

  @Test
  void aConstantRateIsEven() {
    assertEquals(
        List.of(0L, 250L, 500L, 750L, 1000L, 1500L),
        millis(0, 1, new Phase(1, 4, 4, false), new Phase(1, 2, 2, true)));
  }

  @Test
  void loopsShareTheRequests() {
    Phase[] phases = {new Phase(0.7, 10, 10, true), new Phase(1, 3, 3, true)};
    List<Long> both = new ArrayList<>(millis(0, 2, phases));
    both.addAll(millis(1, 2, phases));
    both.sort(null);

    assertEquals(millis(0, 1, phases), both);
    assertEquals(10, both.size());
  }

  @Test
  void aRampHasTheRateThatItHasThen() {
    // From 0 to 200 in two seconds: 50 in the first, 150 in the second.
    List<Long> up = millis(0, 1, new Phase(2, 0, 200, true));
    List<Long> down = millis(0, 1, new Phase(2, 200, 0, true));

    assertEquals(200, up.size());
    assertEquals(50, up.stream().filter(due -> due < 1000).count());
    assertEquals(200, down.size());
    assertEquals(150, down.stream().filter(due -> due < 1000).count());
  }

  @Test
  void aClosedLoopHasNoneAndTheNextPhaseFollows() {
    assertEquals(
        List.of(1000L, 1500L), millis(0, 1, new Phase(1, 0, 0, true), new Phase(1, 2, 2, true)));
  }

  @Test
  void momentsBelongToPhases() {
    Phases phases =
        new Phases(
            List.of(
                new Phase(1, 5, 5, false), new Phase(1, 0, 0, true), new Phase(0.5, 5, 9, true)));

    assertFalse(phases.isMeasuredAt(-1));
    assertFalse(phases.isMeasuredAt(999 * MILLI));
    assertTrue(phases.isMeasuredAt(1000 * MILLI));
    assertTrue(phases.isClosedAt(1999 * MILLI));
    assertFalse(phases.isClosedAt(2000 * MILLI));
    assertFalse(phases.isMeasuredAt(2500 * MILLI));
    assertFalse(phases.isMeasuredAt(0));
    assertEquals(1000 * MILLI, phases.nextClosedAfter(0));
    assertEquals(Arrivals.NEVER, phases.nextClosedAfter(1500 * MILLI));
    assertEquals(2500 * MILLI, phases.end());
  }
}
