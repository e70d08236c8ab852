package io.forebay.cli.importer.model;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Writes maps, lists and texts as YAML, as a person would. */
final class YamlText {
  /** Texts that no reader of YAML takes for anything else. */
  private static final Pattern PLAIN =
      Pattern.compile("[A-Za-z0-9/_.$^+(][A-Za-z0-9/_.$@%+=~^()?;*|\\\\-]*(:[A-Za-z0-9/_.$-]+)*");

  private static final int FLOW_LENGTH = 100;

  private YamlText() {}

  static String of(Map<String, ?> document) {
    StringBuilder out = new StringBuilder();
    mapping(out, document, "");
    return out.toString();
  }

  private static void mapping(StringBuilder out, Map<?, ?> map, String indent) {
    map.forEach((key, value) -> {
      out.append(indent).append(scalar(String.valueOf(key))).append(':');
      value(out, value, indent + "  ");
    });
  }

  private static void value(StringBuilder out, Object value, String indent) {
    String flow = flow(value);
    boolean isSection = indent.length() == 2 && value instanceof Map;
    boolean isText = !(value instanceof Map || value instanceof List);
    boolean isShort = flow.length() + indent.length() <= FLOW_LENGTH && isFlat(value);
    boolean isFlow = isText || (!isSection && isShort);
    if (isFlow) {
      out.append(' ').append(flow).append('\n');
    } else if (value instanceof Map<?, ?> map) {
      out.append('\n');
      mapping(out, map, indent);
    } else {
      out.append('\n');
      for (Object item : (List<?>) value) {
        item(out, item, indent);
      }
    }
  }

  private static void item(StringBuilder out, Object item, String indent) {
    if (item instanceof Map<?, ?> map && !isFlat(item)) {
      StringBuilder inner = new StringBuilder();
      mapping(inner, map, indent + "  ");
      out.append(indent).append("- ").append(inner.substring(indent.length() + 2));
    } else {
      out.append(indent).append("- ").append(flow(item)).append('\n');
    }
  }

  /** Texts, lists of texts, and maps of those without another map with several keys in it. */
  private static boolean isFlat(Object value) {
    return switch (value) {
      case Map<?, ?> map -> map.size() <= 3 && map.values().stream().allMatch(YamlText::isShallow);
      case List<?> list -> list.stream().noneMatch(Map.class::isInstance);
      default -> true;
    };
  }

  private static boolean isShallow(Object value) {
    return value instanceof Map<?, ?> map
        ? map.size() == 1 && map.values().stream().noneMatch(Map.class::isInstance)
        : isFlat(value);
  }

  private static String flow(Object value) {
    return switch (value) {
      case Map<?, ?> map ->
          map.entrySet().stream()
              .map(entry -> scalar(String.valueOf(entry.getKey())) + ": " + flow(entry.getValue()))
              .collect(Collectors.joining(", ", "{", "}"));
      case List<?> list ->
          list.stream().map(YamlText::flow).collect(Collectors.joining(", ", "[", "]"));
      case String text -> scalar(text);
      default -> String.valueOf(value);
    };
  }

  private static String scalar(String text) {
    if (PLAIN.matcher(text).matches() && !text.contains("${")) {
      return text;
    }
    StringBuilder out = new StringBuilder("\"");
    for (char c : text.replace("${", "$${").toCharArray()) {
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ' || c == 0x7f) {
            out.append("\\x%02x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    return out.append('"').toString();
  }
}
