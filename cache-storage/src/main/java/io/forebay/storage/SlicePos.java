package io.forebay.storage;

/** Where bytes of a body lie. One a lane, valid until the lane's next find. */
public final class SlicePos {
  int region;
  int offset;
  int length;

  SlicePos() {}

  public int region() {
    return region;
  }

  public int offset() {
    return offset;
  }

  public int length() {
    return length;
  }
}
