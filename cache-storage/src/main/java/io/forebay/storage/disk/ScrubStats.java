package io.forebay.storage.disk;

/**
 * What the scrub of one device, or of the memory tier, has done since the start.
 *
 * @param progress share of the regions that the running round has read; 1 between rounds
 * @param rounds that are complete
 * @param lastRoundMillis when the last one was; 0: there was none
 * @param badRecords that were taken out of the index, and directory pages with a whole one behind
 *     them
 */
public record ScrubStats(
    double progress,
    long rounds,
    long lastRoundMillis,
    long records,
    long bytes,
    long badRecords) {}
