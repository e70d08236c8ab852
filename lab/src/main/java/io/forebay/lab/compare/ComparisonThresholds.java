package io.forebay.lab.compare;

import io.forebay.lab.result.Figure;

/** The smallest values and changes that matter, figure by figure. */
final class ComparisonThresholds {

  private ComparisonThresholds() {}

  /** Values below are taken for this one: so short a time cannot be told from another. */
  static double value(Figure figure) {
    return switch (figure) {
      case FIRST_BYTE_MEAN,
          FIRST_BYTE_P50,
          FIRST_BYTE_P99,
          LAST_BYTE_MEAN,
          LAST_BYTE_P50,
          LAST_BYTE_P99 ->
          0.05;
      case HIT_RATIO, BYTE_HIT_RATIO -> 0.001;
      default -> 1e-9;
    };
  }

  /** Share of the value that has to change; times of few requests vary most. */
  static double change(Figure figure) {
    return switch (figure) {
      case HIT_RATIO, BYTE_HIT_RATIO -> 0.01;
      case FIRST_BYTE_P99, LAST_BYTE_P99 -> 0.15;
      case FIRST_BYTE_MEAN, FIRST_BYTE_P50, LAST_BYTE_MEAN, LAST_BYTE_P50 -> 0.10;
      default -> 0.05;
    };
  }

  /**
   * The least noise of one repetition, as a standard deviation of logarithms. A few repetitions may
   * agree by chance, and figures that are set (a rate) do not vary at all.
   */
  static double noise(Figure figure) {
    return switch (figure) {
      case HIT_RATIO, BYTE_HIT_RATIO -> 0.002;
      default -> 0.01;
    };
  }
}
