package io.forebay.lab.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.forebay.lab.target.MissRatioCurve.Point;
import java.util.List;
import org.junit.jupiter.api.Test;

class MissRatioCurveTest {
  private static final MissRatioCurve CURVE =
      new MissRatioCurve(
          List.of(
              new Point(4_000, 0.9, 0.8), new Point(1_000, 0.5, 0.2), new Point(2_000, 0.7, 0.6)));

  @Test
  void takesTheStraightLineBetweenTwoSizes() {
    assertEquals(1_500, CURVE.memoryForHitRatio(0.6));
    assertEquals(3_000, CURVE.memoryForHitRatio(0.8));
    assertEquals(3_000, CURVE.memoryForByteHitRatio(0.7));
  }

  @Test
  void takesASizeThatIsOnTheCurve() {
    assertEquals(2_000, CURVE.memoryForHitRatio(0.7));
    assertEquals(4_000, CURVE.memoryForHitRatio(0.9));
  }

  @Test
  void goesToNothingBelowTheSmallestSize() {
    assertEquals(200, CURVE.memoryForHitRatio(0.1));
  }

  @Test
  void doesNotGuessAboveTheLargestSize() {
    assertEquals(-1, CURVE.memoryForHitRatio(0.91));
    assertEquals(-1, MissRatioCurve.NONE.memoryForHitRatio(0.5));
  }

  @Test
  void takesTheSmallerOfTwoSizesThatAreAlike() {
    MissRatioCurve flat =
        new MissRatioCurve(List.of(new Point(1_000, 0.5, 0.5), new Point(2_000, 0.5, 0.5)));
    assertEquals(1_000, flat.memoryForHitRatio(0.5));
  }

  @Test
  void refusesWhatIsNoRatio() {
    assertThrows(IllegalArgumentException.class, () -> CURVE.memoryForHitRatio(0));
    assertThrows(IllegalArgumentException.class, () -> CURVE.memoryForHitRatio(Double.NaN));
    assertThrows(IllegalArgumentException.class, () -> CURVE.memoryForHitRatio(1.1));
  }
}
