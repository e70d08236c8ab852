package io.forebay.storage.disk;

import io.forebay.storage.placement.StorageClass;
import io.forebay.storage.placement.StorageClasses;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;

/**
 * What the quotas and floors of storage classes decide on one device. Regions are freed in the
 * order in which they were opened, so a class can only be bounded where its records come and where
 * they are kept:
 *
 * <pre>
 *  a record comes    class within its quota, or space left    taken
 *                    classes at their quota have half of all  taken: their own records make room
 *                    else                                     refused
 *
 *  a region is       class below its floor without it         kept, whatever its use
 *  freed             class over its quota with it             leaves
 *                    classes at their quota have half of all  records of the others are kept
 *                    else                                     use decides
 * </pre>
 *
 * <p>Shares are of the device's own capacity. {@link #admits} is any thread's, the rest the
 * writer's.
 */
final class DeviceStorageClassShares {
  /** What becomes of a record of a region that is freed. */
  enum Fate {
    KEPT,
    BY_USE,
    LEAVES
  }

  /** The part of the device from which on classes at their quota make room for themselves. */
  private static final int OWN_SHARE = 2;

  private final StorageClasses classes;
  private final DeviceStorageClassUsage usage;
  private final DeviceLog log;
  private final int regionBytes;
  private final int regionCount;
  private final BooleanSupplier isShortOfNames;
  private final AtomicLongArray refused = new AtomicLongArray(StorageClasses.COUNT);

  /** Of the region that is freed, by class: what has to be kept for its floor. */
  private final long[] missing = new long[StorageClasses.COUNT];

  /** By class, what may be kept within its quota. */
  private final long[] allowance = new long[StorageClasses.COUNT];

  private boolean isOfClassesAtQuota;
  private long kept;
  private int wholeInARow;
  private int ignored;

  /**
   * @param isShortOfNames whether regions are freed because the table of names is full
   */
  DeviceStorageClassShares(
      DeviceSettings settings,
      StorageClasses classes,
      DeviceStorageClassUsage usage,
      DeviceLog log,
      BooleanSupplier isShortOfNames) {
    this.classes = classes;
    this.usage = usage;
    this.log = log;
    this.regionBytes = settings.regionBytes();
    this.regionCount = settings.regionCount();
    this.isShortOfNames = isShortOfNames;
  }

  /** A share of the device. */
  long share(int percent) {
    return StorageClass.share((long) regionCount * regionBytes, percent);
  }

  /** Records of a class that were refused because of its quota. */
  long refused(int storageClass) {
    return refused.get(storageClass);
  }

  // --- a record comes ----------------------------------------------------------------------------

  /** Whether a record may come. */
  boolean admits(int storageClass, int recordLength) {
    StorageClass own = classes.of(storageClass);
    if (!own.hasDiskQuota()
        || usage.bytes(storageClass) + DeviceStorageClassUsage.spaceOf(recordLength)
            <= share(own.diskQuotaPercent())
        || hasSpace()) {
      return true;
    }
    refused.incrementAndGet(storageClass);
    return false;
  }

  private boolean hasSpace() {
    return (!log.isFull() && !isShortOfNames.getAsBoolean()) || isOfClassesAtQuota();
  }

  /** Whether a class would lose records if it had none more than now. */
  boolean isBelowFloor(int storageClass) {
    return usage.bytes(storageClass) < share(classes.of(storageClass).diskFloorPercent());
  }

  private boolean isOfClassesAtQuota() {
    long sum = 0;
    for (int n = 1; n < missing.length; n++) {
      sum += isAtQuota(n) ? usage.bytes(n) : 0;
    }
    return sum >= share(100) / OWN_SHARE;
  }

  /** A region more, and it has all that it may have. */
  private boolean isAtQuota(int storageClass) {
    StorageClass own = classes.of(storageClass);
    return own.hasDiskQuota()
        && usage.bytes(storageClass) > share(own.diskQuotaPercent()) - regionBytes;
  }

  // --- a region is freed -------------------------------------------------------------------------

  /** Begins to judge the records of a region. */
  void begin(int region) {
    boolean isIgnored = isIgnored(kept > regionBytes / 8 * 7L);
    kept = 0;
    for (int n = 1; n < missing.length; n++) {
      StorageClass own = classes.of(n);
      long others = usage.bytes(n) - usage.bytes(region, n);
      missing[n] = isIgnored ? 0 : Math.max(0, share(own.diskFloorPercent()) - others);
      allowance[n] =
          own.hasDiskQuota() ? share(own.diskQuotaPercent()) - others : Long.MAX_VALUE / 2;
    }
    allowance[0] = Long.MAX_VALUE / 2;
    isOfClassesAtQuota = !isIgnored && isOfClassesAtQuota();
  }

  /** After a round in which all was kept, as with floors of all of the device. */
  private boolean isIgnored(boolean wasWhole) {
    if (ignored > 0) {
      ignored--;
    } else {
      wholeInARow = wasWhole ? wholeInARow + 1 : 0;
      ignored = wholeInARow > regionCount ? regionCount / 2 : 0;
      wholeInARow = ignored > 0 ? 0 : wholeInARow;
    }
    return ignored > 0;
  }

  /** Judges a live record of that region; what is {@link #keep kept} counts for those after it. */
  Fate fate(int storageClass, int recordLength) {
    if (missing[storageClass] > 0) {
      return Fate.KEPT;
    }
    if (allowance[storageClass] < DeviceStorageClassUsage.spaceOf(recordLength)) {
      return Fate.LEAVES;
    }
    return isOfClassesAtQuota && !isAtQuota(storageClass) ? Fate.KEPT : Fate.BY_USE;
  }

  /** A record is written once more. */
  void keep(int storageClass, int recordLength) {
    int space = DeviceStorageClassUsage.spaceOf(recordLength);
    missing[storageClass] -= space;
    allowance[storageClass] -= space;
    kept += space;
  }
}
