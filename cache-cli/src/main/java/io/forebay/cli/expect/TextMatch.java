package io.forebay.cli.expect;

import com.google.re2j.Pattern;
import io.forebay.server.config.SourceLocation;

/**
 * What a text is expected to be, and where that is said.
 *
 * @param pattern of no meaning for an exact text
 */
record TextMatch(Kind kind, String text, Pattern pattern, SourceLocation place) {

  /** How it is compared. */
  enum Kind {
    EXACT,
    GLOB,
    REGEX
  }

  static TextMatch exact(String text, SourceLocation place) {
    return new TextMatch(Kind.EXACT, text, Pattern.compile(""), place);
  }

  /** {@code *} stands for any characters, line ends too, and {@code ?} for one. */
  static TextMatch glob(String text, SourceLocation place) {
    StringBuilder regex = new StringBuilder("(?s)");
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      regex.append(
          switch (c) {
            case '*' -> ".*";
            case '?' -> ".";
            default -> Pattern.quote(String.valueOf(c));
          });
    }
    return new TextMatch(Kind.GLOB, text, Pattern.compile(regex.toString()), place);
  }

  /**
   * Found anywhere in the text, as in rules.
   *
   * @throws com.google.re2j.PatternSyntaxException where it is none
   */
  static TextMatch regex(String text, SourceLocation place) {
    return new TextMatch(Kind.REGEX, text, Pattern.compile(text), place);
  }

  boolean matches(String value) {
    return switch (kind) {
      case EXACT -> value.equals(text);
      case GLOB -> pattern.matches(value);
      case REGEX -> pattern.matcher(value).find();
    };
  }

  /** As failures show it. */
  String shown() {
    return switch (kind) {
      case EXACT -> text;
      case GLOB -> "glob " + text;
      case REGEX -> "regex " + text;
    };
  }
}
