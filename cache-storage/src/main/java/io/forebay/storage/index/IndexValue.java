package io.forebay.storage.index;

/**
 * Where a record lies, in memory and on disk. Mutable and reused by its owner.
 *
 * <pre>
 *  0       4       8       12      16    18   19   20      24      28      32       40        48
 *  +-------+-------+-------+-------+-----+----+----+-------+-------+-------+--------+---------+
 *  | memory| memory| memory| memory|disk |kind|spa-| disk  | disk  | disk  | birth  | object  |
 *  | region| offset| gene- | length|devi-|    |re  | region| offset| length|        | id      |
 *  |       |       | ration|       |ce   |    |    |       |       |       |        |         |
 *  +-------+-------+-------+-------+-----+----+----+-------+-------+-------+--------+---------+
 * </pre>
 *
 * A memory region or a disk device of -1 means: not there.
 */
public final class IndexValue {
  public static final int LENGTH = 48;
  public static final int NOWHERE = -1;

  private int region = NOWHERE;
  private int offset;
  private int generation;
  private int length;
  private short diskDevice = NOWHERE;
  private byte kind;
  private int diskRegion;
  private int diskOffset;
  private int diskLength;
  private long birth;
  private long objectId;

  public int region() {
    return region;
  }

  public int offset() {
    return offset;
  }

  public int generation() {
    return generation;
  }

  public int length() {
    return length;
  }

  public int diskDevice() {
    return diskDevice;
  }

  public byte kind() {
    return kind;
  }

  public int diskRegion() {
    return diskRegion;
  }

  public int diskOffset() {
    return diskOffset;
  }

  public int diskLength() {
    return diskLength;
  }

  public long birth() {
    return birth;
  }

  public long objectId() {
    return objectId;
  }

  public void identity(byte newKind, long newBirth, long newObjectId) {
    kind = newKind;
    birth = newBirth;
    objectId = newObjectId;
  }

  public void memory(int newRegion, int newGeneration, int newOffset, int newLength) {
    region = newRegion;
    generation = newGeneration;
    offset = newOffset;
    length = newLength;
  }

  public void disk(int newDevice, int newRegion, int newOffset, int newLength) {
    diskDevice = (short) newDevice;
    diskRegion = newRegion;
    diskOffset = newOffset;
    diskLength = newLength;
  }

  public void copyFrom(IndexValue other) {
    identity(other.kind, other.birth, other.objectId);
    memory(other.region, other.generation, other.offset, other.length);
    disk(other.diskDevice, other.diskRegion, other.diskOffset, other.diskLength);
  }

  public boolean isAt(int atRegion, int atGeneration, int atOffset) {
    return region == atRegion && generation == atGeneration && offset == atOffset;
  }
}
