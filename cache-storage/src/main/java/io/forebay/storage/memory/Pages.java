package io.forebay.storage.memory;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The pages behind mapped memory, which can be given back to the kernel and allocated again. */
public interface Pages {
  /** Why that is not possible here, for people; null if it is. */
  @Nullable String fixedBecause();

  /**
   * Gives pages back. From then on nothing may touch them until they are allocated: an access would
   * allocate a page, and raise a signal if there is none.
   *
   * @param from a multiple of 4096, like the length
   */
  void release(long from, long lengthBytes) throws IOException;

  /** Allocates pages, all zeros unless they were there, or none of them. */
  void allocate(long from, long lengthBytes) throws IOException;
}
