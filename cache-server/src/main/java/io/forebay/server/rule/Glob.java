package io.forebay.server.rule;

/**
 * A pattern in which {@code *} stands for any characters, slashes included, and {@code ?} for one.
 * A match takes at most (length of the text × length of the pattern) steps, both of which are
 * bounded, and allocates nothing.
 */
public final class Glob {
  private final String pattern;

  private Glob(String pattern) {
    this.pattern = pattern;
  }

  public static Glob of(String pattern) {
    return new Glob(pattern.replaceAll("\\*+", "*"));
  }

  /** Whether a text has a character that makes it a pattern. */
  public static boolean isPattern(String text) {
    return text.indexOf('*') >= 0 || text.indexOf('?') >= 0;
  }

  /** Whether the pattern matches a whole text. */
  public boolean matches(String text) {
    return matches(text, 0, text.length());
  }

  /**
   * The part before the first star is fixed; behind each star the shortest stretch is taken that
   * lets the part up to the next star match: giving it more is never better.
   */
  public boolean matches(CharSequence text, int from, int to) {
    int at = from;
    int in = 0;
    int star = -1;
    int resume = 0;
    while (at < to) {
      if (in < pattern.length() && pattern.charAt(in) == '*') {
        star = in++;
        resume = at;
      } else if (in < pattern.length() && isSame(pattern.charAt(in), text.charAt(at))) {
        in++;
        at++;
      } else if (star >= 0) {
        in = star + 1;
        at = ++resume;
      } else {
        return false;
      }
    }
    while (in < pattern.length() && pattern.charAt(in) == '*') {
      in++;
    }
    return in == pattern.length();
  }

  private static boolean isSame(char ofPattern, char ofText) {
    return ofPattern == '?' || ofPattern == ofText;
  }

  @Override
  public String toString() {
    return pattern;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Glob glob && glob.pattern.equals(pattern);
  }

  @Override
  public int hashCode() {
    return pattern.hashCode();
  }
}
