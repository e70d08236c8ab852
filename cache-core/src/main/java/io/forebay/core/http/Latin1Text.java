package io.forebay.core.http;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A flyweight over Latin-1 bytes that belong to another object. It is valid only while those bytes
 * are, so it must not be kept. Two instances with the same text are not equal.
 */
public final class Latin1Text implements CharSequence {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private byte[] bytes = new byte[0];
  private int from;
  private int length;

  public Latin1Text() {}

  /** Lays this over the bytes from {@code from} to before {@code to}. */
  public Latin1Text over(byte[] newBytes, int newFrom, int newTo) {
    bytes = newBytes;
    from = newFrom;
    length = newTo - newFrom;
    return this;
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public char charAt(int index) {
    return (char) (bytes[from + index] & 0xff);
  }

  /**
   * Up to eight octets as one number, the last one lowest.
   *
   * @param end at most eight behind {@code start}
   */
  public long packed(int start, int end) {
    int count = end - start;
    int last = from + end;
    if (last >= Long.BYTES) {
      long eight = (long) LONGS.get(bytes, last - Long.BYTES);
      return count == Long.BYTES ? eight : eight & ((1L << (count * Byte.SIZE)) - 1);
    }
    long packed = 0;
    for (int i = start; i < end; i++) {
      packed = (packed << Byte.SIZE) | (bytes[from + i] & 0xff);
    }
    return packed;
  }

  /** Copies the octets of a part to where another array has room for them. */
  public void copyTo(byte[] into, int at, int start, int end) {
    System.arraycopy(bytes, from + start, into, at, end - start);
  }

  /** Whether it is the first octets of an array, so many. */
  public boolean isText(byte[] other, int otherLength) {
    return Arrays.equals(bytes, from, from + length, other, 0, otherLength);
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return new Latin1Text().over(bytes, from + start, from + end);
  }

  @Override
  public String toString() {
    return new String(bytes, from, length, StandardCharsets.ISO_8859_1);
  }
}
