package io.forebay.storage;

/**
 * Levels of a cell of the first memory tier.
 *
 * @param node the NUMA node that its memory comes from; negative: any
 * @param lanes how many lanes write there
 * @param regionCount withdrawn ones included
 * @param usedBytes of records and directories
 */
public record CellStats(
    int node,
    int lanes,
    int regionCount,
    int spareRegions,
    int probationRegions,
    int protectedRegions,
    int limboRegions,
    long usedBytes) {}
