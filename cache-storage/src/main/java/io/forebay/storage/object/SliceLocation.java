package io.forebay.storage.object;

/** The location of bytes of a body. One per lane, valid until the lane's next find. */
public final class SliceLocation {
  public int region;
  public int offset;
  public int length;

  public SliceLocation() {}

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
