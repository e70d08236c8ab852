package io.forebay.lab.run;

import io.forebay.lab.result.Latency;
import io.forebay.lab.result.LoadTotals;
import io.forebay.lab.scenario.ObjectRow;
import io.forebay.lab.scenario.Setup.HitRatio;
import io.forebay.lab.scenario.Setup.HitRatioOf;
import java.util.List;

/**
 * How far a measured hit ratio may be from the wanted one: half a point, or what chance explains in
 * so many requests (three standard errors of a binomial distribution) where that is more, but never
 * more than two points.
 *
 * <pre>
 *   wanted 80 %      requests      500    2,000   10,000   57,600 and more
 *                    tolerance     2.0      2.0      1.2      0.5 points
 * </pre>
 *
 * <p>Of bytes, large objects count for more, so that there are in effect fewer requests: as many as
 * objects of one size would need for the same error, {@code (sum of bytes)² / sum of bytes²}.
 */
final class HitRatioTolerance {
  static final double MIN = 0.005;
  static final double MAX = 0.02;

  private static final double STANDARD_ERRORS = 3;

  private HitRatioTolerance() {}

  /**
   * From 0 to 1, as hit ratios are.
   *
   * @param requests that the ratio was measured with
   * @param load with the requests of each object
   */
  static double of(HitRatio wanted, long requests, LoadTotals load, List<ObjectRow> objects) {
    double effective =
        wanted.of() == HitRatioOf.BYTES ? requests * evenness(load, objects) : requests;
    double variance = wanted.wanted() * (1 - wanted.wanted());
    return effective < 1
        ? MAX
        : Math.clamp(STANDARD_ERRORS * Math.sqrt(variance / effective), MIN, MAX);
  }

  /** The share of requests that is in effect left of them, 1 where all have one size. */
  private static double evenness(LoadTotals load, List<ObjectRow> objects) {
    double count = 0;
    double bytes = 0;
    double squares = 0;
    for (ObjectRow object : objects) {
      long requests = load.byObject().getOrDefault(object.name(), Latency.NONE).count();
      count += requests;
      bytes += (double) requests * object.bytes();
      squares += (double) requests * object.bytes() * object.bytes();
    }
    return squares == 0 ? 1 : bytes * bytes / squares / count;
  }
}
