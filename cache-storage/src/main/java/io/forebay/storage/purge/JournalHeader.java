package io.forebay.storage.purge;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The layout of the header of each copy of the purge journal.
 *
 * <pre>
 *  0        8       12      16                32              48           56      60      64
 *  +--------+-------+-------+-----------------+---------------+------------+-------+-------+
 *  | magic  |version| length| identity        | secret        | generation | copy  | CRC32C|
 *  +--------+-------+-------+-----------------+---------------+------------+-------+-------+
 * </pre>
 *
 * The generation is raised each time the journal is written anew. Later formats keep magic, version
 * and CRC where they are, so that this one can tell a newer journal from a damaged one.
 *
 * <p>Formats 2 and 3 differ in the types of records that they may have. A journal is written in the
 * format 2 until it has a position for the first time, so a node outside of a cluster can go back
 * to a Forebay that does not know format 3.
 */
@SuppressWarnings("ArrayRecordComponent")
record JournalHeader(int version, byte[] identity, byte[] secret, long generation, int copy) {
  static final long MAGIC = 0x3147_5250_5942_4F46L; // "FOBYPRG1"

  /** The newest format. */
  static final int VERSION = 3;

  /** The first format that has positions. */
  static final int POSITION_VERSION = 3;

  /** The first format with this header. */
  static final int FIRST_VERSION = 2;

  static final int LENGTH = 64;

  private static final int VERSION_OFFSET = Long.BYTES;
  private static final int LENGTH_OFFSET = VERSION_OFFSET + Integer.BYTES;
  private static final int IDENTITY_OFFSET = LENGTH_OFFSET + Integer.BYTES;
  private static final int SECRET_OFFSET = IDENTITY_OFFSET + 16;
  private static final int GENERATION_OFFSET = SECRET_OFFSET + 16;
  private static final int COPY_OFFSET = GENERATION_OFFSET + Long.BYTES;
  private static final int CRC_OFFSET = COPY_OFFSET + Integer.BYTES;

  ByteBuffer encode() {
    ByteBuffer out = ByteBuffer.allocate(LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    out.putLong(0, MAGIC);
    out.putInt(VERSION_OFFSET, version);
    out.putInt(LENGTH_OFFSET, LENGTH);
    out.put(IDENTITY_OFFSET, identity);
    out.put(SECRET_OFFSET, secret);
    out.putLong(GENERATION_OFFSET, generation);
    out.putInt(COPY_OFFSET, copy);
    out.putInt(CRC_OFFSET, checksum(out));
    return out;
  }

  static JournalHeader decode(ByteBuffer in) {
    byte[] identity = new byte[16];
    byte[] secret = new byte[16];
    in.get(IDENTITY_OFFSET, identity);
    in.get(SECRET_OFFSET, secret);
    return new JournalHeader(version(in), identity, secret, generation(in), in.getInt(COPY_OFFSET));
  }

  static boolean hasMagic(ByteBuffer in) {
    return in.limit() >= Long.BYTES && in.getLong(0) == MAGIC;
  }

  /** Its CRC fits, whatever its version. */
  static boolean isWhole(ByteBuffer in) {
    return hasMagic(in) && in.limit() >= LENGTH && in.getInt(CRC_OFFSET) == checksum(in);
  }

  /** Of a buffer that is long enough, damaged or not. */
  static int version(ByteBuffer in) {
    return in.getInt(VERSION_OFFSET);
  }

  /** Whether this is a format with this header that a reader of formats up to another knows. */
  static boolean isKnown(int version, int newest) {
    return version >= FIRST_VERSION && version <= newest;
  }

  static long generation(ByteBuffer in) {
    return in.getLong(GENERATION_OFFSET);
  }

  private static int checksum(ByteBuffer in) {
    CRC32C crc = new CRC32C();
    crc.update(in.duplicate().position(0).limit(CRC_OFFSET));
    return (int) crc.getValue();
  }
}
