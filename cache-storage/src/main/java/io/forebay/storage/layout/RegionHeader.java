package io.forebay.storage.layout;

/**
 * The first 64 bytes of a region. Records grow from behind it, the directory from the far end.
 *
 * <pre>
 *  0       4       8                16               24      28
 *  +-------+-------+----------------+----------------+-------+---------+
 *  | magic | gene- | reservation    | age            | seg-  | spare   |
 *  |       | ration| end | entries  |                | ment  |         |
 *  +-------+-------+----------------+----------------+-------+---------+
 *  64 ...... records ......>                 <...... directory ...... end
 * </pre>
 *
 * The reservation word holds the end of the records in its high half and the number of directory
 * entries in its low half, so that one compare-and-set takes the space and the entry together.
 */
public final class RegionHeader {
  public static final int MAGIC = 0x4752_4246; // "FBRG"
  public static final int LENGTH = 64;

  public static final int MAGIC_OFFSET = 0;
  public static final int GENERATION_OFFSET = MAGIC_OFFSET + Integer.BYTES;
  public static final int RESERVATION_OFFSET = GENERATION_OFFSET + Integer.BYTES;
  public static final int AGE_OFFSET = RESERVATION_OFFSET + Long.BYTES;
  public static final int SEGMENT_OFFSET = AGE_OFFSET + Long.BYTES;

  private RegionHeader() {}
}
