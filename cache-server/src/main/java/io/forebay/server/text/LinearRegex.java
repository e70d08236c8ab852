package io.forebay.server.text;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * A regular expression with linear-time matching, whatever the expression and the text: RE2 syntax,
 * without back-references and look-around. Its size is limited before compilation, because counted
 * repetitions multiply. Any thread.
 */
public final class LinearRegex {
  public static final int MAX_LENGTH = 512;

  /** Steps of the compiled expression: with a text's length the bound of what a search costs. */
  static final int MAX_SIZE = 512;

  /** What does not stand for itself. */
  private static final String SPECIAL = "\\.[](){}*+?|^$";

  private final Pattern pattern;
  private final String literalPrefix;

  private LinearRegex(Pattern pattern) {
    this.pattern = pattern;
    this.literalPrefix = literalPrefix(pattern.pattern());
  }

  /**
   * Compiles an expression.
   *
   * @throws IllegalArgumentException when it is malformed or too large
   */
  public static LinearRegex of(String expression) {
    if (expression.isEmpty()) {
      throw new IllegalArgumentException("an empty expression matches everything");
    }
    if (expression.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "an expression of " + expression.length() + " characters, at most " + MAX_LENGTH);
    }
    if (size(expression) > MAX_SIZE) {
      throw new IllegalArgumentException("the expression's repetitions make it too large");
    }
    Pattern pattern;
    try {
      pattern = Pattern.compile(expression);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException("not a regular expression: " + e.getMessage(), e);
    }
    if (pattern.programSize() > 2 * MAX_SIZE) {
      throw new IllegalArgumentException("the expression is too large");
    }
    return new LinearRegex(pattern);
  }

  /** Whether it is found anywhere in a text. */
  public boolean isFoundIn(CharSequence text) {
    return pattern.matcher(text).find();
  }

  /** Steps that it compiled to: a search takes at most about this many for each character. */
  public int programSize() {
    return pattern.programSize();
  }

  /** Number of its groups in parentheses that capture. */
  public int groupCount() {
    return pattern.groupCount();
  }

  /**
   * What its groups captured at the first place where it is found, the whole match first; null
   * where it is not found. A group that took no part is empty.
   */
  public String @Nullable [] captures(CharSequence text) {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.find()) {
      return null;
    }
    String[] captures = new String[pattern.groupCount() + 1];
    for (int i = 0; i < captures.length; i++) {
      String group = matcher.group(i);
      captures[i] = group == null ? "" : group;
    }
    return captures;
  }

  /**
   * The text with which everything begins that the expression is found in; empty where none is
   * known. Telling by it is cheaper than a search.
   */
  public String literalPrefix() {
    return literalPrefix;
  }

  private static String literalPrefix(String expression) {
    if (!expression.startsWith("^") || expression.contains("\\Q") || hasAlternatives(expression)) {
      return "";
    }
    StringBuilder prefix = new StringBuilder();
    int at = 1;
    while (at < expression.length()) {
      char c = expression.charAt(at);
      if (c == '\\' && at + 1 < expression.length() && isPunctuation(expression.charAt(at + 1))) {
        prefix.append(expression.charAt(at + 1));
        at += 2;
      } else if (SPECIAL.indexOf(c) < 0) {
        prefix.append(c);
        at++;
      } else {
        break;
      }
    }
    boolean isRepeated = at < expression.length() && "*?{".indexOf(expression.charAt(at)) >= 0;
    if (isRepeated || expression.startsWith("(?", at)) {
      // The last one may be missing, also where empty flags come before its repetition: b(?)*
      prefix.setLength(Math.max(0, prefix.length() - 1));
    }
    return prefix.toString();
  }

  private static boolean isPunctuation(char c) {
    return c > ' ' && c < 0x7f && !Character.isLetterOrDigit(c);
  }

  /** Whether it has alternatives outside of parentheses. */
  private static boolean hasAlternatives(String expression) {
    int depth = 0;
    for (int at = 0; at < expression.length(); at++) {
      switch (expression.charAt(at)) {
        case '(' -> depth++;
        case ')' -> depth--;
        case '|' -> {
          if (depth == 0) {
            return true;
          }
        }
        default -> at = endOfAtom(expression, at);
      }
    }
    return false;
  }

  /** The expression as it was written. */
  @Override
  public String toString() {
    return pattern.pattern();
  }

  /** About how many steps it compiles to; what is malformed is for the compiler to say. */
  static long size(String expression) {
    long[] sums = new long[MAX_LENGTH + 2];
    int depth = 0;
    long last = 0;
    for (int at = 0; at < expression.length(); at++) {
      switch (expression.charAt(at)) {
        case '(' -> sums[++depth] = 0;
        case ')' -> {
          last = sums[depth] + 2;
          sums[depth] = 0;
          depth = Math.max(0, depth - 1);
          sums[depth] += last;
        }
        case '{' -> {
          int end = expression.indexOf('}', at);
          long times = end < 0 ? 0 : times(expression.substring(at + 1, end));
          if (times > 0) {
            // One of them is in the sum already.
            sums[depth] += last * times;
            last *= times + 1;
            at = end;
          } else {
            last = 1;
            sums[depth]++;
          }
        }
        case '*', '+', '?', '|' -> sums[depth]++;
        default -> {
          at = endOfAtom(expression, at);
          last = 1;
          sums[depth]++;
        }
      }
      if (sums[depth] > MAX_SIZE) {
        return sums[depth];
      }
    }
    long sum = 0;
    for (long one : sums) {
      sum += one;
    }
    return sum;
  }

  /** How often a count has something repeated at most, 0 if it is no count. */
  private static long times(String count) {
    if (!count.matches("\\d{1,6}(,\\d{0,6})?")) {
      return 0;
    }
    int comma = count.indexOf(',');
    long least = Long.parseLong(comma < 0 ? count : count.substring(0, comma));
    boolean isOpen = comma < 0 || comma == count.length() - 1;
    return Math.max(1, isOpen ? least : Long.parseLong(count.substring(comma + 1)));
  }

  private static int endOfAtom(String expression, int start) {
    return switch (expression.charAt(start)) {
      case '[' -> endOfClass(expression, start);
      case '\\' -> endOfEscape(expression, start);
      default -> start;
    };
  }

  private static int endOfClass(String expression, int start) {
    // A bracket right behind the opening one stands for itself.
    int at = expression.startsWith("[^", start) ? start + 3 : start + 2;
    for (; at < expression.length(); at++) {
      char c = expression.charAt(at);
      if (c == '\\') {
        at++;
      } else if (expression.startsWith("[:", at)) {
        int end = expression.indexOf(":]", at);
        at = end < 0 ? at : end + 1;
      } else if (c == ']') {
        return at;
      }
    }
    return expression.length();
  }

  private static int endOfEscape(String expression, int start) {
    boolean hasBraces =
        expression.startsWith("\\p{", start)
            || expression.startsWith("\\P{", start)
            || expression.startsWith("\\x{", start);
    int end = hasBraces ? expression.indexOf('}', start) : -1;
    return end < 0 ? start + 1 : end;
  }
}
