package io.forebay.storage.layout;

/**
 * One entry of a region's directory; entry {@code n} lies {@code (n + 1) * LENGTH} before the
 * region's end.
 *
 * <pre>
 *  0       4    5    6     7    8            24      28      32
 *  +-------+----+----+-----+----+------------+-------+-------+
 *  |commit |kind|live|touch|soft| key        |offset |length |
 *  |       |    |    | es  |    | (16 bytes) |       |       |
 *  +-------+----+----+-----+----+------------+-------+-------+
 *  32           40           48            56      60      64
 *  +------------+------------+-------------+-------+-------+
 *  | birth      | object id  | base scope  | epoch | slice |
 *  +------------+------------+-------------+-------+-------+
 * </pre>
 *
 * Written when the space is reserved, with {@code commit} zero; {@code commit} becomes the region's
 * generation, with release, when the record is whole. An entry whose commit is not the generation
 * of its region names nothing. {@code live} is set and cleared under the index lock of the key,
 * except by purges, which only clear. {@code touches} counts, up to {@link #MOST_TOUCHES}, how
 * often the record was asked for since it was written or last survived; lost updates are fine.
 * {@code epoch} is that of the start after which the record's CRC was last known to be good.
 */
public final class DirectoryEntry {
  public static final int LENGTH = 64;

  public static final int MOST_TOUCHES = 3;

  public static final int COMMIT_OFFSET = 0;
  public static final int KIND_OFFSET = COMMIT_OFFSET + Integer.BYTES;
  public static final int LIVE_OFFSET = KIND_OFFSET + Byte.BYTES;
  public static final int TOUCHES_OFFSET = LIVE_OFFSET + Byte.BYTES;
  public static final int SOFT_OFFSET = TOUCHES_OFFSET + Byte.BYTES;
  public static final int KEY_HIGH_OFFSET = SOFT_OFFSET + Byte.BYTES;
  public static final int KEY_LOW_OFFSET = KEY_HIGH_OFFSET + Long.BYTES;
  public static final int OFFSET_OFFSET = KEY_LOW_OFFSET + Long.BYTES;
  public static final int LENGTH_OFFSET = OFFSET_OFFSET + Integer.BYTES;
  public static final int BIRTH_OFFSET = LENGTH_OFFSET + Integer.BYTES;
  public static final int OBJECT_OFFSET = BIRTH_OFFSET + Long.BYTES;
  public static final int BASE_SCOPE_OFFSET = OBJECT_OFFSET + Long.BYTES;
  public static final int EPOCH_OFFSET = BASE_SCOPE_OFFSET + Long.BYTES;
  public static final int SLICE_OFFSET = EPOCH_OFFSET + Integer.BYTES;

  private DirectoryEntry() {}
}
