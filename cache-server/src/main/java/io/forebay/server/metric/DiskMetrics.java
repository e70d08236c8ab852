package io.forebay.server.metric;

import static io.forebay.server.metric.NodeMetrics.count;
import static io.forebay.server.metric.NodeMetrics.gauge;
import static io.forebay.server.metric.NodeMetrics.point;

import io.forebay.storage.disk.DiskStats;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.function.ToLongFunction;

/** The figures of the disk tier, a label a store. */
final class DiskMetrics {
  private static final List<String> STATES = List.of("recovering", "online", "offline", "fenced");

  private DiskMetrics() {}

  static void collect(MetricSnapshots.Builder all, List<DiskStats> disks) {
    if (disks.isEmpty()) {
      return;
    }
    GaugeSnapshot.Builder states =
        gauge("forebay_disk_state", "1 for the current state of a disk store, 0 for the others.");
    for (DiskStats disk : disks) {
      for (String state : STATES) {
        states.dataPoint(
            point(
                disk.state().equals(state) ? 1 : 0,
                Labels.of("state", state, "store", disk.name())));
      }
    }
    all.metricSnapshot(states.build());
    level(all, disks, "forebay_disk_capacity_bytes", "Size of the disk store.", DiskStats::bytes);
    level(
        all,
        disks,
        "forebay_disk_queued_reads",
        "Reads waiting in the queue.",
        DiskStats::queuedLoads);
    counter(all, disks, "forebay_disk_reads", "Records read.", DiskStats::reads);
    counter(all, disks, "forebay_disk_read_bytes", "Bytes read.", DiskStats::readBytes);
    counter(all, disks, "forebay_disk_writes", "Batched writes.", DiskStats::writes);
    counter(all, disks, "forebay_disk_written_bytes", "Bytes written.", DiskStats::writtenBytes);
    counter(
        all,
        disks,
        "forebay_disk_dropped_writes",
        "Records not written because no write buffer or region was free.",
        DiskStats::dropped);
    counter(
        all,
        disks,
        "forebay_disk_refused_reads",
        "Reads refused because too many were waiting; each counts as a miss.",
        DiskStats::refusedLoads);
    counter(
        all,
        disks,
        "forebay_disk_errors",
        "Errors that count towards max-errors: failed or slow operations, and records with a"
            + " checksum mismatch.",
        DiskStats::errors);
    counter(
        all,
        disks,
        "forebay_disk_checksum_failures",
        "Records with a checksum mismatch; records possibly truncated by an unclean stop do"
            + " not count as errors.",
        DiskStats::checksumFailures);
    counter(
        all,
        disks,
        "forebay_disk_reclaimed_regions",
        "Regions reclaimed for reuse.",
        DiskStats::reclaimedRegions);
    collectScrub(all, disks);
  }

  private static void collectScrub(MetricSnapshots.Builder all, List<DiskStats> disks) {
    GaugeSnapshot.Builder progress =
        gauge(
            "forebay_disk_scrub_progress",
            "Share of the disk store read by the current scrub round; 1 between rounds.");
    GaugeSnapshot.Builder last =
        gauge(
            "forebay_disk_scrub_last_round_timestamp_seconds",
            "Time when the last scrub round completed; 0 if none has completed since the start.");
    for (DiskStats disk : disks) {
      Labels store = Labels.of("store", disk.name());
      progress.dataPoint(point(disk.scrub().progress(), store));
      last.dataPoint(point(disk.scrub().lastRoundMillis() / 1000.0, store));
    }
    all.metricSnapshot(progress.build());
    all.metricSnapshot(last.build());
    counter(
        all,
        disks,
        "forebay_disk_scrub_rounds",
        "Completed scrub rounds.",
        disk -> disk.scrub().rounds());
    counter(
        all,
        disks,
        "forebay_disk_scrub_bytes",
        "Bytes of records checked by the scrub.",
        disk -> disk.scrub().bytes());
    counter(
        all,
        disks,
        "forebay_disk_scrub_bad_records",
        "Damaged records that the scrub removed from the index.",
        disk -> disk.scrub().badRecords());
  }

  private static void level(
      MetricSnapshots.Builder all,
      List<DiskStats> disks,
      String name,
      String help,
      ToLongFunction<DiskStats> which) {
    GaugeSnapshot.Builder gauge = gauge(name, help);
    for (DiskStats disk : disks) {
      gauge.dataPoint(point((double) which.applyAsLong(disk), Labels.of("store", disk.name())));
    }
    all.metricSnapshot(gauge.build());
  }

  private static void counter(
      MetricSnapshots.Builder all,
      List<DiskStats> disks,
      String name,
      String help,
      ToLongFunction<DiskStats> which) {
    CounterSnapshot.Builder counter = CounterSnapshot.builder().name(name).help(help);
    for (DiskStats disk : disks) {
      counter.dataPoint(count(which.applyAsLong(disk), Labels.of("store", disk.name())));
    }
    all.metricSnapshot(counter.build());
  }
}
