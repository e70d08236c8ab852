package io.forebay.storage.evict;

import io.forebay.storage.placement.StorageClass;
import io.forebay.storage.placement.StorageClasses;
import io.forebay.storage.region.RegionPart;
import io.forebay.storage.region.Regions;
import io.forebay.storage.region.StorageClassUsage;
import java.util.Arrays;
import java.util.function.IntToLongFunction;

/**
 * What storage classes decide when a region is reclaimed, before {@link SegmentPolicy} decides on
 * the rest. Reclaim thread only.
 *
 * <ul>
 *   <li>Records of a class over its quota are evicted until it is within the quota, in a region
 *       those first that were not requested. Regions of which such records would free a quarter go
 *       first, the oldest of them; the other records of such a region are kept, since their time
 *       has not come.
 *   <li>Records of a class are kept while it has less than its floor, or than its pinned share.
 *   <li>Records of bodies that are too large for the protected segment are evicted.
 * </ul>
 *
 * <p>Shares are of the whole first tier, and decide in each of its cells. In a middle tier use
 * decides on all records.
 *
 * <p>Use: {@link #begin}, {@link #count} for every live record, {@link #weigh}, then {@link #fate}
 * for every record in the same order.
 */
final class StorageClassPolicy {
  /** What becomes of a record. */
  enum Fate {
    BY_USE,
    KEPT,
    EVICTED
  }

  private static final int EARLY_SHARE = 4;

  private final Regions regions;
  private final StorageClassUsage usage;
  private final StorageClasses classes;
  private final BodySizes sizes;
  private final RegionPart part;
  private final boolean isFirst;

  /** Of the region that is reclaimed, by class: bytes of live records. */
  private final long[] live = new long[StorageClasses.COUNT];

  /** Of these, bytes of records that were not requested. */
  private final long[] idle = new long[StorageClasses.COUNT];

  /** By class, what it has above its quota. */
  private final long[] excess = new long[StorageClasses.COUNT];

  /** Of that, what has to come from records that were requested. */
  private final long[] requestedExcess = new long[StorageClasses.COUNT];

  /** By class, what it has above what is guarded. */
  private final long[] surplus = new long[StorageClasses.COUNT];

  private final long[] evicted = new long[StorageClasses.COUNT];
  private boolean isEarly;
  private int wholeInARow;

  /**
   * @param part whose regions it judges
   */
  StorageClassPolicy(Regions regions, StorageClasses classes, BodySizes sizes, RegionPart part) {
    this.regions = regions;
    this.usage = regions.classes();
    this.classes = classes;
    this.sizes = sizes;
    this.part = part;
    this.isFirst = part.isOfFirstTier();
  }

  /** Records of a class that left memory. */
  long evicted(int storageClass) {
    return evicted[storageClass];
  }

  void onEvicted(int region, int slot) {
    evicted[regions.storageClass(region, slot)]++;
  }

  // --- which region
  // -------------------------------------------------------------------------------

  /** Whether any class has a quota and more than that. */
  boolean isAnyOverQuota() {
    boolean isAny = false;
    for (int n = 1; n < excess.length && isFirst && usage.isInUse(); n++) {
      excess[n] = classes.of(n).hasQuota() ? excess(n, usage.bytes(n) - inLimbo(n)) : 0;
      isAny |= excess[n] > 0;
    }
    return isAny;
  }

  /** After {@link #isAnyOverQuota}: whether classes over their quota would free enough of it. */
  boolean isWorthReclaiming(int region) {
    long sum = 0;
    for (int n = 1; n < excess.length; n++) {
      sum += Math.min(excess[n], usage.bytes(region, n));
    }
    return sum >= regions.regionBytes() / EARLY_SHARE;
  }

  /**
   * Regions' worth of records that are kept whatever their use. They end up in the protected
   * segment, and the segments share the rest.
   */
  int guardedRegions() {
    long sum = 0;
    for (int n = 1; n < excess.length && isFirst && classes.isAnyGuarded(); n++) {
      long live = usage.liveBytes(n);
      sum += partOf(n, live, Math.min(live, share(classes.of(n).guardedPercent())));
    }
    return (int) (sum / regions.regionBytes());
  }

  /** What of the guarded bytes of a class lies here, if they are spread as its live ones are. */
  private long partOf(int storageClass, long live, long guarded) {
    if (part.count() == regions.count(0) || live == 0) {
      return guarded;
    }
    long here = 0;
    for (int region = part.from(); region < part.end(); region++) {
      here += usage.liveBytes(region, storageClass);
    }
    return (long) ((double) guarded * here / live);
  }

