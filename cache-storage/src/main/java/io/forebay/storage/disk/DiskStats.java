package io.forebay.storage.disk;

/**
 * Counters and levels of one device.
 *
 * @param state {@code recovering}, {@code online}, {@code offline} or {@code fenced}
 * @param recovered share of the recovery that is done
 * @param dropped records that found no free buffer or region
 * @param refusedLoads more loads at once than are queued
 */
public record DiskStats(
    String name,
    String state,
    double recovered,
    long bytes,
    int regionBytes,
    int regions,
    int freeRegions,
    long reads,
    long readBytes,
    long writes,
    long writtenBytes,
    long dropped,
    long refusedLoads,
    int queuedLoads,
    long errors,
    long checksumFailures,
    long reclaimedRegions,
    ScrubStats scrub) {}
