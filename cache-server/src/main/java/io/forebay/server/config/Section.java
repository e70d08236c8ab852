package io.forebay.server.config;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A group of keys: a mapping, a list of mappings, or a mapping of named mappings.
 *
 * @param prefix key of the whole; empty for the keys of the top level
 * @param shortField field that a plain value in place of a mapping sets; empty where none may stand
 * @param instances the records of an effective configuration by name; the name is empty where there
 *     is just one
 */
record Section<R>(
    String prefix,
    Shape shape,
    String description,
    String shortField,
    List<Field<R, ?>> fields,
    Function<ServerConfig, Map<String, R>> instances) {

  /** How often the keys of a section can stand, and under what. */
  enum Shape {
    ONCE,
    LIST,
    NAMED
  }

  /** The key path as documented, with a place-holder where a name or index stands. */
  String documentedPath(Field<?, ?> field) {
    return switch (shape) {
      case ONCE -> prefix.isEmpty() ? field.name() : prefix + "." + field.name();
      case LIST -> prefix + "[]." + field.name();
      case NAMED -> prefix + ".NAME." + field.name();
    };
  }

  List<String> fieldNames() {
    return fields.stream().map(Field::name).toList();
  }
}
