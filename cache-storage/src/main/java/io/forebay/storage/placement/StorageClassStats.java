package io.forebay.storage.placement;

/**
 * Levels and counters of a storage class.
 *
 * @param memoryBytes of the memory tier that its records take, dead ones not yet reclaimed included
 * @param quotaBytes of the memory tier; all of it where the class has no quota
 * @param floorBytes below which nothing of it is evicted
 * @param pinnedBytes for records that are not evicted
 * @param evicted records that left memory
 * @param written records written to disks
 * @param diskBytes of all disks in use that its records take, dead ones included until their region
 *     is freed
 * @param diskQuotaBytes of these disks; all of them where the class has no quota there
 * @param diskFloorBytes of these disks, below which none of its records leaves them
 * @param diskRefused records not written to a disk because of the quota there
 */
public record StorageClassStats(
    String name,
    long memoryBytes,
    long quotaBytes,
    long floorBytes,
    long pinnedBytes,
    long evicted,
    long written,
    long diskBytes,
    long diskQuotaBytes,
    long diskFloorBytes,
    long diskRefused) {}
