package io.forebay.storage.index;

/**
 * An index entry: the location of a record in memory, on disk or both, and the metadata needed
 * without reading it. Mutable and reused by its owner.
 *
 * <pre>
 *  0       4       8       12      16    18   19   20      24      28      32
 *  +-------+-------+-------+-------+-----+----+----+-------+-------+-------+
 *  | memory| memory| memory| length|disk |kind|fla-| disk  | disk  | disk  |
 *  | region| offset| gene- | of the|devi-|    |gs  | region| offset| gene- |
 *  |       |       | ration| record|ce   |    |    |       |       | ration|
 *  +-------+-------+-------+-------+-----+----+----+-------+-------+-------+
 *  32      36       44       52       60       68
 *  +-------+--------+--------+--------+--------+
 *  |expires| birth  | object | scope  | scope  |
 *  |seconds|        | id     | 0      | 1      |
 *  +-------+--------+--------+--------+--------+
 * </pre>
 *
 * A memory region or a disk device of -1 means: not there. The record has the same length in both
 * places. The scopes are the first two of a head (those of its base key and its host), 0 where
 * there is none: with expiry and birth they spare a read of the disk for what is no hit anyway.
 *
 * <p>Of what lies on a disk only, the table of the disk tells less: no object and no scopes, an
 * expiry up to half a day too late, a length rounded up to where the next record may begin, and a
 * place that may be another record's.
 */
public final class IndexValue {
  public static final int LENGTH = 68;
  public static final int NOWHERE = -1;

  /**
   * The table of a disk keeps no object: the record tells, or the key, which is that of a slice.
   */
  public static final long UNKNOWN_OBJECT = Long.MIN_VALUE;

  /** The disk copy was read since it was written: worth keeping when its region is reused. */
  public static final int DISK_TOUCHED = 1;

  private int region = NOWHERE;
  private int offset;
  private int generation;
  private int length;
  private short diskDevice = NOWHERE;
  private byte kind;
  private byte flags;
  private int diskRegion;
  private int diskOffset;
  private int diskGeneration;
  private int expiresSeconds;
  private long birth;
  private long objectId;
  private long scope0;
  private long scope1;

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

  public int diskGeneration() {
    return diskGeneration;
  }

  public int flags() {
    return flags;
  }

  /** When it is no longer useful at all, in seconds since 1970, unsigned; 0 if unknown. */
  public int expiresSeconds() {
    return expiresSeconds;
  }

  public long birth() {
    return birth;
  }

  public long objectId() {
    return objectId;
  }

  /** Whether this may name a record of an object. */
  public boolean isOf(long ofObjectId) {
    return objectId == ofObjectId || objectId == UNKNOWN_OBJECT;
  }

  public long scope0() {
    return scope0;
  }

  public long scope1() {
    return scope1;
  }

  public void identity(byte newKind, long newBirth, long newObjectId) {
    kind = newKind;
    birth = newBirth;
    objectId = newObjectId;
  }

  /** Seconds since 1970 as an unsigned word; the end of that range for what lies beyond. */
  public static int seconds(long millis) {
    return (int) Math.clamp(millis / 1000, 0L, 0xFFFF_FFFFL);
  }

  /** What a miss can be told by. */
  public void fate(int newExpiresSeconds, long newScope0, long newScope1) {
    expiresSeconds = newExpiresSeconds;
    scope0 = newScope0;
    scope1 = newScope1;
  }

  public void memory(int newRegion, int newGeneration, int newOffset, int newLength) {
    region = newRegion;
    generation = newGeneration;
    offset = newOffset;
    length = newLength;
  }

  /** It is in memory no more. */
  public void leaveMemory() {
    region = NOWHERE;
    generation = 0;
    offset = 0;
  }

  public void disk(int newDevice, int newRegion, int newGeneration, int newOffset, int newLength) {
    diskDevice = (short) newDevice;
    diskRegion = newRegion;
    diskGeneration = newGeneration;
    diskOffset = newOffset;
    length = newLength;
    flags = 0;
  }

  /** It is on no disk. */
  public void leaveDisk() {
    diskDevice = NOWHERE;
    diskRegion = 0;
    diskGeneration = 0;
    diskOffset = 0;
    flags = 0;
  }

  public void touchDisk() {
    flags |= DISK_TOUCHED;
  }

  /** Whether the disk copy was asked for since it was written. */
  public boolean isDiskTouched() {
    return (flags & DISK_TOUCHED) != 0;
  }

  void flags(byte newFlags) {
    flags = newFlags;
  }

  public boolean isInMemory() {
    return region != NOWHERE;
  }

  public boolean isOnDisk() {
    return diskDevice != NOWHERE;
  }

  public void copyFrom(IndexValue other) {
    identity(other.kind, other.birth, other.objectId);
    memory(other.region, other.generation, other.offset, other.length);
    disk(other.diskDevice, other.diskRegion, other.diskGeneration, other.diskOffset, other.length);
    flags = other.flags;
    fate(other.expiresSeconds, other.scope0, other.scope1);
  }

  public boolean isAt(int atRegion, int atGeneration, int atOffset) {
    return region == atRegion && generation == atGeneration && offset == atOffset;
  }

  public boolean isOnDiskAt(int device, int atRegion, int atGeneration, int atOffset) {
    return diskDevice == device
        && diskRegion == atRegion
        && diskGeneration == atGeneration
        && diskOffset == atOffset;
  }
}
