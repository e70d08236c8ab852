package io.forebay.lab.compare;

import java.util.Arrays;

/**
 * The rule of Benjamini and Hochberg for many tests at once. Where nothing has changed, the chance
 * that any of them is called a change is at most the rate; where much has changed, at most that
 * share of what is called a change is none.
 */
final class FalseDiscovery {

  private FalseDiscovery() {}

  /** The highest p-value that is called a change; negative where none is. */
  static double threshold(double[] p, double rate) {
    double[] sorted = p.clone();
    Arrays.sort(sorted);
    double threshold = -1;
    for (int i = 0; i < sorted.length; i++) {
      if (sorted[i] <= rate * (i + 1) / sorted.length) {
        threshold = sorted[i];
      }
    }
    return threshold;
  }
}
