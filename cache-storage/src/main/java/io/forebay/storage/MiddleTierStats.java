package io.forebay.storage;

/**
 * Levels and counters of a tier between the first memory tier and the disks.
 *
 * @param name {@code tier1} for the one behind the first, and so on
 * @param usedBytes of records and directories
 * @param demotedRecords that came from the tier before it
 * @param promotedRecords that went back to the first tier
 * @param reclaimedRegions emptied so far
 */
public record MiddleTierStats(
    String name,
    String directory,
    int regionCount,
    int regionBytes,
    int spareRegions,
    int probationRegions,
    int protectedRegions,
    int limboRegions,
    long usedBytes,
    long demotedRecords,
    long promotedRecords,
    long reclaimedRegions) {}
