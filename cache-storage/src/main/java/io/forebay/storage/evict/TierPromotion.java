package io.forebay.storage.evict;

import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.region.Regions;
import io.forebay.storage.region.Reservation;
import io.forebay.storage.region.TierSpace;

/**
 * What of a middle tier may go back to the first one, and how fast: at a bounded rate, and only
 * while that has spare regions beyond those that lanes and its own reclaim need. Reclaim thread
 * only.
 *
 * <p>A region that is reclaimed gives up records with {@link #TOUCHES} touches. Besides, each
 * region is looked at once in {@link #ROUND_MILLIS} for records with as many touches as are
 * counted.
 */
public final class TierPromotion {
  /** A record with one touch stays in its tier. */
  static final int TOUCHES = DirectoryEntry.MAX_TOUCHES - 1;

  static final long ROUND_MILLIS = 30_000;

  /** In so many seconds promotions may fill the first tier once. */
  private static final long FILL_SECONDS = 120;

  /** Spare regions of the first tier that promotions leave: one for lanes, one for its reclaim. */
  private static final int LEFT = 2;

  /** Regions that may be looked at in one go. */
  private static final int MAX_AT_ONCE = 4;

  private final Regions regions;
  private final int tier;
  private final TierSpace first;
  private final boolean isVolatile;
  private final double bytesPerSecond;
  private double allowance;
  private double due;
  private long lastMillis;
  private int looking;
  private int slot;

  /**
   * @param tier the further one
   * @param first where promoted records go
   * @param isVolatile whether the middle tier ends with the machine's memory
   */
  public TierPromotion(
      Regions regions, int tier, TierSpace first, boolean isVolatile, long nowMillis) {
    this.regions = regions;
    this.tier = tier;
    this.first = first;
    this.isVolatile = isVolatile;
    this.bytesPerSecond = (double) regions.count(0) * regions.regionBytes() / FILL_SECONDS;
    this.allowance = regions.regionBytes();
    this.lastMillis = nowMillis;
  }

  boolean isVolatile() {
    return isVolatile;
  }

  /** Space in the first tier for a record; false if it is to stay where it is. */
  boolean reserve(int length, Reservation into) {
    if (allowance < length || !first.reserveProtected(length, into, LEFT)) {
      return false;
    }
    allowance -= length;
    return true;
  }

  /** Whether a region is to be looked at now. */
  boolean isDue(long nowMillis) {
    long elapsed = Math.clamp(nowMillis - lastMillis, 0, ROUND_MILLIS);
    lastMillis = nowMillis;
    // What was not used is saved up for a region, so that a large record finds enough.
    allowance =
        Math.min(
            allowance + bytesPerSecond * elapsed / 1_000,
            Math.max(bytesPerSecond, regions.regionBytes()));
    due = Math.min(due + (double) elapsed * regions.count(tier) / ROUND_MILLIS, MAX_AT_ONCE);
    return due >= 1;
  }

  /** The region that is looked at. */
  int region() {
    return regions.from(tier) + looking;
  }

  /** The next record of it. */
  int slot() {
    return slot;
  }

  void nextSlot() {
    slot++;
  }

  void nextRegion() {
    due--;
    slot = 0;
    looking = (looking + 1) % regions.count(tier);
  }
}
