package io.forebay.server.cmcd;

import org.jspecify.annotations.Nullable;

/**
 * A cursor over a Dictionary of structured fields (RFC 9651) in a text of bytes. It takes what CMCD
 * uses: integers, decimals, strings, tokens, booleans, inner lists of these, and parameters. Byte
 * sequences, dates and display strings are errors here. It allocates nothing.
 *
 * <p>The library for structured fields builds objects for every member, which the fast lane must
 * not.
 */
final class StructuredText {
  private static final int MAX_DIGITS = 15;
  private static final int MAX_WHOLE_DIGITS = 12;
  private static final int MAX_FRACTION_DIGITS = 3;

  private byte[] text = new byte[0];
  private int at;
  private int end;

  // Of the item that was read last.
  private boolean isTrue;

  void over(byte[] bytes, int from, int to) {
    text = bytes;
    at = from;
    end = to;
  }

  int position() {
    return at;
  }

  boolean isAtEnd() {
    return at == end;
  }

  boolean isAt(char c) {
    return at < end && text[at] == c;
  }

  void skipSpaces() {
    while (isAt(' ')) {
      at++;
    }
  }

  /** Optional white space: blanks and tabs. */
  void skipBlanks() {
    while (isAt(' ') || isAt('\t')) {
      at++;
    }
  }

  /** Goes past one character; false if it is not the next one. */
  boolean take(char c) {
    if (isAt(c)) {
      at++;
      return true;
    }
    return false;
  }

  /** Goes past a key; false if there is none. */
  boolean key() {
    if (at == end || !(isLower(text[at]) || text[at] == '*')) {
      return false;
    }
    while (at < end
        && (isLower(text[at])
            || isDigit(text[at])
            || text[at] == '_'
            || text[at] == '-'
            || text[at] == '.'
            || text[at] == '*')) {
      at++;
    }
    return true;
  }

  /** Goes past parameters, if there are some; false if they are malformed. */
  boolean parameters() {
    while (take(';')) {
      skipSpaces();
      if (!key() || (take('=') && item() == null)) {
        return false;
      }
    }
    return true;
  }

  /** The value of the boolean that was read last. */
  boolean isTrue() {
    return isTrue;
  }

  /** Goes past one bare item; null if it is malformed. */
  CmcdKey.@Nullable Type item() {
    if (at == end) {
      return null;
    }
    byte c = text[at];
    if (c == '"') {
      return string() ? CmcdKey.Type.STRING : null;
    }
    if (c == '-' || isDigit(c)) {
      return number();
    }
    if (c == '?') {
      at++;
      isTrue = isAt('1');
      return take('1') || take('0') ? CmcdKey.Type.BOOLEAN : null;
    }
    return token() ? CmcdKey.Type.TOKEN : null;
  }

  private boolean string() {
    at++;
    while (at < end) {
      byte c = text[at++];
      if (c == '"') {
        return true;
      }
      if (c == '\\') {
        if (at == end || (text[at] != '"' && text[at] != '\\')) {
          return false;
        }
        at++;
      } else if (c < ' ' || c == 0x7f) {
        return false;
      }
    }
    return false;
  }

  private CmcdKey.@Nullable Type number() {
    boolean isNegative = take('-');
    int whole = digits();
    if (whole == 0) {
      return null;
    }
    if (take('.')) {
      int fraction = digits();
      return whole <= MAX_WHOLE_DIGITS && fraction >= 1 && fraction <= MAX_FRACTION_DIGITS
          ? known(isNegative, CmcdKey.Type.DECIMAL)
          : null;
    }
    return whole <= MAX_DIGITS ? known(isNegative, CmcdKey.Type.INTEGER) : null;
  }

  /** No quantity of CMCD is negative. */
  private static CmcdKey.Type known(boolean isNegative, CmcdKey.Type type) {
    return isNegative ? CmcdKey.Type.OTHER : type;
  }

  private int digits() {
    int from = at;
    while (at < end && isDigit(text[at])) {
      at++;
    }
    return at - from;
  }

  private boolean token() {
    byte first = text[at];
    if (!isLower(first) && !(first >= 'A' && first <= 'Z') && first != '*') {
      return false;
    }
    while (at < end && (isTokenChar(text[at]) || text[at] == ':' || text[at] == '/')) {
      at++;
    }
    return true;
  }

  private static boolean isTokenChar(byte c) {
    return isLower(c) || isDigit(c) || (c >= 'A' && c <= 'Z') || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
  }

  private static boolean isLower(byte c) {
    return c >= 'a' && c <= 'z';
  }

  private static boolean isDigit(byte c) {
    return c >= '0' && c <= '9';
  }
}
