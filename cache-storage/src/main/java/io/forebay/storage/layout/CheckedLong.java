package io.forebay.storage.layout;

import java.lang.foreign.MemorySegment;

/**
 * A number that decides what may be served, written twice, each copy with its check, one copy after
 * the other: a stop between any two of the four stores leaves one copy whole, and so does damage to
 * one copy.
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
