package io.forebay.storage.layout;

import java.lang.foreign.MemorySegment;

/**
 * A number stored in two copies, each with a checksum, written one after the other. After a stop
 * between any two of the four stores, or after damage to one copy, the other copy is valid.
 *
 * <pre>
 *  0        8        16       24       32
 *  +--------+--------+--------+--------+
 *  | number | check  | number | check  |
 *  +--------+--------+--------+--------+
 * </pre>
 */
public final class CheckedLong {
  public static final int LENGTH = 4 * Long.BYTES;

  private static final int COPY = 2 * Long.BYTES;

  /** So that a page of zeros is no number. */
  private static final long SALT = 0x4B43_4548_4359_4246L;

  private CheckedLong() {}

  /** One writer at a time. */
  public static void write(MemorySegment memory, long offset, long value) {
    for (long copy = offset; copy < offset + LENGTH; copy += COPY) {
      Layouts.longVolatile(memory, copy, value);
      Layouts.longVolatile(memory, copy + Long.BYTES, check(value));
    }
  }

  /** The number as it was written last; {@code damaged} where neither copy is whole. */
  public static long read(MemorySegment memory, long offset, long damaged) {
    for (long copy = offset; copy < offset + LENGTH; copy += COPY) {
      long value = Layouts.longVolatile(memory, copy);
      if (Layouts.longVolatile(memory, copy + Long.BYTES) == check(value)) {
        return value;
      }
    }
    return damaged;
  }

  private static long check(long value) {
    return Layouts.mix(value ^ SALT);
  }
}
