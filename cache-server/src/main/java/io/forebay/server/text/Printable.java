package io.forebay.server.text;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Makes external text safe for messages and logs: one line, bounded, no control characters. Also
 * suggests the known name closest to an unknown one.
 */
public final class Printable {
  private static final int MAX_SHOWN = 80;
  private static final int MAX_LINE = 240;

  private Printable() {}

  /** The text as a message may carry it: one line, bounded, no control characters. */
  public static String shown(String text) {
    return shown(text, MAX_SHOWN);
  }

  public static String shown(String text, int maxLength) {
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < text.length() && i < maxLength; i++) {
      char c = text.charAt(i);
      shown.append(Character.isISOControl(c) ? '?' : c);
    }
    return text.length() > maxLength ? shown + "…" : shown.toString();
  }

  /** Why something failed, as one line of printable ASCII for a log. */
  public static String line(Throwable cause) {
    String message = cause.getMessage();
    return line(message == null || message.isBlank() ? cause.getClass().getSimpleName() : message);
  }

  /** Text that an origin or a resolver chose, as one line of printable ASCII for a log. */
  public static String line(@Nullable String text) {
    if (text == null) {
      return "";
    }
    int length = Math.min(text.length(), MAX_LINE);
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

  /**
   * Text of a request to the admin API, at most 200 characters; unpaired surrogates, which JSON can
   * carry, are replaced too.
   */
  public static String json(String text) {
    String start = text.length() > 200 ? text.substring(0, 200) : text;
    return text.length() > 200 ? jsonWhole(start) + "…" : jsonWhole(start);
  }

  /** The same of any length. */
  public static String jsonWhole(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      shown.append(Character.isISOControl(c) || Character.isSurrogate(c) ? '?' : c);
    }
    return shown.toString();
  }

  /** What a message about an unknown key suggests. */
  public static String suggestion(String unknown, Collection<String> known) {
    String best = "";
    int bestDistance = Math.max(1, unknown.length() / 3) + 1;
    for (String candidate : known) {
      int distance = distance(unknown, candidate);
      if (distance < bestDistance) {
        best = candidate;
        bestDistance = distance;
      }
    }
    return best.isEmpty()
        ? "known here: " + String.join(", ", known)
        : "did you mean " + best + "?";
  }

  /**
   * Edits between two keys; neighbours exchanged count as one. Keys are short, so n² is nothing.
   */
  private static int distance(String left, String right) {
    if (left.length() > 64) {
      return Integer.MAX_VALUE;
    }
    int[] beforePrevious = new int[right.length() + 1];
    int[] previous = new int[right.length() + 1];
    for (int j = 0; j <= right.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= left.length(); i++) {
      int[] current = new int[right.length() + 1];
      current[0] = i;
      for (int j = 1; j <= right.length(); j++) {
        int change = left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1;
        current[j] = Math.min(previous[j - 1] + change, Math.min(previous[j], current[j - 1]) + 1);
        if (i > 1
            && j > 1
            && left.charAt(i - 1) == right.charAt(j - 2)
            && left.charAt(i - 2) == right.charAt(j - 1)) {
          current[j] = Math.min(current[j], beforePrevious[j - 2] + 1);
        }
      }
      beforePrevious = previous;
      previous = current;
    }
    return previous[right.length()];
  }
}
