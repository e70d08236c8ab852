package io.forebay.storage.region;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts the readers of each region: one count per region in each lane's own row.
 *
 * <p>A lane stores its count (volatile) and then validates the region's word; the reclaimer stores
 * the word (volatile), fences and then sums the counts. Either the lane sees the mark or the
 * reclaimer sees the count. Rows are padded so that two lanes never write the same cache line.
 */
public final class RegionPins {
  private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(int[].class);
  private static final int PAD = 32;

  private final int[][] rows;
  private final int regionCount;

  public RegionPins(int lanes, int regionCount) {
    this.rows = new int[lanes][PAD + regionCount + PAD];
    this.regionCount = regionCount;
  }

  /** Owner thread of the lane only; pairs with the fence in {@link #isUnpinned}. */
  public void pin(int lane, int region) {
    int[] row = rows[lane];
    COUNT.setVolatile(row, PAD + region, row[PAD + region] + 1);
  }

  /** Pins two regions, or one twice, at the price of one: a single fence stands behind both. */
  public void pin(int lane, int region, int other) {
    int[] row = rows[lane];
    COUNT.setRelease(row, PAD + region, row[PAD + region] + 1);
    COUNT.setRelease(row, PAD + other, row[PAD + other] + 1);
    VarHandle.fullFence();
  }

  /** Owner thread of the lane only; reads of the pinned bytes come before it. */
  public void unpin(int lane, int region) {
    int[] row = rows[lane];
    int count = row[PAD + region];
    if (count <= 0) {
      throw new IllegalStateException("region " + region + " is not pinned by lane " + lane);
    }
    COUNT.setRelease(row, PAD + region, count - 1);
  }

  public int count(int lane, int region) {
    return (int) COUNT.getAcquire(rows[lane], PAD + region);
  }

  /** For the reclaimer, after it has marked the region. */
  public boolean isUnpinned(int region) {
    VarHandle.fullFence();
    for (int[] row : rows) {
      if ((int) COUNT.getVolatile(row, PAD + region) != 0) {
        return false;
      }
    }
    return true;
  }

  /** The present number of pins, for counters. */
  public long total() {
    long sum = 0;
    for (int[] row : rows) {
      for (int region = 0; region < regionCount; region++) {
        sum += (int) COUNT.getOpaque(row, PAD + region);
      }
    }
    return sum;
  }
}
