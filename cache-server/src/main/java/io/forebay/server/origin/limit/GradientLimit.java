package io.forebay.server.origin.limit;

import io.forebay.server.config.AdaptiveLimitConfig;
import java.util.concurrent.TimeUnit;

/**
 * How many requests an origin takes before they queue up in it, found by its latency. At the end of
 * each window the limit is multiplied by a gradient and gets room for a small queue:
 *
 * <pre>
 *   limit = limit * gradient + sqrt(limit)
 *   gradient = base latency * (1 + tolerance) / median latency of the window, 0.5 to 1
 *
 *   RISING ──latency up──► DRAINING ──► MEASURING ──► STEADY ──┐
 *    doubles                 ▲ half the limit, for a moment    │
 *                            └───────interval, or it halved────┘
 * </pre>
 *
 * <p>The base latency is that with half the limit: an origin that queues at its limit does not at
 * half of it. It is measured again and again, since origins become slower or faster for other
 * reasons than load. Where less than half of the limit is in use, the measurement is that of any
 * window, and the limit stays as it is.
 *
 * <p>Without clock or threads; the caller sees to it that one thread uses it at a time.
 */
final class GradientLimit {
  /** Where the limit begins, within its bounds. */
  private static final int START = 8;

  private static final long MIN_WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A window with few samples ends then, if it has seen what the limit before it led to. */
  private static final long LONG_WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long MAX_WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** What ends a window before that. */
  private static final int ENOUGH_SAMPLES = 50;

  /**
   * The same while the limit rises or the base latency is measured, or is due to be: with fewer the
   * median of latencies that vary much is a fifth off, and the limit would stay low for a whole
   * interval.
   */
  private static final int ENOUGH_TO_JUDGE = 200;

  /** With fewer, nothing is concluded from a window. */
  private static final int MIN_SAMPLES = 10;

  /** Weight of a window's result. */
  private static final double SMOOTHING = 0.3;

  private enum Phase {
    RISING,
    STEADY,
    DRAINING,
    MEASURING
  }

  private Phase phase = Phase.RISING;
  private double limit;

  /** 0 before the first window. */
  private long baseNanos;

  private long medianNanos;
  private long windowStartNanos;
  private long measureNanos;

  /** What the limit was at the latest measurement. */
  private double measuredLimit;

  /** The first window begins. */
  GradientLimit(AdaptiveLimitConfig config, long nowNanos) {
    this.limit = Math.clamp(START, config.min(), config.max());
    this.measuredLimit = limit;
    this.windowStartNanos = nowNanos;
    this.measureNanos = nowNanos + config.interval().toNanos();
  }

  /** Requests that may be in progress now. */
  int limit() {
    return isMeasuring() ? (int) Math.max(1, limit / 2) : (int) limit;
  }

  /** Whether the limit is halved to measure the base latency. */
  boolean isMeasuring() {
    return phase == Phase.DRAINING || phase == Phase.MEASURING;
  }

  /** The latency without a queue; 0 if not known yet. */
  long baseNanos() {
    return baseNanos;
  }

  /** The latency in the latest window; 0 before the first. */
  long medianNanos() {
    return medianNanos;
  }

  /** Whether to call {@link #onWindow} now. */
  boolean isWindowOver(int count, long nowNanos) {
    long age = nowNanos - windowStartNanos;
    long least = Math.clamp(2 * medianNanos, MIN_WINDOW_NANOS, MAX_WINDOW_NANOS);
    boolean isAdjustment = phase == Phase.STEADY && !isMeasurementDue(nowNanos);
    int enough = isAdjustment ? ENOUGH_SAMPLES : ENOUGH_TO_JUDGE;
    return age >= least && (count >= enough || age >= LONG_WINDOW_NANOS || phase == Phase.DRAINING);
  }

  /** A window is over. The next one begins. */
  void onWindow(LatencySamples samples, AdaptiveLimitConfig config, long nowNanos) {
    windowStartNanos = nowNanos;
    int count = samples.count();
    int rejected = samples.rejected();
    if (phase == Phase.DRAINING) {
      phase = Phase.MEASURING;
      return;
    }
    if (count >= MIN_SAMPLES) {
      medianNanos = samples.medianNanos();
    }
    if (phase == Phase.MEASURING) {
      onMeasured(count, config, nowNanos);
      return;
    }
    if (count + rejected < MIN_SAMPLES) {
      return;
    }
    if (baseNanos == 0) {
      baseNanos = medianNanos;
    }
    boolean isInUse = 2 * samples.peak() >= limit();
    if (isInUse) {
      adjust(config, count, rejected);
    }
    if (isMeasurementDue(nowNanos)) {
      beginToMeasure(isInUse, config, count, nowNanos);
    }
  }

  private boolean isMeasurementDue(long nowNanos) {
    return nowNanos - measureNanos >= 0 || 2 * limit <= measuredLimit;
  }

  private void adjust(AdaptiveLimitConfig config, int count, int rejected) {
    double gradient =
        medianNanos == 0 ? 1 : (double) baseNanos * (100 + config.tolerance()) / 100 / medianNanos;
    double accepted = (double) count / (count + rejected);
    if (phase == Phase.RISING) {
      if (gradient >= 1 && rejected == 0) {
        limit = Math.min(config.max(), Math.max(config.min(), 2 * limit));
        return;
      }
      phase = Phase.STEADY;
      // From here on twice the limit that was good.
      measureNanos = windowStartNanos;
    }
    double bounded = Math.clamp(Math.min(gradient, accepted), 0.5, 1);
    double next = limit * bounded + Math.sqrt(limit);
    limit = Math.clamp(limit + SMOOTHING * (next - limit), config.min(), config.max());
  }

  private void beginToMeasure(
      boolean isInUse, AdaptiveLimitConfig config, int count, long nowNanos) {
    if (isInUse) {
      phase = Phase.DRAINING;
    } else {
      onMeasured(count, config, nowNanos);
    }
  }

  private void onMeasured(int count, AdaptiveLimitConfig config, long nowNanos) {
    if (count >= MIN_SAMPLES) {
      baseNanos = medianNanos;
    }
    if (isMeasuring()) {
      phase = Phase.STEADY;
    }
    measuredLimit = limit;
    measureNanos = nowNanos + config.interval().toNanos();
  }
}
