package io.forebay.lab.target;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The hit ratios that a program expects of other sizes of its memory.
 *
 * <pre>
 *   ratio │            ·──── 4x          between two points: a straight line
 *         │       ·                      below the first: a line from nothing
 *         │   ·                          above the last: not known
 *         └───┴───┴────────┴── memory
 * </pre>
 */
record MissRatioCurve(List<Point> points) {

  /** Nothing is known. */
  static final MissRatioCurve NONE = new MissRatioCurve(List.of());

  private static final Point EMPTY = new Point(0, 0, 0);

  /** One size. */
  record Point(long bytes, double hitRatio, double byteHitRatio) {}

  MissRatioCurve {
    points = points.stream().sorted(Comparator.comparingLong(Point::bytes)).toList();
  }

  long memoryForHitRatio(double wanted) {
    return memoryFor(wanted, Point::hitRatio);
  }

  long memoryForByteHitRatio(double wanted) {
    return memoryFor(wanted, Point::byteHitRatio);
  }

  /** The least memory; -1 where the curve does not reach the ratio. */
  private long memoryFor(double wanted, ToDoubleFunction<Point> ratio) {
    if (!(wanted > 0 && wanted <= 1)) {
      throw new IllegalArgumentException("a hit ratio is above 0 and at most 1: " + wanted);
    }
    List<Point> all = new ArrayList<>(List.of(EMPTY));
    all.addAll(points);
    for (int i = 1; i < all.size(); i++) {
      double above = ratio.applyAsDouble(all.get(i));
      if (above >= wanted) {
        Point low = all.get(i - 1);
        double below = ratio.applyAsDouble(low);
        double share = above > below ? Math.max(0, (wanted - below) / (above - below)) : 1;
        return low.bytes() + Math.round(share * (all.get(i).bytes() - low.bytes()));
      }
    }
    return -1;
  }
}
