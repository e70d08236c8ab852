package io.forebay.lab.load.client;

/**
 * The status in a section of HPACK (RFC 7541) or QPACK (RFC 9204), of which it is the first field.
 * Takes no dynamic table: the statuses that a load hopes for are in the static ones. 0 for one that
 * cannot be told.
 */
final class FieldStatus {
  private static final int[] HPACK = {200, 204, 206, 304, 400, 404, 500};
  private static final int HPACK_FIRST = 8;
  private static final int[] QPACK_LOW = {103, 200, 304, 404, 503};
  private static final int QPACK_LOW_FIRST = 24;
  private static final int[] QPACK_HIGH = {100, 204, 206, 302, 400, 403, 421, 425, 500};
  private static final int QPACK_HIGH_FIRST = 63;
  private static final int DIGITS = 3;

  private final byte[] bytes;
  private final int end;
  private int at;

  private FieldStatus(byte[] bytes, int from, int end) {
    this.bytes = bytes;
    this.end = end;
    at = from;
  }

  static int hpack(byte[] bytes, int from, int end) {
    FieldStatus reader = new FieldStatus(bytes, from, end);
    while (reader.at < end && (bytes[reader.at] & 0xE0) == 0x20) {
      // A new size of the dynamic table.
      reader.integer(5);
    }
    return reader.hpack();
  }

  private int hpack() {
    if (at >= end) {
      return 0;
    }
    int first = bytes[at];
    if ((first & 0x80) != 0) {
      int index = integer(7) - HPACK_FIRST;
      return index >= 0 && index < HPACK.length ? HPACK[index] : 0;
    }
    int index = (first & 0x40) != 0 ? integer(6) : integer(4);
    return index >= HPACK_FIRST && index < HPACK_FIRST + HPACK.length ? text() : 0;
  }

  static int qpack(byte[] bytes, int from, int end) {
    FieldStatus reader = new FieldStatus(bytes, from, end);
    // Required Insert Count and Base: nothing refers to a dynamic table.
    reader.integer(8);
    reader.integer(7);
    return reader.qpack();
  }

  private int qpack() {
    if (at >= end) {
      return 0;
    }
    int first = bytes[at] & 0xFF;
    if ((first & 0xC0) == 0xC0) {
      int index = integer(6);
      if (index >= QPACK_HIGH_FIRST && index < QPACK_HIGH_FIRST + QPACK_HIGH.length) {
        return QPACK_HIGH[index - QPACK_HIGH_FIRST];
      }
      return index >= QPACK_LOW_FIRST && index < QPACK_LOW_FIRST + QPACK_LOW.length
          ? QPACK_LOW[index - QPACK_LOW_FIRST]
          : 0;
    }
    if ((first & 0xD0) != 0x50) {
      return 0;
    }
    int index = integer(4);
    boolean isStatus =
        (index >= QPACK_LOW_FIRST && index < QPACK_LOW_FIRST + QPACK_LOW.length)
            || (index >= QPACK_HIGH_FIRST && index < QPACK_HIGH_FIRST + QPACK_HIGH.length);
    return isStatus ? text() : 0;
  }

  /** An integer with a prefix of so many bits; a huge one where the bytes end. */
  private int integer(int bits) {
    if (at >= end) {
      return Integer.MAX_VALUE;
    }
    int most = (1 << bits) - 1;
    int value = bytes[at++] & most;
    if (value < most) {
      return value;
    }
    for (int shift = 0; at < end && shift <= 21; shift += 7) {
      int next = bytes[at++];
      value += (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
    return Integer.MAX_VALUE;
  }

  /** Three digits, plain or in Huffman's code. */
  private int text() {
    if (at >= end) {
      return 0;
    }
    boolean isHuffman = bytes[at] < 0;
    int length = integer(7);
    if (length > end - at) {
      return 0;
    }
    return isHuffman ? huffman(length) : plain(length);
  }

  private int plain(int length) {
    int status = 0;
    for (int i = 0; i < DIGITS; i++) {
      int digit = i < length ? bytes[at + i] - '0' : -1;
      if (digit < 0 || digit > 9) {
        return 0;
      }
      status = status * 10 + digit;
    }
    return length == DIGITS ? status : 0;
  }

  /** The digits 0 to 2 have five bits, 0 to 2; the others six, from 25 on. */
  private int huffman(int length) {
    long bits = 0;
    for (int i = 0; i < Math.min(length, DIGITS); i++) {
      bits = (bits << 8) | (bytes[at + i] & 0xFF);
    }
    int left = Math.min(length, DIGITS) * 8;
    int status = 0;
    for (int i = 0; i < DIGITS; i++) {
      int digit;
      if (left >= 5 && ((bits >> (left - 5)) & 0x1F) < 3) {
        digit = (int) ((bits >> (left - 5)) & 0x1F);
        left -= 5;
      } else if (left >= 6) {
        digit = (int) ((bits >> (left - 6)) & 0x3F) - 22;
        left -= 6;
      } else {
        return 0;
      }
      if (digit < 0 || digit > 9) {
        return 0;
      }
      status = status * 10 + digit;
    }
    return status;
  }

  /** Writes an integer of HPACK or QPACK. */
  static void writeInteger(io.netty.buffer.ByteBuf out, int pattern, int bits, int value) {
    int most = (1 << bits) - 1;
    if (value < most) {
      out.writeByte(pattern | value);
      return;
    }
    out.writeByte(pattern | most);
    int rest = value - most;
    while (rest >= 0x80) {
      out.writeByte((rest & 0x7F) | 0x80);
      rest >>>= 7;
    }
    out.writeByte(rest);
  }
}
