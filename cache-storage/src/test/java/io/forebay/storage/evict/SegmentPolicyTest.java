package io.forebay.storage.evict;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SegmentPolicyTest {
  private static final long REGION = 1000;

  private static SegmentPolicy policy(double share, int threshold) {
    return new SegmentPolicy(new SegmentPolicy.Setting(share, threshold, 0));
  }

  /** One letter a record of 100 bytes: {@code k} kept, {@code -} dropped, or WHOLE. */
  private static String judge(SegmentPolicy policy, boolean isProtected, int... touches) {
    policy.begin(isProtected);
    for (int each : touches) {
      policy.count(each, 0, 100);
    }
    if (policy.staysWhole(REGION)) {
      return "WHOLE";
    }
    StringBuilder result = new StringBuilder();
    for (int each : touches) {
      result.append(policy.survives(each, 0, 100) ? 'k' : '-');
    }
    return result.toString();
  }

  @Test
  void probationKeepsWhatReachesTheThreshold() {
    assertEquals("-kkk", judge(policy(0.5, 1), false, 0, 1, 2, 3));
    assertEquals("--kk", judge(policy(0.5, 2), false, 0, 1, 2, 3));
    assertEquals("----", judge(policy(0.5, 1), false, 0, 0, 0, 0));
  }

  @Test
  void theProtectedSegmentKeepsWhatWasTouchedAtAll() {
    assertEquals("-kkk", judge(policy(0.5, 2), true, 0, 1, 2, 3));
  }

  @Test
  void aRegionOfWhichMoreThanSevenEighthsSurviveStaysWhole() {
    assertEquals("kkkkkkkk--", judge(policy(0.5, 1), false, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0));
    assertEquals("WHOLE", judge(policy(0.5, 1), false, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0));
    assertEquals("WHOLE", judge(policy(0.5, 1), true, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0));
  }

  @Test
  void afterManyWholeRegionsInARowTheLeastTouchedGo() {
    SegmentPolicy policy = policy(0.5, 1);
    for (int n = 0; n < SegmentPolicy.MAX_CONSECUTIVE_WHOLE; n++) {
      assertEquals("WHOLE", judge(policy, true, 1, 2, 1, 2, 1, 2, 1, 2, 1, 3));
    }
    // Seven eighths are eight records: the five touched most, and the first three of the others.
    assertEquals("kkkkkk-k-k", judge(policy, true, 1, 2, 1, 2, 1, 2, 1, 2, 1, 3));
    assertEquals("WHOLE", judge(policy, true, 1, 2, 1, 2, 1, 2, 1, 2, 1, 3));
  }

  @Test
  void evenWhereAllAreTouchedMostSomeGo() {
    SegmentPolicy policy = policy(0.5, 2);
    for (int n = 0; n < SegmentPolicy.MAX_CONSECUTIVE_WHOLE; n++) {
      assertEquals("WHOLE", judge(policy, false, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3));
    }
    assertEquals("kkkkkkkk--", judge(policy, false, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3));
  }

  @Test
  void survivingProbationStartsAnewAndSurvivingAgainCostsOneTouch() {
    SegmentPolicy policy = policy(0.5, 1);
    policy.begin(false);
    assertEquals(0, policy.touchesAfter(3));
    policy.begin(true);
    assertEquals(2, policy.touchesAfter(3));
    assertEquals(0, policy.touchesAfter(1));
    assertEquals(0, policy.touchesAfter(0));
  }

  @Test
  void theProtectedSegmentGivesWhenItHasMoreThanItsShare() {
    assertFalse(policy(0.5, 1).reclaimsProtected(50, 100, true));
    assertTrue(policy(0.5, 1).reclaimsProtected(51, 100, false));
  }

  @Test
  void withoutAShareTheOlderRegionGoes() {
    assertFalse(policy(0, 1).reclaimsProtected(90, 100, false));
    assertTrue(policy(0, 1).reclaimsProtected(10, 100, true));
  }

  @Test
  void whatComesBackSurvivesProbationOnce() {
    for (int threshold = 1; threshold <= 2; threshold++) {
      SegmentPolicy policy = policy(0.5, threshold);
      assertEquals(
          "k-", judge(policy, false, policy.firstTouches(true), policy.firstTouches(false)));
    }
  }

  @Test
  void aReplacementInheritsWhatTheOldRecordHasEarned() {
    SegmentPolicy policy = policy(0.5, 2);
    assertEquals(1, policy.touchesInherited(false, 1));
    assertEquals(2, policy.touchesInherited(true, 0));
    assertEquals(3, policy.touchesInherited(true, 3));
  }

  private static SegmentPolicy favouring(int smallClass, boolean isProtected) {
    SegmentPolicy policy = new SegmentPolicy(new SegmentPolicy.Setting(0.5, 1, smallClass));
    policy.begin(isProtected);
    return policy;
  }

  @Test
  void sizeClassesArePowersOfTwo() {
    assertEquals(0, SegmentPolicy.sizeClass(0));
    assertEquals(0, SegmentPolicy.sizeClass(1));
    assertEquals(13, SegmentPolicy.sizeClass(8192));
    assertEquals(14, SegmentPolicy.sizeClass(8193));
    assertTrue(SegmentPolicy.sizeClass(Long.MAX_VALUE) < SegmentPolicy.ANY_SIZE);
  }

  @Test
  void theSmallerAnObjectThatWasAskedForAgainTheMorePassesItSurvives() {
    SegmentPolicy policy = favouring(15, true);
    int[] lives = {0, 0, 1, 2, 4, 7, 7, 7};
    for (int n = 0; n < lives.length; n++) {
      assertEquals(lives[n], policy.livesAfter(1, 0, 17 - n), "class " + (17 - n));
    }
    assertEquals(0, policy.livesAfter(1, 0, SegmentPolicy.ANY_SIZE));
  }

  @Test
  void aPassWithoutATouchCostsALife() {
    SegmentPolicy policy = favouring(15, true);
    assertEquals(3, policy.livesAfter(0, 4, 13));
    assertEquals(0, policy.livesAfter(0, 0, 13));
    policy.count(0, 1, 100);
    policy.count(0, 0, 100);
    assertFalse(policy.staysWhole(REGION));
    assertTrue(policy.survives(0, 1, 100));
    assertFalse(policy.survives(0, 0, 100));
  }

  @Test
  void inProbationOnlyASixteenthOfTheSizeIsSmall() {
    SegmentPolicy policy = favouring(15, false);
    assertEquals(0, policy.firstLives(12));
    assertEquals(1, policy.firstLives(11));
    assertEquals(4, policy.firstLives(9));
    assertFalse(policy.isProven(0, false));
    assertTrue(policy.isProven(1, false));
  }

  @Test
  void withoutASizeNothingHasLives() {
    SegmentPolicy policy = favouring(0, true);
    assertFalse(policy.favoursSmall());
    for (int sizeClass = 0; sizeClass <= SegmentPolicy.ANY_SIZE; sizeClass++) {
      assertEquals(0, policy.firstLives(sizeClass));
      assertEquals(0, policy.livesAfter(1, 0, sizeClass));
    }
  }

  @Test
  void whatWasAskedForGoesAfterWhatOnlyIsSmall() {
    SegmentPolicy policy = favouring(15, true);
    for (int pass = 0; pass <= SegmentPolicy.MAX_CONSECUTIVE_WHOLE; pass++) {
      policy.begin(true);
      for (int n = 0; n < 5; n++) {
        policy.count(0, 7, 100);
        policy.count(1, 0, 100);
      }
      assertEquals(pass < SegmentPolicy.MAX_CONSECUTIVE_WHOLE, policy.staysWhole(REGION));
    }
    // Seven eighths are eight records.
    for (int n = 0; n < 5; n++) {
      assertTrue(policy.survives(1, 0, 100));
      assertEquals(n < 3, policy.survives(0, 7, 100));
    }
  }

  @Test
  void refusesSettingsThatMakeNoSense() {
    assertThrows(IllegalArgumentException.class, () -> policy(-0.1, 1));
    assertThrows(IllegalArgumentException.class, () -> policy(1, 1));
    assertThrows(IllegalArgumentException.class, () -> policy(Double.NaN, 1));
    assertThrows(IllegalArgumentException.class, () -> policy(0.5, 0));
    assertThrows(IllegalArgumentException.class, () -> policy(0.5, 3));
  }
}
