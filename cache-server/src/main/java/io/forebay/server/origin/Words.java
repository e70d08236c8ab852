package io.forebay.server.origin;

import org.jspecify.annotations.Nullable;

/**
 * Turns what failed into one line of text for a log: no control character an origin could have
 * chosen, no more than a line long.
 */
final class Words {
  private static final int LONGEST = 240;

  private Words() {}

  static String of(Throwable cause) {
    String message = cause.getMessage();
    return line(message == null || message.isBlank() ? cause.getClass().getSimpleName() : message);
  }

  static String line(@Nullable String text) {
    if (text == null) {
      return "";
    }
    int length = Math.min(text.length(), LONGEST);
    StringBuilder line = new StringBuilder(length + 1);
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      line.append(c < 0x20 || c >= 0x7f ? ' ' : c);
    }
    if (length < text.length()) {
      line.append("...");
    }
    return line.toString().strip();
  }
}
