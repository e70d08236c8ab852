package io.forebay.storage.layout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The value layouts of all structures: little-endian, naturally aligned. Accessors with memory
 * ordering name their mode; the plain ones are for bytes that no other thread can see yet, or that
 * a pin protects.
 */
public final class Layouts {
  public static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  public static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  public static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LOOSE_LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle BYTE_HANDLE = BYTE.varHandle();
  private static final VarHandle INT_HANDLE = INT.varHandle();
  private static final VarHandle LONG_HANDLE = LONG.varHandle();
  private static final VarHandle ARRAY_LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long FIRST = 0x9E3779B97F4A7C15L;
  private static final long SECOND = 0xD6E8FEB86659FD93L;
  private static final long THIRD = 0xA0761D6478BD642FL;
  private static final long FIRST_INVERSE = inverse(FIRST);
  private static final long SECOND_INVERSE = inverse(SECOND);
  private static final long THIRD_INVERSE = inverse(THIRD);

  private Layouts() {}

  public static byte byteOpaque(MemorySegment memory, long offset) {
    return (byte) BYTE_HANDLE.getOpaque(memory, offset);
  }

  public static void byteRelease(MemorySegment memory, long offset, byte value) {
    BYTE_HANDLE.setRelease(memory, offset, value);
  }

  public static int intAcquire(MemorySegment memory, long offset) {
    return (int) INT_HANDLE.getAcquire(memory, offset);
  }

  public static void intRelease(MemorySegment memory, long offset, int value) {
    INT_HANDLE.setRelease(memory, offset, value);
  }

  public static boolean casInt(MemorySegment memory, long offset, int expected, int value) {
    return INT_HANDLE.compareAndSet(memory, offset, expected, value);
  }

  public static long longVolatile(MemorySegment memory, long offset) {
    return (long) LONG_HANDLE.getVolatile(memory, offset);
  }

  public static void longVolatile(MemorySegment memory, long offset, long value) {
    LONG_HANDLE.setVolatile(memory, offset, value);
  }

  public static boolean casLong(MemorySegment memory, long offset, long expected, long value) {
    return LONG_HANDLE.compareAndSet(memory, offset, expected, value);
  }

  /**
   * Whether {@code length} bytes at {@code offset} are those of {@code bytes}; allocates nothing.
   */
  public static boolean same(MemorySegment memory, long offset, byte[] bytes, int length) {
    int at = 0;
    for (; at + Long.BYTES <= length; at += Long.BYTES) {
      if (memory.get(LOOSE_LONG, offset + at) != (long) ARRAY_LONG.get(bytes, at)) {
        return false;
      }
    }
    for (; at < length; at++) {
      if (memory.get(BYTE, offset + at) != bytes[at]) {
        return false;
      }
    }
    return true;
  }

  /** Rounds up to a multiple of a power of two. */
  public static int roundUp(int value, int unit) {
    return (value + unit - 1) & -unit;
  }

  /** A bijection of 64-bit words whose output bits all depend on all input bits. */
  public static long mix(long word) {
    long z = word * FIRST;
    z = (z ^ (z >>> 32)) * SECOND;
    z = (z ^ (z >>> 29)) * THIRD;
    return z ^ (z >>> 32);
  }

  /** The word that {@link #mix} makes this one of. */
  public static long unmix(long mixed) {
    long z = (mixed ^ (mixed >>> 32)) * THIRD_INVERSE;
    z = (z ^ (z >>> 29) ^ (z >>> 58)) * SECOND_INVERSE;
    return (z ^ (z >>> 32)) * FIRST_INVERSE;
  }

  /** Modulo 2^64, of an odd number: each step doubles the bits that are right, three at first. */
  private static long inverse(long odd) {
    long inverse = odd;
    for (int bits = 3; bits < Long.SIZE; bits *= 2) {
      inverse *= 2 - odd * inverse;
    }
    return inverse;
  }
}
