package io.forebay.server.metric;

import static io.forebay.server.metric.NodeMetrics.count;
import static io.forebay.server.metric.NodeMetrics.counterOf;
import static io.forebay.server.metric.NodeMetrics.gauge;
import static io.forebay.server.metric.NodeMetrics.point;

import io.forebay.storage.StoreStats;
import io.forebay.storage.disk.ScrubStats;
import io.forebay.storage.evict.EvictionStats;
import io.forebay.storage.evict.HitEstimate;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

/** The store's figures as metrics. */
final class StoreMetrics {

  private StoreMetrics() {}

  static void collect(MetricSnapshots.Builder all, StoreStats store) {
    all.metricSnapshot(
        gauge(
                "forebay_store_bytes",
                "Bytes of records by segment, including dead records not yet reclaimed.")
            .dataPoint(point((double) store.probationBytes(), Labels.of("segment", "probation")))
            .dataPoint(point((double) store.protectedBytes(), Labels.of("segment", "protected")))
            .build());
    all.metricSnapshot(
        gauge("forebay_store_regions", "Regions of the memory tier, by state.")
            .dataPoint(point(store.spareRegions(), Labels.of("state", "spare")))
            .dataPoint(point(store.probationRegions(), Labels.of("state", "probation")))
            .dataPoint(point(store.protectedRegions(), Labels.of("state", "protected")))
            .dataPoint(point(store.limboRegions(), Labels.of("state", "limbo")))
            .build());
    level(
        all,
        "forebay_store_capacity_bytes",
        "Mapped memory of the memory tier.",
        (double) ((long) store.regionCount() * store.regionBytes()));
    level(all, "forebay_index_entries", "Entries in the index.", (double) store.indexEntries());
    level(
        all,
        "forebay_index_capacity_entries",
        "Capacity of the index in entries.",
        (double) store.indexCapacity());
    all.metricSnapshot(
        CounterSnapshot.builder()
            .name("forebay_index_lookups")
            .help(
                "Index lookups by result; busy counts lookups and installs that found a lock"
                    + " held.")
            .dataPoint(count(store.nearHits(), Labels.of("result", "near_hit")))
            .dataPoint(count(store.indexHits(), Labels.of("result", "hit")))
            .dataPoint(count(store.misses(), Labels.of("result", "miss")))
            .dataPoint(count(store.busy(), Labels.of("result", "busy")))
            .build());
    counterOf(all, "forebay_store_installed", "Objects stored.", store.installed());
    counterOf(
        all,
        "forebay_store_refused",
        "Objects not stored because there was no space.",
        store.refusedForSpace());
    counterOf(
        all,
        "forebay_store_reclaimed_regions",
        "Regions reclaimed for reuse.",
        store.reclaimedRegions());
    counterOf(
        all,
        "forebay_index_bound_regions",
        "Regions of memory and disks freed because the index was full while they still had"
            + " space.",
        store.reclaimedForIndex());
    counterOf(
        all, "forebay_store_evicted_records", "Live records evicted.", store.evictedRecords());
    counterOf(
        all,
        "forebay_store_moved_records",
        "Records moved because they survived the reclaim of their region.",
        store.movedRecords());
    counterOf(
        all,
        "forebay_store_dropped_dead_records",
        "Purged or replaced records discarded.",
        store.droppedDeadRecords());
    counterOf(
        all,
        "forebay_store_revoked_fills",
        "Fetches into the store that lost their space reservation.",
        store.revokedFills());
    level(
        all,
        "forebay_store_unfinished_fills",
        "Fetches into the store that currently hold reserved space.",
        (double) store.unfinishedFills());
    level(
        all,
        "forebay_store_unfinished_bytes",
        "Bytes currently reserved by unfinished fetches into the store.",
        (double) store.unfinishedBytes());
    level(all, "forebay_store_pins", "Regions currently pinned by readers.", (double) store.pins());
    counterOf(all, "forebay_purges", "Purges made durable.", store.purges());
    counterOf(
        all,
        "forebay_purges_failed",
        "Purges refused because they could not be made durable.",
        store.failedPurges());
    counterOf(
        all,
        "forebay_invalidations",
        "Objects invalidated by unsafe requests.",
        store.invalidations());
    level(
        all,
        "forebay_purges_pending",
        "Purges in force that are not fully swept yet.",
        (double) store.purgeScopes());
    counterOf(
        all,
        "forebay_store_checksum_failures",
        "Records with a checksum mismatch; each counts as a miss.",
        store.checksumFailures());
    scrub(all, store.scrub());
    eviction(all, store);
    level(
        all,
        "forebay_store_survives_restart",
        "1 if the memory tier survives a restart of the process, else 0.",
        store.outlivesProcess() ? 1 : 0);
    level(
        all,
        "forebay_store_memory_lost",
        "1 if the files of the memory tier were truncated at run time, else 0. The store then"
            + " neither serves nor accepts objects until the next start.",
        store.isMemoryLost() ? 1 : 0);
    level(
        all,
        "forebay_store_recovered_ratio",
        "Share of the index rebuilt after an unclean stop; 1 when the rebuild is complete.",
        store.recovery().fraction());
  }

