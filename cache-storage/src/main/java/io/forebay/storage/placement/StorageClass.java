package io.forebay.storage.placement;

/**
 * The rules for the records of one class. Sizes are those of whole bodies.
 *
 * @param diskAfter requests, as the memory tier counts them, after which a record may be written to
 *     a disk; {@link #BY_ADMISSION}: as the store's disk admission says
 * @param diskMinBytes bodies that are smaller are not written to a disk
 * @param diskMaxBytes bodies that are larger are not written to a disk
 * @param memoryMaxBytes bodies that are larger do not enter the protected segment of memory
 * @param quotaPercent of the memory tier that reclaim leaves to it while others need space; 100: no
 *     quota
 * @param floorPercent of the memory tier below which reclaim evicts nothing of it
 * @param pinnedPercent of the memory tier for records that reclaim does not evict; on a disk they
 *     are kept like requested ones
 * @param diskQuotaPercent of each disk that it may take while others need space; 100: no quota
 * @param diskFloorPercent of each disk below which none of its records leaves the disk
 */
public record StorageClass(
    String name,
    Tier tier,
    int diskAfter,
    long diskMinBytes,
    long diskMaxBytes,
    long memoryMaxBytes,
    int quotaPercent,
    int floorPercent,
    int pinnedPercent,
    int diskQuotaPercent,
    int diskFloorPercent) {

  public static final int BY_ADMISSION = -1;

  /** No bound of a size. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  /** As many touches as a record can have. */
  public static final int MAX_DISK_AFTER = 3;

  /** The class of records that have no other. */
  public static final StorageClass DEFAULT = of("default", Tier.DEFAULT);

  /** Where records lie. */
  public enum Tier {
    /** In memory, then on a disk if the store admits them. */
    DEFAULT,
    /** In memory; never on a disk. */
    MEMORY,
    /** On a disk; memory has them on the way and while they are requested. */
    DISK
  }

  public StorageClass {
    boolean isSound =
        !name.isEmpty()
            && diskAfter >= BY_ADMISSION
            && diskAfter <= MAX_DISK_AFTER
            && diskMinBytes >= 0
            && diskMinBytes <= diskMaxBytes
            && memoryMaxBytes >= 0
            && isPercent(quotaPercent)
            && isPercent(floorPercent)
            && isPercent(pinnedPercent)
            && isPercent(diskQuotaPercent)
            && isPercent(diskFloorPercent);
    if (!isSound) {
      throw new IllegalArgumentException("contradictory or out of range: class " + name);
    }
  }

  private static boolean isPercent(int value) {
    return value >= 0 && value <= 100;
  }

  /** A share of the memory tier, of a disk, or of anything else. */
  public static long share(long bytes, int percent) {
    return bytes / 100 * percent;
  }

  /** Without bounds, and of disks written at once. */
  public static StorageClass of(String name, Tier tier) {
    return new StorageClass(
        name,
        tier,
        tier == Tier.DISK ? 0 : BY_ADMISSION,
        0,
        UNLIMITED,
        tier == Tier.DISK ? 0 : UNLIMITED,
        100,
        0,
        0,
        100,
        0);
  }

  public StorageClass withDisk(int after, long minBytes, long maxBytes) {
    return new StorageClass(
        name,
        tier,
        after,
        minBytes,
        maxBytes,
        memoryMaxBytes,
        quotaPercent,
        floorPercent,
        pinnedPercent,
        diskQuotaPercent,
        diskFloorPercent);
  }

  public StorageClass withMemoryMax(long bytes) {
    return new StorageClass(
        name,
        tier,
        diskAfter,
        diskMinBytes,
        diskMaxBytes,
        bytes,
        quotaPercent,
        floorPercent,
        pinnedPercent,
        diskQuotaPercent,
        diskFloorPercent);
  }

  public StorageClass withShares(int quota, int floor, int pinned) {
    return new StorageClass(
        name,
        tier,
        diskAfter,
        diskMinBytes,
        diskMaxBytes,
        memoryMaxBytes,
        quota,
        floor,
        pinned,
        diskQuotaPercent,
        diskFloorPercent);
  }

  public StorageClass withDiskShares(int quota, int floor) {
    return new StorageClass(
        name,
        tier,
        diskAfter,
        diskMinBytes,
        diskMaxBytes,
        memoryMaxBytes,
        quotaPercent,
        floorPercent,
        pinnedPercent,
        quota,
        floor);
  }

  /** Whether the size of a body decides about a disk. */
  public boolean hasDiskBounds() {
    return diskMinBytes > 0 || diskMaxBytes != UNLIMITED;
  }

  public boolean hasQuota() {
    return quotaPercent < 100;
  }

  public boolean hasDiskQuota() {
    return diskQuotaPercent < 100;
  }

  /** Of the memory tier, what reclaim leaves alone. */
  public int guardedPercent() {
    return Math.max(floorPercent, pinnedPercent);
  }
}
