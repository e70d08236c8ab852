package io.forebay.storage.disk;

import io.forebay.storage.endurance.EnduranceStats;

/**
 * Counters and levels of one device.
 *
 * @param state the name of a {@link DeviceHealth.State} in lower case
 * @param recovered share of the recovery that is done
 * @param cachedReads reads, of all, that found their record in page cache on an event loop
 * @param transitBytes of the transit buffers that are in use
 * @param transitAllocatedBytes memory of the transit buffers, in use or not
 * @param transitHugeBytes how much of it had pages of 2 MiB when it was allocated
 * @param transitExhausted how often none was left, so that a record was brought into memory
 * @param dropped records that found no free buffer or region
 * @param errors what counts towards the number that fences the device: operations that failed or
 *     were slow, and records whose checksum did not match
 * @param checksumFailures records whose checksum did not match; also those that an unclean stop may
 *     have cut, which do not count as errors
 * @param indexEntries of its table: records and runs of slices that only this device has
 * @param indexCapacity of the table, in entries
 * @param indexBytes memory of the table
 * @param indexRefused records that were not kept because the table was full
 * @param indexCollisions records that gave way to another with the same number in the table
 * @param refusedLoads more loads at once than are queued
 * @param trimmedBytes of regions that the device was told to be free
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
    long cachedReads,
    long transitBytes,
    long transitAllocatedBytes,
    long transitHugeBytes,
    long transitExhausted,
    long writes,
    long writtenBytes,
    long dropped,
    long refusedLoads,
    int queuedLoads,
    long errors,
    long checksumFailures,
    long reclaimedRegions,
    long indexEntries,
    long indexCapacity,
    long indexBytes,
    long indexRefused,
    long indexCollisions,
    ScrubStats scrub,
    EnduranceStats endurance,
    EvacuationStats evacuation,
    long trimmedBytes) {}
