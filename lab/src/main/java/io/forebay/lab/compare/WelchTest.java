package io.forebay.lab.compare;

import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Welch's t test on trimmed means: the chance that two differ as much or more while nothing
 * changed. Outliers that remain widen the deviation, so they hide changes and invent none.
 */
final class WelchTest {

  private WelchTest() {}

  /** Two-sided. */
  static double p(TrimmedMean before, TrimmedMean after) {
    double error = before.squaredError() + after.squaredError();
    double t = Math.abs(after.mean() - before.mean()) / Math.sqrt(error);
    double degrees =
        error
            * error
            / (before.squaredError() * before.squaredError() / before.degrees()
                + after.squaredError() * after.squaredError() / after.degrees());
    return 2 * TDistribution.of(degrees).survivalProbability(t);
  }
}
