package io.forebay.server.metric;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;

/** Filters the meters for the Prometheus output: removes absent values and adds former names. */
final class PrometheusOutputFilter {
  private PrometheusOutputFilter() {}

  static MetricSnapshots of(MetricSnapshots all) {
    MetricSnapshots.Builder shown = MetricSnapshots.builder();
    for (MetricSnapshot metric : all) {
      MetricSnapshot kept =
          metric.getMetadata().getName().startsWith("forebay_") ? kept(metric) : metric;
      if (!kept.getDataPoints().isEmpty()) {
        shown.metricSnapshot(kept);
      }
    }
    return FormerNames.add(shown.build());
  }

  private static MetricSnapshot kept(MetricSnapshot metric) {
    return switch (metric) {
      case GaugeSnapshot gauge -> new GaugeSnapshot(gauge.getMetadata(), known(gauge));
      case CounterSnapshot counter
          when counter.getMetadata().getName().equals(RequestMetrics.REQUESTS) ->
          new CounterSnapshot(counter.getMetadata(), counted(counter));
      default -> metric;
    };
  }

  private static List<GaugeDataPointSnapshot> known(GaugeSnapshot gauge) {
    return gauge.getDataPoints().stream().filter(point -> !Double.isNaN(point.getValue())).toList();
  }

  /** Every cell with requests, and those for 2xx always, so that rates are known from the start. */
  private static List<CounterDataPointSnapshot> counted(CounterSnapshot counter) {
    return counter.getDataPoints().stream()
        .filter(
            point -> point.getValue() != 0 || "2xx".equals(point.getLabels().get("status_class")))
        .toList();
  }
}
