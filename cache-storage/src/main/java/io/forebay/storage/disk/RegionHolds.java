package io.forebay.storage.disk;

import io.forebay.storage.region.KeptRegions;
import java.util.function.LongSupplier;

/**
 * The regions of a device that responses depend on. Their reuse waits, but no longer than {@link
 * #PATIENCE_MILLIS}: regions are reused in order, so one that waits has all others wait, and a
 * client that reads slowly would keep the disk from being written.
 *
 * <pre>
 *  loop      hold: count ──► is it leaving, or no longer readable? then give back
 *  writer    mayLeave: leaving ──► is it counted? then not yet
 * </pre>
 *
 * One of the two sees the other.
 */
final class RegionHolds {
  /** From the first time that the region was to be reused. */
  static final long PATIENCE_MILLIS = 30_000;

  private static final int NONE = -1;

  private final KeptRegions counts;
  private final LongSupplier clockMillis;

  /** The region that is being emptied. */
  private volatile int leaving = NONE;

  // The writer's.
  private int awaited = NONE;
  private long awaitedSince;

  RegionHolds(int regionCount, LongSupplier clockMillis) {
    this.counts = new KeptRegions(regionCount);
    this.clockMillis = clockMillis;
  }

  /**
   * Holds a region, until {@link #release}, if it is not about to be reused and not too many are
   * held. The caller looks afterwards whether the region still is in the life that it means.
   */
  boolean hold(int region) {
    if (region == leaving || !counts.keep(region)) {
      return false;
    }
    if (region == leaving) {
      counts.release(region);
      return false;
    }
    return true;
  }

  void release(int region) {
    counts.release(region);
  }

  /** Regions held now. */
  int count() {
    return counts.regions();
  }

  /**
   * Whether a region may be emptied now. If so nobody holds it from here on, until {@link #left}.
   */
  boolean mayLeave(int region) {
    leaving = region;
    if (!counts.isKept(region) || isPatienceOver(region)) {
      return true;
    }
    leaving = NONE;
    return false;
  }

  private boolean isPatienceOver(int region) {
    long now = clockMillis.getAsLong();
    if (awaited != region) {
      awaited = region;
      awaitedSince = now;
    }
    return Math.abs(now - awaitedSince) >= PATIENCE_MILLIS;
  }

  /** The region that was leaving has been emptied. */
  void left() {
    awaited = NONE;
    leaving = NONE;
  }
}
