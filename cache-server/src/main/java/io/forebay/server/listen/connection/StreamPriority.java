package io.forebay.server.listen.connection;

import org.jspecify.annotations.Nullable;

/**
 * The priority that a client assigned to a response (RFC 9218 §4).
 *
 * @param urgency 0, the first, to 7
 * @param isShared whether it shares the connection with others of the same urgency, instead of
 *     being sent whole before the next
 */
public record StreamPriority(int urgency, boolean isShared) {

  public static final int LEVELS = 8;

  /**
   * Of a request that says nothing. RFC 9218 §4.2 would have those sent one after the other, but
   * who says nothing has not thought of it, and a large body would then hold up all small ones.
   */
  public static final StreamPriority UNSAID = new StreamPriority(3, true);

  private static final StreamPriority DEFAULT = new StreamPriority(3, false);

  /**
   * Reads a Priority field: {@code u=1, i}. Members that are not known are ignored; what cannot be
   * read counts as nothing said.
   */
  public static StreamPriority of(@Nullable CharSequence field) {
    if (field == null || field.isEmpty()) {
      return UNSAID;
    }
    int urgency = DEFAULT.urgency;
    boolean isShared = DEFAULT.isShared;
    int start = 0;
    for (int i = 0; i <= field.length(); i++) {
      char c = i == field.length() ? ',' : field.charAt(i);
      if (c == '"' || c < ' ' || c > '~') {
        // A string may hold anything; no member that we know has one.
        return UNSAID;
      }
      if (c != ',') {
        continue;
      }
      int from = start;
      int to = i;
      while (from < to && field.charAt(from) == ' ') {
        from++;
      }
      while (to > from && field.charAt(to - 1) == ' ') {
        to--;
      }
      start = i + 1;
      // u=N
      if (to - from == 3 && field.charAt(from) == 'u' && field.charAt(from + 1) == '=') {
        int digit = field.charAt(from + 2) - '0';
        urgency = digit >= 0 && digit < LEVELS ? digit : urgency;
      } else if (to > from && field.charAt(from) == 'i') {
        // i, i=?1 or i=?0
        boolean isAlone = to - from == 1;
        boolean isBoolean =
            to - from == 4 && field.charAt(from + 1) == '=' && field.charAt(from + 2) == '?';
        if (isAlone || (isBoolean && field.charAt(from + 3) == '1')) {
          isShared = true;
        } else if (isBoolean && field.charAt(from + 3) == '0') {
          isShared = false;
        }
      }
    }
    return new StreamPriority(urgency, isShared);
  }
}
