package io.forebay.storage.purge;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * One record of the purge journal, padded to eight bytes.
 *
 * <pre>
 *  0       4       8      9      10      12      16         24         32
 *  +-------+-------+------+------+-------+-------+----------+----------+--------+------+
 *  | length| CRC32C| type | kind | soft  | scope | sequence | millis   | scopes | text |
 *  |       |       |      |      |       | count |          |          |        |      |
 *  +-------+-------+------+------+-------+-------+----------+----------+--------+------+
 * </pre>
 *
 * The CRC covers everything behind itself, up to the length.
 */
@SuppressWarnings("ArrayRecordComponent")
record JournalRecord(
    Type type, int kind, boolean soft, long sequence, long millis, long[] scopes, String text) {

  enum Type {
    /** All sequences below this one may have been given out. */
    RESERVED,
    /** A purge of scopes, or of everything if there are none. */
    PURGE,
    /** Purges up to this sequence have no record left that they apply to. */
    RETIRED,
    /** Everything whose body was born before this sequence is dead. */
    FLOOR_HARD,
    /** Everything whose head was born before this sequence is stale. */
    FLOOR_SOFT
  }

  static final int FIXED = 32;
  static final int MAX_LENGTH = 1 << 16;
  static final int MAX_TEXT = 1024;
  static final int MAX_SCOPES = 4096;

  private static final int LENGTH_OFFSET = 0;
  private static final int CRC_OFFSET = LENGTH_OFFSET + Integer.BYTES;
  private static final int TYPE_OFFSET = CRC_OFFSET + Integer.BYTES;
  private static final int KIND_OFFSET = TYPE_OFFSET + Byte.BYTES;
  private static final int SOFT_OFFSET = KIND_OFFSET + Byte.BYTES;
  private static final int COUNT_OFFSET = SOFT_OFFSET + Short.BYTES;
  private static final int SEQUENCE_OFFSET = COUNT_OFFSET + Integer.BYTES;
  private static final int MILLIS_OFFSET = SEQUENCE_OFFSET + Long.BYTES;

  static JournalRecord plain(Type type, long sequence) {
    return new JournalRecord(type, 0, false, sequence, 0, new long[0], "");
  }

  ByteBuffer encode() {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int textLength = Math.min(bytes.length, MAX_TEXT);
    int length = FIXED + scopes.length * Long.BYTES + textLength;
    ByteBuffer out =
        ByteBuffer.allocate(length + Long.BYTES - 1 & -Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(LENGTH_OFFSET, length);
    out.put(TYPE_OFFSET, (byte) type.ordinal());
    out.put(KIND_OFFSET, (byte) kind);
    out.put(SOFT_OFFSET, (byte) (soft ? 1 : 0));
    out.putInt(COUNT_OFFSET, scopes.length);
    out.putLong(SEQUENCE_OFFSET, sequence);
    out.putLong(MILLIS_OFFSET, millis);
    for (int n = 0; n < scopes.length; n++) {
      out.putLong(FIXED + n * Long.BYTES, scopes[n]);
    }
    out.put(FIXED + scopes.length * Long.BYTES, bytes, 0, textLength);
    out.putInt(CRC_OFFSET, checksum(out, 0, length));
    return out;
  }

  /** The padded length of the record at a position, or -1 if there is none that is whole. */
  static int paddedLength(ByteBuffer in, int at) {
    if (in.limit() - at < FIXED) {
      return -1;
    }
    int length = in.getInt(at + LENGTH_OFFSET);
    if (length < FIXED || length > MAX_LENGTH || length > in.limit() - at) {
      return -1;
    }
    int type = in.get(at + TYPE_OFFSET);
    int count = in.getInt(at + COUNT_OFFSET);
    if (type < 0
        || type >= Type.values().length
        || count < 0
        || count > (length - FIXED) / Long.BYTES
        || in.getInt(at + CRC_OFFSET) != checksum(in, at, length)) {
      return -1;
    }
    return length + Long.BYTES - 1 & -Long.BYTES;
  }

  static JournalRecord decode(ByteBuffer in, int at) {
    int length = in.getInt(at + LENGTH_OFFSET);
    long[] scopes = new long[in.getInt(at + COUNT_OFFSET)];
    for (int n = 0; n < scopes.length; n++) {
      scopes[n] = in.getLong(at + FIXED + n * Long.BYTES);
    }
    int textOffset = FIXED + scopes.length * Long.BYTES;
    byte[] text = new byte[length - textOffset];
    in.get(at + textOffset, text);
    return new JournalRecord(
        Type.values()[in.get(at + TYPE_OFFSET)],
        in.get(at + KIND_OFFSET),
        in.get(at + SOFT_OFFSET) != 0,
        in.getLong(at + SEQUENCE_OFFSET),
        in.getLong(at + MILLIS_OFFSET),
        scopes,
        new String(text, StandardCharsets.UTF_8));
  }

  private static int checksum(ByteBuffer in, int at, int length) {
    CRC32C crc = new CRC32C();
    crc.update(in.duplicate().position(at + TYPE_OFFSET).limit(at + length));
    return (int) crc.getValue();
  }
}
