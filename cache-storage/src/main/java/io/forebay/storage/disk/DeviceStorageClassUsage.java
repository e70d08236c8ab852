package io.forebay.storage.disk;

import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.placement.StorageClasses;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Bytes of one device that the records of each storage class take, by region. A record counts from
 * the time at which the log takes it until its region is freed, whether it is live or not. Records
 * of the default class, 0, are not counted. Regions of an earlier life are unknown until their
 * directory has been read, or a checkpoint has told of them. Any thread; the lock is held for
 * memory operations only, and no event loop takes it.
 */
final class DeviceStorageClassUsage {
  private static final int[] NONE = {};

  /** Of a count in a checkpoint: region, class, bytes. */
  private static final int SAVED_COUNT = 3 * Integer.BYTES;

  /** By region, then by class, up to the last class that the region has. */
  private final int[][] regions;

  private final BitSet unknown = new BitSet();
  private final long[] bytes = new long[StorageClasses.COUNT];

  DeviceStorageClassUsage(int regionCount) {
    this.regions = new int[regionCount][];
    Arrays.fill(regions, NONE);
  }

  /** What a record takes of its region. */
  static int spaceOf(int recordLength) {
    return Layouts.roundUp(recordLength, RecordHeader.ALIGNMENT);
  }

  /** Counts a record that goes to a region. */
  void add(int region, int storageClass, int recordLength) {
    if (storageClass != 0) {
      addSpace(region, storageClass, spaceOf(recordLength));
    }
  }

  private synchronized void addSpace(int region, int storageClass, int space) {
    int[] own = regions[region];
    if (own.length <= storageClass) {
      own = Arrays.copyOf(own, storageClass + 1);
      regions[region] = own;
    }
    own[storageClass] += space;
    bytes[storageClass] += space;
  }

  /** A region holds nothing any more. */
  synchronized void clear(int region) {
    unknown.clear(region);
    int[] own = regions[region];
    for (int n = 0; n < own.length; n++) {
      bytes[n] -= own[n];
    }
    regions[region] = NONE;
  }

  /** No region holds anything. */
  synchronized void reset() {
    unknown.clear();
    Arrays.fill(regions, NONE);
    Arrays.fill(bytes, 0);
  }

  /** A region holds what an earlier life has left there. */
  synchronized void adopt(int region) {
    clear(region);
    unknown.set(region);
  }

  /**
   * Takes what was found in the directory of a region for what it holds.
   *
   * @param counts by class, as {@link #spaceOf} counts
   */
  synchronized void found(int region, int[] counts) {
    clear(region);
    for (int n = 1; n < counts.length; n++) {
      if (counts[n] > 0) {
        addSpace(region, n, counts[n]);
      }
    }
  }

  /** The next region of which nothing is known, or -1. */
  synchronized int nextUnknown() {
    return unknown.nextSetBit(0);
  }

  /** What the records of a class take. */
  synchronized long bytes(int storageClass) {
    return bytes[storageClass];
  }

  /** What they take of a region. */
  synchronized int bytes(int region, int storageClass) {
    int[] own = regions[region];
    return storageClass < own.length ? own[storageClass] : 0;
  }

  // --- checkpoint
  // ---------------------------------------------------------------------------------

  /** What {@link #read} takes up; empty unless all of it is known. */
  synchronized ByteBuffer save() {
    if (!unknown.isEmpty()) {
      return ByteBuffer.allocate(0);
    }
    int count = 0;
    for (int[] own : regions) {
      for (int one : own) {
        count += one > 0 ? 1 : 0;
      }
    }
    ByteBuffer into =
        ByteBuffer.allocate(Integer.BYTES + count * SAVED_COUNT)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(count);
    for (int region = 0; region < regions.length; region++) {
      for (int n = 0; n < regions[region].length; n++) {
        if (regions[region][n] > 0) {
          into.putInt(region).putInt(n).putInt(regions[region][n]);
        }
      }
    }
    return into.flip();
  }

  /** Takes up what {@link #save} left; if it can't be that, all stays unknown. */
  synchronized void read(ByteBuffer from) {
    if (from.remaining() < Integer.BYTES
        || from.remaining() != Integer.BYTES + (long) from.getInt(from.position()) * SAVED_COUNT) {
      return;
    }
    ByteBuffer counts =
        from.slice(from.position() + Integer.BYTES, from.remaining() - Integer.BYTES);
    counts.order(from.order());
    for (int at = 0; at < counts.limit(); at += SAVED_COUNT) {
      int region = counts.getInt(at);
      int storageClass = counts.getInt(at + Integer.BYTES);
      if (region < 0
          || region >= regions.length
          || storageClass <= 0
          || storageClass >= StorageClasses.COUNT
          || counts.getInt(at + 2 * Integer.BYTES) <= 0) {
        return;
      }
    }
    reset();
    while (counts.hasRemaining()) {
      addSpace(counts.getInt(), counts.getInt(), counts.getInt());
    }
  }
}
