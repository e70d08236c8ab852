package io.forebay.lab.compare;

import io.forebay.lab.result.Figure;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * The interval of a ratio by a hierarchical bootstrap: each round draws repetitions with
 * replacement, and in each drawn one blocks of neighbouring seconds, because a second resembles the
 * one before it.
 *
 * <p>Percentiles of a bootstrap of few repetitions are too close together. They are moved outwards
 * as a t interval is wider than a normal one (Hesterberg 2015, expanded percentiles).
 */
final class Bootstrap {

  private static final double OUTSIDE = 0.05;

  private Bootstrap() {}

  /** Lower and upper end of the ratio. */
  record Interval(double low, double high) {}

  static Interval ratio(
      List<Repetition> before,
      List<Repetition> after,
      Figure.Better better,
      int rounds,
      long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[] logs = new double[rounds];
    for (int i = 0; i < rounds; i++) {
      logs[i] = draw(after, better, random) - draw(before, better, random);
    }
    Arrays.sort(logs);
    double tail = tail(Math.min(before.size(), after.size()));
    return new Interval(Math.exp(quantile(logs, tail)), Math.exp(quantile(logs, 1 - tail)));
  }

  private static double draw(
      List<Repetition> repetitions, Figure.Better better, SplittableRandom random) {
    double[] logs = new double[repetitions.size()];
    for (int i = 0; i < repetitions.size(); i++) {
      Repetition repetition = repetitions.get(random.nextInt(repetitions.size()));
      logs[i] = repetition.log() + shift(repetition, random);
    }
    return TrimmedMean.mean(logs, better);
  }

  /** How far a figure of drawn seconds is from that of all seconds, as a logarithm. */
  private static double shift(Repetition repetition, SplittableRandom random) {
    int seconds = repetition.above().length;
    if (seconds < 2) {
      return 0;
    }
    int block = Math.min(seconds, (int) Math.ceil(1.5 * Math.cbrt(seconds)));
    double above = 0;
    double below = 0;
    for (int drawn = 0; drawn < seconds; ) {
      int begin = random.nextInt(seconds);
      for (int i = 0; i < block && drawn < seconds; i++, drawn++) {
        int second = (begin + i) % seconds;
        above += repetition.above()[second];
        below += repetition.below()[second];
      }
    }
    double shift = Math.log(above / below) - repetition.logOfSeconds();
    return Double.isFinite(shift) ? shift : 0;
  }

  /** The share left out at each end. */
  private static double tail(int repetitions) {
    double t = TDistribution.of(repetitions - 1.0).inverseSurvivalProbability(OUTSIDE / 2);
    double wide = Math.sqrt(repetitions / (repetitions - 1.0)) * t;
    return NormalDistribution.of(0, 1).survivalProbability(wide);
  }

  private static double quantile(double[] sorted, double share) {
    double place = share * (sorted.length - 1);
    int low = (int) Math.floor(place);
    int high = Math.min(low + 1, sorted.length - 1);
    return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
  }
}
