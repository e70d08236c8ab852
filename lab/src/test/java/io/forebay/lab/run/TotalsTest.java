package io.forebay.lab.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.lab.host.HostSample;
import io.forebay.lab.result.ServerTotals;
import io.forebay.lab.target.RunningTarget.Counters;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a step's counters come to. */
final class TotalsTest {
  private static final HostSample HOST =
      new HostSample(10, 1, 0.5, 0.1, 0.1, 0.3, 10_000, 1 << 20, 0, 0, 0, 0, null);

  private static ServerTotals totals(long sentBefore, long sentAfter) {
    return Totals.server(
        HOST,
        Examples.load(),
        new Counters(7, 7, sentBefore, 1_000_000, Map.of()),
        new Counters(1_007, 807, sentAfter, 3_000_000, Map.of()),
        0);
  }

  @Test
  void theByteHitRatioIsThatOfTheServersOwnCounters() {
    assertEquals(0.9, totals(5_000_000, 25_000_000).byteHitRatio(), 1e-9);
  }

  /** Clients got 10 MB. */
  @Test
  void whereTheServerDoesNotCountWhatItSendsClientsDo() {
    assertEquals(0.8, totals(-1, -1).byteHitRatio(), 1e-9);
  }
}
