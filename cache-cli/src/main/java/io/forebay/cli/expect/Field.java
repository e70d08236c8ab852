package io.forebay.cli.expect;

import java.util.List;

/** A line of a header section. */
record Field(String name, String value) {

  static List<String> values(List<Field> fields, String name) {
    return fields.stream()
        .filter(field -> field.name.equalsIgnoreCase(name))
        .map(Field::value)
        .toList();
  }

  static boolean isIn(List<Field> fields, String name) {
    return fields.stream().anyMatch(field -> field.name.equalsIgnoreCase(name));
  }

  /** The first value, or an empty text. */
  static String first(List<Field> fields, String name) {
    List<String> values = values(fields, name);
    return values.isEmpty() ? "" : values.getFirst();
  }
}
