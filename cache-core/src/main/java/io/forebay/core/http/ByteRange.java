package io.forebay.core.http;

import org.jspecify.annotations.Nullable;

/**
 * What a Range field asks of a representation of known length (RFC 9110 §14.1.2, §14.2). One range
 * is answered; several, another unit, or anything malformed is as if the field were not there,
 * which §14.2 allows and which leaves nothing to abuse.
 */
public sealed interface ByteRange {

  /** The field is to be ignored: the whole representation is the answer. */
  record None() implements ByteRange {}

  /** The bytes from first to last, both included. */
  record Satisfiable(long first, long last) implements ByteRange {
    public long length() {
      return last - first + 1;
    }
  }

  /** No byte asked for exists: status 416. */
  record Unsatisfiable() implements ByteRange {}

  /** The one {@link None}. */
  ByteRange NONE = new None();

  /** The one {@link Unsatisfiable}. */
  ByteRange UNSATISFIABLE = new Unsatisfiable();

  /** Evaluates the value of a Range field, null when there is none. */
  static ByteRange of(@Nullable CharSequence value, long totalLength) {
    if (value == null || value.length() < 7 || !isBytes(value)) {
      return NONE;
    }
    int from = 6;
    int to = value.length();
    while (from < to && FieldSyntax.isWhitespace(value.charAt(from))) {
      from++;
    }
    while (to > from && FieldSyntax.isWhitespace(value.charAt(to - 1))) {
      to--;
    }
    int dash = from;
    while (dash < to && isDigit(value.charAt(dash))) {
      dash++;
    }
    if (dash == to || value.charAt(dash) != '-') {
      return NONE;
    }
    for (int i = dash + 1; i < to; i++) {
      if (!isDigit(value.charAt(i))) {
        return NONE;
      }
    }
    boolean hasFirst = dash > from;
    boolean hasLast = dash + 1 < to;
    if (!hasFirst) {
      return hasLast ? suffix(number(value, dash + 1, to), totalLength) : NONE;
    }
    long first = number(value, from, dash);
    long last = hasLast ? number(value, dash + 1, to) : Long.MAX_VALUE;
    if (last < first) {
      return NONE;
    }
    return first < totalLength
        ? new Satisfiable(first, Math.min(last, totalLength - 1))
        : UNSATISFIABLE;
  }

  private static ByteRange suffix(long length, long totalLength) {
    if (length == 0) {
      return UNSATISFIABLE;
    }
    // The last bytes of nothing can be had but not be named in a Content-Range.
    return totalLength == 0
        ? NONE
        : new Satisfiable(Math.max(0, totalLength - length), totalLength - 1);
  }

  private static boolean isBytes(CharSequence value) {
    return value.charAt(5) == '=' && FieldSyntax.equalsIgnoreCase(value, 0, 5, "bytes");
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** Capped at {@link Long#MAX_VALUE}, which no representation reaches. */
  private static long number(CharSequence value, int from, int to) {
    long number = 0;
    for (int i = from; i < to; i++) {
      int digit = value.charAt(i) - '0';
      if (number > (Long.MAX_VALUE - digit) / 10) {
        return Long.MAX_VALUE;
      }
      number = number * 10 + digit;
    }
    return number;
  }
}
