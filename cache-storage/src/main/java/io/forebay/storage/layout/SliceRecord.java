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

  private static final long SALT = 0x5C1CE5_5C1CE5L;
  private static final long SLICES = 0x1_0000_0000L;
  private static final long RUNS = 0x2_0000_0000L;

  private SliceRecord() {}

  /** The index key of a slice, high half. Distinct for distinct objects. */
  public static long keyHigh(long objectId) {
    return Layouts.mix(objectId);
  }

  /** The index key of a slice, low half. Distinct for distinct slices of an object. */
  public static long keyLow(long objectId, int slice) {
    return Layouts.mix(objectId ^ SALT) ^ Layouts.mix(SLICES + slice);
  }

  /** The object of a slice's key, from its high half. */
  public static long objectOf(long keyHigh) {
    return Layouts.unmix(keyHigh);
  }

  /** The slice that a key names; -1 if it is no slice's key, but for one key in 2^33. */
  public static int sliceOf(long keyHigh, long keyLow) {
    long number = Layouts.unmix(keyLow ^ Layouts.mix(objectOf(keyHigh) ^ SALT)) - SLICES;
    return number >= 0 && number <= Integer.MAX_VALUE ? (int) number : -1;
  }

  /** The low half of a key that stands for several slices of an object, with the same high half. */
  public static long runLow(long objectId, int run) {
    return Layouts.mix(objectId ^ SALT) ^ Layouts.mix(RUNS + run);
  }
}
