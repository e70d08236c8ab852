package io.forebay.storage.layout;

/**
 * The layout of a page of the directory of a device's region. Page {@code n} is {@code (n + 1) *
 * LENGTH} before the region's end. A page is valid only as a whole: its CRC covers everything after
 * the CRC. Nothing therefore depends on the order in which pages and records reach the device.
 *
 * <pre>
 *  0       4       8       12      16       24      28      32      36      40         64         88
 *  +-------+-------+-------+-------+--------+-------+-------+-------+-------+----------+----------+--- -
 *  | magic | CRC   | gene- | page  | age of | count | end of| tomb- | spare | region   | region   | ent-
 *  |       |       | ration| number| region |       | data  | stones|       | before   | before it| ries
 *  +-------+-------+-------+-------+--------+-------+-------+-------+-------+----------+----------+--- -
 *
 *  what is known of an earlier region
 *  0        4        8        16       20       24
 *  +--------+--------+--------+--------+--------+
 *  | region | gene-  | age    | pages  | tomb-  |
 *  |        | ration |        |        | stones |
 *  +--------+--------+--------+--------+--------+
 *
 *  entry
 *  0    1    2     4       8            24      28      32       40       48       56      60
 *  +----+----+-----+-------+------------+-------+-------+--------+--------+--------+-------+-----+
 *  |kind|cla-|words| length| key        | offset| slice | birth  | body   | object |expires|total|
 *  |    |ss  |     |       | (16 bytes) |       |       |        | birth  | id     |seconds| size|
 *  +----+----+-----+-------+------------+-------+-------+--------+--------+--------+-------+-----+
 *  64
 *  +-----------------+
 *  | words of 8 bytes|   the scopes of a head; none of a slice or a tombstone
 *  +-----------------+
 * </pre>
 *
 * Each page that holds tombstones is there twice, under two page numbers. The pages of tombstones
 * of a region have a second number, the same for both copies and counted from 0 on; that of a page
 * without tombstones is -1. Each page names the two regions that were opened before its own, with
 * their numbers of pages and of pages of tombstones: a start finds out what is missing. A region of
 * -1 is none.
 *
 * <p>A tombstone says that copies of its key born up to its birth are dead. An entry with a
 * negative offset is dead by itself: a sweep has marked it in place by storing the complement of
 * the offset of what it named. Readers that do not know the mark skip it, because no record lies
 * there. Page 0 of a region and pages that hold tombstones are never written again. The total size
 * is that of an object's whole body, for counting only: 0 if unknown, else its bytes plus one, or,
 * with the sign bit set, its KiB.
 */
public final class DirectoryPage {
  public static final int MAGIC = 0x5044_4246; // "FBDP"
  public static final int LENGTH = DeviceHeader.PAGE;

  public static final int MAGIC_OFFSET = 0;
  public static final int CRC_OFFSET = MAGIC_OFFSET + Integer.BYTES;
  public static final int GENERATION_OFFSET = CRC_OFFSET + Integer.BYTES;
  public static final int NUMBER_OFFSET = GENERATION_OFFSET + Integer.BYTES;
  public static final int AGE_OFFSET = NUMBER_OFFSET + Integer.BYTES;
  public static final int COUNT_OFFSET = AGE_OFFSET + Long.BYTES;
  public static final int DATA_END_OFFSET = COUNT_OFFSET + Integer.BYTES;
  public static final int TOMBSTONE_PAGE_OFFSET = DATA_END_OFFSET + Integer.BYTES;
  public static final int BEFORE_OFFSET = TOMBSTONE_PAGE_OFFSET + 2 * Integer.BYTES;
  public static final int REACH_LENGTH = 4 * Integer.BYTES + Long.BYTES;
  public static final int ENTRIES_OFFSET = BEFORE_OFFSET + 2 * REACH_LENGTH;

  public static final int NO_TOMBSTONES = -1;

  /** Of what is known of a region. */
  public static final int REACH_REGION = 0;

  public static final int REACH_GENERATION = REACH_REGION + Integer.BYTES;
  public static final int REACH_AGE = REACH_GENERATION + Integer.BYTES;
  public static final int REACH_PAGES = REACH_AGE + Long.BYTES;
  public static final int REACH_TOMBSTONE_PAGES = REACH_PAGES + Integer.BYTES;

  public static final int KIND = 0;
  public static final int STORAGE_CLASS = 1;
  public static final int WORDS = 2;
  public static final int RECORD_LENGTH = 4;
  public static final int KEY_HIGH = 8;
  public static final int KEY_LOW = KEY_HIGH + Long.BYTES;
  public static final int OFFSET = KEY_LOW + Long.BYTES;
  public static final int SLICE = OFFSET + Integer.BYTES;
  public static final int BIRTH = SLICE + Integer.BYTES;
  public static final int BODY_BIRTH = BIRTH + Long.BYTES;
  public static final int OBJECT = BODY_BIRTH + Long.BYTES;
  public static final int EXPIRES = OBJECT + Long.BYTES;
  public static final int TOTAL = EXPIRES + Integer.BYTES;
  public static final int ENTRY_LENGTH = TOTAL + Integer.BYTES;

  public static final byte KIND_TOMBSTONE = 4;

  /** More scopes than fit beside the entry in a page of their own. */
  public static final int MAX_WORDS = (LENGTH - ENTRIES_OFFSET - ENTRY_LENGTH) / Long.BYTES;

  private DirectoryPage() {}

  /** The offset that marks an entry dead, and back. */
  public static int deadOffset(int offset) {
    return ~offset;
  }

  public static int total(long bytes) {
    return bytes < Integer.MAX_VALUE
        ? (int) bytes + 1
        : (int) Math.min(bytes >> 10, Integer.MAX_VALUE) | Integer.MIN_VALUE;
  }

  /** The bytes of a total, or what stands in for them where that is unknown. */
  public static long totalBytes(int total, long otherwise) {
    return total == 0
        ? otherwise
        : total > 0 ? total - 1L : (long) (total & Integer.MAX_VALUE) << 10;
  }
}
