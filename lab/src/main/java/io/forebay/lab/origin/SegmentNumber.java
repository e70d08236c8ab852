package io.forebay.lab.origin;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The number in the name of a live segment. */
final class SegmentNumber {
  private static final Pattern NAME = Pattern.compile("(\\d{1,12})(\\.[a-z0-9]{1,8})?");

  private SegmentNumber() {}

  /**
   * Of {@code 294117647.ts}; the extension may be left out.
   *
   * @throws IllegalArgumentException that says what to write instead
   */
  static long parse(String name) {
    Matcher matcher = NAME.matcher(name);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "not a live segment: write its number (seconds since 1970 / seconds of a segment) and an"
              + " extension, such as 294117647.ts");
    }
    return Long.parseLong(matcher.group(1));
  }
}
