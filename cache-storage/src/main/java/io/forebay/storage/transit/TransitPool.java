package io.forebay.storage.transit;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transit buffers of one device, bounded in bytes. Any thread.
 *
 * <p>They are cut from slabs, the first one first: what came back last is given out again, so that
 * its bytes are most likely still in a CPU cache, and slabs that are not needed stay unused and are
 * freed. To take from the slabs that are there needs no lock. Only readers of the device allocate
 * one, since that takes a millisecond.
 */
public final class TransitPool {
  private static final Logger LOG = LoggerFactory.getLogger(TransitPool.class);

  /** Direct I/O reads whole blocks: a record may begin within one. */
  private static final int DEVICE_BLOCK = 4096;

  private static final long MAX_IDLE_MILLIS = 60_000;

  private final String device;
  private final long limitBytes;
  private final int longestRecord;
  private final AtomicReferenceArray<@Nullable TransitSlab> slabs;

  private final AtomicLong usedBytes = new AtomicLong();
  private final AtomicLong allocatedBytes = new AtomicLong();
  private final AtomicLong hugeBytes = new AtomicLong();
  private final AtomicLong exhausted = new AtomicLong();

  /** Whether the log has been told that there is no memory, under this. */
  private boolean isShortOfMemory;

  /** When slabs were looked at, under this. */
  private long trimmedMillis;

  /**
   * A pool without buffers; they are made when they are needed.
   *
   * @param device its name, for the log
   * @param limitBytes of all buffers, of which whole MiB count; 0: none is ever given out
   * @param longestRecord in bytes
   */
  public TransitPool(String device, long limitBytes, int longestRecord) {
    this.device = device;
    this.limitBytes = limitBytes - limitBytes % TransitSlab.BLOCK_BYTES;
    this.longestRecord = longestRecord;
    this.slabs =
        new AtomicReferenceArray<>((int) Math.ceilDiv(this.limitBytes, TransitSlab.MAX_BYTES));
  }

  /** What a record of some length takes of the bound. */
  public static int bytesFor(int length) {
    return TransitSlab.roomFor(length + DEVICE_BLOCK);
  }

  /**
   * A buffer with room for a record, held once by the caller; null when the pool is exhausted. May
   * allocate memory.
   */
  public @Nullable TransitBuffer take(int length) {
    TransitBuffer buffer = takeAllocated(length);
    if (buffer == null && length <= longestRecord) {
      buffer = takeOrAllocate(length);
    }
    if (buffer == null) {
      exhausted.incrementAndGet();
    }
    return buffer;
  }

  /** The same of the memory that is there; null where {@link #take} may have one nevertheless. */
  public @Nullable TransitBuffer takeAllocated(int length) {
    if (length > longestRecord) {
      return null;
    }
    int room = bytesFor(length);
    for (int n = 0; n < slabs.length(); n++) {
      TransitSlab slab = slabs.get(n);
      int at = slab == null ? -1 : slab.take(room);
      if (slab != null && at >= 0) {
        usedBytes.addAndGet(room);
        return new TransitBuffer(this, slab, at, room, length);
      }
    }
    return null;
  }

  private synchronized @Nullable TransitBuffer takeOrAllocate(int length) {
    TransitBuffer buffer = takeAllocated(length);
    for (int n = 0; buffer == null && n < slabs.length(); n++) {
      if (slabs.get(n) == null) {
        if (!allocate(n)) {
          return null;
        }
        buffer = takeAllocated(length);
      }
    }
    return buffer;
  }

  /** Each slab has a length of its own, so that all together keep to the bound. */
  private boolean allocate(int n) {
    long rest = limitBytes - (long) n * TransitSlab.MAX_BYTES;
    int length = (int) Math.min(TransitSlab.MAX_BYTES, rest);
    try {
      TransitSlab slab = new TransitSlab(length);
      allocatedBytes.addAndGet(length);
      hugeBytes.addAndGet(slab.hugeBytes());
      slabs.set(n, slab);
      isShortOfMemory = false;
      return true;
    } catch (IOException e) {
      if (!isShortOfMemory) {
        isShortOfMemory = true;
        LOG.warn("disk {}: no memory for transit buffers: {}", device, e.getMessage());
      }
      return false;
    }
  }

  void giveBack(TransitSlab slab, int at, int room) {
    usedBytes.addAndGet(-room);
    slab.giveBack(at, room);
  }

  /** Bytes of the buffers that somebody holds. */
  public long usedBytes() {
    return usedBytes.get();
  }

  /** The bound of all buffers. */
  public long limitBytes() {
    return limitBytes;
  }

  /** Memory of all buffers, given out or free. */
  public long allocatedBytes() {
    return allocatedBytes.get();
  }

  /** How much of it had pages of 2 MiB when it was allocated. */
  public long hugeBytes() {
    return hugeBytes.get();
  }

  /** How often no buffer was left. */
  public long exhausted() {
    return exhausted.get();
  }

  /** Now and then: frees slabs from which nothing was taken for a minute. */
  public synchronized void trimIdle(long nowMillis) {
    if (Math.abs(nowMillis - trimmedMillis) >= MAX_IDLE_MILLIS) {
      trimmedMillis = nowMillis;
      for (int n = 0; n < slabs.length(); n++) {
        TransitSlab slab = slabs.get(n);
        if (slab != null && !slab.wasUsed()) {
          free(n, slab);
        }
      }
    }
  }

  /** Frees the slabs of which nobody holds a part. */
  public synchronized void trim() {
    for (int n = 0; n < slabs.length(); n++) {
      TransitSlab slab = slabs.get(n);
      if (slab != null) {
        free(n, slab);
      }
    }
  }

  private void free(int n, TransitSlab slab) {
    long length = slab.memory().byteSize();
    if (slab.free()) {
      slabs.set(n, null);
      allocatedBytes.addAndGet(-length);
      hugeBytes.addAndGet(-slab.hugeBytes());
    }
  }
}
