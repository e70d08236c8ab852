package io.forebay.storage.evict;

import io.forebay.storage.disk.ScrubStats;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.region.Regions;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Scrubs the memory tier: reads records region by region at a limited rate, and removes damaged
 * ones from the index before a request finds them. Reclaim thread only; any thread may read its
 * figures.
 */
public final class MemoryScrubber {
  /** Rounds over a small tier begin this far apart. */
  private static final long ROUND_MILLIS = 3_600_000;

  /** In one step, so that what else the thread does has its turn. */
  private static final int STEP_BYTES = 1 << 20;

  private final Regions regions;
  private final MemoryCheck check;
  private final long bytesPerSecond;

  /** A round begins there: after many short lives of a process all regions have had their turn. */
  private final int start;

  private int slot;
  private double allowance;
  private long allowedMillis;
  private long roundMillis = Long.MIN_VALUE / 2;
  private volatile int regionsDone;
  private volatile long lastRoundMillis;
  private final AtomicLong rounds = new AtomicLong();
  private final AtomicLong checked = new AtomicLong();
  private final AtomicLong checkedBytes = new AtomicLong();
  private final AtomicLong bad = new AtomicLong();

  /**
   * @param bytesPerSecond at most; 0: it reads nothing
   * @param start any number
   */
  public MemoryScrubber(
      Regions regions, MemoryCheck check, long bytesPerSecond, int start, long nowMillis) {
    this.regions = regions;
    this.check = check;
    this.bytesPerSecond = bytesPerSecond;
    this.start = Math.floorMod(start, regions.count());
    this.allowedMillis = nowMillis;
    this.regionsDone = regions.count();
  }

  public ScrubStats stats() {
    return new ScrubStats(
        (double) regionsDone / regions.count(),
        rounds.get(),
        lastRoundMillis,
        checked.get(),
        checkedBytes.get(),
        bad.get());
  }

  /** Reads a little; false if it is not its turn. */
  public boolean step(long nowMillis) {
    if (bytesPerSecond == 0) {
      return false;
    }
    allowance += (double) bytesPerSecond * Math.max(0, nowMillis - allowedMillis) / 1000;
    allowance = Math.min(allowance, (double) bytesPerSecond);
    allowedMillis = nowMillis;
    if (allowance <= 0) {
      return false;
    }
    if (regionsDone == regions.count()) {
      if (nowMillis - roundMillis < ROUND_MILLIS) {
        return false;
      }
      roundMillis = nowMillis;
      slot = 0;
      regionsDone = 0;
    }
    if (!read((start + regionsDone) % regions.count())) {
      slot = 0;
      int done = regionsDone + 1;
      if (done == regions.count()) {
        lastRoundMillis = nowMillis;
        rounds.incrementAndGet();
      }
      regionsDone = done;
    }
    return true;
  }

  /** A part of a region, from the next slot on; false at its end. */
  private boolean read(int region) {
    int state = regions.state(region);
    if (state != Regions.OPEN && state != Regions.SEALED) {
      return false;
    }
    int generation = regions.generation(region);
    int slots = regions.slots(region);
    long bytes = 0;
    for (; slot < slots; slot++) {
      if (bytes >= STEP_BYTES || bytes >= allowance) {
        break;
      }
      bytes += DirectoryEntry.LENGTH;
      if (!regions.isCommitted(region, slot, generation) || !regions.isLive(region, slot)) {
        continue;
      }
      if (check.check(region, generation, slot)) {
        int length =
            regions
                .memory()
                .get(Layouts.INT, regions.entry(region, slot) + DirectoryEntry.LENGTH_OFFSET);
        bytes += length;
        checkedBytes.addAndGet(length);
      } else {
        bad.incrementAndGet();
      }
      checked.incrementAndGet();
    }
    allowance -= bytes;
    return slot < slots;
  }
}
