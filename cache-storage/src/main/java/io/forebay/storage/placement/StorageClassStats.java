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
 */
public record StorageClassStats(
    String name,
    long memoryBytes,
    long quotaBytes,
    long floorBytes,
    long pinnedBytes,
    long evicted,
    long written) {}
