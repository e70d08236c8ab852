package io.forebay.core.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A parsed Content-Range field: the bytes that a 206 contains, and the total length (RFC 9110
 * §14.4): {@code bytes 0-99/1000}.
 *
 * @param last included
 */
public record ContentRange(long first, long last, long totalLength) {

  private static final int MAX_DIGITS = 18;

  /**
   * What a response says of itself; null where it does not say it once, in bytes, with the length
   * of the whole, and without contradiction.
   */
  public static @Nullable ContentRange of(FieldsView response) {
    List<String> lines = response.all("content-range");
    if (lines.size() != 1) {
      return null;
    }
    String value = lines.getFirst();
    int dash = value.indexOf('-');
    int slash = value.indexOf('/');
    if (value.length() < 6
        || !FieldSyntax.equalsIgnoreCase(value, 0, 6, "bytes ")
        || dash < 6
        || slash < dash) {
      return null;
    }
    long first = number(value, 6, dash);
    long last = number(value, dash + 1, slash);
    long total = number(value, slash + 1, value.length());
    return first < 0 || last < first || total <= last ? null : new ContentRange(first, last, total);
  }

  /**
   * Whether a response without the status 206 may be a part all the same: it names one in bytes, or
   * more than one thing. Another status gives the field no meaning (RFC 9110 §14.4), but an origin
   * that writes a part of a body there has most likely sent no more than that.
   */
  public static boolean mayBePart(FieldsView response) {
    List<String> lines = response.all("content-range");
    if (lines.isEmpty()) {
      return false;
    }
    ContentRange only = of(response);
    return lines.size() > 1
        || (only == null
            ? lines.getFirst().regionMatches(true, 0, "bytes", 0, 5)
            : !only.isWhole());
  }

  public long length() {
    return last + 1 - first;
  }

  /** Whether it is the whole representation. */
  public boolean isWhole() {
    return length() == totalLength;
  }

  /** Whether it is what a request for some bytes brings: all of them that exist. */
  public boolean answers(ByteRange.Satisfiable asked) {
    return first == asked.first() && last == Math.min(asked.last(), totalLength - 1);
  }

  private static long number(String text, int from, int to) {
    if (to <= from || to - from > MAX_DIGITS) {
      return -1;
    }
    long number = 0;
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9') {
        return -1;
      }
      number = number * 10 + c - '0';
    }
    return number;
  }
}
