package io.forebay.storage.layout;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/**
 * The first page of a tier's file. Regions follow it back to back.
 *
 * <pre>
 *  0        8      12      16                32      36      40
 *  +--------+-------+-------+-----------------+-------+-------+
 *  | magic  |version| length| store identity  |region | region|   constant, covered by the CRC
 *  |        |       |       | (16 bytes)      | bytes | count |
 *  +--------+-------+-------+-----------------+-------+-------+
 *  40                56      60      64       72       80       88      92      96      104
 *  +-----------------+-------+-------+--------+--------+--------+-------+-------+-------+
 *  | boot identity   | clean | epoch | swept  | index  | newest | CRC   | spare |settled|
 *  | (16 bytes)      |       |       | through| entries| millis |       |       | age   |
 *  +-----------------+-------+-------+--------+--------+--------+-------+-------+-------+
 * </pre>
 *
 * <p>For what lies in regions up to the <em>settled age</em> there is nothing older of the same
 * key, in memory or on a disk, that a start could take for alive. While the index is complete that
 * is so of all regions, and the age is {@link #ALL_SETTLED}: who installs finds what it replaces. A
 * start sets it to the youngest region it finds, unless an earlier one that did not come to a
 * complete index has left it lower. Until the index is complete no younger region is emptied.
 *
 * <p>The magic is written last when a file is made, so a half-made file is never taken for a tier.
 */
public final class TierHeader {
  public static final long MAGIC = 0x3152_4549_5442_4F46L; // "FOBTIER1"
  public static final int VERSION = 2;
  public static final int LENGTH = 4096;

  public static final int MAGIC_OFFSET = 0;
  public static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;
  public static final int LENGTH_OFFSET = VERSION_OFFSET + Integer.BYTES;
  public static final int IDENTITY_OFFSET = LENGTH_OFFSET + Integer.BYTES;
  public static final int REGION_BYTES_OFFSET = IDENTITY_OFFSET + 2 * Long.BYTES;
  public static final int REGION_COUNT_OFFSET = REGION_BYTES_OFFSET + Integer.BYTES;
  public static final int CONSTANT_END = REGION_COUNT_OFFSET + Integer.BYTES;
  public static final int BOOT_OFFSET = CONSTANT_END;
  public static final int CLEAN_OFFSET = BOOT_OFFSET + 2 * Long.BYTES;
  public static final int EPOCH_OFFSET = CLEAN_OFFSET + Integer.BYTES;
  public static final int SWEPT_THROUGH_OFFSET = EPOCH_OFFSET + Integer.BYTES;
  public static final int INDEX_ENTRIES_OFFSET = SWEPT_THROUGH_OFFSET + Long.BYTES;
  public static final int NEWEST_MILLIS_OFFSET = INDEX_ENTRIES_OFFSET + Long.BYTES;
  public static final int CRC_OFFSET = NEWEST_MILLIS_OFFSET + Long.BYTES;

  public static final int SPARE_OFFSET = CRC_OFFSET + Integer.BYTES;
  public static final int SETTLED_AGE_OFFSET = SPARE_OFFSET + Integer.BYTES;

  public static final long ALL_SETTLED = Long.MAX_VALUE;

  private TierHeader() {}

  /** The CRC of what never changes. */
  public static int checksum(MemorySegment memory) {
    CRC32C crc = new CRC32C();
    crc.update(memory.asSlice(VERSION_OFFSET, CONSTANT_END - VERSION_OFFSET).asByteBuffer());
    return (int) crc.getValue();
  }
}
