package io.forebay.server;

import io.forebay.storage.evict.ResizeStats;

/** A memory tier that only counts its regions. */
final class FakeTier implements TierSizePolicy.Tier {
  private final int count;
  private final int regionBytes;
  private int inUse;
  private int target;

  FakeTier(int count, int regionBytes) {
    this.count = count;
    this.regionBytes = regionBytes;
    this.inUse = count;
    this.target = count;
  }

  /** So many regions have pages. */
  void inUse(int regions) {
    inUse = regions;
  }

  /** What is wanted has been reached. */
  void reach() {
    inUse = target;
  }

  int inUse() {
    return inUse;
  }

  int target() {
    return target;
  }

  @Override
  public int regionCount() {
    return count;
  }

  @Override
  public int regionBytes() {
    return regionBytes;
  }

  @Override
  public ResizeStats resizing() {
    return new ResizeStats(count - inUse, target, 0, 0, 0, null);
  }

  @Override
  public void resize(int regionCount) {
    target = regionCount;
  }
}
