package io.forebay.lab.compare;

import io.forebay.lab.result.Figure;
import io.forebay.lab.result.Sample;
import io.forebay.lab.result.StepResult;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * One repetition's value of a figure as a logarithm, and what its seconds tell of its noise.
 *
 * @param log of the value
 * @param above of each measured second, the part of the figure above the line; empty where seconds
 *     do not tell of it
 * @param below the part below the line, or 1 for each second
 * @param logOfSeconds logarithm of the figure of all these seconds together
 */
@SuppressWarnings("ArrayRecordComponent") // Made once, read by the bootstrap.
record Repetition(double log, double[] above, double[] below, double logOfSeconds) {

  /** Null where the figure is not known. */
  static @Nullable Repetition of(StepResult step, Figure figure) {
    double value = figure.of(step);
    if (Double.isNaN(value)) {
      return null;
    }
    double log = Math.log(Math.max(value, ComparisonThresholds.value(figure)));
    List<Sample> samples = measured(step);
    return switch (figure) {
      case REQUESTS -> of(log, samples, Sample::requests, sample -> 1);
      case GOODPUT -> of(log, samples, Sample::bodyBytes, sample -> 1);
      case LAST_BYTE_P99 -> of(log, samples, Sample::lastByteP99Millis, sample -> 1);
      case CORES_PER_GIGABIT -> of(log, samples, Sample::cores, Sample::bodyBytes);
      case MICROS_PER_REQUEST -> of(log, samples, Sample::cores, Sample::requests);
      default -> new Repetition(log, new double[0], new double[0], 0);
    };
  }

  private static Repetition of(
      double log,
      List<Sample> samples,
      ToDoubleFunction<Sample> above,
      ToDoubleFunction<Sample> below) {
    double[] all = samples.stream().mapToDouble(above).toArray();
    double[] parts = samples.stream().mapToDouble(below).toArray();
    return new Repetition(
        log, all, parts, Math.log(Arrays.stream(all).sum() / Arrays.stream(parts).sum()));
  }

  /** The warm-up comes first, so the measured seconds are the last ones. */
  private static List<Sample> measured(StepResult step) {
    int count = (int) Math.min(step.samples().size(), Math.round(step.load().seconds()));
    return step.samples().subList(step.samples().size() - count, step.samples().size());
  }
}
