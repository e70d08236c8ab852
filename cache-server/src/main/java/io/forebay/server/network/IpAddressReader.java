package io.forebay.server.network;

/**
 * Reads addresses out of text without allocation: dotted decimal without leading zeros, or IPv6
 * (RFC 4291 §2.2), in part of any character sequence. Reusable; confined to a thread.
 */
public final class IpAddressReader {
  private static final int GROUPS = 8;

  private long hi;
  private long lo;

  /** The upper half of what was read last. */
  public long hi() {
    return hi;
  }

  /** The lower half. */
  public long lo() {
    return lo;
  }

  /** Reads the address that stands there, and nothing beside it; false for anything else. */
  public boolean read(CharSequence text, int from, int to) {
    for (int i = from; i < to; i++) {
      if (text.charAt(i) == ':') {
        return readV6(text, from, to);
      }
    }
    long address = v4(text, from, to);
    hi = 0;
    lo = IpAddress.v4(address);
    return address >= 0;
  }

  /** Four numbers of 0 to 255, or -1. */
  private static long v4(CharSequence text, int from, int to) {
    long address = 0;
    int parts = 0;
    int at = from;
    while (true) {
      int value = 0;
      int digits = 0;
      while (at < to && isDigit(text.charAt(at)) && digits < 4) {
        value = value * 10 + text.charAt(at) - '0';
        digits++;
        at++;
      }
      boolean hasLeadingZero = digits > 1 && text.charAt(at - digits) == '0';
      if (digits == 0 || digits > 3 || value > 255 || hasLeadingZero) {
        return -1;
      }
      address = (address << Byte.SIZE) | value;
      parts++;
      if (parts == 4) {
        return at == to ? address : -1;
      }
      if (at == to || text.charAt(at) != '.') {
        return -1;
      }
      at++;
    }
  }

  private boolean readV6(CharSequence text, int from, int to) {
    // Groups before the double colon are counted from the left, those behind it from the right.
    long left0 = 0;
    long left1 = 0;
    long right0 = 0;
    long right1 = 0;
    int leftGroups = 0;
    int rightGroups = 0;
    boolean isCompressed = false;
    int at = from;
    if (to - from >= 2 && text.charAt(at) == ':' && text.charAt(at + 1) == ':') {
      isCompressed = true;
      at += 2;
    }
    while (at < to) {
      int end = at;
      while (end < to && text.charAt(end) != ':') {
        end++;
      }
      int groups = 1;
      long value = hex(text, at, end);
      if (value < 0 && end == to) {
        value = v4(text, at, end);
        groups = 2;
      }
      if (value < 0 || leftGroups + rightGroups + groups > GROUPS) {
        return false;
      }
      int bits = 16 * groups;
      if (isCompressed) {
        right0 = (right0 << bits) | (right1 >>> (Long.SIZE - bits));
        right1 = (right1 << bits) | value;
        rightGroups += groups;
      } else {
        left0 = (left0 << bits) | (left1 >>> (Long.SIZE - bits));
        left1 = (left1 << bits) | value;
        leftGroups += groups;
      }
      at = end;
      if (at < to) {
        at++;
        if (at < to && text.charAt(at) == ':') {
          if (isCompressed) {
            return false;
          }
          isCompressed = true;
          at++;
        } else if (at == to) {
          return false;
        }
      }
    }
    if (!isCompressed) {
      hi = left0;
      lo = left1;
      return leftGroups == GROUPS;
    }
    if (leftGroups + rightGroups >= GROUPS) {
      return false;
    }
    int shift = 16 * (GROUPS - leftGroups);
    boolean isLong = shift >= Long.SIZE;
    long high =
        isLong ? shl(left1, shift - Long.SIZE) : (left0 << shift) | (left1 >>> (Long.SIZE - shift));
    hi = high | right0;
    lo = (isLong ? 0 : left1 << shift) | right1;
    return true;
  }

  private static long shl(long value, int bits) {
    return bits >= Long.SIZE ? 0 : value << bits;
  }

  /** One to four hexadecimal digits, or -1. */
  private static long hex(CharSequence text, int from, int to) {
    if (to == from || to - from > 4) {
      return -1;
    }
    long value = 0;
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      int digit = c < 0x80 ? Character.digit(c, 16) : -1;
      if (digit < 0) {
        return -1;
      }
      value = (value << 4) | digit;
    }
    return value;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
