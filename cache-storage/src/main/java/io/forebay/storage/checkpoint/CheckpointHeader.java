package io.forebay.storage.checkpoint;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The layout of a checkpoint.
 *
 * <pre>
 *  0        4096
 *  +--------+--------------+---------------+----------+----------+--- -+---------------------+
 *  | header | copies:      | states of     | stripe 0 | stripe 1 |     | of each stripe:     |
 *  |        | blocks       | regions       |          |          |     | slots<<8|steps, CRC |
 *  +--------+--------------+---------------+----------+----------+--- -+---------------------+
 *
 *  header
 *  0       8         12        16      72       80       84        88       96      104     108
 *  +-------+---------+---------+-------+--------+--------+---------+--------+-------+-------+-----
 *  | magic | version | stripe  | stamp | copies | blocks | CRC of  | regions| begin | CRC of| ...
 *  |       |         | bits    |  (56) |        |        | regions | begin  | of    | direc-|
 *  |       |         |         |       |        |        |         |        | stripes| tory |
 *  +-------+---------+---------+-------+--------+--------+---------+--------+-------+-------+-----
 *  108     112             120      128      132
 *  +-------+---------------+--------+--------+
 *  | spare | begin of      | length | CRC of |
 *  |       | directory     | of file| 0..127 |
 *  +-------+---------------+--------+--------+
 *
 *  block of copies
 *  0       4       8      64
 *  +-------+-------+------+------ ...
 *  | count | CRC   | copy | copy
 *  +-------+-------+------+------ ...
 *
 *  copy
 *  0      8     16      24       32       36       40       44       48       52      53      54
 *  +------+-----+-------+--------+--------+--------+--------+--------+--------+-------+-------+----
 *  | key        | birth | object | region | gene-  | offset | length | expires| kind  | flags |
 *  | (16 bytes) |       |        |        | ration |        |        |        |       |       |
 *  +------+-----+-------+--------+--------+--------+--------+--------+--------+-------+-------+----
 * </pre>
 *
 * The header is written last. Everything else has a checksum of its own: what is damaged is left
 * out.
 *
 * @param copies records that memory had, too
 * @param blocks of these
 */
record CheckpointHeader(
    CheckpointStamp stamp,
    int stripeBits,
    long copies,
    int blocks,
    int regionsCrc,
    long regionsAt,
    long stripesAt,
    int directoryCrc,
    long directoryAt,
    long length) {
  static final int LENGTH = 4096;

  private static final long MAGIC = 0x3150_4B43_4B53_4944L; // "DISKCKP1"
  private static final int VERSION = 2;

  /** Its tables have no runs of slices, which are as good. */
  private static final int VERSION_WITHOUT_RUNS = 1;

  private static final int CRC_OFFSET = 128;

  static final int STRIPE_ENTRY = 2 * Integer.BYTES;

  static final int BLOCK_HEADER = 2 * Integer.BYTES;
  static final int COPY = 56;
  static final int BLOCK_COPIES = 16_384;
  static final int BLOCK = BLOCK_HEADER + BLOCK_COPIES * COPY;

  ByteBuffer write() {
    ByteBuffer page = ByteBuffer.allocate(LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    page.putLong(MAGIC).putInt(VERSION).putInt(stripeBits);
    stamp.write(page);
    page.putLong(copies)
        .putInt(blocks)
        .putInt(regionsCrc)
        .putLong(regionsAt)
        .putLong(stripesAt)
        .putInt(directoryCrc)
        .putInt(0)
        .putLong(directoryAt)
        .putLong(length);
    return page.putInt(CRC_OFFSET, checksum(page)).clear();
  }

  /** Null if it is not one. */
  static @Nullable CheckpointHeader read(ByteBuffer page) {
    page.clear().order(ByteOrder.LITTLE_ENDIAN);
    if (page.getInt(CRC_OFFSET) != checksum(page) || page.getLong() != MAGIC) {
      return null;
    }
    int version = page.getInt();
    if (version != VERSION && version != VERSION_WITHOUT_RUNS) {
      return null;
    }
    int stripeBits = page.getInt();
    CheckpointStamp stamp = CheckpointStamp.read(page);
    long copies = page.getLong();
    int blocks = page.getInt();
    int regionsCrc = page.getInt();
    long regionsAt = page.getLong();
    long stripesAt = page.getLong();
    int directoryCrc = page.getInt();
    int ignored = page.getInt();
    return new CheckpointHeader(
        stamp,
        stripeBits,
        copies,
        blocks,
        regionsCrc,
        regionsAt,
        stripesAt,
        directoryCrc,
        page.getLong(),
        page.getLong());
  }

  private static int checksum(ByteBuffer page) {
    return crc(page.slice(0, CRC_OFFSET));
  }

  static int crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }
}
