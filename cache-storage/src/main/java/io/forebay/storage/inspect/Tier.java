package io.forebay.storage.inspect;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A read-only view, region by region, of a memory tier or one disk. */
public sealed interface Tier permits MemoryTier, DiskDevice {
  /** {@code memory}, {@code tier1} and so on for middle tiers, or the name of the disk. */
  String name();

  boolean isMemory();

  /** Whether it is memory, and not the first tier of it. */
  default boolean isMiddle() {
    return false;
  }

  /** The number of its first region; numbers go on from there. */
  default int firstRegion() {
    return 0;
  }

  int regionCount();

  int regionBytes();

  /** What is known of a region without reading its directory. */
  RegionFacts facts(int region) throws IOException;

  /**
   * Hands out the records of a region's directory from a slot on, until the visitor has enough.
   * What is being written or has just been reclaimed is left out.
   */
  Extent walk(int region, int fromSlot, Visitor visitor) throws IOException;

  /** The head record of an entry; null if it is not there any more or is none. */
  @Nullable Head head(Entry entry) throws IOException;

  /** The key of a slice's head, both halves; null if its bytes are not what they should be. */
  long @Nullable [] headKey(Entry slice) throws IOException;

  /** Whether an index entry, or the head of a slice, still wants it. */
  boolean isNamed(Entry entry);

  /** What is wrong with a record's bytes; null if nothing is, or it has gone meanwhile. */
  @Nullable String flaw(Entry entry) throws IOException;

  /** Told of one entry after the other; false ends the walk. */
  @FunctionalInterface
  interface Visitor {
    boolean visit(Entry entry) throws IOException;
  }

  /** States of a region, in the words of the answers. */
  enum State {
    FREE,
    OPEN,
    SEALED,
    LIMBO,
    WITHDRAWN,
    DAMAGED
  }

  /** Segments of the memory tier; a disk has none. */
  enum Segment {
    NONE,
    PROBATION,
    PROTECTED
  }

  /**
   * A region from outside.
   *
   * @param age larger is younger; 0 if it holds nothing
   */
  record RegionFacts(int region, State state, Segment segment, long age) {}

  /**
   * What a walk has gone over.
   *
   * @param usedBytes of records and directory
   * @param lostPages directory pages that are damaged; what they named is lost
   */
  record Extent(int usedBytes, int lostPages) {
    static final Extent NOTHING = new Extent(0, 0);
  }
}
