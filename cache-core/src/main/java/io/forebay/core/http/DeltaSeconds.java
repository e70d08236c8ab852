package io.forebay.core.http;

/** A non-negative whole number of seconds (RFC 9111 §1.2.2), capped at 2^31. */
public final class DeltaSeconds {

  public static final long INVALID = -1;

  private DeltaSeconds() {}

  /** The seconds, or {@link #INVALID} for anything but one or more digits. */
  public static long parse(CharSequence text) {
    return parse(text, 0, text.length());
  }

  /**
   * As {@link #parse(CharSequence)}, for the first member of what is or became a list: of {@code
   * "10, 20"} it is 10 (RFC 9111 §5.1 on Age).
   */
  public static long parseFirst(CharSequence list) {
    int end = 0;
    while (end < list.length() && list.charAt(end) != ',') {
      end++;
    }
    while (end > 0 && FieldSyntax.isWhitespace(list.charAt(end - 1))) {
      end--;
    }
    return parse(list, 0, end);
  }

  private static long parse(CharSequence text, int from, int to) {
    long value = 0;
    for (int i = from; i < to; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return INVALID;
      }
      value = Math.min(value * 10 + digit, CacheControl.MAX_SECONDS);
    }
    return from == to ? INVALID : value;
  }
}
