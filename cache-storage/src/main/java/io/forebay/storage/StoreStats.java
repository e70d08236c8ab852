package io.forebay.storage;

import io.forebay.storage.disk.ScrubStats;
import io.forebay.storage.evict.EvictionStats;
import io.forebay.storage.evict.ResizeStats;
import java.util.List;

/**
 * Counters and levels of a store, summed over lanes when read. Regions are those of the first
 * memory tier; what was moved, evicted and reclaimed, that of all memory tiers.
 *
 * @param isMemoryLost the files of memory or index were cut: nothing is found or stored
 * @param cells of the first tier; empty where it is not divided
 * @param nodeState whether the memory of the first tier is bound to the nodes of its cells
 */
public record StoreStats(
    int regionCount,
    int regionBytes,
    int spareRegions,
    int probationRegions,
    int protectedRegions,
    int limboRegions,
    long probationBytes,
    long protectedBytes,
    long indexEntries,
    long indexCapacity,
    long nearHits,
    long indexHits,
    long misses,
    long busy,
    long installed,
    long refusedForSpace,
    long reclaimedRegions,
    long reclaimedForIndex,
    long evictedRecords,
    long movedRecords,
    long droppedDeadRecords,
    long revokedFills,
    long unfinishedFills,
    long unfinishedBytes,
    long pins,
    long purges,
    long failedPurges,
    long invalidations,
    long purgeScopes,
    long purgeFloor,
    long purgesRetiredThrough,
    long checksumFailures,
    boolean outlivesProcess,
    RecoveryState recovery,
    long regionsKeptWhole,
    EvictionStats eviction,
    boolean isMemoryLost,
    ScrubStats scrub,
    ResizeStats resize,
    List<MiddleTierStats> middleTiers,
    List<CellStats> cells,
    String nodeState) {}
