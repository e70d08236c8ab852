package io.forebay.lab.origin;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes in URLs: bytes, or KB and MB of 1,000 and 1,000,000 bytes, up to 1 TB. */
final class ByteSize {
  static final long MAX = 1_000_000_000_000L;

  private static final Pattern SIZE = Pattern.compile("(\\d{1,13})(KB|MB)?");

  private ByteSize() {}

  /**
   * Of {@code 100}, {@code 100KB}, {@code 2MB}.
   *
   * @throws IllegalArgumentException that says what to write instead
   */
  static long parse(String text) {
    Matcher matcher = SIZE.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "not a size: write bytes, KB or MB, such as 1500, 100KB or 2MB");
    }
    long unit =
        switch (matcher.group(2)) {
          case null -> 1;
          case "KB" -> 1_000;
          default -> 1_000_000;
        };
    long number = Long.parseLong(matcher.group(1));
    if (number > MAX / unit) {
      throw new IllegalArgumentException("more than 1 TB: write at most " + MAX + " or 1000000MB");
    }
    return number * unit;
  }
}
