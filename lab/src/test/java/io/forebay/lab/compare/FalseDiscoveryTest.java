package io.forebay.lab.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class FalseDiscoveryTest {

  @Test
  void theLargestValueBelowItsShareOfTheRateIsTheThreshold() {
    // Bounds are 0.01, 0.02, 0.03, 0.04 and 0.05: the fourth value passes, the fifth does not.
    double[] p = {0.2, 0.009, 0.035, 0.025, 0.03};

    assertEquals(0.035, FalseDiscovery.threshold(p, 0.05));
  }

  @Test
  void nothingPassesWhereNothingIsSmall() {
    assertTrue(FalseDiscovery.threshold(new double[] {0.2, 0.04, 0.9}, 0.05) < 0);
    assertTrue(FalseDiscovery.threshold(new double[0], 0.05) < 0);
  }
}
