package io.forebay.server.metric;

import io.forebay.storage.CellStats;
import io.forebay.storage.MiddleTierStats;
import io.forebay.storage.evict.EvictionStats;
import io.forebay.storage.evict.HitEstimate;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Metrics of the store. */
final class StoreMetrics {

  private StoreMetrics() {}

  static void add(MeterRegistrar meters, CachedReports from) {
    String bytes = "Bytes of records by segment, including dead records not yet reclaimed.";
    meters.gauge(
        "forebay_store_bytes", bytes, () -> from.store().probationBytes(), "segment", "probation");
    meters.gauge(
        "forebay_store_bytes", bytes, () -> from.store().protectedBytes(), "segment", "protected");
    String help = "Regions of the memory tier, by state.";
    meters.gauge(
        "forebay_store_regions", help, () -> from.store().spareRegions(), "state", "spare");
    meters.gauge(
        "forebay_store_regions", help, () -> from.store().probationRegions(), "state", "probation");
    meters.gauge(
        "forebay_store_regions", help, () -> from.store().protectedRegions(), "state", "protected");
    meters.gauge(
        "forebay_store_regions", help, () -> from.store().limboRegions(), "state", "limbo");
    meters.gauge(
        "forebay_store_regions",
        help,
        () -> from.store().resize().withdrawnRegions(),
        "state",
        "withdrawn");
    meters.gauge(
        "forebay_store_capacity_bytes",
        "Mapped memory of the memory tier.",
        () -> ((long) from.store().regionCount() * from.store().regionBytes()));
    meters.gauge(
        "forebay_index_entries",
        "Entries in the index, of memory and disks.",
        () -> from.store().indexEntries());
    meters.gauge(
        "forebay_index_capacity_entries",
        "Capacity of the index in entries, of memory and disks.",
        () -> from.store().indexCapacity());
    String help2 =
        "Index lookups by result; busy counts lookups and installs that found a lock" + " held.";
    meters.counter(
        "forebay_index_lookups", help2, () -> from.store().nearHits(), "result", "near_hit");
    meters.counter("forebay_index_lookups", help2, () -> from.store().indexHits(), "result", "hit");
    meters.counter("forebay_index_lookups", help2, () -> from.store().misses(), "result", "miss");
    meters.counter("forebay_index_lookups", help2, () -> from.store().busy(), "result", "busy");
    meters.counter("forebay_store_installed", "Objects stored.", () -> from.store().installed());
    meters.counter(
        "forebay_store_refused",
        "Objects not stored because there was no space.",
        () -> from.store().refusedForSpace());
    meters.counter(
        "forebay_store_reclaimed_regions",
        "Regions reclaimed for reuse.",
        () -> from.store().reclaimedRegions());
    meters.counter(
        "forebay_index_bound_regions",
        "Regions of memory and disks freed because the index was full while they still had"
            + " space.",
        () -> from.store().reclaimedForIndex());
    meters.counter(
        "forebay_store_evicted_records",
        "Live records evicted.",
        () -> from.store().evictedRecords());
    meters.counter(
        "forebay_store_moved_records",
        "Records moved because they survived the reclaim of their region.",
        () -> from.store().movedRecords());
    meters.counter(
        "forebay_store_dropped_dead_records",
        "Purged or replaced records discarded.",
        () -> from.store().droppedDeadRecords());
    meters.counter(
        "forebay_store_revoked_fills",
        "Fetches into the store that lost their space reservation.",
        () -> from.store().revokedFills());
    meters.gauge(
        "forebay_store_unfinished_fills",
        "Fetches into the store that currently hold reserved space.",
        () -> from.store().unfinishedFills());
    meters.gauge(
        "forebay_store_unfinished_bytes",
        "Bytes currently reserved by unfinished fetches into the store.",
        () -> from.store().unfinishedBytes());
    meters.gauge(
        "forebay_store_pins", "Regions currently pinned by readers.", () -> from.store().pins());
    meters.counter("forebay_purges", "Purges made durable.", () -> from.store().purges());
    meters.counter(
        "forebay_purges_failed",
        "Purges refused because they could not be made durable.",
        () -> from.store().failedPurges());
    meters.counter(
        "forebay_invalidations",
        "Objects invalidated by unsafe requests.",
        () -> from.store().invalidations());
    meters.gauge(
        "forebay_purges_pending",
        "Purges in force that are not fully swept yet.",
        () -> from.store().purgeScopes());
    meters.counter(
        "forebay_store_checksum_failures",
        "Records with a checksum mismatch; each counts as a miss.",
        () -> from.store().checksumFailures());
    cells(meters, from);
    middleTiers(meters, from);
    resize(meters, from);
    scrub(meters, from);
    eviction(meters, from);
    meters.gauge(
        "forebay_store_survives_restart",
        "1 if the memory tier survives a restart of the process, else 0.",
        () -> from.store().outlivesProcess() ? 1 : 0);
    meters.gauge(
        "forebay_store_memory_lost",
        "1 if the files of the memory tier were truncated at run time, else 0. The store then"
            + " neither serves nor accepts objects until the next start.",
        () -> from.store().isMemoryLost() ? 1 : 0);
    meters.gauge(
        "forebay_store_recovered_ratio",
        "Share of the index rebuilt after an unclean stop; 1 when the rebuild is complete.",
        () -> from.store().recovery().fraction());
  }

