package io.forebay.storage.region;

import io.forebay.storage.layout.DirectoryEntry;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Bytes of the first memory tier that the records of each storage class take, since shares are of
 * that one; what lies in a middle tier is not counted. A record counts from its commit until its
 * region is renewed, whether it is live or not, so neither hits nor purges count anything. How much
 * of that is dead is looked up now and then. Records of the default class, 0, are not counted. Any
 * thread.
 */
public final class StorageClassUsage {
  private static final int CLASSES = DirectoryEntry.MAX_CLASS + 1;

  private final int regionCount;
  private final AtomicLongArray bytes = new AtomicLongArray(CLASSES);
  private final AtomicLongArray deadBytes = new AtomicLongArray(CLASSES);

  /** By region and class; empty until classes are in use. */
  private volatile AtomicIntegerArray regions = new AtomicIntegerArray(0);

  /** Of these, what was dead when it was last looked at. */
  private volatile AtomicIntegerArray dead = new AtomicIntegerArray(0);

  StorageClassUsage(int regionCount) {
    this.regionCount = regionCount;
  }

  /** Whether the tier may hold records of a class other than the default one. */
  public boolean isInUse() {
    return regions.length() > 0;
  }

  /** From here on records may have a class; the header of the tier says so already. */
  public synchronized void use() {
    if (!isInUse()) {
      dead = new AtomicIntegerArray(regionCount * CLASSES);
      regions = new AtomicIntegerArray(regionCount * CLASSES);
    }
  }

  /** Counts a record; the caller keeps the region from being renewed. */
  public void add(int region, int storageClass, int recordBytes) {
    if (storageClass != 0 && region < regionCount && isInUse()) {
      regions.addAndGet(region * CLASSES + storageClass, recordBytes);
      bytes.addAndGet(storageClass, recordBytes);
    }
  }

  /** Notes what is live of a class in a region. Reclaim thread only. */
  public void live(int region, int storageClass, long liveBytes) {
    if (region < regionCount && isInUse()) {
      int found = (int) Math.max(0, bytes(region, storageClass) - liveBytes);
      int before = dead.getAndSet(region * CLASSES + storageClass, found);
      deadBytes.addAndGet(storageClass, found - before);
    }
  }

  /** A region holds nothing any more. */
  void clear(int region) {
    if (region < regionCount && isInUse()) {
      for (int n = 1; n < CLASSES; n++) {
        bytes.addAndGet(n, -regions.getAndSet(region * CLASSES + n, 0));
        deadBytes.addAndGet(n, -dead.getAndSet(region * CLASSES + n, 0));
      }
    }
  }

  /** What the records of a class take. */
  public long bytes(int storageClass) {
    return bytes.get(storageClass);
  }

  /** What they take of a region. */
  public int bytes(int region, int storageClass) {
    return region < regionCount && isInUse() ? regions.get(region * CLASSES + storageClass) : 0;
  }

  /** What the records of a class take that are not known to be dead. */
  public long liveBytes(int storageClass) {
    return bytes.get(storageClass) - deadBytes.get(storageClass);
  }

  /** What they take of a region. */
  public int liveBytes(int region, int storageClass) {
    return region < regionCount && isInUse()
        ? regions.get(region * CLASSES + storageClass) - dead.get(region * CLASSES + storageClass)
        : 0;
  }
}
