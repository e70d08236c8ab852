package io.forebay.server.config;

import io.forebay.server.text.Printable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A line of text with fields in braces, such as {@code {client} "{target}" {status}}. Two braces
 * stand for one.
 */
public record LogTemplate(List<Part> parts) {
  static final int MAX_LENGTH = 1024;
  private static final int MAX_FIELDS = 64;

  /** What nginx and Apache call {@code combined}; the user is never known. */
  static final String COMBINED =
      "{client} - - [{time_clf}] \"{method} {target} {protocol}\" {status} {bytes} \"{referer}\""
          + " \"{user_agent}\"";

  /**
   * A piece of the line.
   *
   * @param literal as it is written, where there is no field
   * @param field or null
   * @param header the name of a header field in lower case, where the field is one of the objects
   *     of header fields
   * @param isQuoted whether it stands between double quotes
   */
  public record Part(
      String literal, @Nullable LogField field, @Nullable String header, boolean isQuoted) {}

  public LogTemplate {
    parts = List.copyOf(parts);
  }

  /** Reads a template. */
  static LogTemplate of(String text) throws ValueType.WrongValueException {
    if (text.length() > MAX_LENGTH) {
      throw wrong("the format has " + text.length() + " characters", "write at most " + MAX_LENGTH);
    }
    if (!text.chars().allMatch(c -> c == '\t' || (c >= 0x20 && c < 0x7f))) {
      throw wrong("the format has other characters than ASCII", "write visible ASCII and tabs");
    }
    List<Part> parts = new ArrayList<>();
    StringBuilder literal = new StringBuilder();
    boolean isQuoted = false;
    int fields = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean isDoubled = i + 1 < text.length() && text.charAt(i + 1) == c;
      if ((c == '{' || c == '}') && isDoubled) {
        literal.append(c);
        i++;
        continue;
      }
      if (c == '}') {
        throw wrong("a closing brace without an opening one", "write {field}, or }} for a brace");
      }
      if (c != '{') {
        isQuoted ^= c == '"';
        literal.append(c);
        continue;
      }
      int end = text.indexOf('}', i);
      if (end < 0) {
        throw wrong("a brace is not closed", "write {field}, or {{ for a brace");
      }
      if (!literal.isEmpty()) {
        parts.add(new Part(literal.toString(), null, null, false));
        literal.setLength(0);
      }
      parts.add(field(text.substring(i + 1, end), isQuoted));
      if (++fields > MAX_FIELDS) {
        throw wrong("more than " + MAX_FIELDS + " fields", "use fewer");
      }
      i = end;
    }
    if (!literal.isEmpty()) {
      parts.add(new Part(literal.toString(), null, null, false));
    }
    if (fields == 0) {
      throw wrong(
          "\"" + Printable.shown(text) + "\" is not a format",
          "write json, combined, or a text with fields such as {client} {status} {target}");
    }
    return new LogTemplate(parts);
  }

  private static Part field(String name, boolean isQuoted) throws ValueType.WrongValueException {
    int dot = name.indexOf('.');
    LogField field = LogField.of(dot < 0 ? name : name.substring(0, dot));
    boolean isObject = field == LogField.REQUEST_HEADERS || field == LogField.RESPONSE_HEADERS;
    if (field == null || isObject != dot >= 0) {
      throw wrong(
          "there is no field {" + Printable.shown(name) + "}",
          isObject
              ? "write " + name + ".NAME for one of its fields"
              : "write one of the access log's fields, such as {client}, {status} or {target}");
    }
    String header = dot < 0 ? null : name.substring(dot + 1);
    if (header != null && !header.matches("[a-z0-9_-]{1,64}")) {
      throw wrong(
          "\"" + Printable.shown(header) + "\" is no name of a header field",
          "write it in lower case");
    }
    return new Part("", field, header, isQuoted);
  }

  private static ValueType.WrongValueException wrong(String message, String right) {
    return new ValueType.WrongValueException(message, right);
  }
}