  /** Of a tier that is divided, which does not change while the node runs. */
  private static void cells(MeterRegistrar meters, CachedReports from) {
    for (int n = 0; n < from.store().cells().size(); n++) {
      int cell = n;
      cell(
          meters,
          Integer.toString(n),
          Integer.toString(from.store().cells().get(n).node()),
          () -> from.store().cells().get(cell));
    }
    for (int n = 0; n < from.loops().size() && !from.store().cells().isEmpty(); n++) {
      int loop = n;
      meters.counter(
          "forebay_remote_bytes",
          "Bytes of stored heads and bodies that each event loop sent from another cell of the"
              + " memory tier than its own.",
          () -> from.loops().get(loop).remoteBytes,
          "loop",
          Integer.toString(n));
    }
  }

  private static void cell(
      MeterRegistrar meters, String number, String node, Supplier<CellStats> cell) {
    String regions = "Regions of a cell of the memory tier (`store.cells`), by state.";
    meters.gauge(
        "forebay_cell_regions",
        regions,
        () -> cell.get().spareRegions(),
        "cell",
        number,
        "node",
        node,
        "state",
        "spare");
    meters.gauge(
        "forebay_cell_regions",
        regions,
        () -> cell.get().probationRegions(),
        "cell",
        number,
        "node",
        node,
        "state",
        "probation");
    meters.gauge(
        "forebay_cell_regions",
        regions,
        () -> cell.get().protectedRegions(),
        "cell",
        number,
        "node",
        node,
        "state",
        "protected");
    meters.gauge(
        "forebay_cell_regions",
        regions,
        () -> cell.get().limboRegions(),
        "cell",
        number,
        "node",
        node,
        "state",
        "limbo");
    meters.gauge(
        "forebay_cell_bytes",
        "Bytes of records in a cell of the memory tier, including dead records not yet reclaimed.",
        () -> cell.get().usedBytes(),
        "cell",
        number,
        "node",
        node);
  }

  /** Of the tiers that are configured, which do not change while the node runs. */
  private static void middleTiers(MeterRegistrar meters, CachedReports from) {
    for (int n = 0; n < from.store().middleTiers().size(); n++) {
      int tier = n;
      String name = from.store().middleTiers().get(n).name();
      middleTier(meters, name, () -> from.store().middleTiers().get(tier));
    }
  }

  private static void middleTier(
      MeterRegistrar meters, String name, Supplier<MiddleTierStats> tier) {
    String regions = "Regions of a middle tier (`store.tiers`), by state.";
    meters.gauge(
        "forebay_tier_regions",
        regions,
        () -> tier.get().spareRegions(),
        "tier",
        name,
        "state",
        "spare");
    meters.gauge(
        "forebay_tier_regions",
        regions,
        () -> tier.get().probationRegions(),
        "tier",
        name,
        "state",
        "probation");
    meters.gauge(
        "forebay_tier_regions",
        regions,
        () -> tier.get().protectedRegions(),
        "tier",
        name,
        "state",
        "protected");
    meters.gauge(
        "forebay_tier_regions",
        regions,
        () -> tier.get().limboRegions(),
        "tier",
        name,
        "state",
        "limbo");
    meters.gauge(
        "forebay_tier_bytes",
        "Bytes of records in a middle tier, including dead records not yet reclaimed.",
        () -> tier.get().usedBytes(),
        "tier",
        name);
    meters.gauge(
        "forebay_tier_capacity_bytes",
        "Mapped memory of a middle tier.",
        () -> (double) tier.get().regionCount() * tier.get().regionBytes(),
        "tier",
        name);
    meters.counter(
        "forebay_tier_demoted_records",
        "Records that came into a middle tier from the tier before it.",
        () -> tier.get().demotedRecords(),
        "tier",
        name);
    meters.counter(
        "forebay_tier_promoted_records",
        "Records of a middle tier that went back to the memory tier because they were requested"
            + " often.",
        () -> tier.get().promotedRecords(),
        "tier",
        name);
    meters.counter(
        "forebay_tier_reclaimed_regions",
        "Regions of a middle tier reclaimed for reuse.",
        () -> tier.get().reclaimedRegions(),
        "tier",
        name);
  }

