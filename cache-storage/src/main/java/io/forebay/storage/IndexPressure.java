package io.forebay.storage;

import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.evict.Reclaimer;
import io.forebay.storage.lane.StoreState;
import io.forebay.storage.region.Regions;
import java.io.IOException;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects that the index is full before memory and disks are, logs this, and records the required
 * number of entries for the next start. Used by the store's background thread.
 */
final class IndexPressure {
  private static final Logger LOG = LoggerFactory.getLogger(ObjectStore.class);

  private static final long REPEAT_MILLIS = 3_600_000;

  /**
   * More than the objects of now need: regions are freed from nine tenths of the index on, and
   * objects may become smaller.
   */
  private static final double RESERVE = 1.25;

  private final StoreSettings settings;
  private final StoreState core;
  private final Reclaimer reclaimer;
  private long seen;
  private boolean hasSaid;
  private long saidMillis;

  IndexPressure(StoreSettings settings, StoreState core, Reclaimer reclaimer) {
    this.settings = settings;
    this.core = core;
    this.reclaimer = reclaimer;
  }

  /** Regions of memory and disks that were freed because the index was full. */
  long reclaimed() {
    return reclaimer.reclaimedForIndex() + core.disk.reclaimedForIndex();
  }

  void step(long nowMillis) {
    long now = reclaimed();
    if (now == seen) {
      return;
    }
    seen = now;
    if (hasSaid && Math.abs(nowMillis - saidMillis) < REPEAT_MILLIS) {
      return;
    }
    hasSaid = true;
    saidMillis = nowMillis;
    report();
  }

  private void report() {
    Regions regions = core.regions;
    long usedBytes = (long) (regions.inUse() - core.space.spareCount()) * regions.regionBytes();
    long bytes = (long) regions.count() * regions.regionBytes();
    for (DiskStats disk : core.disk.stats()) {
      usedBytes += (long) (disk.regions() - disk.freeRegions()) * disk.regionBytes();
      bytes += (long) disk.regions() * disk.regionBytes();
    }
    long entries = core.index.count();
    long enough =
        Math.min(
            IndexCapacity.MAX_ENTRIES,
            (long) (RESERVE * entries * ((double) bytes / Math.max(1, usedBytes))));
    boolean isLearned = settings.indexEntries() < enough && learn(enough);
    LOG.warn(
        "the index of {} entries is full, so objects are evicted although there is space: {} of {}"
            + " MiB of memory and disks are in use, {} bytes per entry. They need {} entries to"
            + " fill up; {} (store.index-entries, 112 bytes of memory each)",
        core.index.capacity(),
        usedBytes >> 20,
        bytes >> 20,
        String.format(Locale.ROOT, "%.0f", (double) usedBytes / Math.max(1, entries)),
        enough,
        isLearned
            ? "the next start creates that many if the setting is 0 and store.index-memory can hold"
                + " them"
            : "set the key to that number");
  }

  private boolean learn(long entries) {
    try {
      IndexCapacity.learn(settings.dataDirectory(), entries);
      return true;
    } catch (IOException e) {
      LOG.warn("the required size of the index cannot be recorded: {}", FileErrors.oneLine(e));
      return false;
    }
  }
}
