package io.forebay.core.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class HopRuleTest {

  @ParameterizedTest
  @CsvSource({
    // tier, hop, own tier, taken
    "0, 1, 0, true",
    "1, 1, 1, true",
    "0, 0, 1, true",
    "0, 0, 2, true",
    "1, 0, 2, true",
    "0, 0, 0, false",
    "1, 0, 1, false",
    "2, 0, 1, false",
    "0, 1, 1, false",
    "1, 1, 0, false",
    "0, 2, 0, false",
    "0, 2, 1, false",
    "0, 9, 7, false",
  })
  void takesWhatComesOnceFromItsTierOrFromTheClients(
      int tier, int hop, int ownTier, boolean isTaken) {
    assertEquals(isTaken, HopRule.admits(tier, hop, ownTier));
  }

  /** Each step has a higher tier, or the same tier and the one hop that is allowed there. */
  @Test
  void noRequestComesBack() {
    for (int tier = 0; tier <= PeerRequestField.MAX_TIER; tier++) {
      for (int next = 0; next <= tier; next++) {
        assertFalse(HopRule.admits(tier, 0, next), "down from " + tier + " to " + next);
        if (next < tier) {
          assertFalse(HopRule.admits(tier, 1, next), "aside from " + tier + " to " + next);
        }
      }
    }
  }
}
