package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;

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

  /** Where the next record can begin. */
  int end() {
    return Layouts.roundUp(offset + length, RecordHeader.ALIGNMENT);
  }

  /** Whether it lies right behind another one. */
  boolean isBehind(DiskLocation other) {
    return region == other.region && generation == other.generation && offset == other.end();
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
