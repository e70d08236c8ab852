package io.forebay.server.origin.health;

import io.forebay.server.config.ServerConfig.SlowConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Finds the endpoints of an origin that are much slower than the others: by the mean latency in
 * each of three windows in a row. Any thread; of those that notice the end of a window one decides.
 *
 * <pre>
 *   latencies ──► sum and count of the endpoint ──end of the window──► mean
 *                                                                        │
 *   median of the others' means, times the factor ──► slow or not ◄──────┘
 *                                                       └──► third time in a row: outlier
 * </pre>
 */
final class SlowEndpoints {
  /** In a row in which an outlier is slow. */
  static final int WINDOWS = 3;

  /** In a window, for its mean to count. */
  static final int MIN_RESPONSES = 10;

  private final AtomicLong windowNanos;

  /** The first window begins. */
  SlowEndpoints(long nowNanos) {
    this.windowNanos = new AtomicLong(nowNanos);
  }

  /** Whether the window is over; true for one caller, who begins the next and has to look. */
  boolean isWindowOver(SlowConfig config, long nowNanos) {
    long began = windowNanos.get();
    return nowNanos - began >= config.time().toNanos() / WINDOWS
        && windowNanos.compareAndSet(began, nowNanos);
  }

  /** The outliers, by what the window that is over has collected. */
  List<SlowEndpoint> find(List<EndpointHealth> group, SlowConfig config) {
    double[] means = group.stream().mapToDouble(SlowEndpoints::takeMean).toArray();
    List<SlowEndpoint> outliers = new ArrayList<>();
    for (int i = 0; i < means.length; i++) {
      EndpointHealth one = group.get(i);
      double median = medianOfOthers(means, i);
      boolean isSlow =
          means[i] > Math.max((double) config.min().toNanos(), config.factor() * median);
      int before = one.slowWindows;
      one.slowWindows = isSlow ? before + 1 : 0;
      if (isSlow && before + 1 >= WINDOWS) {
        one.slowWindows = 0;
        outliers.add(
            new SlowEndpoint(
                one,
                "latency of "
                    + millis(means[i])
                    + " ms, median of the others "
                    + millis(median)
                    + " ms, for "
                    + config.time().toMillis()
                    + " ms"));
      }
    }
    return outliers;
  }

  /** Not a number if there were too few responses; that is not slow. */
  private static double takeMean(EndpointHealth health) {
    long sum = health.latencyNanos.sumThenReset();
    long count = health.responses.sumThenReset();
    return count < MIN_RESPONSES ? Double.NaN : (double) sum / count;
  }

  /** Not a number if no other one has a mean: then nothing is slow. */
  private static double medianOfOthers(double[] means, int index) {
    double[] others = new double[means.length];
    int count = 0;
    for (int i = 0; i < means.length; i++) {
      if (i != index && !Double.isNaN(means[i])) {
        others[count++] = means[i];
      }
    }
    if (count == 0) {
      return Double.NaN;
    }
    Arrays.sort(others, 0, count);
    return count % 2 == 1 ? others[count / 2] : (others[count / 2 - 1] + others[count / 2]) / 2;
  }

  private static long millis(double nanos) {
    return TimeUnit.NANOSECONDS.toMillis((long) nanos);
  }
}
