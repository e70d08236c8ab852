package io.forebay.storage.object;

/** The head record that a lane found last. One per lane, valid until the lane's next find. */
public final class StoredHead {
  public int region;
  public int generation;
  public int slot;
  public int recordOffset;
  public int headOffset;
  public int headLength;
  public int bodyOffset;
  public long totalLength;
  public long objectId;
  public long birth;
  public long bodyBirth;
  public long expiresAtMillis;
  public boolean softPurged;
  public HeadSpec.Kind kind = HeadSpec.Kind.OBJECT;
  public int sliceBytes;

  public StoredHead() {}

  public int region() {
    return region;
  }

  /** Generation of the region: the same as long as the bytes are. */
  public int generation() {
    return generation;
  }

  /** Where in the region the caller's own head bytes start. */
  public int headOffset() {
    return headOffset;
  }

  public int headLength() {
    return headLength;
  }

  /** Where in the region the body starts, or -1 if it lies in slices. */
  public int bodyOffset() {
    return bodyOffset;
  }

  public long totalLength() {
    return totalLength;
  }

  public long objectId() {
    return objectId;
  }

  public long birth() {
    return birth;
  }

  public long bodyBirth() {
    return bodyBirth;
  }

  public long expiresAtMillis() {
    return expiresAtMillis;
  }

  public boolean softPurged() {
    return softPurged;
  }

  public HeadSpec.Kind kind() {
    return kind;
  }

  /** Length of each slice but the last. */
  public int sliceBytes() {
    return sliceBytes;
  }

  public int sliceCount() {
    return bodyOffset >= 0 ? 0 : (int) ((totalLength + sliceBytes - 1) / sliceBytes);
  }
}
