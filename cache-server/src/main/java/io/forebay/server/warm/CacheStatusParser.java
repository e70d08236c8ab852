package io.forebay.server.warm;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parses {@code Cache-Status} (RFC 9211) as far as the report of a warm-up needs it. */
final class CacheStatusParser {

  private CacheStatusParser() {}

  /**
   * What the cache nearest to the client did: {@code hit}, the value of {@code fwd} such as {@code
   * uri-miss}, or {@code unknown}.
   */
  static String result(@Nullable String field) {
    if (field == null) {
      return "unknown";
    }
    List<String> members = split(field, ',');
    List<String> parameters = split(members.getLast(), ';');
    String result = "unknown";
    for (String parameter : parameters.subList(1, parameters.size())) {
      String text = parameter.strip();
      if (text.equals("hit") || text.equals("hit=?1")) {
        return "hit";
      }
      if (text.matches("fwd=[a-z][a-z-]{0,31}")) {
        result = text.substring(4);
      }
    }
    return result;
  }

  /** Splits outside quoted strings. */
  private static List<String> split(String text, char separator) {
    List<String> parts = new ArrayList<>();
    boolean isQuoted = false;
    int start = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (isQuoted && c == '\\') {
        i++;
      } else if (c == '"') {
        isQuoted = !isQuoted;
      } else if (c == separator && !isQuoted) {
        parts.add(text.substring(start, i));
        start = i + 1;
      }
    }
    parts.add(text.substring(start));
    return parts;
  }
}
