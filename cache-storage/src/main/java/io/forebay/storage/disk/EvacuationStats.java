package io.forebay.storage.disk;

/**
 * How far a device has been evacuated, and what became of its records, since the process started.
 *
 * @param progress share of its regions that is done; 1 if it is not being evacuated
 * @param movedRecords to other devices or into memory
 * @param droppedRecords that were not worth moving, or found no place
 */
public record EvacuationStats(
    double progress, long movedRecords, long movedBytes, long droppedRecords) {}
