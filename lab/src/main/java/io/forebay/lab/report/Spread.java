package io.forebay.lab.report;

import io.forebay.lab.result.Figure;
import io.forebay.lab.result.StepResult;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A figure over repetitions: median, least and most of the known ones. */
record Spread(double median, double least, double most, int count) {

  /** Null where no value is known. */
  static @Nullable Spread of(List<StepResult> steps, Figure figure) {
    return of(steps.stream().mapToDouble(figure::of).toArray());
  }

  /** Null where no value is known. */
  static @Nullable Spread of(double... values) {
    double[] known = Arrays.stream(values).filter(Double::isFinite).sorted().toArray();
    if (known.length == 0) {
      return null;
    }
    int middle = known.length / 2;
    double median = known.length % 2 == 1 ? known[middle] : (known[middle - 1] + known[middle]) / 2;
    return new Spread(median, known[0], known[known.length - 1], known.length);
  }

  Spread times(double factor) {
    return new Spread(median * factor, least * factor, most * factor, count);
  }
}
