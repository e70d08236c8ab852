package io.forebay.server.compress.copy;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Few deltas at once, and few of one response. */
final class DeltaLimitsTest {
  private final DeltaLimits limits = new DeltaLimits();

  @Test
  void soManyAreMadeAtOnce() {
    for (int i = 0; i < DeltaLimits.MAX_JOBS; i++) {
      assertTrue(limits.begin(i));
    }
    assertFalse(limits.begin(100));
    limits.end(0, false);
    assertTrue(limits.begin(100));
  }

  @Test
  void aResponseHasSoManyAndThoseThatWereNotMadeDoNotCount() {
    for (int i = 0; i < DeltaLimits.MAX_DELTAS; i++) {
      assertTrue(limits.begin(7));
      limits.end(7, false);
      assertTrue(limits.begin(7));
      limits.end(7, true);
    }
    assertFalse(limits.begin(7));
    assertTrue(limits.begin(8));
  }
}
