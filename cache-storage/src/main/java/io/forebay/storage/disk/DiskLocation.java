package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;

/** Where a record lies on disk. Reused by its owner. */
public final class DiskLocation {
  int device = -1;
  int region;
  int generation;
  int offset;
  int length;

  DiskLocation at(int newDevice, int newRegion, int newGeneration, int newOffset, int newLength) {
    device = newDevice;
    region = newRegion;
    generation = newGeneration;
    offset = newOffset;
    length = newLength;
    return this;
  }

  /** Whether an index entry names it. */
  boolean isDiskOf(IndexValue value) {
    return value.isOnDiskAt(device, region, generation, offset);
  }

  public int device() {
    return device;
  }

  public int region() {
    return region;
  }

  public int generation() {
    return generation;
  }

  public int offset() {
    return offset;
  }

  public int length() {
    return length;
  }
}
