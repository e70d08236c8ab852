package io.forebay.storage.evict;

import io.forebay.storage.memory.Pages;
import io.forebay.storage.region.RegionPart;
import io.forebay.storage.region.Regions;
import io.forebay.storage.region.SpaceAllocator;
import io.forebay.storage.region.TierSpace;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the first memory tier to the number of regions that is wanted. Reclaim thread only, except
 * the target and the figures.
 *
 * <pre>
 *   sealed --reclaim--> limbo --no pins--> spare --withdraw--> withdrawn
 *                                            ^                     |
 *                                            +------ allocate -----+
 * </pre>
 *
 * <p>To shrink, it asks for more spare regions than lanes need. The {@link Reclaimer} frees them by
 * its policy, and what becomes spare beyond the lanes' share is withdrawn: nobody reads it, its
 * header says that it is empty, and its pages but the first go. At most one of {@link
 * #TRANSITION_SHARE} regions is on this way at a time. To grow, it allocates the pages of a region
 * before anything touches them. Cells shrink and grow in turn.
 */
public final class TierResizer {
  private static final Logger LOG = LoggerFactory.getLogger(TierResizer.class);

  /** One of so many regions, and at least one, is being emptied to be withdrawn at a time. */
  static final int TRANSITION_SHARE = 32;

  /** How long it waits after an allocation that failed. */
  static final long RETRY_MILLIS = 60_000;

  private final Regions regions;
  private final TierSpace space;
  private final Pages pages;
  private final int minRegions;
  private final AtomicLong givenBack = new AtomicLong();
  private final AtomicLong takenBack = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private volatile int target;
  private volatile @Nullable String fixedBecause;
  private boolean hasFailed;
  private long failedMillis;

  /**
   * @param minRegions it never makes the tier smaller than this
   */
  public TierResizer(Regions regions, TierSpace space, Pages pages, int minRegions) {
    this.regions = regions;
    this.space = space;
    this.pages = pages;
    this.minRegions = Math.min(minRegions, regions.count(0));
    this.target = Math.max(this.minRegions, regions.inUse());
    this.fixedBecause = pages.fixedBecause();
  }

  /** From here on so many regions are wanted, within the bounds. Any thread. */
  public void target(int regionCount) {
    target = Math.clamp(regionCount, minRegions, regions.count(0));
  }

  /** Any thread. */
  public ResizeStats stats() {
    return new ResizeStats(
        regions.count(0) - regions.inUse(),
        target,
        givenBack.get(),
        takenBack.get(),
        failures.get(),
        fixedBecause);
  }

  /** Withdraws a region or takes one back; false if there is none to be, or not now. */
  public boolean step(long nowMillis) {
    int inUse = regions.inUse();
    int wanted = target;
    if (inUse > wanted && fixedBecause == null) {
      int most = Math.max(1, regions.count(0) / TRANSITION_SHARE);
      int asked = Math.min(inUse - wanted, most);
      int cell = space.fullest(regions);
      SpaceAllocator from = space.cell(cell);
      // Asked for anew, the reclaimer has something to do.
      boolean isNew = asked != from.toWithdraw();
      space.toWithdraw(cell, asked);
      return withdraw(from) || isNew;
    }
    space.toWithdraw(0, 0);
    return inUse < wanted && takeBack(nowMillis);
  }

  private boolean withdraw(SpaceAllocator from) {
    int region = from.takeSpare(from.spareTarget());
    if (region < 0) {
      return false;
    }
    if (regions.isVisited(region)) {
      // Another one, meanwhile.
      from.addSpare(region);
      return false;
    }
    regions.withdraw(region);
    try {
      pages.release(regions.base(region) + Regions.KEPT_BYTES, length());
      givenBack.incrementAndGet();
    } catch (IOException e) {
      // Its pages are there: it is used as before.
      regions.restore(region);
      failures.incrementAndGet();
      fixedBecause = "its file system does not take pages back (" + e.getMessage() + ")";
      LOG.warn("the memory tier keeps its size: {}", fixedBecause);
    }
    return true;
  }

  private boolean takeBack(long nowMillis) {
    if (hasFailed && Math.abs(nowMillis - failedMillis) < RETRY_MILLIS) {
      return false;
    }
    int region = withdrawn();
    if (region < 0) {
      return false;
    }
    try {
      pages.allocate(regions.base(region) + Regions.KEPT_BYTES, length());
    } catch (IOException e) {
      failures.incrementAndGet();
      if (!hasFailed) {
        LOG.warn(
            "the memory tier cannot take a region of {} KiB back: {}. It goes on with {} of {}"
                + " regions and tries again every {} s",
            regions.regionBytes() >> 10,
            e.getMessage(),
            regions.inUse(),
            regions.count(0),
            RETRY_MILLIS / 1000);
      }
      hasFailed = true;
      failedMillis = nowMillis;
      return false;
    }
    hasFailed = false;
    takenBack.incrementAndGet();
    // The reclaimer makes a spare of it, with the next generation.
    regions.restore(region);
    return true;
  }

  private int withdrawn() {
    RegionPart part = space.part(space.mostWithdrawn(regions));
    for (int region = part.from(); region < part.end(); region++) {
      if (regions.state(region) == Regions.WITHDRAWN) {
        return region;
      }
    }
    return -1;
  }

  private long length() {
    return (long) regions.regionBytes() - Regions.KEPT_BYTES;
  }
}
