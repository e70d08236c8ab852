package io.forebay.storage.object;

import io.forebay.storage.transit.TransitBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The head record that a lane found last: in a region, or in what was read from a disk. One per
 * lane, valid until the lane's next find, unless another one {@linkplain #takeOver takes it over}.
 */
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
  public boolean mustValidate;
  public HeadSpec.Kind kind = HeadSpec.Kind.OBJECT;
  public int sliceBytes;

  /** Of a head that is in no region: what was read of it from a disk, held once. */
  public @Nullable TransitBuffer read;

  public StoredHead() {}

  /**
   * Becomes what another one is and holds what that one holds, which holds nothing any more: so two
   * heads can be looked at at once.
   */
  public void takeOver(StoredHead other) {
    region = other.region;
    generation = other.generation;
    slot = other.slot;
    recordOffset = other.recordOffset;
    headOffset = other.headOffset;
    headLength = other.headLength;
    bodyOffset = other.bodyOffset;
    totalLength = other.totalLength;
    objectId = other.objectId;
    birth = other.birth;
    bodyBirth = other.bodyBirth;
    expiresAtMillis = other.expiresAtMillis;
    softPurged = other.softPurged;
    mustValidate = other.mustValidate;
    kind = other.kind;
    sliceBytes = other.sliceBytes;
    read = other.takeRead();
  }

  /** Where the head lies; below 0 if in {@link #read}. */
  public int region() {
    return region;
  }

  /** What was read from a disk and has the head; null if it lies in a region. */
  public @Nullable TransitBuffer read() {
    return region < 0 ? read : null;
  }

  /** Generation of the region, if it is in one: the same as long as the bytes are. */
  public int generation() {
    return generation;
  }

  /** The same, whose hold is the caller's from now on: the head holds nothing any more. */
  public @Nullable TransitBuffer takeRead() {
    TransitBuffer taken = read();
    read = null;
    return taken;
  }

  /** Where in the region, or the record that was read, the caller's own head bytes start. */
  public int headOffset() {
    return headOffset;
  }

  public int headLength() {
    return headLength;
  }

  /** Where in the same the body starts, or -1 if it lies in slices. */
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

  /** Whether it is stale and no allowance for stale responses applies to it. */
  public boolean mustValidate() {
    return mustValidate;
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
