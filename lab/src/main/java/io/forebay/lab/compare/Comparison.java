package io.forebay.lab.compare;

import io.forebay.lab.result.Figure;
import io.forebay.lab.result.RunResult;
import io.forebay.lab.result.StepResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;

/**
 * Two results side by side.
 *
 * <p>A figure is better or worse where both hold: its p-value passes the rule of Benjamini and
 * Hochberg over all figures of the comparison at a rate of 1 %, and its ratio is off by at least
 * the smallest change that matters.
 *
 * @param differences one for each figure of each step in both
 * @param onlyBefore steps that the second result lacks
 * @param onlyAfter steps that the first result lacks
 */
public record Comparison(
    List<Difference> differences, List<String> onlyBefore, List<String> onlyAfter) {

  /** Repetitions that each side needs. */
  public static final int MIN_REPETITIONS = 3;

  /** Of the bootstrap. */
  private static final int ROUNDS = 1_000;

  /** Of the rule for many figures. */
  public static final double RATE = 0.01;

  public Comparison {
    differences = List.copyOf(differences);
    onlyBefore = List.copyOf(onlyBefore);
    onlyAfter = List.copyOf(onlyAfter);
  }

  /**
   * Compares.
   *
   * @param smallest change that matters, as a share; empty for those of each figure
   * @param seed of the bootstrap
   */
  public static Comparison of(
      List<RunResult> before, List<RunResult> after, OptionalDouble smallest, long seed) {
    return of(before, after, smallest, ROUNDS, seed);
  }

  static Comparison of(
      List<RunResult> before,
      List<RunResult> after,
      OptionalDouble smallest,
      int rounds,
      long seed) {
    Map<StepPair.Key, List<StepResult>> stepsBefore = StepPair.steps(before);
    Map<StepPair.Key, List<StepResult>> stepsAfter = StepPair.steps(after);
    List<Difference> differences = new ArrayList<>();
    for (Map.Entry<StepPair.Key, List<StepResult>> entry : stepsBefore.entrySet()) {
      List<StepResult> other = stepsAfter.get(entry.getKey());
      if (other != null) {
        StepPair pair = new StepPair(entry.getKey(), entry.getValue(), other);
        for (Figure figure : pair.figures()) {
          difference(pair, figure, rounds, seed, differences);
        }
      }
    }
    double[] p = differences.stream().mapToDouble(Difference::p).filter(Double::isFinite).toArray();
    double threshold = FalseDiscovery.threshold(p, RATE);
    return new Comparison(
        differences.stream().map(one -> judged(one, threshold, smallest)).toList(),
        missing(stepsBefore, stepsAfter),
        missing(stepsAfter, stepsBefore));
  }

  /** How many figures have a verdict. */
  public long count(Verdict verdict) {
    return differences.stream().filter(one -> one.verdict() == verdict).count();
  }

  private static List<String> missing(
      Map<StepPair.Key, List<StepResult>> all, Map<StepPair.Key, List<StepResult>> other) {
    return all.keySet().stream()
        .filter(key -> !other.containsKey(key))
        .map(StepPair.Key::toString)
        .toList();
  }

  private static void difference(
      StepPair pair, Figure figure, int rounds, long seed, List<Difference> differences) {
    List<Repetition> before = repetitions(pair.before(), figure);
    List<Repetition> after = repetitions(pair.after(), figure);
    if (before.isEmpty() && after.isEmpty()) {
      return;
    }
    boolean isEnough = Math.min(before.size(), after.size()) >= MIN_REPETITIONS;
    double meanBefore = mean(before, figure);
    double meanAfter = mean(after, figure);
    Bootstrap.Interval interval = new Bootstrap.Interval(Double.NaN, Double.NaN);
    double p = Double.NaN;
    if (isEnough) {
      // The same figures give the same interval, whatever else is compared.
      long own = Objects.hash(pair.key().toString(), figure.label());
      interval = Bootstrap.ratio(before, after, figure.better(), rounds, seed ^ own);
      p = p(before, after, figure);
    }
    differences.add(
        new Difference(
            pair.key().scenario(),
            pair.key().target(),
            pair.key().step(),
            figure,
            Math.exp(meanBefore),
            Math.exp(meanAfter),
            Math.exp(meanAfter - meanBefore),
            interval.low(),
            interval.high(),
            p,
            before.size(),
            after.size(),
            isEnough ? Verdict.SAME : Verdict.TOO_FEW));
  }

  /**
   * Of all repetitions and, where there are enough, also without the worst: the smaller value,
   * doubled because it is the better one of two tries.
   */
  private static double p(List<Repetition> before, List<Repetition> after, Figure figure) {
    double all = p(before, after, figure, false);
    return TrimmedMean.trims(before.size()) || TrimmedMean.trims(after.size())
        ? Math.min(1, 2 * Math.min(all, p(before, after, figure, true)))
        : all;
  }

  private static double p(
      List<Repetition> before, List<Repetition> after, Figure figure, boolean isTrimmed) {
    double noise = ComparisonThresholds.noise(figure);
    return WelchTest.p(
        TrimmedMean.of(before, figure.better(), isTrimmed, noise),
        TrimmedMean.of(after, figure.better(), isTrimmed, noise));
  }

  private static double mean(List<Repetition> repetitions, Figure figure) {
    return repetitions.isEmpty()
        ? Double.NaN
        : TrimmedMean.mean(
            repetitions.stream().mapToDouble(Repetition::log).toArray(), figure.better());
  }

  private static List<Repetition> repetitions(List<StepResult> steps, Figure figure) {
    return steps.stream()
        .map(step -> Repetition.of(step, figure))
        .filter(Objects::nonNull)
        .toList();
  }

  private static Difference judged(
      Difference difference, double threshold, OptionalDouble smallest) {
    double change = smallest.orElse(ComparisonThresholds.change(difference.figure()));
    if (difference.verdict() == Verdict.TOO_FEW
        || difference.p() > threshold
        || Math.abs(Math.log(difference.ratio())) < Math.log1p(change)) {
      return difference;
    }
    boolean isMore = difference.ratio() > 1;
    return difference.with(
        isMore == (difference.figure().better() == Figure.Better.MORE)
            ? Verdict.BETTER
            : Verdict.WORSE);
  }
}
