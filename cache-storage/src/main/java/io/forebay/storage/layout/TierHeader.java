package io.forebay.storage.layout;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/**
 * The layout of the first page of a memory tier's file. Regions follow back to back.
 *
 * <pre>
 *  0        8      12      16                32      36      40
 *  +--------+-------+-------+-----------------+-------+-------+
 *  | magic  |version| length| store identity  |region | region|   constant, covered by the CRC
 *  |        |       |       | (16 bytes)      | bytes | count |
 *  +--------+-------+-------+-----------------+-------+-------+
 *  40      44      48                64              96              128             160
 *  +-------+-------+-----------------+---------------+---------------+---------------+
 *  | CRC of| spare | boot identity   | swept through | newest millis | settled age   |
 *  | 8..39 |       | (16 bytes)      | (32 bytes)    | (32 bytes)    | (32 bytes)    |
 *  +-------+-------+-----------------+---------------+---------------+---------------+
 *  160      168      176     180     184     192               224
 *  +--------+--------+-------+-------+-------+-----------------+
 *  | index  | index  | clean | CRC of| spare | start           |
 *  | entries| seal   |       | 40..179       | (32 bytes)      |
 *  +--------+--------+-------+-------+-------+-----------------+
 * </pre>
 *
 * <p>The numbers of 32 bytes are {@link CheckedLong}s. The tier is <em>clean</em> only while the
 * mark is exactly {@link #CLEAN} and the CRC behind it is that of all that stands before: anything
 * else is an unclean stop. The <em>index seal</em> is the checksum of the index file as the clean
 * stop left it.
 *
 * <p>For what lies in regions up to the <em>settled age</em> there is nothing older of the same
 * key, in memory or on a disk, that a start could take for alive. While the index is complete that
 * is so of all regions, and the age is {@link #ALL_SETTLED}: who installs finds what it replaces. A
 * start sets it to the youngest region it finds, unless an earlier one that did not come to a
 * complete index has left it lower. Until the index is complete no younger region is emptied.
 *
 * <p>The <em>start</em> is a random number that all tiers of a store with middle tiers were opened
 * with last; without those it means nothing. A tier that was away during a start has another one.
 *
 * <p>The magic is written last when a file is made, so a half-made file is never taken for a tier.
 */
public final class TierHeader {
  public static final long MAGIC = 0x3152_4549_5442_4F46L; // "FOBTIER1"

  /** Of a tier without storage classes. */
  public static final int VERSION = 3;

  /** The same format, in which records may have storage classes. */
  public static final int CLASSES_VERSION = 4;

  /** Of a tier that is one of several; without storage classes. */
  public static final int TIERS_VERSION = 5;

  /** The same with storage classes. */
  public static final int TIERS_CLASSES_VERSION = 6;

  public static final int LENGTH = 4096;

  public static final int MAGIC_OFFSET = 0;
  public static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;
  public static final int LENGTH_OFFSET = VERSION_OFFSET + Integer.BYTES;
  public static final int IDENTITY_OFFSET = LENGTH_OFFSET + Integer.BYTES;
  public static final int REGION_BYTES_OFFSET = IDENTITY_OFFSET + 2 * Long.BYTES;
  public static final int REGION_COUNT_OFFSET = REGION_BYTES_OFFSET + Integer.BYTES;
  public static final int CONSTANT_END = REGION_COUNT_OFFSET + Integer.BYTES;
  public static final int CRC_OFFSET = CONSTANT_END;
  public static final int SPARE_OFFSET = CRC_OFFSET + Integer.BYTES;
  public static final int BOOT_OFFSET = SPARE_OFFSET + Integer.BYTES;
  public static final int SWEPT_THROUGH_OFFSET = BOOT_OFFSET + 2 * Long.BYTES;
  public static final int NEWEST_MILLIS_OFFSET = SWEPT_THROUGH_OFFSET + CheckedLong.LENGTH;
  public static final int SETTLED_AGE_OFFSET = NEWEST_MILLIS_OFFSET + CheckedLong.LENGTH;
  public static final int INDEX_ENTRIES_OFFSET = SETTLED_AGE_OFFSET + CheckedLong.LENGTH;
  public static final int INDEX_SEAL_OFFSET = INDEX_ENTRIES_OFFSET + Long.BYTES;
  public static final int CLEAN_OFFSET = INDEX_SEAL_OFFSET + Long.BYTES;
  public static final int CLEAN_CRC_OFFSET = CLEAN_OFFSET + Integer.BYTES;

