package io.forebay.storage.region;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Counts the regions of a memory tier or of a disk that are kept for deliveries that depend on
 * them. They are not reclaimed, so their number is limited. Any thread.
 */
public final class KeptRegions {
  private static final int MIN = 2;

  /** One of so many regions at most. */
  private static final int SHARE = 4;

  private final AtomicIntegerArray counts;
  private final AtomicInteger regions = new AtomicInteger();
  private volatile int limit;

  public KeptRegions(int regionCount) {
    this.counts = new AtomicIntegerArray(regionCount);
    limitFor(regionCount);
  }

  /**
   * So many regions of the first tier are in use from here on. What is kept beyond the new limit
   * stays kept.
   */
  final void limitFor(int regionCount) {
    limit = Math.max(MIN, regionCount / SHARE);
  }

  /**
   * Keeps a region that is pinned or reserved until {@link #release}.
   *
   * @return false where that would be one region more than may be kept
   */
  public boolean keep(int region) {
    return keep(region, limit);
  }

  /** The same beyond the limit: for regions already reserved, on which readers depend. */
  public void keepAnyway(int region) {
    boolean ignored = keep(region, Integer.MAX_VALUE);
  }

  private boolean keep(int region, int most) {
    while (true) {
      int count = counts.get(region);
      if (count > 0) {
        if (counts.compareAndSet(region, count, count + 1)) {
          return true;
        }
      } else if (regions.incrementAndGet() > most) {
        regions.decrementAndGet();
        return false;
      } else if (counts.compareAndSet(region, 0, 1)) {
        return true;
      } else {
        regions.decrementAndGet();
      }
    }
  }

  public void release(int region) {
    int count = counts.decrementAndGet(region);
    if (count < 0) {
      throw new IllegalStateException("region " + region + " released twice");
    }
    if (count == 0) {
      regions.decrementAndGet();
    }
  }

  /** Whether no further region may be kept. */
  public boolean isFull() {
    return regions.get() >= limit;
  }

  /** Regions kept now. */
  public int regions() {
    return regions.get();
  }

  /** Regions kept at most. */
  public int limit() {
    return limit;
  }

  public boolean isKept(int region) {
    return counts.get(region) > 0;
  }
}
