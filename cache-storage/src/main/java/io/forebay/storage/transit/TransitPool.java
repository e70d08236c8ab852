package io.forebay.storage.transit;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The transit buffers of one device, bounded in bytes. Any thread, without locks.
 *
 * <p>Buffers are kept by size, and the one that came back last is given out first: its bytes are
 * most likely still in a CPU cache. At the bound one of up to four times the size serves as well:
 * to make another one, the kernel would have to clear its pages. A yet larger one would leave less
 * of the bound to others than that is worth.
 */
public final class TransitPool {
  /** Sizes are this, twice it, four times it, and so on. */
  private static final int STEP = 16 << 10;

  /** At the bound, a free buffer of a size so many steps larger serves. */
  private static final int MAX_STEPS_LARGER = 2;

  private final long limitBytes;
  private final ConcurrentLinkedDeque<TransitBuffer>[] free;

  /** Direct memory of all buffers, given out or free. */
  private final AtomicLong allocatedBytes = new AtomicLong();

  private final AtomicLong usedBytes = new AtomicLong();
  private final AtomicLong exhausted = new AtomicLong();

  /**
   * A pool without buffers; they are made when they are needed.
   *
   * @param limitBytes of all buffers; 0: none is ever given out
   * @param longestRecord in bytes
   */
  @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
  public TransitPool(long limitBytes, int longestRecord) {
    this.limitBytes = limitBytes;
    this.free = new ConcurrentLinkedDeque[sizeClass(longestRecord) + 1];
    for (int n = 0; n < free.length; n++) {
      free[n] = new ConcurrentLinkedDeque<>();
    }
  }

  private static int sizeClass(int length) {
    int steps = (Math.max(1, length - TransitBuffer.HEADER_ROOM) - 1) / STEP;
    return Integer.SIZE - Integer.numberOfLeadingZeros(steps);
  }

  /** What a record of some length takes of the bound. */
  public static int bytesFor(int length) {
    return STEP << sizeClass(length);
  }

  /** A buffer with room for a record, held once by the caller; null when the pool is exhausted. */
  public @Nullable TransitBuffer take(int length) {
    int sizeClass = sizeClass(length);
    TransitBuffer buffer = sizeClass < free.length ? find(sizeClass) : null;
    if (buffer == null) {
      exhausted.incrementAndGet();
      return null;
    }
    usedBytes.addAndGet(buffer.capacity());
    buffer.take(length);
    return buffer;
  }

  private @Nullable TransitBuffer find(int sizeClass) {
    TransitBuffer buffer = free[sizeClass].pollLast();
    while (buffer == null) {
      buffer = allocate(STEP << sizeClass);
      int last = Math.min(sizeClass + MAX_STEPS_LARGER, free.length - 1);
      for (int larger = sizeClass + 1; buffer == null && larger <= last; larger++) {
        buffer = free[larger].pollLast();
      }
      if (buffer == null && !dropOne()) {
        return null;
      }
    }
    return buffer;
  }

  private @Nullable TransitBuffer allocate(int capacity) {
    if (allocatedBytes.addAndGet(capacity) > limitBytes) {
      allocatedBytes.addAndGet(-capacity);
      return null;
    }
    return new TransitBuffer(this, capacity);
  }

  /** Makes room by a free buffer of another size; false if there is none. */
  private boolean dropOne() {
    for (ConcurrentLinkedDeque<TransitBuffer> same : free) {
      TransitBuffer dropped = same.pollFirst();
      if (dropped != null) {
        dropped.free();
        allocatedBytes.addAndGet(-dropped.capacity());
        return true;
      }
    }
    return false;
  }

  void giveBack(TransitBuffer buffer) {
    usedBytes.addAndGet(-buffer.capacity());
    free[sizeClass(buffer.capacity())].addLast(buffer);
  }

  /** Bytes of the buffers that somebody holds. */
  public long usedBytes() {
    return usedBytes.get();
  }

  /** The bound of all buffers. */
  public long limitBytes() {
    return limitBytes;
  }

  /** Direct memory of all buffers, given out or free. */
  public long allocatedBytes() {
    return allocatedBytes.get();
  }

  /** How often no buffer was left. */
  public long exhausted() {
    return exhausted.get();
  }

  /** Frees the buffers that nobody holds. */
  public void trim() {
    while (dropOne()) {
      Thread.onSpinWait();
    }
  }
}
