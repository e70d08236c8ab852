package io.forebay.server.config;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A group of keys: a mapping, a list of mappings, a mapping of named mappings, or a list of
 * mappings within each entry of such a mapping.
 *
 * @param prefix key of the whole; empty for the keys of the top level. A list within named entries
 *     has {@code NAME} where the name stands: {@code origins.NAME.servers}
 * @param shortField field that a plain value in place of a mapping sets; empty where none may stand
 * @param instances the records of an effective configuration by name; the name is empty where there
 *     is just one, and {@code NAME.INDEX} for a list within named entries
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
    NAMED,
    LIST_IN_NAMED
  }

  /** The key path as documented, with a place-holder where a name or index stands. */
  String documentedPath(Field<?, ?> field) {
    return switch (shape) {
      case ONCE -> prefix.isEmpty() ? field.name() : prefix + "." + field.name();
      case LIST, LIST_IN_NAMED -> prefix + "[]." + field.name();
      case NAMED -> prefix + ".NAME." + field.name();
    };
  }

  /** The key path of one instance. */
  String scope(String instance) {
    return switch (shape) {
      case ONCE -> prefix;
      case LIST, NAMED -> prefix + "." + instance;
      case LIST_IN_NAMED -> {
        int dot = instance.lastIndexOf('.');
        yield outer()
            + "."
            + instance.substring(0, dot)
            + "."
            + lastPart()
            + instance.substring(dot);
      }
    };
  }

  /** Prefix of the section within whose entries this list stands. */
  String outer() {
    return prefix.substring(0, prefix.indexOf('.'));
  }

  /** The key of this list within an entry. */
  String lastPart() {
    return prefix.substring(prefix.lastIndexOf('.') + 1);
  }

  /** Whether this is a list within the entries of that section. */
  boolean isWithin(Section<?> section) {
    return shape == Shape.LIST_IN_NAMED && outer().equals(section.prefix);
  }

  /** The list of one entry, such as {@code origins.main}, as a section of its own. */
  Section<R> at(String entryScope) {
    return new Section<>(
        entryScope + "." + lastPart(), Shape.LIST, description, shortField, fields, instances);
  }

  List<String> fieldNames() {
    return fields.stream().map(Field::name).toList();
  }
}
