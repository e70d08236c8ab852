package io.forebay.storage.evict;

import io.forebay.storage.region.Regions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * What frees the regions of all memory tiers: a {@link Reclaimer} for each cell of the first tier
 * and for each middle tier. Reclaim thread only, except the figures.
 *
 * <p>Each cell evicts by itself, so that what a cell's lanes write stays near them. Where cells are
 * written at different rates, the one that is written less would keep records that are long out of
 * use. So a cell frees a region for others if its next one is far older than theirs, by {@link
 * #SLACK_SHARE} of the tier, or if it has one of a storage class that is over its quota. Lanes use
 * what one cell has to spare before another one evicts anything ({@code TierSpace}).
 */
public final class MemoryReclaim {
  /** One of so many regions of the first tier: how far cells may differ in age. */
  private static final int SLACK_SHARE = 4;

  private final Regions regions;
  private final List<Reclaimer> cells;
  private final List<Reclaimer> middle;

  /** The cell that comes next. */
  private int turn;

  /** The age at which cells were found to be balanced. */
  private long balancedAge;

  /**
   * @param cells of the first tier
   * @param middle of the tiers behind it, in their order
   */
  public MemoryReclaim(Regions regions, List<Reclaimer> cells, List<Reclaimer> middle) {
    this.regions = regions;
    this.cells = List.copyOf(cells);
    this.middle = List.copyOf(middle);
    for (Reclaimer cell : cells) {
      List<Reclaimer> others = new ArrayList<>(cells);
      others.remove(cell);
      cell.besides(others);
    }
  }

  /** Makes spares of regions that hold nothing; safe before the index is complete. */
  public boolean renewFree() {
    boolean progress = false;
    for (Reclaimer cell : cells) {
      progress |= cell.renewFree();
    }
    for (Reclaimer tier : middle) {
      progress |= tier.renewFree();
    }
    return progress;
  }

  /** Whether the next region that lanes ask for could be given by no cell, nor soon. */
  public boolean hasNoneForLanes() {
    return cells.stream().allMatch(Reclaimer::hasNoneForLanes);
  }

  /** The last tier first: it makes room for what the one before it demotes. */
  public boolean step(long nowMillis) {
    boolean progress = false;
    for (Reclaimer tier : middle.reversed()) {
      progress |= tier.step(nowMillis);
      progress |= tier.promoteStep(nowMillis);
    }
    // One cell in each step: the disks have room for what one region gives up.
    for (int n = 0; n < cells.size(); n++) {
      int cell = (turn + n) % cells.size();
      if (cells.get(cell).step(nowMillis)) {
        turn = cell + 1;
        return true;
      }
    }
    return (cells.size() > 1 && balance(nowMillis)) || progress;
  }

  /** Frees a region of one cell for lanes of the others, if that is called for. */
  private boolean balance(long nowMillis) {
    long upcoming = cells.getFirst().upcomingAge();
    if (upcoming == balancedAge) {
      // No region was opened since: nothing needs room.
      return false;
    }
    Reclaimer overQuota = null;
    Reclaimer oldest = null;
    long oldestAge = Long.MAX_VALUE;
    long youngestAge = -1;
    for (Reclaimer cell : cells) {
      if (cell.hasExcess()) {
        // Lanes of all cells use that first.
        return false;
      }
      long age = cell.nextAge();
      if (age < 0) {
        return false;
      }
      overQuota = cell.isNextOverQuota() ? cell : overQuota;
      if (age < oldestAge) {
        oldestAge = age;
        oldest = cell;
      }
      youngestAge = Math.max(youngestAge, age);
    }
    boolean isApart = youngestAge - oldestAge > regions.count(0) / SLACK_SHARE;
    Reclaimer giving = overQuota != null ? overQuota : isApart ? oldest : null;
    if (giving == null) {
      balancedAge = upcoming;
      return false;
    }
    return giving.freeForOthers(nowMillis);
  }

  /** A figure, over all cells and tiers. */
  public long sum(ToLongFunction<Reclaimer> figure) {
    return sum(cells, figure) + sum(middle, figure);
  }

  /** A figure of a tier; the first one's number is 0. */
  public long sum(int tier, ToLongFunction<Reclaimer> figure) {
    return sum(tier == 0 ? cells : List.of(middle.get(tier - 1)), figure);
  }

  private static long sum(List<Reclaimer> some, ToLongFunction<Reclaimer> figure) {
    return some.stream().mapToLong(figure).sum();
  }
}
