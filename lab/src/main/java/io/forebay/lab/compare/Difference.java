package io.forebay.lab.compare;

import io.forebay.lab.result.Figure;

/**
 * One figure of one step in two results.
 *
 * @param before geometric mean of the repetitions of A, trimmed as {@link TrimmedMean} says
 * @param after the same of B
 * @param ratio of {@code after} to {@code before}
 * @param low of the interval that holds the ratio in 95 of 100 cases
 * @param high of the same
 * @param p chance of a difference as large when nothing changed; NaN with too few repetitions
 * @param repetitionsBefore that count
 * @param repetitionsAfter that count
 */
public record Difference(
    String scenario,
    String target,
    String step,
    Figure figure,
    double before,
    double after,
    double ratio,
    double low,
    double high,
    double p,
    int repetitionsBefore,
    int repetitionsAfter,
    Verdict verdict) {

  Difference with(Verdict other) {
    return new Difference(
        scenario,
        target,
        step,
        figure,
        before,
        after,
        ratio,
        low,
        high,
        p,
        repetitionsBefore,
        repetitionsAfter,
        other);
  }
}
