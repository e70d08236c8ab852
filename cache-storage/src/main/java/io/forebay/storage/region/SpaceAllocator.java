package io.forebay.storage.region;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Allocates space in one cell of the first tier, or in a middle tier: lanes append to the open
 * probation region, the reclaim thread to the open protected region. It never blocks: without a
 * spare region the result is "no space".
 */
public final class SpaceAllocator {
  /** Kept back for the reclaimer, which needs one to make others free. */
  private static final int RECLAIMERS_SHARE = 1;

  private static final int ATTEMPTS = 256;

  private final Regions regions;
  private final Runnable onShort;
  private final int spareTarget;
  private final Queue<Integer> spares = new ConcurrentLinkedQueue<>();
  private final AtomicInteger spareCount = new AtomicInteger();
  private final AtomicLong nextAge;
  private final AtomicBoolean isRotating = new AtomicBoolean();
  private volatile int openProbation = -1;
  private volatile int openProtected = -1;

  /** The last region that was opened for lanes of another cell. */
  private volatile int lent = -1;

  private volatile int toWithdraw;

  public SpaceAllocator(Regions regions, int spareTarget, Runnable onShort) {
    this(regions, spareTarget, onShort, new AtomicLong(1));
  }

  private SpaceAllocator(Regions regions, int spareTarget, Runnable onShort, AtomicLong nextAge) {
    this.regions = regions;
    this.spareTarget = spareTarget;
    this.onShort = onShort;
    this.nextAge = nextAge;
  }

  /**
   * That of a middle tier, to which only the reclaim thread appends. Ages are of all tiers: of two
   * records of one key, the one in the younger region was written later.
   */
  public SpaceAllocator ofMiddleTier(int spareRegions) {
    return new SpaceAllocator(regions, spareRegions, () -> {}, nextAge);
  }

  /** That of another cell of the first tier. Ages are of all cells, too. */
  public SpaceAllocator ofCell(int spareRegions) {
    return new SpaceAllocator(regions, spareRegions, onShort, nextAge);
  }

  public void addSpare(int region) {
    spares.add(region);
    spareCount.incrementAndGet();
  }

  /** Takes a spare region away, to withdraw it; -1 unless more than so many are left. */
  public int takeSpare(int keep) {
    Integer region = poll(keep);
    return region == null ? -1 : region;
  }

  public int spareCount() {
    return spareCount.get();
  }

  /** How many spare regions are wanted beyond the target because they are to be withdrawn. */
  public int toWithdraw() {
    return toWithdraw;
  }

  public void toWithdraw(int count) {
    toWithdraw = count;
  }

  public int spareTarget() {
    return spareTarget;
  }

  /** Whether there are more spare regions than are kept: writing here evicts nothing. */
  boolean hasExcess() {
    return spareCount.get() > spareTarget;
  }

  /** Whether lanes of other cells may write here: there is an excess, or a region opened of it. */
  boolean lends() {
    int open = openProbation;
    return hasExcess() || (open >= 0 && open == lent);
  }

  /** For lanes of other cells: the same as {@link #reserve}, of what is spare beyond need. */
  boolean lend(int length, Reservation into) {
    int open = openProbation;
    boolean isReserved = reserve(length, into, spareTarget);
    if (isReserved && into.region != open) {
      lent = into.region;
    }
    return isReserved;
  }

  public void ageAtLeast(long age) {
    nextAge.accumulateAndGet(age, Math::max);
  }

  /** An age younger than all so far. */
  public long newAge() {
    return nextAge.getAndIncrement();
  }

  /** The age that {@link #newAge} gives next. */
  public long upcomingAge() {
    return nextAge.get();
  }

  public boolean isOpen(int region) {
    return region == openProbation || region == openProtected;
  }

  /** Any lane. On success the region is kept until the caller releases it. */
  public boolean reserve(int length, Reservation into) {
    if (reserve(length, into, RECLAIMERS_SHARE)) {
      return true;
    }
    onShort.run();
    return false;
  }

  /**
   * The same, without a word to the reclaimer if there is no space.
   *
   * @param keep spare regions that it leaves
   */
  private boolean reserve(int length, Reservation into, int keep) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int region = openProbation;
      if (region >= 0 && regions.hold(region, Regions.PROBATION)) {
        int generation = regions.generation(region);
        long word = regions.reserve(region, length);
        if (word >= 0) {
          into.set(region, generation, (int) (word >>> 32), (int) word, length);
          return true;
        }
        regions.release(region);
      } else if (region >= 0) {
        // Sealed by another lane between the two reads.
        Thread.onSpinWait();
        continue;
      }
      if (!rotate(region, keep)) {
        break;
      }
    }
    return false;
  }

  /** Reclaim thread only. */
  public boolean reserveProtected(int length, Reservation into) {
    return reserveProtected(length, into, 0);
  }

  /**
   * The same.
   *
   * @param keep spare regions that it leaves
   */
  public boolean reserveProtected(int length, Reservation into, int keep) {
    for (int attempt = 0; attempt < 2; attempt++) {
      int region = openProtected;
      if (region >= 0) {
        if (!regions.hold(region, Regions.PROTECTED)) {
          return false;
        }
        long word = regions.reserve(region, length);
        if (word >= 0) {
          into.set(region, regions.generation(region), (int) (word >>> 32), (int) word, length);
          return true;
        }
        regions.release(region);
      }
      Integer next = poll(keep);
      if (next == null) {
        return false;
      }
      regions.open(next, Regions.PROTECTED, nextAge.getAndIncrement());
      openProtected = next;
      if (region >= 0) {
        regions.state(region, Regions.SEALED);
      }
    }
    return false;
  }

  private boolean rotate(int full, int keep) {
    if (!isRotating.compareAndSet(false, true)) {
      Thread.onSpinWait();
      return true;
    }
    try {
      if (openProbation != full) {
        return true;
      }
      Integer next = poll(keep);
      if (next == null) {
        return false;
      }
      regions.open(next, Regions.PROBATION, nextAge.getAndIncrement());
      openProbation = next;
      if (full >= 0) {
        regions.state(full, Regions.SEALED);
      }
      if (spareCount.get() < spareTarget) {
        onShort.run();
      }
      return true;
    } finally {
      isRotating.set(false);
    }
  }

  private @Nullable Integer poll(int keep) {
    while (true) {
      int count = spareCount.get();
      if (count <= keep) {
        return null;
      }
      if (spareCount.compareAndSet(count, count - 1)) {
        Integer region = spares.poll();
        if (region == null) {
          throw new IllegalStateException("spare regions counted but not there");
        }
        return region;
      }
    }
  }
}
