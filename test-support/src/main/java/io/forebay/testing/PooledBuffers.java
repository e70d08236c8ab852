package io.forebay.testing;

import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PooledByteBufAllocator;

/** Buffers of Netty's default pool, to find those that a test's subject did not release. */
public final class PooledBuffers {
  private PooledBuffers() {}

  /**
   * Allocations in use now, direct and heap. What a loop's thread has cached counts until the
   * thread ends.
   */
  public static long active() {
    long active = 0;
    for (PoolArenaMetric arena : PooledByteBufAllocator.DEFAULT.metric().directArenas()) {
      active += arena.numActiveAllocations();
    }
    for (PoolArenaMetric arena : PooledByteBufAllocator.DEFAULT.metric().heapArenas()) {
      active += arena.numActiveAllocations();
    }
    return active;
  }
}
