package io.forebay.storage.layout;

import java.lang.foreign.MemorySegment;

/**
 * The layout of an entry in a region's directory; entry {@code n} is {@code (n + 1) * LENGTH}
 * before the region's end.
 *
 * <pre>
 *  0       4    5    6     7    8            24      28      32
 *  +-------+----+----+-----+----+------------+-------+-------+
 *  |commit |kind|live|touch|soft| key        |offset |length |
 *  |       |    |    | es  |    | (16 bytes) |       |       |
 *  +-------+----+----+-----+----+------------+-------+-------+
 *  32           40           48            56      60      64
 *  +------------+------------+-------------+-------+-------+
 *  | birth      | object id  | base scope  | epoch | check |
 *  +------------+------------+-------------+-------+-------+
 * </pre>
 *
 * Written when the space is reserved, with {@code commit} zero; {@code commit} becomes the region's
 * generation, with release, when the record is whole. An entry whose commit is not the generation
 * of its region names nothing, nor does one whose check is not that of its other fields. The check
 * covers all but what changes in place: {@code live}, {@code touches}, {@code soft} and {@code
 * epoch}.
 *
 * <p>{@code live} is set and cleared under the index lock of the key, except by purges, which only
 * clear. A record is live only while the byte is exactly {@link #LIVE}, and a soft purge has passed
 * it by only while the byte is exactly {@link #FIRM}: from {@link #DEAD} and {@link #SOFT} all
 * eight bits lie between, from {@link #OPEN_SOFT} and {@link #REVIEWED_SOFT} four. Any other value
 * counts as {@link #SOFT}. {@code touches} counts, up to {@link #MAX_TOUCHES}, how often the record
 * was asked for since it was written or last survived; lost updates are fine. The same byte has,
 * above the touches, how many passes of reclaim the record survives untouched, and whether it is
 * {@link #UNPROVEN}. {@code epoch} is that of the process that has written the record or checked
 * it: each draws its own at random, so that no damage done before can pass for it. {@code kind} has
 * the kind of the record in its low three bits and the number of its storage class in the high
 * five.
 */
public final class DirectoryEntry {
  public static final int LENGTH = 64;

  /** Storage classes have numbers up to this one; 0 is the default class. */
  public static final int MAX_CLASS = 31;

  private static final int KIND_BITS = 3;
  private static final int KIND_MASK = (1 << KIND_BITS) - 1;

  /** Of the byte of touches, the lowest two bits. */
  public static final int MAX_TOUCHES = 3;

  public static final int LIVES_SHIFT = 2;
  public static final int MAX_LIVES = 7;

  /** A protected record that reclaim has kept for its size alone. */
  public static final int UNPROVEN = 1 << 5;

  public static final byte LIVE = 0x5A;
  public static final byte DEAD = (byte) ~LIVE;
  public static final byte FIRM = 0x36;

  /** A soft purge has matched that is forgotten, or will be: nothing takes this back. */
  public static final byte SOFT = (byte) ~FIRM;

  /** A soft purge has matched that is in the table and may be undone. */
  public static final byte OPEN_SOFT = FIRM ^ 0x0F;

  /** The same while the reclaim thread looks whether one still matches. */
  public static final byte REVIEWED_SOFT = (byte) (FIRM ^ 0xF0);

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
  public static final int CHECK_OFFSET = EPOCH_OFFSET + Integer.BYTES;

  private DirectoryEntry() {}

  /** The byte that stands for a kind of record and its storage class. */
  public static byte kindAndClass(int kind, int storageClass) {
    return (byte) (storageClass << KIND_BITS | kind);
  }

  /** The kind of an entry's record. */
  public static byte kind(MemorySegment memory, long entry) {
    return (byte) (memory.get(Layouts.BYTE, entry + KIND_OFFSET) & KIND_MASK);
  }

  /** The number of its storage class. */
  public static int storageClass(MemorySegment memory, long entry) {
    return (memory.get(Layouts.BYTE, entry + KIND_OFFSET) & 0xFF) >>> KIND_BITS;
  }

  /** The check of an entry's fields as they are, for a commit of that generation. */
  public static int check(MemorySegment memory, long entry, int generation) {
    long kind = memory.get(Layouts.BYTE, entry + KIND_OFFSET);
    long sum = Layouts.mix(kind << 32 ^ (generation & 0xFFFF_FFFFL));
    for (int at = KEY_HIGH_OFFSET; at < EPOCH_OFFSET; at += Long.BYTES) {
      sum = Layouts.mix(sum ^ memory.get(Layouts.LONG, entry + at));
    }
    return (int) sum;
  }
}
