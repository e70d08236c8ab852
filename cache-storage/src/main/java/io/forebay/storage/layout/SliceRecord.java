package io.forebay.storage.layout;

/**
 * The layout of a record with a slice of a body.
 *
 * <pre>
 *  0          24           40           48      52      56          64
 *  +----------+------------+------------+-------+-------+-----------+--------
 *  | record   | key of its | object id  | slice | body  | birth     | body ...
 *  | header   | head       |            | index | length|           |
 *  +----------+------------+------------+-------+-------+-----------+--------
 * </pre>
 */
public final class SliceRecord {
  public static final int LENGTH = 64;

  public static final int HEAD_HIGH_OFFSET = RecordHeader.COVERED_OFFSET;
  public static final int HEAD_LOW_OFFSET = HEAD_HIGH_OFFSET + Long.BYTES;
  public static final int OBJECT_OFFSET = HEAD_LOW_OFFSET + Long.BYTES;
  public static final int SLICE_OFFSET = OBJECT_OFFSET + Long.BYTES;
  public static final int BODY_LENGTH_OFFSET = SLICE_OFFSET + Integer.BYTES;
  public static final int BIRTH_OFFSET = BODY_LENGTH_OFFSET + Integer.BYTES;

  private SliceRecord() {}

  /** The index key of a slice, high half. Distinct for distinct objects. */
  public static long keyHigh(long objectId) {
    return Layouts.mix(objectId);
  }

  /** The index key of a slice, low half. Distinct for distinct slices of an object. */
  public static long keyLow(long objectId, int slice) {
    return Layouts.mix(objectId ^ 0x5C1CE5_5C1CE5L) ^ Layouts.mix(0x1_0000_0000L + slice);
  }
}
