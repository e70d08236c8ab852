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
        gauge("forebay_store_bytes", "Bytes of records by segment, live or not yet reclaimed.")
            .dataPoint(point((double) store.probationBytes(), Labels.of("segment", "probation")))
            .dataPoint(point((double) store.protectedBytes(), Labels.of("segment", "protected")))
            .build());
    all.metricSnapshot(
        gauge("forebay_store_regions", "Regions of the memory tier by what they are used for.")
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
        "Entries the index is made for.",
        (double) store.indexCapacity());
    all.metricSnapshot(
        CounterSnapshot.builder()
            .name("forebay_index_lookups")
            .help(
                "Lookups by where they ended; busy: what they needed was locked, installs as well.")
            .dataPoint(count(store.nearHits(), Labels.of("result", "near_hit")))
            .dataPoint(count(store.indexHits(), Labels.of("result", "hit")))
            .dataPoint(count(store.misses(), Labels.of("result", "miss")))
            .dataPoint(count(store.busy(), Labels.of("result", "busy")))
            .build());
    counterOf(all, "forebay_store_installed", "Objects installed.", store.installed());
    counterOf(
        all,
        "forebay_store_refused",
        "Objects not stored because there was no room.",
        store.refusedForSpace());
    counterOf(
        all,
        "forebay_store_reclaimed_regions",
        "Regions taken back for reuse.",
        store.reclaimedRegions());
    counterOf(
        all,
        "forebay_index_bound_regions",
        "Regions of memory and disks freed because the index was full, not they.",
        store.reclaimedForIndex());
    counterOf(
        all, "forebay_store_evicted_records", "Live records dropped.", store.evictedRecords());
    counterOf(
        all,
        "forebay_store_moved_records",
        "Records that survived a reclaim.",
        store.movedRecords());
    counterOf(
        all,
        "forebay_store_dropped_dead_records",
        "Purged or replaced records dropped.",
        store.droppedDeadRecords());
    counterOf(
        all,
        "forebay_store_revoked_fills",
        "Fills that lost their reservation.",
        store.revokedFills());
    level(
        all,
        "forebay_store_unfinished_fills",
        "Fills with space reserved now.",
        (double) store.unfinishedFills());
    level(
        all,
        "forebay_store_unfinished_bytes",
        "Space reserved by unfinished fills now.",
        (double) store.unfinishedBytes());
    level(all, "forebay_store_pins", "Regions pinned by readers now.", (double) store.pins());
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
        "forebay_purge_scopes",
        "Purges in force that are not swept yet.",
        (double) store.purgeScopes());
    counterOf(
        all,
        "forebay_store_checksum_failures",
        "Records whose checksum did not match; each was a miss.",
        store.checksumFailures());
    scrub(all, store.scrub());
    eviction(all, store);
    level(
        all,
        "forebay_store_outlives_process",
        "1 when the memory tier is kept over a restart, else 0.",
        store.outlivesProcess() ? 1 : 0);
    level(
        all,
        "forebay_store_memory_lost",
        "1 when the files of the memory tier were cut while it runs: nothing is served from the"
            + " store or written to it until the next start; else 0.",
        store.isMemoryLost() ? 1 : 0);
    level(
        all,
        "forebay_store_recovered_ratio",
        "Share of the index rebuilt after an unclean stop; 1 when there is nothing left to do.",
        store.recovery().fraction());
  }

  private static void scrub(MetricSnapshots.Builder all, ScrubStats scrub) {
    level(
        all,
        "forebay_store_scrub_progress",
        "Share of the memory tier that the running round of the scrub has read; 1 between rounds.",
        scrub.progress());
    level(
        all,
        "forebay_store_scrub_last_round_timestamp_seconds",
        "When the last round of the memory scrub was complete; 0 if none was since the start.",
        scrub.lastRoundMillis() / 1000.0);
    counterOf(
        all,
        "forebay_store_scrub_rounds",
        "Rounds of the memory scrub that are complete.",
        scrub.rounds());
    counterOf(
        all,
        "forebay_store_scrub_bytes",
        "Bytes of records in memory that the scrub has checked.",
        scrub.bytes());
    counterOf(
        all,
        "forebay_store_scrub_bad_records",
        "Records in memory that the scrub found damaged; each becomes a miss.",
        scrub.badRecords());
  }

  private static void eviction(MetricSnapshots.Builder all, StoreStats store) {
    EvictionStats eviction = store.eviction();
    counterOf(
        all,
        "forebay_store_kept_whole_regions",
        "Regions that became protected as they were.",
        store.regionsKeptWhole());
    level(
        all,
        "forebay_store_protected_share",
        "Share of the memory tier that records proven useful may take.",
        eviction.protectedShare());
    level(
        all,
        "forebay_store_touch_threshold",
        "Requests with which a record outlives probation.",
        eviction.touchThreshold());
    counterOf(
        all,
        "forebay_store_setting_changes",
        "How often eviction was set anew by what its samples showed.",
        eviction.settingChanges());
    level(
        all,
        "forebay_store_sample_ratio",
        "Share of all objects whose requests are looked at to tune eviction.",
        eviction.sampleRate());
    if (!eviction.curve().isEmpty()) {
      var estimates =
          gauge(
              "forebay_store_estimated_hit_ratio",
              "What a memory tier of so many times the size would answer, of objects and of bytes.");
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
