package io.forebay.server.listen.connection;

import io.netty.buffer.ByteBuf;

/** Parses and writes numbers in message framing without allocating. */
public final class Digits {

  private static final byte[] HEX = {
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'
  };

  private Digits() {}

  /** A number of digits only (RFC 9110 §8.6), or -1. */
  static long parse(CharSequence text) {
    int length = text.length();
    if (length == 0 || length > 18) {
      return -1;
    }
    long number = 0;
    for (int i = 0; i < length; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  public static void writeDecimal(ByteBuf buffer, long number) {
    long divisor = 1;
    while (number / divisor >= 10) {
      divisor *= 10;
    }
    for (; divisor > 0; divisor /= 10) {
      buffer.writeByte((int) ('0' + number / divisor % 10));
    }
  }

  public static void writeHex(ByteBuf buffer, int number) {
    int shift = (31 - Integer.numberOfLeadingZeros(number | 1)) & ~3;
    for (; shift >= 0; shift -= 4) {
      buffer.writeByte(HEX[number >>> shift & 15]);
    }
  }
}
