package io.forebay.cli.expect;

import java.util.List;

/** A line of a header section, with its name as it is written: lines are shown, and sent. */
record HeaderLine(String name, String value) {

  static List<String> values(List<HeaderLine> fields, String name) {
    return fields.stream()
        .filter(field -> field.name.equalsIgnoreCase(name))
        .map(HeaderLine::value)
        .toList();
  }

  static boolean isIn(List<HeaderLine> fields, String name) {
    return fields.stream().anyMatch(field -> field.name.equalsIgnoreCase(name));
  }

  /** The first value, or an empty text. */
  static String first(List<HeaderLine> fields, String name) {
    List<String> values = values(fields, name);
    return values.isEmpty() ? "" : values.getFirst();
  }
}
