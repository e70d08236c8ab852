package io.forebay.lab.origin;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The one range of a request.
 *
 * @param from first byte
 * @param end behind the last one; not above {@code from} where the body has no such bytes
 */
record ByteRange(long from, long end) {
  private static final Pattern SINGLE = Pattern.compile("bytes=(\\d{0,18})-(\\d{0,18})");

  /**
   * Of a field.
   *
   * @param field value of Range, or null
   * @param length of the whole body
   * @return null where the field asks for no single range: the whole body is the answer
   */
  static @Nullable ByteRange of(@Nullable String field, long length) {
    Matcher matcher = SINGLE.matcher(field == null ? "" : field);
    if (!matcher.matches()) {
      return null;
    }
    String first = matcher.group(1);
    String last = matcher.group(2);
    if (first.isEmpty()) {
      return last.isEmpty()
          ? null
          : new ByteRange(Math.max(0, length - Long.parseLong(last)), length);
    }
    long from = Long.parseLong(first);
    if (last.isEmpty()) {
      return new ByteRange(from, length);
    }
    long to = Long.parseLong(last);
    return to < from ? null : new ByteRange(from, Math.min(to + 1, length));
  }

  boolean isSatisfiable() {
    return from < end;
  }
}
