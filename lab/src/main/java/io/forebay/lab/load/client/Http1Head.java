package io.forebay.lab.load.client;

import java.nio.charset.StandardCharsets;

/** What a client must know of a response's head. */
final class Http1Head {
  private static final byte[] LENGTH = ascii("content-length");
  private static final byte[] ENCODING = ascii("transfer-encoding");
  private static final byte[] CONNECTION = ascii("connection");
  private static final int STATUS_AT = "HTTP/1.1 ".length();
  private static final int MAX_LENGTH_DIGITS = 18;

  private int status;
  private long length;
  private boolean isChunked;
  private boolean isLast;

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Where the head ends, behind its empty line; -1 if it does not before {@code to}. */
  static int end(byte[] bytes, int from, int to) {
    for (int i = from; i + 3 < to; i++) {
      if (bytes[i + 3] > '\r') {
        // No line end can begin before it.
        i += 3;
      } else if (bytes[i] == '\r'
          && bytes[i + 1] == '\n'
          && bytes[i + 2] == '\r'
          && bytes[i + 3] == '\n') {
        return i + 4;
      }
    }
    return -1;
  }

  /**
   * Reads a whole head.
   *
   * @throws IllegalArgumentException when it is none of HTTP/1
   */
  void read(byte[] bytes, int end) {
    if (end < STATUS_AT + 5 || !startsWith(bytes, "HTTP/1.") || bytes[STATUS_AT - 1] != ' ') {
      throw new IllegalArgumentException("no response of HTTP/1");
    }
    status = (int) number(bytes, STATUS_AT, STATUS_AT + 3);
    length = -1;
    isChunked = false;
    isLast = bytes[STATUS_AT - 2] == '0';
    int line = nextLine(bytes, STATUS_AT, end);
    while (line < end) {
      int next = nextLine(bytes, line, end);
      switch (bytes[line] | 0x20) {
        case 'c' -> {
          if (isNamed(bytes, line, next, LENGTH)) {
            length(bytes, line + LENGTH.length + 1, next);
          } else if (isNamed(bytes, line, next, CONNECTION)) {
            connection(value(bytes, line + CONNECTION.length + 1, next));
          }
        }
        case 't' -> {
          if (isNamed(bytes, line, next, ENCODING)) {
            isChunked = value(bytes, line + ENCODING.length + 1, next).endsWith("chunked");
          }
        }
        default -> {
          // No field that frames the response.
        }
      }
      line = next;
    }
  }

  private static boolean startsWith(byte[] bytes, String text) {
    for (int i = 0; i < text.length(); i++) {
      if (bytes[i] != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private static int nextLine(byte[] bytes, int from, int end) {
    int i = from;
    while (i < end && bytes[i] != '\n') {
      i++;
    }
    return i + 1;
  }

  private static boolean isNamed(byte[] bytes, int from, int to, byte[] name) {
    if (from + name.length >= to || bytes[from + name.length] != ':') {
      return false;
    }
    for (int i = 0; i < name.length; i++) {
      if ((bytes[from + i] | 0x20) != name[i]) {
        return false;
      }
    }
    return true;
  }

  private void length(byte[] bytes, int from, int next) {
    int begin = from;
    while (bytes[begin] == ' ' || bytes[begin] == '\t') {
      begin++;
    }
    int end = next - 1;
    while (end > begin && bytes[end - 1] <= ' ') {
      end--;
    }
    long read = number(bytes, begin, end);
    if (length >= 0 && read != length) {
      throw new IllegalArgumentException("two lengths");
    }
    length = read;
  }

  private static long number(byte[] bytes, int from, int to) {
    if (from >= to || to - from > MAX_LENGTH_DIGITS) {
      throw new IllegalArgumentException("no number");
    }
    long number = 0;
    for (int i = from; i < to; i++) {
      int digit = bytes[i] - '0';
      if (digit < 0 || digit > 9) {
        throw new IllegalArgumentException("no number");
      }
      number = number * 10 + digit;
    }
    return number;
  }

  private static String value(byte[] bytes, int from, int next) {
    return new String(bytes, from, next - 1 - from, StandardCharsets.ISO_8859_1)
        .strip()
        .toLowerCase(java.util.Locale.ROOT);
  }

  private void connection(String value) {
    if (value.contains("close")) {
      isLast = true;
    } else if (value.contains("keep-alive")) {
      isLast = false;
    }
  }

  int status() {
    return status;
  }

  /** Of the body; -1 where none is given. */
  long length() {
    return length;
  }

  boolean isChunked() {
    return isChunked;
  }

  /** Whether the server closes the connection after this response. */
  boolean isLast() {
    return isLast;
  }
}
