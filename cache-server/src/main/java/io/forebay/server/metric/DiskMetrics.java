package io.forebay.server.metric;

import io.forebay.storage.disk.DiskStats;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Metrics of the disk tier, with one label per store. */
final class DiskMetrics {
  private static final List<String> STATES =
      List.of("recovering", "online", "evacuating", "evacuated", "offline", "fenced");

  private DiskMetrics() {}

  /** What is told of one disk. */
  static void addNamed(MeterRegistrar meters, CachedReports from, String name) {
    for (String state : STATES) {
      meters.gauge(
          "forebay_disk_state",
          "1 for the current state of a disk store, 0 for the others.",
          () -> read(from, name, disk -> disk.state().equals(state) ? 1 : 0),
          "state",
          state,
          "store",
          name);
    }
    Of disk = new Of(meters, from, name);
    disk.gauge("forebay_disk_capacity_bytes", "Size of the disk store.", DiskStats::bytes);
    disk.gauge("forebay_disk_queued_reads", "Reads waiting in the queue.", DiskStats::queuedLoads);
    disk.counter("forebay_disk_reads", "Records read.", DiskStats::reads);
    disk.counter("forebay_disk_read_bytes", "Bytes read.", DiskStats::readBytes);
    disk.counter(
        "forebay_disk_cached_reads",
        "Reads that found their record in page cache on an event loop.",
        DiskStats::cachedReads);
    disk.gauge(
        "forebay_disk_transit_bytes",
        "Buffers in use by records on their way from the disk to sockets.",
        DiskStats::transitBytes);
    disk.gauge(
        "forebay_disk_transit_allocated_bytes",
        "Memory allocated for these buffers, in use or free.",
        DiskStats::transitAllocatedBytes);
    disk.gauge(
        "forebay_disk_transit_huge_page_bytes",
        "Part of the memory of these buffers that had pages of 2 MiB when it was allocated.",
        DiskStats::transitHugeBytes);
    disk.counter(
        "forebay_disk_transit_exhausted",
        "Reads that found no transit buffer.",
        DiskStats::transitExhausted);
    disk.counter("forebay_disk_writes", "Batched writes.", DiskStats::writes);
    disk.counter("forebay_disk_written_bytes", "Bytes written.", DiskStats::writtenBytes);
    disk.counter(
        "forebay_disk_dropped_writes",
        "Records lost because the disk could not write all that left memory: no write buffer or"
            + " region was free for long, or the object was left out as a whole.",
        DiskStats::dropped);
    disk.counter(
        "forebay_disk_refused_reads",
        "Reads refused because too many were waiting; each counts as a miss.",
        DiskStats::refusedLoads);
    disk.counter(
        "forebay_disk_errors",
        "Errors that count towards max-errors: failed or slow operations, and records with a"
            + " checksum mismatch.",
        DiskStats::errors);
    disk.counter(
        "forebay_disk_checksum_failures",
        "Records with a checksum mismatch; records possibly truncated by an unclean stop do"
            + " not count as errors.",
        DiskStats::checksumFailures);
    disk.counter(
        "forebay_disk_reclaimed_regions",
        "Regions reclaimed for reuse.",
        DiskStats::reclaimedRegions);
    addEndurance(disk);
    addEvacuation(disk);
    addIndex(disk);
    addScrub(disk);
  }

  private static void addEndurance(Of disk) {
    disk.counter(
        "forebay_disk_lifetime_written_bytes",
        "Bytes written to the disk store since its history of writes began; it continues after a"
            + " restart.",
        one -> one.endurance().totalBytes());
    disk.gauge(
        "forebay_disk_day_written_bytes",
        "Bytes written to the disk store in the current hour and the 24 before it.",
        one -> one.endurance().dayBytes());
    disk.gauge(
        "forebay_disk_daily_budget_bytes",
        "Bytes that may be written to the disk store in 24 hours; 0 means no limit.",
        one -> one.endurance().limits().bytesPerDay());
    disk.counter(
        "forebay_disk_over_budget_records",
        "Records not written because of the disk's daily budget.",
        one -> one.endurance().refused());
    disk.gauge(
        "forebay_disk_drive_writes_per_day",
        "Mean number of sizes of the disk store written per day in the last week; NaN in the first"
            + " day.",
        one -> one.endurance().driveWritesPerDay());
    disk.gauge(
        "forebay_disk_years_left",
        "Years until stores.NAME.rated-writes are written, at the mean of the last week; NaN if"
            + " that is not known.",
        one -> one.endurance().yearsLeft());
  }

