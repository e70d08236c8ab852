package io.forebay.storage.layout;

/**
 * The layout of the pages of a device's header that say how much was written to it. Pages {@link
 * #FIRST} and the one after it are written in turn; the whole one with the higher turn counts, so a
 * torn write costs the last minute.
 *
 * <pre>
 *  0       8       12      16     24      32      40      48              1392
 *  +-------+-------+-------+------+-------+-------+-------+-----------------+
 *  | magic | CRC   | spare | turn | began | total | newest| hours, 8 bytes  |
 *  |       |       |       |      | millis| bytes | hour  | each, modulo 168|
 *  +-------+-------+-------+------+-------+-------+-------+-----------------+
 * </pre>
 *
 * <p>An hour is a number of hours since the epoch; its bytes are in the slot of that number modulo
 * {@link #HOURS}. The CRC covers everything from the turn on.
 */
public final class WriteHistoryPage {
  public static final long MAGIC = 0x3152_4145_5742_4F46L; // "FOBWEAR1"

  /** Of the header pages, the first one of two. */
  public static final int FIRST = 3;

  public static final int COPIES = 2;
  public static final int HOURS = 7 * 24;

  public static final int MAGIC_OFFSET = 0;
  public static final int CRC_OFFSET = MAGIC_OFFSET + Long.BYTES;
  public static final int TURN_OFFSET = CRC_OFFSET + 2 * Integer.BYTES;
  public static final int BEGAN_OFFSET = TURN_OFFSET + Long.BYTES;
  public static final int TOTAL_OFFSET = BEGAN_OFFSET + Long.BYTES;
  public static final int NEWEST_HOUR_OFFSET = TOTAL_OFFSET + Long.BYTES;
  public static final int HOURS_OFFSET = NEWEST_HOUR_OFFSET + Long.BYTES;
  public static final int END = HOURS_OFFSET + HOURS * Long.BYTES;

  private WriteHistoryPage() {}
}
