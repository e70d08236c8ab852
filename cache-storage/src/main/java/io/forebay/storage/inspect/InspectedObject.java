package io.forebay.storage.inspect;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One object or vary marker and everything the store knows of its location.
 *
 * @param inMemory its head in memory, or null
 * @param onDisk its head on a disk, or null
 * @param isPurged whether a purge in force has killed it, though it may not be swept yet
 * @param isSoftPurged whether a purge in force has made it stale
 * @param mustValidate whether no allowance for stale responses applies to it
 */
public record InspectedObject(
    Head head,
    boolean isMarker,
    @Nullable Entry inMemory,
    @Nullable Entry onDisk,
    Slices slices,
    boolean isPurged,
    boolean isSoftPurged,
    boolean mustValidate) {

  /** The number of its storage class; 0 for the default one. */
  public int storageClass() {
    Entry entry = inMemory;
    return entry == null ? head.classOnDisk() : entry.storageClass();
  }

  /**
   * Where the slices of a body lie.
   *
   * @param runs neighbours that lie in the same places, in order; bounded, see {@code isCut}
   */
  public record Slices(
      int count, int inMemory, int onDisk, int missing, List<Run> runs, boolean isCut) {
    static final Slices NONE = new Slices(0, 0, 0, 0, List.of(), false);
  }

  /** Slices from one index to another, both of them in it; no disk and not in memory: missing. */
  public record Run(int from, int to, boolean isInMemory, @Nullable String disk) {}
}
