package io.forebay.server.metric;

import io.forebay.server.origin.limit.LimitStatus;
import java.util.function.ToDoubleFunction;

/** Metrics of the adaptive limits of origins. */
final class LimitMetrics {
  private LimitMetrics() {}

  static void addNamed(MeterRegistrar meters, CachedReports from, String origin) {
    meters.gauge(
        "forebay_origin_adaptive_limit",
        "Requests that may be in progress at the origin, as its latency allows.",
        () -> read(from, origin, LimitStatus::limit),
        "origin",
        origin);
    meters.gauge(
        "forebay_origin_adaptive_requests",
        "Requests in progress at the origin, of those that its adaptive limit counts.",
        () -> read(from, origin, LimitStatus::inProgress),
        "origin",
        origin);
    meters.gauge(
        "forebay_origin_adaptive_base_seconds",
        "Latency of the origin with little to do, as it was measured last.",
        () -> read(from, origin, limit -> limit.baseMillis() / 1e3),
        "origin",
        origin);
  }

  /** Not a number for an origin that no longer has a limit. */
  private static double read(
      CachedReports from, String origin, ToDoubleFunction<LimitStatus> which) {
    for (LimitStatus one : from.originLimits()) {
      if (one.origin().equals(origin)) {
        return which.applyAsDouble(one);
      }
    }
    return Double.NaN;
  }
}
