package io.forebay.server.config;

import java.util.Collection;

/** Small helps with words in messages. */
final class Texts {
  private static final int MAX_SHOWN = 80;

  private Texts() {}

  /** The text as a message may carry it: one line, bounded, no control characters. */
  static String shown(String text) {
    return shown(text, MAX_SHOWN);
  }

  static String shown(String text, int maxLength) {
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < text.length() && i < maxLength; i++) {
      char c = text.charAt(i);
      shown.append(Character.isISOControl(c) ? '?' : c);
    }
    return text.length() > maxLength ? shown + "…" : shown.toString();
  }

  /** What a message about an unknown key suggests. */
  static String suggestion(String unknown, Collection<String> known) {
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
