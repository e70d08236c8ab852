package io.forebay.storage.purge;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads the purge journal of format 1: one file, whose records do not state what was acknowledged.
 *
 * <pre>
 * header: 0 magic 8 | 8 version 4 | 12 length 4 | 16 identity 16 | 32 secret 16 | 48 CRC32C 4
 * record: 0 length 4 | 4 CRC32C 4 | 8 type 1 | 9 kind 1 | 10 soft 2 | 12 scope count 4
 *         16 sequence 8 | 24 millis 8 | 32 scopes 8 each | text | padding to 8
 * </pre>
 */
final class JournalFormat1 {
  static final int VERSION = 1;

  private static final int HEADER = 64;
  private static final int HEADER_CRC_OFFSET = 48;
  private static final int CRC_OFFSET = 4;
  private static final int TYPE_OFFSET = 8;
  private static final int KIND_OFFSET = 9;
  private static final int SOFT_OFFSET = 10;
  private static final int COUNT_OFFSET = 12;
  private static final int SEQUENCE_OFFSET = 16;
  private static final int MILLIS_OFFSET = 24;
  private static final int FIXED = 32;

  private JournalFormat1() {}

  static boolean isHeaderWhole(ByteBuffer bytes) {
    return bytes.limit() >= HEADER
        && bytes.getInt(HEADER_CRC_OFFSET) == checksum(bytes, 0, HEADER_CRC_OFFSET);
  }

  /**
   * Its records; null unless all of the file is whole: a torn tail and a damaged last record look
   * the same in this format.
   */
  static @Nullable List<JournalRecord> records(ByteBuffer bytes) {
    List<JournalRecord> records = new ArrayList<>();
    int at = HEADER;
    while (at < bytes.limit()) {
      int length = length(bytes, at);
      JournalRecord.Type type =
          length < 0 ? null : JournalRecord.Type.of(bytes.get(at + TYPE_OFFSET), VERSION);
      if (type == null) {
        return null;
      }
      records.add(decode(bytes, at, length, type));
      at += length + Long.BYTES - 1 & -Long.BYTES;
    }
    return records;
  }

  /** The highest number that a whole record names, wherever it stands. */
  static long highest(ByteBuffer bytes) {
    long highest = 0;
    for (int at = HEADER; at < bytes.limit(); at += Long.BYTES) {
      if (length(bytes, at) > 0) {
        highest = Math.max(highest, bytes.getLong(at + SEQUENCE_OFFSET));
      }
    }
    return highest;
  }

  private static int length(ByteBuffer in, int at) {
    if (in.limit() - at < FIXED) {
      return -1;
    }
    int length = in.getInt(at);
    if (length < FIXED || length > JournalRecord.MAX_LENGTH || length > in.limit() - at) {
      return -1;
    }
    int count = in.getInt(at + COUNT_OFFSET);
    boolean isWhole =
        count >= 0
            && count <= (length - FIXED) / Long.BYTES
            && in.getInt(at + CRC_OFFSET) == checksum(in, at + TYPE_OFFSET, at + length);
    return isWhole ? length : -1;
  }

  private static JournalRecord decode(ByteBuffer in, int at, int length, JournalRecord.Type type) {
    long[] scopes = new long[in.getInt(at + COUNT_OFFSET)];
    for (int n = 0; n < scopes.length; n++) {
      scopes[n] = in.getLong(at + FIXED + n * Long.BYTES);
    }
    int textOffset = FIXED + scopes.length * Long.BYTES;
    byte[] text = new byte[length - textOffset];
    in.get(at + textOffset, text);
    return new JournalRecord(
        type,
        in.get(at + KIND_OFFSET),
        in.get(at + SOFT_OFFSET) != 0,
        in.getLong(at + SEQUENCE_OFFSET),
        in.getLong(at + MILLIS_OFFSET),
        scopes,
        new String(text, StandardCharsets.UTF_8));
  }

  private static int checksum(ByteBuffer in, int from, int to) {
    CRC32C crc = new CRC32C();
    crc.update(in.duplicate().position(from).limit(to));
    return (int) crc.getValue();
  }
}
