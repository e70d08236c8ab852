package io.forebay.lab.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.lab.result.Latency;
import io.forebay.lab.result.LoadTotals;
import io.forebay.lab.scenario.ObjectRow;
import io.forebay.lab.scenario.Setup.HitRatio;
import io.forebay.lab.scenario.Setup.HitRatioBy;
import io.forebay.lab.scenario.Setup.HitRatioOf;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Few requests make a hit ratio uncertain, few large objects more so. */
final class HitRatioToleranceTest {
  private static final double EXACT = 1e-9;
  private static final List<ObjectRow> OBJECTS =
      List.of(new ObjectRow("small", 1, 1, 10, "/{n}"), new ObjectRow("large", 99, 1, 10, "/{n}"));

  private static double tolerance(double wanted, HitRatioOf of, long requests, LoadTotals load) {
    return HitRatioTolerance.of(
        new HitRatio(wanted, of, HitRatioBy.FRESH_NAMES), requests, load, OBJECTS);
  }

  private static LoadTotals load(long small, long large) {
    return new LoadTotals(
        1,
        small + large,
        small + 99 * large,
        1,
        0,
        Map.of(),
        Latency.NONE,
        Latency.NONE,
        Latency.NONE,
        0,
        Map.of(
            "small",
            new Latency(small, 1, 1, 1, 1, 1),
            "large",
            new Latency(large, 1, 1, 1, 1, 1)));
  }

  @Test
  void isThreeStandardErrorsBetweenHalfAPointAndTwoPoints() {
    LoadTotals any = load(1, 1);

    assertEquals(0.012, tolerance(0.8, HitRatioOf.REQUESTS, 10_000, any), EXACT);
    assertEquals(0.005, tolerance(0.8, HitRatioOf.REQUESTS, 1_000_000, any), EXACT);
    assertEquals(0.02, tolerance(0.8, HitRatioOf.REQUESTS, 100, any), EXACT);
    assertEquals(0.02, tolerance(0.8, HitRatioOf.REQUESTS, 0, any), EXACT);
    assertEquals(0.005, tolerance(1, HitRatioOf.REQUESTS, 10, any), EXACT);
  }

  @Test
  void ofBytesIsThatOfTheRequestsForLargeObjects() {
    // Of 20,000 requests half are for nearly all bytes.
    assertEquals(0.012, tolerance(0.8, HitRatioOf.BYTES, 20_000, load(5_000, 5_000)), 0.000_2);
    assertEquals(0.012, tolerance(0.8, HitRatioOf.BYTES, 10_000, load(0, 500)), EXACT);
    assertEquals(0.012, tolerance(0.8, HitRatioOf.REQUESTS, 10_000, load(500, 5)), EXACT);
  }
}
