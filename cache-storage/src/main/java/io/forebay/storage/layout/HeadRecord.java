package io.forebay.storage.layout;

import java.lang.foreign.MemorySegment;

/**
 * The layout of a head record: the head of an object, or a vary marker.
 *
 * <pre>
 *  0          24           40           48           56           64
 *  +----------+------------+------------+------------+------------+
 *  | record   | key        | object id  | birth      | body birth |
 *  | header   | (16 bytes) |            |            |            |
 *  +----------+------------+------------+------------+------------+
 *  64           72           80      84      88      92      96      100     104
 *  +------------+------------+-------+-------+-------+-------+-------+-------+
 *  | expires at | total      | scope | key   | head  | body  | slice | flags |
 *  | millis     | length     | count | length| length| offset| bytes |       |
 *  +------------+------------+-------+-------+-------+-------+-------+-------+
 *  104
 *  +---------------+----------+--------------+------------------------
 *  | scopes        | key text | head (opaque)| body, if inline, at body offset
 *  +---------------+----------+--------------+------------------------
 * </pre>
 *
 * The first scope is that of the base key. {@code total length} is final: a head is written when
 * its whole body has come. Any of its slices may be gone nevertheless. A body that is not inline
 * starts at the record's end, with no bytes.
 */
public final class HeadRecord {
  public static final int KEY_HIGH_OFFSET = RecordHeader.COVERED_OFFSET;
  public static final int KEY_LOW_OFFSET = KEY_HIGH_OFFSET + Long.BYTES;
  public static final int OBJECT_OFFSET = KEY_LOW_OFFSET + Long.BYTES;
  public static final int BIRTH_OFFSET = OBJECT_OFFSET + Long.BYTES;
  public static final int BODY_BIRTH_OFFSET = BIRTH_OFFSET + Long.BYTES;
  public static final int EXPIRES_OFFSET = BODY_BIRTH_OFFSET + Long.BYTES;
  public static final int TOTAL_LENGTH_OFFSET = EXPIRES_OFFSET + Long.BYTES;
  public static final int SCOPE_COUNT_OFFSET = TOTAL_LENGTH_OFFSET + Long.BYTES;
  public static final int KEY_LENGTH_OFFSET = SCOPE_COUNT_OFFSET + Integer.BYTES;
  public static final int HEAD_LENGTH_OFFSET = KEY_LENGTH_OFFSET + Integer.BYTES;
  public static final int BODY_OFFSET = HEAD_LENGTH_OFFSET + Integer.BYTES;
  public static final int SLICE_BYTES_OFFSET = BODY_OFFSET + Integer.BYTES;
  public static final int FLAGS_OFFSET = SLICE_BYTES_OFFSET + Integer.BYTES;
  public static final int SCOPES_OFFSET = FLAGS_OFFSET + Integer.BYTES;

  /** The body lies in this record. */
  public static final int FLAG_INLINE = 1;

  private HeadRecord() {}

  public static int keyOffset(int scopeCount) {
    return SCOPES_OFFSET + scopeCount * Long.BYTES;
  }

  public static int headOffset(int scopeCount, int keyLength) {
    return keyOffset(scopeCount) + keyLength;
  }

  public static int bodyOffset(int scopeCount, int keyLength, int headLength) {
    return Layouts.roundUp(headOffset(scopeCount, keyLength) + headLength, Long.BYTES);
  }

  static boolean isWellFormed(MemorySegment memory, long record, int length) {
    if (length < SCOPES_OFFSET) {
      return false;
    }
    int scopes = memory.get(Layouts.INT, record + SCOPE_COUNT_OFFSET);
    int keyLength = memory.get(Layouts.INT, record + KEY_LENGTH_OFFSET);
    int headLength = memory.get(Layouts.INT, record + HEAD_LENGTH_OFFSET);
    int bodyOffset = memory.get(Layouts.INT, record + BODY_OFFSET);
    if (scopes < 0 || keyLength < 0 || headLength < 0) {
      return false;
    }
    long end = SCOPES_OFFSET + (long) scopes * Long.BYTES + keyLength + headLength;
    if (end > length || bodyOffset < end || bodyOffset > length) {
      return false;
    }
    boolean inline = (memory.get(Layouts.INT, record + FLAGS_OFFSET) & FLAG_INLINE) != 0;
    return !inline || memory.get(Layouts.LONG, record + TOTAL_LENGTH_OFFSET) == length - bodyOffset;
  }
}
