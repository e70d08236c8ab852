package io.forebay.core.http;

import java.util.List;

/** The Max-Forwards field of an OPTIONS request (RFC 9110 §7.6.2). */
public final class MaxForwards {

  /** There is none. */
  public static final int ABSENT = -1;

  /** It is not one number. */
  public static final int MALFORMED = -2;

  /** The largest number that is sent on. */
  public static final int MAX = 255;

  private MaxForwards() {}

  /** How often the request may be sent on: {@code ABSENT}, {@code MALFORMED}, or a number. */
  public static int of(FieldsView fields) {
    List<String> lines = fields.all("max-forwards");
    if (lines.isEmpty()) {
      return ABSENT;
    }
    String text = lines.getFirst();
    if (lines.size() > 1 || text.isEmpty()) {
      return MALFORMED;
    }
    int value = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9') {
        return MALFORMED;
      }
      // What is more than is ever sent on need not be told apart.
      value = Math.min(value * 10 + (c - '0'), MAX + 1);
    }
    return value;
  }

  /** What is sent on for a number greater than 0. */
  public static int next(int value) {
    return Math.min(value - 1, MAX);
  }
}