  public static final int START_OFFSET = 192;

  /** The mark of a clean stop, far from the zero that stands there otherwise. */
  public static final int CLEAN = 0x6C95_A3D7;

  public static final long ALL_SETTLED = Long.MAX_VALUE;

  /** With more flipped bits than these in eight bytes the file counts as foreign. */
  private static final int MAX_FLIPPED = 8;

  private TierHeader() {}

  /** Whether a file begins as a tier does, be it with a few bits flipped. */
  public static boolean isOurs(long magic) {
    return Long.bitCount(magic ^ MAGIC) <= MAX_FLIPPED;
  }

  /** Whether this release reads a tier of a version. */
  public static boolean isSupported(int version) {
    return version >= VERSION && version <= TIERS_CLASSES_VERSION;
  }

  /** The CRC of what does not change while the tier has its version. */
  public static int checksum(MemorySegment memory) {
    return checksum(memory, VERSION_OFFSET, CONSTANT_END);
  }

  /**
   * Raises the version before the first record with a storage class is written. A stop between the
   * two stores opens the tier empty.
   */
  public static void allowClasses(MemorySegment memory) {
    raise(memory, isOneOfSeveral(memory) ? TIERS_CLASSES_VERSION : CLASSES_VERSION);
  }

  /** The same before the first record is written that another tier may replace. */
  public static void allowTiers(MemorySegment memory) {
    raise(memory, mayHaveClasses(memory) ? TIERS_CLASSES_VERSION : TIERS_VERSION);
  }

  private static void raise(MemorySegment memory, int version) {
    if (memory.get(Layouts.INT, VERSION_OFFSET) != version) {
      memory.set(Layouts.INT, VERSION_OFFSET, version);
      memory.set(Layouts.INT, CRC_OFFSET, checksum(memory));
    }
  }

  public static boolean mayHaveClasses(MemorySegment memory) {
    int version = memory.get(Layouts.INT, VERSION_OFFSET);
    return version == CLASSES_VERSION || version == TIERS_CLASSES_VERSION;
  }

  /** Whether the tier was one of several when it was opened last, or earlier. */
  public static boolean isOneOfSeveral(MemorySegment memory) {
    return memory.get(Layouts.INT, VERSION_OFFSET) >= TIERS_VERSION;
  }

  /** Marks the tier as closed in order. Nothing in the header is changed after that. */
  public static void markClean(MemorySegment memory) {
    memory.set(Layouts.INT, CLEAN_OFFSET, CLEAN);
    Layouts.intRelease(memory, CLEAN_CRC_OFFSET, checksum(memory, CRC_OFFSET, CLEAN_CRC_OFFSET));
  }

  public static void markUnclean(MemorySegment memory) {
    Layouts.intRelease(memory, CLEAN_OFFSET, 0);
  }

  /** Whether the tier was closed in order and its header is as that left it. */
  public static boolean isClean(MemorySegment memory) {
    return memory.get(Layouts.INT, CLEAN_OFFSET) == CLEAN
        && memory.get(Layouts.INT, CLEAN_CRC_OFFSET)
            == checksum(memory, CRC_OFFSET, CLEAN_CRC_OFFSET);
  }

  private static int checksum(MemorySegment memory, int from, int to) {
    CRC32C crc = new CRC32C();
    crc.update(memory.asSlice(from, to - from).asByteBuffer());
    return (int) crc.getValue();
  }
}
