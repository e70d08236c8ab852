package io.forebay.storage.lane;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;

/** Notes that the copy on a disk which a value names was asked for. */
final class TouchUpdate implements ObjectIndex.Update {
  private int device;
  private int region;
  private int generation;
  private int offset;

  void of(IndexValue value) {
    device = value.diskDevice();
    region = value.diskRegion();
    generation = value.diskGeneration();
    offset = value.diskOffset();
  }

  @Override
  public ObjectIndex.Verdict decide(boolean isPresent, IndexValue current) {
    if (!isPresent || !current.isOnDiskAt(device, region, generation, offset)) {
      return ObjectIndex.Verdict.KEEP;
    }
    current.touchDisk();
    return ObjectIndex.Verdict.PUT;
  }
}
