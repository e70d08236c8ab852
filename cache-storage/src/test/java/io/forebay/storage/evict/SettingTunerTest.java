package io.forebay.storage.evict;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SettingTunerTest {
  private static final double[] SHARES = {0.1, 0.5, 0.9};
  private static final int[] THRESHOLDS = {1, 2};

  private final SettingTuner chooser =
      new SettingTuner(SHARES, THRESHOLDS, new SegmentPolicy.Setting(0.5, 1, 0));

  /** Missed bytes: all candidates the same but one. */
  private static double[] missed(int which, double bytes) {
    double[] missed = {1000, 1000, 1000, 1000, 1000, 1000};
    missed[which] = bytes;
    return missed;
  }

  @Test
  void candidatesAreAllPairs() {
    assertEquals(6, chooser.size());
    assertEquals(new SegmentPolicy.Setting(0.1, 1, 0), chooser.candidate(0));
    assertEquals(new SegmentPolicy.Setting(0.9, 2, 0), chooser.candidate(5));
    assertEquals(2, chooser.present());
  }

  @Test
  void movesAStepWhenACandidateIsBetterForLongEnough() {
    assertNull(chooser.onWindow(missed(5, 900)));
    assertEquals(new SegmentPolicy.Setting(0.9, 2, 0), chooser.onWindow(missed(5, 900)));
  }

  @Test
  void goesToAFarCandidateStepByStep() {
    SettingTuner low = new SettingTuner(SHARES, THRESHOLDS, new SegmentPolicy.Setting(0.1, 1, 0));
    assertNull(low.onWindow(missed(5, 500)));
    assertEquals(new SegmentPolicy.Setting(0.5, 2, 0), low.onWindow(missed(5, 500)));
    assertNull(low.onWindow(missed(5, 500)));
    assertEquals(new SegmentPolicy.Setting(0.9, 2, 0), low.onWindow(missed(5, 500)));
    assertNull(low.onWindow(missed(5, 500)));
  }

  @Test
  void staysWhereTheGainIsBelowTheMargin() {
    for (int window = 0; window < 1000; window++) {
      assertNull(chooser.onWindow(missed(5, 1000 * (1 - SettingTuner.MARGIN) + 1)));
    }
  }

  @Test
  void oneGoodWindowIsNoReason() {
    for (int window = 0; window < 1000; window++) {
      assertNull(chooser.onWindow(missed(5, 985)));
      assertNull(chooser.onWindow(missed(5, 1100)));
    }
  }

  @Test
  void twoSettingsThatTakeTurnsInBeingBetterMakeItMoveLessAndLess() {
    int moves = 0;
    int lateMoves = 0;
    for (int window = 0; window < 4000; window++) {
      // Twenty windows in which one is better by a third, then twenty for the other.
      double[] missed = {2000, 2000, 1000, 2000, 1000, 2000};
      missed[window / 20 % 2 == 0 ? 4 : 2] = 700;
      if (chooser.onWindow(missed) != null) {
        moves++;
        lateMoves += window >= 1000 ? 1 : 0;
      }
    }
    assertTrue(moves <= 8, moves + " moves");
    assertEquals(0, lateMoves);
  }

  @Test
  void noiseAroundEqualWorthMovesItRarely() {
    SplittableRandom random = new SplittableRandom(7);
    int moves = 0;
    for (int window = 0; window < 10_000; window++) {
      double[] missed = new double[6];
      for (int number = 0; number < 6; number++) {
        missed[number] = 1000 + random.nextDouble() * 20;
      }
      moves += chooser.onWindow(missed) == null ? 0 : 1;
    }
    assertTrue(moves <= 10, moves + " moves");
  }

  @Test
  void followsTrafficThatChangesForGood() {
    for (int window = 0; window < 50; window++) {
      var ignored = chooser.onWindow(missed(5, 800));
    }
    assertEquals(5, chooser.present());
    int windows = 0;
    while (chooser.present() != 0 && windows < 300) {
      windows++;
      var ignored = chooser.onWindow(missed(0, 800));
    }
    assertTrue(windows < 40, windows + " windows");
  }

  @Test
  void startsFromACandidateOnly() {
    assertNotNull(
        assertThrows(
                IllegalArgumentException.class,
                () -> new SettingTuner(SHARES, THRESHOLDS, new SegmentPolicy.Setting(0.4, 1, 0)))
            .getMessage());
  }
}