  private static void resize(MeterRegistrar meters, CachedReports from) {
    meters.gauge(
        "forebay_store_withdrawn_bytes",
        "Memory of the memory tier that is given back to the kernel at present.",
        () -> (double) from.store().resize().withdrawnRegions() * from.store().regionBytes());
    meters.gauge(
        "forebay_store_target_bytes",
        "Size that the memory tier is being brought to; less than its capacity while memory is"
            + " short (`store.memory-min`).",
        () -> (double) from.store().resize().targetRegions() * from.store().regionBytes());
    meters.counter(
        "forebay_store_regions_given_back",
        "Regions of the memory tier given back to the kernel because memory was short.",
        () -> from.store().resize().givenBack());
    meters.counter(
        "forebay_store_regions_taken_back",
        "Regions of the memory tier taken back from the kernel.",
        () -> from.store().resize().takenBack());
    meters.counter(
        "forebay_store_resize_failures",
        "Regions that could not be given back, or whose pages could not be allocated again.",
        () -> from.store().resize().failures());
  }

  private static void scrub(MeterRegistrar meters, CachedReports from) {
    meters.gauge(
        "forebay_store_scrub_progress",
        "Share of the memory tier read by the current scrub round; 1 between rounds.",
        () -> from.store().scrub().progress());
    meters.gauge(
        "forebay_store_scrub_last_round_timestamp_seconds",
        "Time when the last memory scrub round completed; 0 if none has completed since the"
            + " start.",
        () -> from.store().scrub().lastRoundMillis() / 1000.0);
    meters.counter(
        "forebay_store_scrub_rounds",
        "Completed memory scrub rounds.",
        () -> from.store().scrub().rounds());
    meters.counter(
        "forebay_store_scrub_bytes",
        "Bytes of records in memory checked by the scrub.",
        () -> from.store().scrub().bytes());
    meters.counter(
        "forebay_store_scrub_bad_records",
        "Damaged records in memory found by the scrub; each becomes a miss.",
        () -> from.store().scrub().badRecords());
  }

  private static void eviction(MeterRegistrar meters, CachedReports from) {
    meters.counter(
        "forebay_store_promoted_regions",
        "Regions promoted to the protected segment without moving their records.",
        () -> from.store().regionsKeptWhole());
    meters.gauge(
        "forebay_store_protected_share",
        "Share of the memory tier available to the protected segment.",
        () -> from.store().eviction().protectedShare());
    meters.gauge(
        "forebay_store_touch_threshold",
        "Number of requests that a record needs to survive probation.",
        () -> from.store().eviction().touchThreshold());
    meters.gauge(
        "forebay_store_small_object_bytes",
        "Length up to which objects stay in memory longer than larger ones; 0: all are alike.",
        () -> from.store().eviction().smallObjectBytes());
    meters.counter(
        "forebay_store_setting_changes",
        "Changes of the eviction settings by automatic tuning.",
        () -> from.store().eviction().settingChanges());
    meters.gauge(
        "forebay_store_sample_ratio",
        "Share of all objects sampled to tune eviction.",
        () -> from.store().eviction().sampleRate());
    String estimate =
        "Estimated hit ratio, by objects and by bytes, of a memory tier of the given multiple of"
            + " its size.";
    for (double scale : EvictionStats.CURVE_SCALES) {
      String size = String.valueOf(scale);
      meters.gauge(
          "forebay_store_estimated_hit_ratio",
          estimate,
          () -> estimate(from, scale, HitEstimate::objectHitRatio),
          "of",
          "objects",
          "size",
          size);
      meters.gauge(
          "forebay_store_estimated_hit_ratio",
          estimate,
          () -> estimate(from, scale, HitEstimate::byteHitRatio),
          "of",
          "bytes",
          "size",
          size);
    }
  }

  /** Not a number before anything is known of that size. */
  private static double estimate(
      CachedReports from, double scale, ToDoubleFunction<HitEstimate> which) {
    for (HitEstimate one : from.store().eviction().curve()) {
      if (one.scale() == scale) {
        return which.applyAsDouble(one);
      }
    }
    return Double.NaN;
  }
}
