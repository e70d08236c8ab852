package io.forebay.lab.scenario;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads the keys of one mapping, each once, and complains of those that nobody read. A key without
 * a value counts as absent.
 */
final class MappingReader {
  private final String source;
  private final String path;
  private final @Nullable JsonNode node;
  private final Set<String> read = new HashSet<>();

  /**
   * The keys of a mapping.
   *
   * @param source file, as problems name it
   * @param path of keys to it, empty at the top
   * @param node the mapping, or null where it is absent
   */
  MappingReader(String source, String path, @Nullable JsonNode node) {
    this.source = source;
    this.path = path;
    this.node = node;
    if (node != null && !node.isObject()) {
      throw problem(null, "must be a mapping; write its keys below it, one a line");
    }
  }

  /** Below a key. */
  MappingReader mapping(String key) {
    return new MappingReader(source, at(key), get(key));
  }

  /** The entries of a list; one value alone is a list, too. */
  List<Entry> list(String key) {
    JsonNode value = get(key);
    if (value == null) {
      return List.of();
    }
    List<Entry> entries = new ArrayList<>();
    if (value.isArray()) {
      int i = 0;
      for (JsonNode entry : value) {
        entries.add(new Entry(source, at(key) + "[" + i++ + "]", entry));
      }
    } else {
      entries.add(new Entry(source, at(key), value));
    }
    return entries;
  }

  /** One of a list. */
  record Entry(String source, String path, JsonNode node) {

    MappingReader keys() {
      return new MappingReader(source, path, node);
    }

    String text() {
      return node.asString("");
    }

    int integer(int min, int max) {
      return (int) whole(source, path, node, min, max);
    }

    double number(double min, double max) {
      return decimal(source, path, node, min, max);
    }

    ScenarioException problem(String what) {
      return wrong(source, path, what);
    }
  }

  /** Whether the key is there. It counts as read: who asks knows it. */
  boolean has(String key) {
    read.add(key);
    return node != null && node.hasNonNull(key);
  }

  boolean isList(String key) {
    return node != null && node.path(key).isArray();
  }

  String text(String key, @Nullable String absent) {
    JsonNode value = get(key);
    if (value == null) {
      return required(key, absent, "a text");
    }
    if (!value.isString() || value.asString().isBlank()) {
      throw problem(key, "must be a text");
    }
    return value.asString();
  }

  boolean flag(String key, boolean absent) {
    JsonNode value = get(key);
    if (value == null) {
      return absent;
    }
    if (!value.isBoolean()) {
      throw problem(key, "is " + shown(value) + "; write true or false");
    }
    return value.asBoolean();
  }

  int integer(String key, int absent, int min, int max) {
    JsonNode value = get(key);
    return value == null ? absent : (int) whole(source, at(key), value, min, max);
  }

  double number(String key, double absent, double min, double max) {
    JsonNode value = get(key);
    return value == null ? absent : decimal(source, at(key), value, min, max);
  }

  private static long whole(String source, String path, JsonNode value, long min, long max) {
    if (!value.isIntegralNumber()
        || !value.canConvertToLong()
        || value.asLong() < min
        || value.asLong() > max) {
      throw wrong(
          source, path, "is " + shown(value) + "; write a whole number from " + min + " to " + max);
    }
    return value.asLong();
  }

  private static double decimal(
      String source, String path, JsonNode value, double min, double max) {
    if (!value.isNumber() || !(value.asDouble() >= min && value.asDouble() <= max)) {
      throw wrong(
          source,
          path,
          "is " + shown(value) + "; write a number from " + plain(min) + " to " + plain(max));
    }
    return value.asDouble();
  }

  /** A size such as {@code 2MB}. */
  long bytes(String key, long absent, long min) {
    JsonNode value = get(key);
    if (value == null) {
      return absent;
    }
    OptionalLong bytes = Units.bytes(value.asString(""));
    if (bytes.isEmpty() || bytes.getAsLong() < min) {
      throw problem(
          key,
          "is "
              + shown(value)
              + "; write a size of at least "
              + min
              + " bytes, such as 384KB, 2MB, 1.5GiB");
    }
    return bytes.getAsLong();
  }

  /** A time such as {@code 30s}, in seconds. */
  double seconds(String key, double absent, double min, double max) {
    JsonNode value = get(key);
    if (value == null) {
      return absent;
    }
    OptionalDouble seconds = Units.seconds(value.asString(""));
    if (seconds.isEmpty() || seconds.getAsDouble() < min || seconds.getAsDouble() > max) {
      throw problem(
          key,
          "is "
              + shown(value)
              + "; write a time from "
              + plain(min)
              + "s to "
              + plain(max)
              + "s, such as 500ms, 30s, 5m");
    }
    return seconds.getAsDouble();
  }

  /** A share such as {@code 98.8%}, from 0 to 1. */
  double share(String key, double absent) {
    JsonNode value = get(key);
    if (value == null) {
      return absent;
    }
    OptionalDouble share = Units.share(value.asString(""));
    if (share.isEmpty()) {
      throw problem(key, "is " + shown(value) + "; write a share such as 98.8%");
    }
    return share.getAsDouble();
  }

  /** One of an enum's constants; {@code fresh-names} stands for {@code FRESH_NAMES}. */
  <E extends Enum<E>> E choice(String key, Class<E> type, E absent) {
    JsonNode value = get(key);
    if (value == null) {
      return absent;
    }
    for (E constant : type.getEnumConstants()) {
      if (label(constant).equals(value.asString(""))) {
        return constant;
      }
    }
    List<String> labels = new ArrayList<>();
    for (E constant : type.getEnumConstants()) {
      labels.add(label(constant));
    }
    throw problem(key, "is " + shown(value) + "; write one of " + String.join(", ", labels));
  }

  static String label(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The mapping itself, or null where it is absent. */
  @Nullable JsonNode node() {
    return node;
  }

  /** The value itself, or null where the key is absent. */
  @Nullable JsonNode get(String key) {
    read.add(key);
    return node == null || !node.hasNonNull(key) ? null : node.get(key);
  }

  /** Complains of keys that nobody read. */
  void end() {
    if (node == null) {
      return;
    }
    for (String key : node.propertyNames()) {
      if (!read.contains(key)) {
        throw problem(key, "is no key here; keys are " + String.join(", ", new TreeSet<>(read)));
      }
    }
  }

  ScenarioException problem(@Nullable String key, String what) {
    return wrong(source, key == null ? path : at(key), what);
  }

  private static ScenarioException wrong(String source, String path, String what) {
    return new ScenarioException(source + ": " + (path.isEmpty() ? "" : path + ": ") + what);
  }

  private String required(String key, @Nullable String absent, String what) {
    if (absent == null) {
      throw problem(key, "is missing; write " + what);
    }
    return absent;
  }

  private String at(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  private static String shown(JsonNode value) {
    String text =
        value.isValueNode() ? value.asString("") : value.isArray() ? "a list" : "a mapping";
    return "'" + (text.length() > 60 ? text.substring(0, 60) + "…" : text) + "'";
  }

  private static String plain(double number) {
    return number == Math.rint(number) && Math.abs(number) < 1e15
        ? Long.toString((long) number)
        : Double.toString(number);
  }
}
