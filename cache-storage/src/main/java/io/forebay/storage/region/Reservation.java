package io.forebay.storage.region;

/** Reserved space in a region, which keeps the region from being reclaimed. Reused by its owner. */
public final class Reservation {
  int region = -1;
  int generation;
  int offset;
  int slot;
  int length;

  public int region() {
    return region;
  }

  public int generation() {
    return generation;
  }

  public int offset() {
    return offset;
  }

  public int slot() {
    return slot;
  }

  public int length() {
    return length;
  }

  void set(int region, int generation, int offset, int slot, int length) {
    this.region = region;
    this.generation = generation;
    this.offset = offset;
    this.slot = slot;
    this.length = length;
  }
}
