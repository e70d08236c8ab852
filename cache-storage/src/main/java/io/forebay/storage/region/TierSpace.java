package io.forebay.storage.region;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Space in the first tier, which one or several cells make up. A lane writes in its own cell, with
 * two exceptions: while another cell has more spare regions than it keeps, nothing is reclaimed for
 * the sake of nearness; and no record is refused that another cell has room for.
 *
 * <pre>
 *   lanes of cell 0 ──► regions    0 .. n0-1     spares, open regions
 *                           ▲ │
 *        when one is full   │ ▼
 *   lanes of cell 1 ──► regions   n0 .. n0+n1-1  spares, open regions
 * </pre>
 */
public final class TierSpace {
  private final List<RegionPart> parts;
  private final SpaceAllocator[] cells;

  /** Of each lane. */
  private final int[] cellOfLane;

  private final AtomicLong refusals = new AtomicLong();

  /** Where the search for space begins that no lane asks for. */
  private final AtomicInteger turn = new AtomicInteger();

  /**
   * @param parts the regions of each cell
   * @param cells the allocator of each
   * @param cellOfLane the cell of each lane
   */
  public TierSpace(List<RegionPart> parts, List<SpaceAllocator> cells, int[] cellOfLane) {
    this.parts = List.copyOf(parts);
    this.cells = cells.toArray(SpaceAllocator[]::new);
    this.cellOfLane = cellOfLane.clone();
  }

  /** Of a tier without cells. */
  public static TierSpace undivided(Regions regions, SpaceAllocator space, int lanes) {
    return new TierSpace(
        List.of(RegionPart.ofTier(regions, 0)), List.of(space), new int[Math.max(lanes, 1)]);
  }

  /** How many cells there are; 1 where the tier is not divided. */
  public int count() {
    return cells.length;
  }

  public RegionPart part(int cell) {
    return parts.get(cell);
  }

  public SpaceAllocator cell(int cell) {
    return cells[cell];
  }

  public int cellOfLane(int lane) {
    return cellOfLane[lane];
  }

  /** For a lane. On success the region is kept until the caller releases it. */
  public boolean reserve(int lane, int length, Reservation into) {
    return reserveNear(cellOfLane[lane], length, into);
  }

  /** The same for what no lane waits for: in a cell with the most spare regions. Any thread. */
  public boolean reserveAnywhere(int length, Reservation into) {
    return reserveNear(cells.length == 1 ? 0 : roomiest(), length, into);
  }

  private boolean reserveNear(int near, int length, Reservation into) {
    SpaceAllocator own = cells[near];
    boolean isReserved =
        cells.length == 1 ? own.reserve(length, into) : reserveInCells(near, length, into);
    if (!isReserved) {
      refusals.incrementAndGet();
    }
    return isReserved;
  }

  private boolean reserveInCells(int near, int length, Reservation into) {
    SpaceAllocator own = cells[near];
    int lender = own.hasExcess() ? -1 : lender(near);
    if (lender >= 0 && cells[lender].lend(length, into)) {
      return true;
    }
    if (own.reserve(length, into)) {
      return true;
    }
    for (int n = 1; n < cells.length; n++) {
      if (cells[(near + n) % cells.length].reserve(length, into)) {
        return true;
      }
    }
    return false;
  }

  /** Another cell with more spare regions than it keeps; -1 where there is none. */
  private int lender(int near) {
    for (int n = 1; n < cells.length; n++) {
      int cell = (near + n) % cells.length;
      if (cells[cell].lends()) {
        return cell;
      }
    }
    return -1;
  }

  private int roomiest() {
    int first = Math.floorMod(turn.getAndIncrement(), cells.length);
    int best = first;
    for (int n = 1; n < cells.length; n++) {
      int cell = (first + n) % cells.length;
      best = cells[cell].spareCount() > cells[best].spareCount() ? cell : best;
    }
    return best;
  }

  /**
   * Space in the protected segment of a cell with the most spare regions. Reclaim thread only.
   *
   * @param keep spare regions that it leaves in that cell
   */
  public boolean reserveProtected(int length, Reservation into, int keep) {
    int cell = cells.length == 1 ? 0 : roomiest();
    return cells[cell].reserveProtected(length, into, keep);
  }

  /** Spare regions of all cells. */
  public int spareCount() {
    int sum = 0;
    for (SpaceAllocator cell : cells) {
      sum += cell.spareCount();
    }
    return sum;
  }

  /** How often no cell had room for a record. */
  public long refusals() {
    return refusals.get();
  }

  /** The spare regions of one cell that are wanted beyond its target to be withdrawn. */
  public void toWithdraw(int cell, int count) {
    for (int n = 0; n < cells.length; n++) {
      cells[n].toWithdraw(n == cell ? count : 0);
    }
  }

  /** The cell with the most regions in use, for its size: the next one to shrink. */
  public int fullest(Regions regions) {
    int best = 0;
    for (int cell = 1; cell < cells.length; cell++) {
      best = withdrawn(regions, cell) < withdrawn(regions, best) ? cell : best;
    }
    return best;
  }

  /** The cell with the most withdrawn regions: the next one to grow. */
  public int mostWithdrawn(Regions regions) {
    int best = 0;
    for (int cell = 1; cell < cells.length; cell++) {
      best = withdrawn(regions, cell) > withdrawn(regions, best) ? cell : best;
    }
    return best;
  }

  private int withdrawn(Regions regions, int cell) {
    return part(cell).count() - regions.inUse(part(cell));
  }
}
