package io.forebay.server.purge;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Extracts the tags from a regular expression over a list of tags, as content management systems
 * send them to Varnish:
 *
 * <pre>
 *   node:1 node:2        cat_p_1|cat_p_2        ((^|,)cat_p_1(,|$))|((^|,)cat_p_2(,|$))
 *   (^|,)(a|b)(,|$)
 * </pre>
 *
 * A dot outside brackets is taken for itself, since tags such as {@code config:system.site} are
 * sent without a backslash. Reads the text once; any thread.
 */
final class TagPattern {

  private static final List<String> STARTS =
      List.of("(^|,)", "(?:^|,)", "(^| )", "(^|\\s)", "(^|[ ,])", "(^|,| )");
  private static final List<String> ENDS =
      List.of("(,|$)", "($|,)", "(?:,|$)", "( |$)", "($| )", "(\\s|$)", "([ ,]|$)", "(,| |$)");
  private static final Set<String> ALL = Set.of(".*", ".+", ".", "^.*$", "^.*", "^", "(.*)");
  private static final String SPECIAL = "^$*+?()[]{}";

  private TagPattern() {}

  /** Whether it matches every list of tags. */
  static boolean isAll(String pattern) {
    return ALL.contains(pattern.strip());
  }

  /** The tags that it names one by one; null where it is any other expression. */
  static @Nullable List<String> tags(String pattern) {
    Set<String> tags = new LinkedHashSet<>();
    for (String part : alternatives(pattern.strip())) {
      String inner = withoutParentheses(part);
      String start = first(STARTS, inner::startsWith);
      String end = first(ENDS, inner::endsWith);
      boolean isDelimited = false;
      String body = part;
      if (start != null && end != null) {
        if (inner.length() < start.length() + end.length()) {
          return null;
        }
        isDelimited = true;
        body = withoutParentheses(inner.substring(start.length(), inner.length() - end.length()));
      }
      for (String one : alternatives(body)) {
        // What stands between delimiters is one tag; a bare list has blanks and commas, too.
        for (String word : isDelimited ? new String[] {one} : one.split("[ \t,]+", -1)) {
          String tag = literal(word);
          if (tag == null) {
            return null;
          }
          if (!tag.isEmpty()) {
            tags.add(tag);
          }
        }
      }
    }
    return new ArrayList<>(tags);
  }

  private interface Test {
    boolean holds(String text);
  }

  private static @Nullable String first(List<String> texts, Test test) {
    for (String text : texts) {
      if (test.holds(text)) {
        return text;
      }
    }
    return null;
  }

  /** The parts between bars that stand outside of parentheses. */
  private static List<String> alternatives(String text) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int start = 0;
    for (int i = 0; i < text.length(); i++) {
      switch (text.charAt(i)) {
        case '\\' -> i++;
        case '(' -> depth++;
        case ')' -> depth--;
        case '|' -> {
          if (depth == 0) {
            parts.add(text.substring(start, i));
            start = i + 1;
          }
        }
        default -> {}
      }
    }
    parts.add(text.substring(start));
    return parts;
  }

  /** Without one pair of parentheses around all of it. */
  private static String withoutParentheses(String text) {
    if (text.length() < 2 || text.charAt(0) != '(' || text.startsWith("(?")) {
      return text;
    }
    int depth = 0;
    for (int i = 0; i < text.length(); i++) {
      switch (text.charAt(i)) {
        case '\\' -> i++;
        case '(' -> depth++;
        case ')' -> {
          if (--depth == 0) {
            return i == text.length() - 1 ? text.substring(1, i) : text;
          }
        }
        default -> {}
      }
    }
    return text;
  }

  /** The text that an expression without operators matches; null where it has any. */
  private static @Nullable String literal(String expression) {
    StringBuilder text = new StringBuilder(expression.length());
    for (int i = 0; i < expression.length(); i++) {
      char c = expression.charAt(i);
      if (c == '\\') {
        if (++i == expression.length() || Character.isLetterOrDigit(expression.charAt(i))) {
          return null;
        }
        text.append(expression.charAt(i));
      } else if (SPECIAL.indexOf(c) >= 0) {
        return null;
      } else {
        text.append(c);
      }
    }
    return text.toString();
  }
}