  private static void scrub(MetricSnapshots.Builder all, ScrubStats scrub) {
    level(
        all,
        "forebay_store_scrub_progress",
        "Share of the memory tier read by the current scrub round; 1 between rounds.",
        scrub.progress());
    level(
        all,
        "forebay_store_scrub_last_round_timestamp_seconds",
        "Time when the last memory scrub round completed; 0 if none has completed since the"
            + " start.",
        scrub.lastRoundMillis() / 1000.0);
    counterOf(all, "forebay_store_scrub_rounds", "Completed memory scrub rounds.", scrub.rounds());
    counterOf(
        all,
        "forebay_store_scrub_bytes",
        "Bytes of records in memory checked by the scrub.",
        scrub.bytes());
    counterOf(
        all,
        "forebay_store_scrub_bad_records",
        "Damaged records in memory found by the scrub; each becomes a miss.",
        scrub.badRecords());
  }

  private static void eviction(MetricSnapshots.Builder all, StoreStats store) {
    EvictionStats eviction = store.eviction();
    counterOf(
        all,
        "forebay_store_promoted_regions",
        "Regions promoted to the protected segment without moving their records.",
        store.regionsKeptWhole());
    level(
        all,
        "forebay_store_protected_share",
        "Share of the memory tier available to the protected segment.",
        eviction.protectedShare());
    level(
        all,
        "forebay_store_touch_threshold",
        "Number of requests that a record needs to survive probation.",
        eviction.touchThreshold());
    counterOf(
        all,
        "forebay_store_setting_changes",
        "Changes of the eviction settings by automatic tuning.",
        eviction.settingChanges());
    level(
        all,
        "forebay_store_sample_ratio",
        "Share of all objects sampled to tune eviction.",
        eviction.sampleRate());
    if (!eviction.curve().isEmpty()) {
      var estimates =
          gauge(
              "forebay_store_estimated_hit_ratio",
              "Estimated hit ratio, by objects and by bytes, of a memory tier of the given"
                  + " multiple of its size.");
      for (HitEstimate estimate : eviction.curve()) {
        String size = String.valueOf(estimate.scale());
        estimates.dataPoint(
            point(estimate.objectHitRatio(), Labels.of("size", size, "of", "objects")));
        estimates.dataPoint(point(estimate.byteHitRatio(), Labels.of("size", size, "of", "bytes")));
      }
      all.metricSnapshot(estimates.build());
    }
  }

  private static void level(MetricSnapshots.Builder all, String name, String help, double value) {
    all.metricSnapshot(gauge(name, help).dataPoint(point(value, Labels.EMPTY)).build());
  }
}
