package io.forebay.lab.compare;

import io.forebay.lab.result.Figure;
import java.util.Arrays;
import java.util.List;

/**
 * The mean of the logarithms of repetitions, without the worst fifth from five repetitions on: what
 * disturbs a machine only makes figures worse. Its error is that of Yuen, from the values with the
 * worst ones moved to the worst that is kept.
 *
 * @param squaredError of the mean
 * @param degrees of freedom
 */
record TrimmedMean(double mean, double squaredError, double degrees) {

  private static final int SHARE = 5;

  /**
   * Of two repetitions or more.
   *
   * @param isTrimmed false for all repetitions
   * @param least standard deviation of a repetition that is assumed at least
   */
  static TrimmedMean of(
      List<Repetition> repetitions, Figure.Better better, boolean isTrimmed, double least) {
    double[] sorted =
        bestFirst(repetitions.stream().mapToDouble(Repetition::log).toArray(), better);
    int kept = isTrimmed ? kept(sorted.length) : sorted.length;
    double mean = mean(sorted, kept);
    Arrays.fill(sorted, kept, sorted.length, sorted[kept - 1]);
    double center = mean(sorted, sorted.length);
    double squares = 0;
    for (double log : sorted) {
      squares += (log - center) * (log - center);
    }
    squares = Math.max(squares, least * least * (sorted.length - 1));
    return new TrimmedMean(mean, squares / ((double) kept * (kept - 1)), kept - 1.0);
  }

  /** Of logarithms, which are sorted in place. */
  static double mean(double[] logs, Figure.Better better) {
    return mean(bestFirst(logs, better), kept(logs.length));
  }

  private static double mean(double[] values, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
      sum += values[i];
    }
    return sum / count;
  }

  /** Whether anything is left out of so many repetitions. */
  static boolean trims(int repetitions) {
    return kept(repetitions) < repetitions;
  }

  private static int kept(int all) {
    return all - all / SHARE;
  }

  private static double[] bestFirst(double[] logs, Figure.Better better) {
    Arrays.sort(logs);
    if (better == Figure.Better.MORE) {
      for (int i = 0; i < logs.length / 2; i++) {
        double swapped = logs[i];
        logs[i] = logs[logs.length - 1 - i];
        logs[logs.length - 1 - i] = swapped;
      }
    }
    return logs;
  }
}
