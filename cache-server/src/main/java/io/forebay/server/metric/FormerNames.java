package io.forebay.server.metric;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Map;

/**
 * Exports renamed metrics also under their former name, for one release, so that dashboards and
 * alerts can be migrated.
 */
final class FormerNames {
  /** Former name by present name, both without {@code _total}. */
  static final Map<String, String> OF =
      Map.ofEntries(
          Map.entry("forebay_large_write_connections", "forebay_wide_sends"),
          Map.entry("forebay_remainders_fetched", "forebay_rests_fetched"),
          Map.entry("forebay_remainders_lost", "forebay_rests_lost"),
          Map.entry("forebay_fill_wait_timeouts", "forebay_waits_given_up"),
          Map.entry("forebay_slice_fetches_started", "forebay_slice_runs_started"),
          Map.entry("forebay_slice_fetches_joined", "forebay_slice_runs_joined"),
          Map.entry("forebay_slice_fetches_failed", "forebay_slice_runs_refused"),
          Map.entry("forebay_limits_exceeded", "forebay_limits_hit"),
          Map.entry("forebay_stalled_connections_closed", "forebay_stalled_closed"),
          Map.entry("forebay_store_survives_restart", "forebay_store_outlives_process"),
          Map.entry("forebay_store_promoted_regions", "forebay_store_kept_whole_regions"),
          Map.entry("forebay_fill_history_displaced", "forebay_history_displaced"),
          Map.entry("forebay_disk_dropped_writes", "forebay_disk_dropped"),
          Map.entry("forebay_disk_queued_reads", "forebay_disk_queued_loads"),
          Map.entry("forebay_disk_refused_reads", "forebay_disk_refused_loads"),
          Map.entry("forebay_purges_pending", "forebay_purge_scopes"));

  private FormerNames() {}

  /** All of {@code now}, and each renamed metric once more under its former name. */
  static MetricSnapshots add(MetricSnapshots now) {
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    for (MetricSnapshot metric : now) {
      all.metricSnapshot(metric);
      String former = OF.get(metric.getMetadata().getName());
      if (former != null) {
        all.metricSnapshot(renamed(metric, former));
      }
    }
    return all.build();
  }

  private static MetricSnapshot renamed(MetricSnapshot metric, String former) {
    String suffix = metric instanceof CounterSnapshot ? "_total" : "";
    MetricMetadata metadata =
        new MetricMetadata(
            former,
            "Former name of "
                + metric.getMetadata().getName()
                + suffix
                + ", removed in the next release.");
    return switch (metric) {
      case CounterSnapshot counter ->
          new CounterSnapshot(metadata, formerLabels(counter.getDataPoints()));
      case GaugeSnapshot gauge -> new GaugeSnapshot(metadata, gauge.getDataPoints());
      default -> throw new IllegalArgumentException(metadata.getName());
    };
  }

  /** The label {@code reason} was {@code why}. */
  private static List<CounterDataPointSnapshot> formerLabels(List<CounterDataPointSnapshot> now) {
    return now.stream()
        .map(point -> {
          String reason = point.getLabels().get("reason");
          return reason == null
              ? point
              : new CounterDataPointSnapshot(point.getValue(), Labels.of("why", reason), null, 0);
        })
        .toList();
  }
}
