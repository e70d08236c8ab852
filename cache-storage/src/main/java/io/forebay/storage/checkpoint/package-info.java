/**
 * Checkpoints: what a start has to know of one disk, in a file beside the disk's data. A stop in
 * order writes it, so that a start does without the directories of the disk also when the memory
 * tier, and the tables in it, are gone.
 *
 * <pre>
 *   stop    table of the disk ──┐                       start   header counts? ──no──► directories
 *           records in memory   ├─► disk.checkpoint             │
 *           that it has, too  ──┤                               ├─► states of regions
 *           states of regions ──┘                               └─► table, segment by segment
 * </pre>
 *
 * <p>Start at {@link CheckpointWriter} and {@link CheckpointReader}. Whether a file counts is said
 * by its {@link CheckpointStamp}: it is that of the state which the disk was left in.
 */
@NullMarked
package io.forebay.storage.checkpoint;

import org.jspecify.annotations.NullMarked;
