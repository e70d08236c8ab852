package io.forebay.server.compress.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.compress.ContentCoding;
import org.junit.jupiter.api.Test;

/** One job a copy, a bounded number of jobs, and refusals that pass. */
final class CopyRegistryTest {
  private static final long START = 1_800_000_000_000L;
  private static final long MINUTE = 60_000;

  private final CopyRegistry registry = new CopyRegistry(START);

  @Test
  void aCopyIsMadeOnceAtATime() {
    assertTrue(registry.begin(7, ContentCoding.BR, 9));
    assertFalse(registry.begin(7, ContentCoding.BR, 9));
    assertTrue(registry.begin(7, ContentCoding.GZIP, 9));
    assertTrue(registry.begin(8, ContentCoding.BR, 9));
    assertEquals(3, registry.active());
    registry.end(7, ContentCoding.BR, 9);
    assertTrue(registry.begin(7, ContentCoding.BR, 9));
  }

  @Test
  void noMoreAreMadeAtOnceThanThereArePlaces() {
    int begun = 0;
    while (registry.begin(begun, ContentCoding.BR, 9)) {
      begun++;
    }
    assertEquals(64, begun);
    registry.end(0, ContentCoding.BR, 9);
    assertTrue(registry.begin(begun, ContentCoding.BR, 9));
  }

  @Test
  void aRefusalIsOfOneCodingAndLevelAndPasses() {
    registry.refuse(7, ContentCoding.BR, 9, START + MINUTE, 2);
    assertTrue(registry.isRefused(7, ContentCoding.BR, 9, START + MINUTE));
    assertTrue(registry.isRefused(7, ContentCoding.BR, 9, START + 3 * MINUTE));
    assertFalse(registry.isRefused(7, ContentCoding.BR, 9, START + 4 * MINUTE));
    assertFalse(registry.isRefused(7, ContentCoding.BR, 8, START + MINUTE));
    assertFalse(registry.isRefused(7, ContentCoding.GZIP, 9, START + MINUTE));
    assertFalse(registry.isRefused(8, ContentCoding.BR, 9, START + MINUTE));
  }

  @Test
  void manyRefusalsFitAndNothingElseIsRefused() {
    for (int id = 0; id < 2_000; id++) {
      registry.refuse(id, ContentCoding.ZSTD, 12, START, 60);
    }
    int kept = 0;
    for (int id = 0; id < 2_000; id++) {
      kept += registry.isRefused(id, ContentCoding.ZSTD, 12, START) ? 1 : 0;
    }
    assertTrue(kept > 1_600, () -> "refusals displaced each other");
    for (int id = 2_000; id < 100_000; id++) {
      assertFalse(registry.isRefused(id, ContentCoding.ZSTD, 12, START), "object " + id);
    }
  }
}
