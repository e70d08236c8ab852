package io.forebay.core.http;

import java.util.List;

/**
 * Validates field names and field values (RFC 9110 §5.1, §5.5, §5.6.2). Every field from the
 * network is checked here before it is stored or forwarded, so it cannot split a message that this
 * node sends.
 */
public final class FieldSyntax {

  /** Characters of a token, as two masks over the ASCII codes 0–63 and 64–127. */
  private static final long TOKEN_LOW;

  private static final long TOKEN_HIGH;

  static {
    long low = 0;
    long high = 0;
    String others = "!#$%&'*+-.^_`|~";
    for (int c = 0; c < 128; c++) {
      boolean alphanumeric =
          (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
      if (alphanumeric || others.indexOf(c) >= 0) {
        if (c < 64) {
          low |= 1L << c;
        } else {
          high |= 1L << (c - 64);
        }
      }
    }
    TOKEN_LOW = low;
    TOKEN_HIGH = high;
  }

  private FieldSyntax() {}

  public static boolean isTokenChar(int c) {
    if (c < 64) {
      return c >= 0 && (TOKEN_LOW >>> c & 1) != 0;
    }
    return c < 128 && (TOKEN_HIGH >>> (c - 64) & 1) != 0;
  }

  /** Whether the text is a token: at least one character, all of them token characters. */
  public static boolean isToken(CharSequence text) {
    int length = text.length();
    for (int i = 0; i < length; i++) {
      if (!isTokenChar(text.charAt(i))) {
        return false;
      }
    }
    return length > 0;
  }

  /**
   * Whether the text can be a field value: no control characters but the tab, nothing beyond
   * Latin-1, and no whitespace at either end. The bytes 0x85 and 0xA0 count as whitespace at the
   * ends: some peers trim them, and a value that two parties read differently is a way in.
   */
  public static boolean isValue(CharSequence text) {
    int length = text.length();
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if ((c < ' ' && c != '\t') || c == 0x7f || c > 0xff) {
        return false;
      }
    }
    return length == 0 || !(isPadding(text.charAt(0)) || isPadding(text.charAt(length - 1)));
  }

  private static boolean isPadding(char c) {
    return c == ' ' || c == '\t' || c == 0x85 || c == 0xa0;
  }

  /** Optional whitespace (RFC 9110 §5.6.3). */
  public static boolean isWhitespace(char c) {
    return c == ' ' || c == '\t';
  }

  /** The part of the text without optional whitespace at its ends. */
  public static String trim(String text, int from, int to) {
    int start = from;
    int end = to;
    while (start < end && isWhitespace(text.charAt(start))) {
      start++;
    }
    while (end > start && isWhitespace(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(start, end);
  }

  /** Compares with a lower-case ASCII text without regard to the case of the letters A–Z. */
  public static boolean equalsIgnoreCase(CharSequence text, String lowerCase) {
    return text.length() == lowerCase.length()
        && equalsIgnoreCase(text, 0, text.length(), lowerCase);
  }

  /** As {@link #equalsIgnoreCase(CharSequence, String)}, for a part of the text. */
  public static boolean equalsIgnoreCase(CharSequence text, int from, int to, String lowerCase) {
    if (to - from != lowerCase.length()) {
      return false;
    }
    for (int i = from; i < to; i++) {
      if (lower(text.charAt(i)) != lowerCase.charAt(i - from)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Where the member ends that begins at an index of a list without quoted strings: at the next
   * comma, or at the end.
   */
  public static int memberEnd(String list, int start) {
    int comma = list.indexOf(',', start);
    return comma < 0 ? list.length() : comma;
  }

  /** Whether a list field has the member, given in lower case; one pass. */
  public static boolean listContains(List<String> lines, String lowerCase) {
    for (String line : lines) {
      int start = 0;
      while (start <= line.length()) {
        int from = start;
        int to = memberEnd(line, start);
        start = to + 1;
        while (from < to && isWhitespace(line.charAt(from))) {
          from++;
        }
        while (to > from && isWhitespace(line.charAt(to - 1))) {
          to--;
        }
        if (equalsIgnoreCase(line, from, to, lowerCase)) {
          return true;
        }
      }
    }
    return false;
  }

  static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char) (c + 32) : c;
  }
}
