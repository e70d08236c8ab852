package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.transit.TransitBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A record on a disk whose region is not reused before {@link #release}, unless that takes longer
 * than {@link RegionHolds#PATIENCE_MILLIS}: it can be read whatever the index says of its key by
 * then. Whether it is what it should be is known only when it has been read. Owned by one loop.
 */
public final class HeldRecord {
  private final Device device;
  private final long high;
  private final long low;
  private final IndexValue value = new IndexValue();
  private boolean isLost;

  HeldRecord(Device device, long high, long low, IndexValue value) {
    this.device = device;
    this.high = high;
    this.low = low;
    this.value.copyFrom(value);
  }

  /** Whether it lies where it did, as far as is known. */
  public boolean isReadable() {
    return !isLost && device.isReadable(value.diskRegion(), value.diskGeneration());
  }

  /** A read has not brought it. */
  public void lost() {
    isLost = true;
  }

  /** See {@link DiskTier#read}. */
  public boolean read(DiskWaiter waiter) {
    return device.read(high, low, value, waiter);
  }

  /** See {@link DiskTier#readCached}. */
  public @Nullable TransitBuffer readCached() {
    return device.readCached(high, low, value);
  }

  /** See {@link DiskTier#mayReadAhead}. */
  public boolean mayReadAhead() {
    return device.mayReadAhead();
  }

  /** Once. */
  public void release() {
    device.release(value.diskRegion());
  }
}
