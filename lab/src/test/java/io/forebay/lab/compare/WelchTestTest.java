package io.forebay.lab.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.result.Figure;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class WelchTestTest {

  @Test
  void theValueIsThatOfTheTables() {
    // Equal variances of 1 and 5 values each: t = 2.306 is the two-sided 5 % of 8 degrees.
    double[] base = {-1.264911064, -0.632455532, 0, 0.632455532, 1.264911064};
    double shift = 2.306004135 * Math.sqrt(2.0 / 5);

    assertEquals(0.05, WelchTest.p(mean(0, base), mean(shift, base)), 1e-6);
  }

  @Test
  void valuesThatAgreeByChanceAreNotCertain() {
    List<Repetition> before = repetitions(0, 1, 1, 1);
    List<Repetition> after = repetitions(0.005, 1, 1, 1);

    assertTrue(
        WelchTest.p(
                TrimmedMean.of(before, Figure.Better.LESS, true, 0.01),
                TrimmedMean.of(after, Figure.Better.LESS, true, 0.01))
            > 0.5);
  }

  @Test
  void theWorstOfFiveIsLeftOutAndTheWorstOfFourIsNot() {
    assertEquals(2.5, TrimmedMean.mean(new double[] {3, 99, 1, 4, 2}, Figure.Better.LESS));
    assertEquals(4.25, TrimmedMean.mean(new double[] {6, -99, 3, 4, 4}, Figure.Better.MORE));
    assertEquals(25.75, TrimmedMean.mean(new double[] {3, 99, 1, 0}, Figure.Better.LESS));
  }

  /** Of the same values, moved; untrimmed. */
  private static TrimmedMean mean(double shift, double[] values) {
    double squares = Arrays.stream(values).map(value -> value * value).sum();
    return new TrimmedMean(shift, squares / 20, 4);
  }

  private static List<Repetition> repetitions(double shift, double... logs) {
    return Arrays.stream(logs)
        .mapToObj(log -> new Repetition(log + shift, new double[0], new double[0], 0))
        .toList();
  }
}
