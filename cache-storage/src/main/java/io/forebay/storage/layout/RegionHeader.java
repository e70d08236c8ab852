package io.forebay.storage.layout;

/**
 * The layout of the first 64 bytes of a region. Records grow from there, the directory grows from
 * the far end.
 *
 * <pre>
 *  0       4       8                16               24      28      32               64
 *  +-------+-------+----------------+----------------+-------+-------+----------------+
 *  | magic | gene- | reservation    | spare          | seg-  | check | age            |
 *  |       | ration| end | entries  |                | ment  |       | (32 bytes)     |
 *  +-------+-------+----------------+----------------+-------+-------+----------------+
 *  64 ...... records ......>                                  <...... directory ...... end
 * </pre>
 *
 * The reservation word holds the end of the records in its high half and the number of directory
 * entries in its low half, so that one compare-and-set takes the space and the entry together. The
 * check is that of the generation, the age a {@link CheckedLong}. Of the other fields a wrong value
 * costs records or the order of eviction: a segment is one of two, and what the reservation says of
 * the directory is checked by each entry.
 */
public final class RegionHeader {
  public static final int MAGIC = 0x4752_4246; // "FBRG"
  public static final int LENGTH = 64;

  public static final int MAGIC_OFFSET = 0;
  public static final int GENERATION_OFFSET = MAGIC_OFFSET + Integer.BYTES;
  public static final int RESERVATION_OFFSET = GENERATION_OFFSET + Integer.BYTES;
  public static final int SPARE_OFFSET = RESERVATION_OFFSET + Long.BYTES;
  public static final int SEGMENT_OFFSET = SPARE_OFFSET + Long.BYTES;
  public static final int CHECK_OFFSET = SEGMENT_OFFSET + Integer.BYTES;
  public static final int AGE_OFFSET = CHECK_OFFSET + Integer.BYTES;

  /** Age of a region whose header does not say. */
  public static final long NO_AGE = -1;

  /** So that a page of zeros has no check. */
  private static final long SALT = 0x5245_4749_4F4E_4246L;

  private RegionHeader() {}

  public static int check(int generation) {
    return (int) Layouts.mix(generation ^ SALT);
  }
}
