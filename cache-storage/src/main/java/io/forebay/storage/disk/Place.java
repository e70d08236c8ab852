package io.forebay.storage.disk;

/** Where a record lies on disk. Reused by its owner. */
public final class Place {
  int device = -1;
  int region;
  int generation;
  int offset;
  int length;

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
