package io.forebay.storage.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory outside the heap that is mapped from no file. Any thread; one closes it. */
public final class NativeMemory implements AutoCloseable {
  private final Arena arena = Arena.ofShared();
  private final MemorySegment segment;

  /**
   * Allocates memory, all zeros, until {@link #close}.
   *
   * @param bytes at least 1
   * @param alignment a power of two, in bytes
   */
  public NativeMemory(long bytes, long alignment) {
    segment = arena.allocate(bytes, alignment);
  }

  /** The same until nothing refers to the segment. */
  public static MemorySegment collected(long bytes, long alignment) {
    return Arena.ofAuto().allocate(bytes, alignment);
  }

  public MemorySegment segment() {
    return segment;
  }

  /** Frees it; nobody may be using it. */
  @Override
  public void close() {
    arena.close();
  }
}
