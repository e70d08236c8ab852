package io.forebay.lab.result;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** What is reported of a step and compared: one number, NaN where it is not known. */
public enum Figure {
  REQUESTS("requests/s", Better.MORE, step -> step.load().requestsPerSecond()),
  GOODPUT("Gbit/s", Better.MORE, step -> step.load().gigabitsPerSecond()),
  THROUGHPUT("wire Gbit/s", Better.MORE, Figure::throughput),
  FIRST_BYTE_MEAN("first byte mean ms", Better.LESS, first(Latency::mean)),
  FIRST_BYTE_P50("first byte p50 ms", Better.LESS, first(Latency::p50)),
  FIRST_BYTE_P99("first byte p99 ms", Better.LESS, first(Latency::p99)),
  LAST_BYTE_MEAN("last byte mean ms", Better.LESS, last(Latency::mean)),
  LAST_BYTE_P50("last byte p50 ms", Better.LESS, last(Latency::p50)),
  LAST_BYTE_P99("last byte p99 ms", Better.LESS, last(Latency::p99)),
  CORES("cores", Better.LESS, step -> step.server().cores()),
  CORES_PER_GIGABIT(
      "cores per Gbit/s",
      Better.LESS,
      step -> ratio(step.server().cores(), step.load().gigabitsPerSecond())),
  MICROS_PER_REQUEST(
      "CPU us per request",
      Better.LESS,
      step -> ratio(step.server().cores() * 1e6, step.load().requestsPerSecond())),
  REQUESTS_PER_CORE(
      "requests/s per busy core",
      Better.MORE,
      step -> ratio(step.load().requestsPerSecond(), step.server().cores())),
  GIGABITS_PER_CORE(
      "Gbit/s per busy core",
      Better.MORE,
      step -> ratio(step.load().gigabitsPerSecond(), step.server().cores())),
  HIT_RATIO("hit ratio", Better.MORE, step -> step.server().hitRatio()),
  BYTE_HIT_RATIO("byte hit ratio", Better.MORE, step -> step.server().byteHitRatio()),
  WATTS("watts", Better.LESS, Figure::watts),
  GIGABITS_PER_WATT(
      "Gbit/s/W", Better.MORE, step -> ratio(step.load().gigabitsPerSecond(), watts(step))),
  REQUESTS_PER_WATT(
      "requests/s/W", Better.MORE, step -> ratio(step.load().requestsPerSecond(), watts(step))),
  DISK_GIGABYTES_A_DAY(
      "GB written a day",
      Better.LESS,
      step -> ratio(step.server().diskWrittenBytes() / 1e9 * 86_400, step.load().seconds())),
  JOULES_PER_GIGABYTE(
      "J per GB",
      Better.LESS,
      step -> ratio(watts(step) * step.load().seconds(), step.load().bodyBytes() / 1e9)),
  ERRORS("errors", Better.LESS, step -> step.load().errorCount());

  /** Which way a figure improves. */
  public enum Better {
    MORE,
    LESS
  }

  private final String label;
  private final Better better;

  @SuppressWarnings("ImmutableEnumChecker") // A function without state.
  private final ToDoubleFunction<StepResult> value;

  Figure(String label, Better better, ToDoubleFunction<StepResult> value) {
    this.label = label;
    this.better = better;
    this.value = value;
  }

  /** With the unit. */
  public String label() {
    return label;
  }

  public Better better() {
    return better;
  }

  /** Of one step; NaN where it is not known. */
  public double of(StepResult step) {
    return value.applyAsDouble(step);
  }

  /** Of repetitions: the median of those whose figure is known; NaN where none is. */
  public double median(List<StepResult> repetitions) {
    double[] known =
        repetitions.stream().mapToDouble(value).filter(Double::isFinite).sorted().toArray();
    int middle = known.length / 2;
    if (known.length == 0) {
      return Double.NaN;
    }
    return known.length % 2 == 1 ? known[middle] : (known[middle - 1] + known[middle]) / 2;
  }

  private static double throughput(StepResult step) {
    long bytes = step.server().wireBytes();
    return bytes < 0 ? Double.NaN : ratio(bytes * 8 / 1e9, step.load().seconds());
  }

  private static double watts(StepResult step) {
    Double watts = step.server().watts();
    return watts == null ? Double.NaN : watts;
  }

  private static ToDoubleFunction<StepResult> first(ToDoubleFunction<Latency> part) {
    return step -> known(step.load().firstByte(), part);
  }

  private static ToDoubleFunction<StepResult> last(ToDoubleFunction<Latency> part) {
    return step -> known(step.load().lastByte(), part);
  }

  private static double known(Latency latency, ToDoubleFunction<Latency> part) {
    return latency.count() == 0 ? Double.NaN : part.applyAsDouble(latency);
  }

  private static double ratio(double a, double b) {
    return b > 0 ? a / b : Double.NaN;
  }
}
