package io.forebay.storage;

import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.evict.MemoryReclaim;
import io.forebay.storage.evict.Reclaimer;
import io.forebay.storage.index.ChronicleIndex;
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
  private final MemoryReclaim reclaim;
  private long seen;
  private long seenOfMemory;
  private long seenOfDisks;
  private boolean hasSaid;
  private long saidMillis;

  IndexPressure(StoreSettings settings, StoreState core, MemoryReclaim reclaim) {
    this.settings = settings;
    this.core = core;
    this.reclaim = reclaim;
  }

  /** Regions of memory and disks that were freed because the index was full. */
  long reclaimed() {
    return reclaimedOfMemory() + core.disk.reclaimedForIndex();
  }

  private long reclaimedOfMemory() {
    return reclaim.sum(Reclaimer::reclaimedForIndex);
  }

  void step(long nowMillis) {
    long now = reclaimed();
    if (now == seen) {
      return;
    }
    boolean isOfMemory = reclaimedOfMemory() != seenOfMemory;
    boolean isOfDisks = core.disk.reclaimedForIndex() != seenOfDisks;
    seen = now;
    seenOfMemory = reclaimedOfMemory();
    seenOfDisks = core.disk.reclaimedForIndex();
    if (hasSaid && Math.abs(nowMillis - saidMillis) < REPEAT_MILLIS) {
      return;
    }
    hasSaid = true;
    saidMillis = nowMillis;
    report(isOfMemory, isOfDisks);
  }

  /** How full a tier and its index are. */
  private record Level(String name, long entries, long capacity, long usedBytes, long bytes) {
    long enough(long most) {
      double share = (double) bytes / Math.max(1, usedBytes);
      return Math.min(most, (long) (RESERVE * entries * share));
    }

    String bytesPerEntry() {
      return String.format(Locale.ROOT, "%.0f", (double) usedBytes / Math.max(1, entries));
    }
  }

  private Level memory() {
    Regions regions = core.regions;
    long used = (long) regions.inUse() - core.space.spareCount();
    for (int region = regions.count(0); region < regions.count(); region++) {
      int state = regions.state(region);
      used += state == Regions.OPEN || state == Regions.SEALED ? 1 : 0;
    }
    return new Level(
        "memory",
        core.index.count(),
        core.index.capacity(),
        used * regions.regionBytes(),
        (long) regions.count() * regions.regionBytes());
  }

  private Level disks() {
    long entries = 0;
    long capacity = 0;
    long usedBytes = 0;
    long bytes = 0;
    for (DiskStats disk : core.disk.stats()) {
      entries += disk.indexEntries();
      capacity += disk.indexCapacity();
      usedBytes += (long) (disk.regions() - disk.freeRegions()) * disk.regionBytes();
      bytes += (long) disk.regions() * disk.regionBytes();
    }
    return new Level("the disks", entries, capacity, usedBytes, bytes);
  }

  private void report(boolean isOfMemory, boolean isOfDisks) {
    Level memory = memory();
    Level disks = disks();
    long memoryEnough =
        isOfMemory ? memory.enough(IndexCapacity.MAX_ENTRIES) : settings.indexEntries();
    long diskEnough =
        isOfDisks ? disks.enough(IndexCapacity.MAX_DISK_ENTRIES) : settings.diskEntries();
    boolean isMore = settings.indexEntries() < memoryEnough || settings.diskEntries() < diskEnough;
    boolean isLearned = isMore && learn(new IndexCapacity.Learned(memoryEnough, diskEnough));
    if (isOfMemory) {
      warn(memory, memoryEnough, ChronicleIndex.BYTES_PER_ENTRY, isLearned);
    }
    if (isOfDisks) {
      warn(disks, diskEnough, IndexCapacity.BYTES_PER_DISK_ENTRY, isLearned);
    }
  }

  private static void warn(Level level, long enough, long bytesPerEntry, boolean isLearned) {
    LOG.warn(
        "the index of {} entries for {} is full, so objects are evicted although there is space: {}"
            + " of {} MiB of {} are in use, {} bytes per entry. It needs {} entries to fill up; {}"
            + " (store.index-entries, {} bytes of memory each)",
        level.capacity(),
        level.name(),
        level.usedBytes() >> 20,
        level.bytes() >> 20,
        level.name(),
        level.bytesPerEntry(),
        enough,
        isLearned
            ? "the next start creates that many if the setting is 0 and store.index-memory can hold"
                + " them"
            : "set the key to that number and what the other side needs",
        bytesPerEntry);
  }

  private boolean learn(IndexCapacity.Learned entries) {
    try {
      IndexCapacity.learn(settings.dataDirectory(), entries);
      return true;
    } catch (IOException e) {
      LOG.warn("the required size of the index cannot be recorded: {}", FileErrors.oneLine(e));
      return false;
    }
  }
}