  private long excess(int storageClass, long bytes) {
    StorageClass own = classes.of(storageClass);
    return own.hasQuota() ? Math.max(0, bytes - share(own.quotaPercent())) : 0;
  }

  /** Of the regions that are in use now: what is guarded never fills a tier that has shrunk. */
  private long share(int percent) {
    return StorageClass.share((long) regions.inUse() * regions.regionBytes(), percent);
  }

  /** What waits for its readers to end has been copied or dropped already. */
  private long inLimbo(int storageClass) {
    return sumOfLimbo(region -> usage.bytes(region, storageClass));
  }

  private long aliveInLimbo(int storageClass) {
    return sumOfLimbo(region -> usage.liveBytes(region, storageClass));
  }

  private long sumOfLimbo(IntToLongFunction of) {
    long sum = 0;
    for (int region = 0; region < regions.count(); region++) {
      if (regions.state(region) == Regions.LIMBO) {
        sum += of.applyAsLong(region);
      }
    }
    return sum;
  }

  // --- which records
  // ------------------------------------------------------------------------------

  /**
   * Begins to judge the records of a region.
   *
   * @param isBeforeItsTime whether quotas alone are why it is reclaimed
   */
  void begin(boolean isBeforeItsTime) {
    isEarly = isBeforeItsTime;
    Arrays.fill(live, 0);
    Arrays.fill(idle, 0);
  }

  /** Takes a live record of the region into account. */
  void count(int region, int slot, int length) {
    int number = regions.storageClass(region, slot);
    live[number] += Regions.spaceOf(length);
    if (regions.touches(region, slot) == 0) {
      idle[number] += Regions.spaceOf(length);
    }
  }

  /** Ends counting. */
  void weigh(int region) {
    for (int n = 1; n < live.length && isFirst; n++) {
      if (live[n] > 0) {
        StorageClass own = classes.of(n);
        long others = usage.bytes(n) - inLimbo(n) - usage.bytes(region, n);
        excess[n] = excess(n, others + live[n]);
        requestedExcess[n] = Math.max(0, excess[n] - idle[n]);
        long othersAlive = usage.liveBytes(n) - aliveInLimbo(n) - usage.liveBytes(region, n);
        long guarded = share(own.guardedPercent());
        surplus[n] = guarded == 0 ? Long.MAX_VALUE : Math.max(0, othersAlive + live[n] - guarded);
      }
    }
  }

  Fate fate(int region, int slot, int length) {
    int number = regions.storageClass(region, slot);
    if (number == 0 || !isFirst) {
      return isEarly ? Fate.KEPT : Fate.BY_USE;
    }
    long space = Regions.spaceOf(length);
    if (isOverQuota(number, regions.touches(region, slot) > 0, space)) {
      excess[number] -= space;
      surplus[number] -= space;
      return Fate.EVICTED;
    }
    if (isEarly || surplus[number] < space) {
      // And so are the smaller ones behind it: heads without their slices are of no use.
      surplus[number] = isEarly ? surplus[number] : 0;
      return Fate.KEPT;
    }
    surplus[number] -= space;
    return mayBeProtected(region, slot) ? Fate.BY_USE : Fate.EVICTED;
  }

  /** Whether the body of a record is not too large for the protected segment of the first tier. */
  boolean mayBeProtected(int region, int slot) {
    StorageClass own = classes.of(regions.storageClass(region, slot));
    return own.memoryMaxBytes() == StorageClass.UNLIMITED
        || (own.memoryMaxBytes() != 0 && sizes.of(region, slot) <= own.memoryMaxBytes());
  }

  /**
   * Whether a record may lie in a middle tier: one of {@code tier: memory} if that ends with the
   * machine's memory, one of {@code tier: disk} does not.
   */
  boolean mayBeIn(boolean isVolatile, int region, int slot) {
    return switch (classes.of(regions.storageClass(region, slot)).tier()) {
      case DEFAULT -> true;
      case MEMORY -> isVolatile;
      case DISK -> false;
    };
  }

  private boolean isOverQuota(int storageClass, boolean isRequested, long space) {
    if (!isRequested) {
      return excess[storageClass] > 0;
    }
    boolean isOver = requestedExcess[storageClass] > 0;
    requestedExcess[storageClass] -= isOver ? space : 0;
    return isOver;
  }

  /**
   * Whether a region stays as it is, because what is kept fills nearly all of it. Less than all of
   * memory can be kept, so a region that gives space comes within one round.
   */
  boolean staysWhole(long keptBytes) {
    boolean staysWhole =
        keptBytes > regions.regionBytes() / 8 * 7L && wholeInARow < regions.inUse(part);
    wholeInARow = staysWhole ? wholeInARow + 1 : 0;
    return staysWhole;
  }
}
