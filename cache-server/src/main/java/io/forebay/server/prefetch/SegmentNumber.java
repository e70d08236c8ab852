package io.forebay.server.prefetch;

import org.jspecify.annotations.Nullable;

/**
 * The number in the name of a segment: the last run of digits in the last part of a path, apart
 * from an extension. {@code /a/v5_0099.m4s} is {@code /a/v5_}, 99 and {@code .m4s}.
 *
 * @param digits how many digits the number has, zeros at its beginning included
 */
public record SegmentNumber(String before, long number, int digits, String after) {

  /** A longer number is an id or a time, which does not count up. */
  private static final int MAX_DIGITS = 12;

  /** That of a path, or null where it has none. */
  public static @Nullable SegmentNumber of(String path) {
    int slash = path.lastIndexOf('/');
    int dot = path.lastIndexOf('.');
    int end = dot > slash ? dot : path.length();
    while (end > slash + 1 && !isDigit(path.charAt(end - 1))) {
      end--;
    }
    int start = end;
    while (start > slash + 1 && isDigit(path.charAt(start - 1))) {
      start--;
    }
    // What follows a percent sign is the code of an octet.
    boolean isEncoding = start > 0 && path.charAt(start - 1) == '%';
    if (start == end || end - start > MAX_DIGITS || isEncoding) {
      return null;
    }
    return new SegmentNumber(
        path.substring(0, start),
        Long.parseLong(path, start, end, 10),
        end - start,
        path.substring(end));
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** The path with the next number, which has at least as many digits. */
  public String next() {
    String text = Long.toString(number + 1);
    return before + "0".repeat(Math.max(0, digits - text.length())) + text + after;
  }

  /** The same for all segments of a stream. */
  public String stream() {
    return before + "#" + after;
  }
}
