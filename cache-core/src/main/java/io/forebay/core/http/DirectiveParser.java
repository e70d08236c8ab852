package io.forebay.core.http;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Parses a line of cache directives (RFC 9111 §5.2) in one pass: {@code name}, {@code name=token}
 * or {@code name="quoted"}, separated by commas.
 */
final class DirectiveParser {

  /** Longer names are not known directives. */
  private static final int MAX_DIRECTIVE = 32;

  private DirectiveParser() {}

  /** Is given each directive of a line in order. */
  @FunctionalInterface
  interface Visitor {
    /**
     * One directive.
     *
     * @param name in lower case
     * @param value without quotes, or null when there is no equals sign
     * @param isMalformed whether it is written otherwise than the grammar allows
     */
    void visit(String name, @Nullable String value, boolean isMalformed);
  }

  /**
   * Visits each directive of a line.
   *
   * @return whether each quote of the line begins or ends a quoted value, and a quoted value ends
   *     at a comma or a semicolon; if not, nobody can say which directives are inside of quotes and
   *     which are not: {@code x="1, private, y="1} may lack one quote or two
   */
  static boolean forEach(String line, Visitor visitor) {
    int length = line.length();
    boolean areQuotesPaired = true;
    int i = 0;
    while (i < length) {
      char c = line.charAt(i);
      if (c == ',' || FieldSyntax.isWhitespace(c)) {
        i++;
        continue;
      }
      int nameStart = i;
      while (i < length && isNameChar(line.charAt(i))) {
        areQuotesPaired &= line.charAt(i) != '"';
        i++;
      }
      int nameEnd = i;
      while (i < length && FieldSyntax.isWhitespace(line.charAt(i))) {
        i++;
      }
      boolean isMalformed = false;
      boolean isQuoted = false;
      String value = null;
      if (i < length && line.charAt(i) == '=') {
        // No whitespace is allowed around "="; the directive counts all the same, its value not.
        isMalformed = i != nameEnd;
        i++;
        if (i < length && line.charAt(i) == '"') {
          isQuoted = true;
          int end = closingQuote(line, i + 1);
          isMalformed |= end == length;
          areQuotesPaired &= end < length;
          value = unquote(line, i + 1, end);
          i = Math.min(end + 1, length);
        } else {
          int valueStart = i;
          while (i < length && isNameChar(line.charAt(i))) {
            areQuotesPaired &= line.charAt(i) != '"';
            i++;
          }
          value = line.substring(valueStart, i);
        }
      }
      while (i < length && line.charAt(i) != ',') {
        boolean isSpace = FieldSyntax.isWhitespace(line.charAt(i));
        // Surrogate-Control has parameters; Cache-Control has none, but they hide no quote.
        isQuoted &= line.charAt(i) != ';';
        isMalformed |= !isSpace;
        areQuotesPaired &= line.charAt(i) != '"' && (isSpace || !isQuoted);
        i++;
      }
      if (nameEnd - nameStart <= MAX_DIRECTIVE) {
        String name = line.substring(nameStart, nameEnd).toLowerCase(Locale.ROOT);
        visitor.visit(name, value, isMalformed);
      }
    }
    return areQuotesPaired;
  }

  private static boolean isNameChar(char c) {
    return c != ',' && c != '=' && !FieldSyntax.isWhitespace(c);
  }

  /** Index of the quote that ends a quoted-string, or the line's length. */
  private static int closingQuote(String line, int from) {
    for (int i = from; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '"') {
        return i;
      }
      if (c == '\\') {
        i++;
      }
    }
    return line.length();
  }

  private static String unquote(String line, int from, int to) {
    if (line.indexOf('\\', from, to) < 0) {
      return line.substring(from, to);
    }
    StringBuilder text = new StringBuilder(to - from);
    for (int i = from; i < to; i++) {
      if (line.charAt(i) == '\\' && i + 1 < to) {
        i++;
      }
      text.append(line.charAt(i));
    }
    return text.toString();
  }
}
