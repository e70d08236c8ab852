package io.forebay.server.rule;

import io.forebay.server.text.LinearRegex;
import java.util.List;

/** A test of a part of a text. Immutable; only regular expressions allocate. */
public interface TextMatcher {

  /**
   * One of the verdicts of {@link Condition}.
   *
   * @param isFast whether it may not allocate
   */
  int test(CharSequence text, int from, int to, boolean isFast);

  default int cost() {
    return 2;
  }

  /** Whether it never allocates. */
  default boolean isFast() {
    return true;
  }

  /** It is there, with whatever value. */
  static TextMatcher present() {
    return (text, from, to, isFast) -> Condition.YES;
  }

  static TextMatcher any(List<TextMatcher> tests) {
    return tests.size() == 1 ? tests.getFirst() : new Any(tests);
  }

  static TextMatcher all(List<TextMatcher> tests) {
    return tests.size() == 1 ? tests.getFirst() : new All(tests);
  }

  private static int verdict(boolean holds) {
    return holds ? Condition.YES : Condition.NO;
  }

  /** One of the tests holds. */
  record Any(List<TextMatcher> tests) implements TextMatcher {

    @Override
    public int test(CharSequence text, int from, int to, boolean isFast) {
      int verdict = Condition.NO;
      for (int i = 0; i < tests.size(); i++) {
        int one = tests.get(i).test(text, from, to, isFast);
        if (one == Condition.YES) {
          return one;
        }
        verdict = Math.max(verdict, one);
      }
      return verdict;
    }

    @Override
    public int cost() {
      return tests.stream().mapToInt(TextMatcher::cost).sum();
    }

    @Override
    public boolean isFast() {
      return tests.stream().allMatch(TextMatcher::isFast);
    }
  }

  /** All of the tests hold. */
  record All(List<TextMatcher> tests) implements TextMatcher {

    @Override
    public int test(CharSequence text, int from, int to, boolean isFast) {
      int verdict = Condition.YES;
      for (int i = 0; i < tests.size(); i++) {
        int one = tests.get(i).test(text, from, to, isFast);
        if (one == Condition.NO) {
          return one;
        }
        verdict = Math.max(verdict, one);
      }
      return verdict;
    }

    @Override
    public int cost() {
      return tests.stream().mapToInt(TextMatcher::cost).sum();
    }

    @Override
    public boolean isFast() {
      return tests.stream().allMatch(TextMatcher::isFast);
    }
  }

  /** One of some texts, whole. */
  record Exact(TextSet texts) implements TextMatcher {

    @Override
    public int test(CharSequence text, int from, int to, boolean isFast) {
      return verdict(texts.contains(text, from, to));
    }
  }

  /** Begins with a text. */
  record Prefix(String prefix) implements TextMatcher {

    @Override
    public int test(CharSequence text, int from, int to, boolean isFast) {
      return verdict(isAt(text, from, to, prefix));
    }
  }

  /** A path that is, or is below, a prefix: as the prefixes of routes match. */
  record PathPrefix(String prefix) implements TextMatcher {

    @Override
    public int test(CharSequence text, int from, int to, boolean isFast) {
      int end = from + prefix.length();
      return verdict(
          isAt(text, from, to, prefix)
              && (end == to || prefix.endsWith("/") || text.charAt(end) == '/'));
    }
  }

  /** Ends with a text. */
  record Suffix(String suffix) implements TextMatcher {

    @Override
    public int test(CharSequence text, int from, int to, boolean isFast) {
      int start = to - suffix.length();
      return verdict(start >= from && isAt(text, start, to, suffix));
    }
  }

  /** A path whose last segment has one of some extensions, in any case. */
  record Extension(TextSet extensions) implements TextMatcher {

    @Override
    public int test(CharSequence text, int from, int to, boolean isFast) {
      for (int i = to - 1; i >= from && text.charAt(i) != '/'; i--) {
        if (text.charAt(i) == '.') {
          return verdict(extensions.contains(text, i + 1, to));
        }
      }
      return Condition.NO;
    }
  }

  /** Matches a {@link Glob}. */
  record Wildcard(Glob glob) implements TextMatcher {

    @Override
    public int test(CharSequence text, int from, int to, boolean isFast) {
      return verdict(glob.matches(text, from, to));
    }

    @Override
    public int cost() {
      return 4;
    }
  }

  /** A regular expression is found in it. */
  record Regex(LinearRegex expression) implements TextMatcher {

    @Override
    public int test(CharSequence text, int from, int to, boolean isFast) {
      if (!isAt(text, from, to, expression.literalPrefix())) {
        return Condition.NO;
      }
      return isFast
          ? Condition.LATER
          : verdict(expression.isFoundIn(text.subSequence(from, to).toString()));
    }

    @Override
    public int cost() {
      return 50;
    }

    @Override
    public boolean isFast() {
      return false;
    }
  }

  private static boolean isAt(CharSequence text, int from, int to, String part) {
    if (to - from < part.length()) {
      return false;
    }
    for (int i = 0; i < part.length(); i++) {
      if (text.charAt(from + i) != part.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