  private static void addEvacuation(Of disk) {
    disk.counter(
        "forebay_disk_trimmed_bytes",
        "Bytes of free regions that were punched out of the disk store's file (stores.NAME.trim).",
        DiskStats::trimmedBytes);
    disk.gauge(
        "forebay_disk_evacuation_progress",
        "Share of the disk's regions that the running evacuation has emptied; 1 without one.",
        one -> one.evacuation().progress());
    disk.counter(
        "forebay_disk_evacuated_records",
        "Records that evacuations of the disk moved to other disks or into memory.",
        one -> one.evacuation().movedRecords());
    disk.counter(
        "forebay_disk_evacuated_bytes",
        "Bytes of records that evacuations of the disk moved.",
        one -> one.evacuation().movedBytes());
    disk.counter(
        "forebay_disk_evacuation_dropped_records",
        "Records that evacuations of the disk did not move: not worth it, or no place.",
        one -> one.evacuation().droppedRecords());
  }

  private static void addIndex(Of disk) {
    disk.gauge(
        "forebay_disk_index_entries",
        "Entries in use in the disk's index table: records and runs of slices that are not in"
            + " memory.",
        DiskStats::indexEntries);
    disk.gauge(
        "forebay_disk_index_capacity_entries",
        "Capacity of the disk's index table in entries.",
        DiskStats::indexCapacity);
    disk.gauge(
        "forebay_disk_index_bytes",
        "Memory in use by the disk's index table.",
        DiskStats::indexBytes);
    disk.counter(
        "forebay_disk_index_refused",
        "Records not kept on the disk because its index table was full.",
        DiskStats::indexRefused);
    disk.counter(
        "forebay_disk_index_collisions",
        "Records that gave way to another record with the same number in the disk's index table.",
        DiskStats::indexCollisions);
  }

  private static void addScrub(Of disk) {
    disk.gauge(
        "forebay_disk_scrub_progress",
        "Share of the disk store read by the current scrub round; 1 between rounds.",
        one -> one.scrub().progress());
    disk.gauge(
        "forebay_disk_scrub_last_round_timestamp_seconds",
        "Time when the last scrub round completed; 0 if none has completed since the start.",
        one -> one.scrub().lastRoundMillis() / 1000.0);
    disk.counter(
        "forebay_disk_scrub_rounds", "Completed scrub rounds.", one -> one.scrub().rounds());
    disk.counter(
        "forebay_disk_scrub_bytes",
        "Bytes of records checked by the scrub.",
        one -> one.scrub().bytes());
    disk.counter(
        "forebay_disk_scrub_bad_records",
        "Damaged records that the scrub removed from the index.",
        one -> one.scrub().badRecords());
  }

  private static double read(CachedReports from, String name, ToDoubleFunction<DiskStats> which) {
    for (DiskStats disk : from.disks()) {
      if (disk.name().equals(name)) {
        return which.applyAsDouble(disk);
      }
    }
    return Double.NaN;
  }

  /** Adds meters of one disk. */
  private record Of(MeterRegistrar meters, CachedReports from, String name) {
    void gauge(String metric, String help, ToDoubleFunction<DiskStats> which) {
      meters.gauge(metric, help, () -> read(from, name, which), "store", name);
    }

    void counter(String metric, String help, ToDoubleFunction<DiskStats> which) {
      meters.counter(metric, help, () -> read(from, name, which), "store", name);
    }
  }
}
