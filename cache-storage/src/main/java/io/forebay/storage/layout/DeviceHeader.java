package io.forebay.storage.layout;

/**
 * The layout of the header pages of a device's file. Regions follow back to back, from {@link
 * #LENGTH} on.
 *
 * <p>Page 0 never changes after the file was made; its magic is written last.
 *
 * <pre>
 *  0        8      12      16              32              48      52      56      60      64
 *  +--------+-------+-------+---------------+---------------+-------+-------+-------+-------+
 *  | magic  |version| length| store identity| device        | number| region| region| CRC   |
 *  |        |       |       | (16 bytes)    | identity (16) |       | bytes | count |       |
 *  +--------+-------+-------+---------------+---------------+-------+-------+-------+-------+
 * </pre>
 *
 * Pages 1 and 2 both hold its state, written one after the other; the one with the higher turn
 * counts. A torn write, or damage, of one leaves the other, and that one is not older than what was
 * last said to be written. The state names the region that was written last and the one before it,
 * as far as they had been forced (see {@link DirectoryPage}).
 *
 * <pre>
 *  0        8       16       24      28      32          56          80      84
 *  +--------+--------+--------+-------+-------+-----------+-----------+-------+
 *  | turn   | swept  | newest | clean | use   | last      | the one   | CRC   |
 *  |        | through| millis |       |       | region    | before it |       |
 *  +--------+--------+--------+-------+-------+-----------+-----------+-------+
 * </pre>
 */
public final class DeviceHeader {
  public static final long MAGIC = 0x314B_5349_4442_4F46L; // "FOBDISK1"
  public static final int VERSION = 2;
  public static final int PAGE = 4096;
  public static final int LENGTH = 16 * PAGE;

  public static final int MAGIC_OFFSET = 0;
  public static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;
  public static final int LENGTH_OFFSET = VERSION_OFFSET + Integer.BYTES;
  public static final int STORE_OFFSET = LENGTH_OFFSET + Integer.BYTES;
  public static final int DEVICE_OFFSET = STORE_OFFSET + 2 * Long.BYTES;
  public static final int NUMBER_OFFSET = DEVICE_OFFSET + 2 * Long.BYTES;
  public static final int REGION_BYTES_OFFSET = NUMBER_OFFSET + Integer.BYTES;
  public static final int REGION_COUNT_OFFSET = REGION_BYTES_OFFSET + Integer.BYTES;
  public static final int CRC_OFFSET = REGION_COUNT_OFFSET + Integer.BYTES;

  /**
   * Values of the use: in use; being evacuated; evacuated, out of service until an operator says
   * so.
   */
  public static final int IN_USE = 0;

  public static final int EVACUATING = 1;
  public static final int EVACUATED = 2;

  public static final int STATE_PAGES = 2;
  public static final int TURN_OFFSET = 0;
  public static final int SWEPT_OFFSET = TURN_OFFSET + Long.BYTES;
  public static final int NEWEST_OFFSET = SWEPT_OFFSET + Long.BYTES;
  public static final int CLEAN_OFFSET = NEWEST_OFFSET + Long.BYTES;
  public static final int USE_OFFSET = CLEAN_OFFSET + Integer.BYTES;
  public static final int LAST_OFFSET = USE_OFFSET + Integer.BYTES;
  public static final int STATE_CRC_OFFSET = LAST_OFFSET + 2 * DirectoryPage.REACH_LENGTH;

  private DeviceHeader() {}
}
