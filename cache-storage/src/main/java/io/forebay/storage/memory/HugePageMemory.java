package io.forebay.storage.memory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Memory of this process in pages of 2 MiB, as far as the kernel has any. All of it is allocated
 * when it is made: later accesses do not wait for a page. Outside of what {@code
 * -XX:MaxDirectMemorySize} bounds. Any thread; one closes it.
 */
public final class HugePageMemory implements AutoCloseable {
  private static final int EINVAL = 22;

  private final AddressRange range;
  private final long hugeBytes;

  /**
   * Allocates memory, all zeros, until {@link #close}.
   *
   * @throws IOException if there is not so much
   */
  public HugePageMemory(long bytes) throws IOException {
    this.range = AddressRange.reserve(bytes, 0, 1);
    boolean isDone = false;
    try {
      range.mapAnonymous(0, bytes);
      MemorySegment memory = range.segment();
      HugePages.ask(memory);
      long result =
          CLibrary.result("madvise", HugePages.MADVISE, memory, bytes, HugePages.POPULATE);
      // Kernels before 5.14 do not know it, and allocate pages at the first access.
      if (result < 0 && result != -EINVAL) {
        throw new IOException("allocating pages failed with error " + -result);
      }
      this.hugeBytes = hugeBytes(memory);
      isDone = true;
    } finally {
      if (!isDone) {
        range.close();
      }
    }
  }

  private static long hugeBytes(MemorySegment memory) {
    try {
      return Math.min(memory.byteSize(), HugePages.hugeBytes(memory));
    } catch (IOException e) {
      return 0;
    }
  }

  /** All of it; its address is a multiple of 2 MiB. */
  public MemorySegment segment() {
    return range.segment();
  }

  /** How much of it had pages of 2 MiB when it was made, as far as is known. */
  public long hugeBytes() {
    return hugeBytes;
  }

  /** Frees it; nobody may be using it. */
  @Override
  public void close() {
    range.close();
  }
}
