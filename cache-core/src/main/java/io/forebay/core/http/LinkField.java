package io.forebay.core.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A line of a Link field (RFC 8288 §3). A line that is not well-formed has no members, so what
 * reads as a link here reads as the same link everywhere.
 */
public final class LinkField {

  /**
   * One member of the list.
   *
   * @param text as written, without surrounding whitespace
   * @param relations relation types, in lower case; of several {@code rel} the first counts
   * @param hasAnchor whether it is about another resource than the one that is asked for
   */
  public record Link(String text, List<String> relations, boolean hasAnchor) {}

  private final String line;
  private int at;

  private LinkField(String line) {
    this.line = line;
  }

  /** The members of a line, in order; none if the line is malformed. */
  public static List<Link> membersOf(String line) {
    return new LinkField(line).members();
  }

  private List<Link> members() {
    List<Link> members = new ArrayList<>();
    while (true) {
      skipWhitespace();
      if (at == line.length()) {
        return members;
      }
      if (line.charAt(at) == ',') {
        // An empty member (RFC 9110 §5.6.1.2).
        at++;
        continue;
      }
      Link member = member();
      if (member == null) {
        return List.of();
      }
      members.add(member);
      skipWhitespace();
      if (at < line.length() && line.charAt(at++) != ',') {
        return List.of();
      }
    }
  }

  private @Nullable Link member() {
    int start = at;
    if (!skipTarget()) {
      return null;
    }
    @Nullable List<String> relations = null;
    boolean hasAnchor = false;
    int end = at;
    skipWhitespace();
    while (at < line.length() && line.charAt(at) == ';') {
      at++;
      end = at;
      skipWhitespace();
      String name = token();
      if (!name.isEmpty()) {
        end = at;
        skipWhitespace();
        String value = "";
        if (at < line.length() && line.charAt(at) == '=') {
          at++;
          skipWhitespace();
          String read = value();
          if (read == null) {
            return null;
          }
          value = read;
          end = at;
        }
        hasAnchor |= name.equals("anchor");
        if (name.equals("rel") && relations == null) {
          relations = List.of(value.strip().toLowerCase(Locale.ROOT).split("[ \t]+"));
        }
      }
      skipWhitespace();
    }
    return new Link(
        line.substring(start, end), relations == null ? List.of() : relations, hasAnchor);
  }

  /** Skips {@code <URI-Reference>}; false if there is none. */
  private boolean skipTarget() {
    if (line.charAt(at) != '<') {
      return false;
    }
    for (at++; at < line.length(); at++) {
      char c = line.charAt(at);
      if (c == '>') {
        at++;
        return true;
      }
      if (c <= ' ' || c == '<' || c == '"' || c >= 0x7f) {
        return false;
      }
    }
    return false;
  }

  private String token() {
    int start = at;
    while (at < line.length() && FieldSyntax.isTokenChar(line.charAt(at))) {
      at++;
    }
    return line.substring(start, at).toLowerCase(Locale.ROOT);
  }

  /** A token, or what passes for one, or a quoted string without its quotes; null if malformed. */
  private @Nullable String value() {
    if (at == line.length() || line.charAt(at) != '"') {
      int start = at;
      while (at < line.length() && isUnquoted(line.charAt(at))) {
        at++;
      }
      return at == start ? null : line.substring(start, at);
    }
    StringBuilder value = new StringBuilder();
    for (at++; at < line.length(); at++) {
      char c = line.charAt(at);
      if (c == '"') {
        at++;
        return value.toString();
      }
      if (c == '\\' && ++at == line.length()) {
        return null;
      }
      value.append(line.charAt(at));
    }
    return null;
  }

  /** What is written without quotes, such as {@code type=text/css}. */
  private static boolean isUnquoted(char c) {
    return c > ' ' && c < 0x7f && c != ';' && c != ',' && c != '"' && c != '<' && c != '>';
  }

  private void skipWhitespace() {
    while (at < line.length() && FieldSyntax.isWhitespace(line.charAt(at))) {
      at++;
    }
  }
}
