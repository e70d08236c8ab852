package io.forebay.server.json;

import io.forebay.server.text.Printable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Parses and writes the JSON bodies of the admin API. */
public final class Json {
  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(16)
                          .maxNumberLength(32)
                          .maxNameLength(256)
                          .maxStringLength(1 << 16)
                          .maxTokenCount(200_000)
                          .maxDocumentLength(1 << 20)
                          .build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private Json() {}

  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  public static byte[] bytes(JsonNode node) {
    // A line break at the end keeps a terminal's prompt where it belongs.
    return (MAPPER.writeValueAsString(node) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** The one object a request body must be. */
  public static ObjectNode object(byte[] body) throws AdminError {
    JsonNode node;
    try {
      node = MAPPER.readTree(body);
    } catch (StreamConstraintsException e) {
      throw new AdminError(
          400,
          "the body exceeds a limit: " + Printable.json(String.valueOf(e.getOriginalMessage())));
    } catch (JacksonException e) {
      throw new AdminError(
          400,
          "the body is not valid JSON: line "
              + e.getLocation().getLineNr()
              + ", column "
              + e.getLocation().getColumnNr());
    }
    if (node instanceof ObjectNode object) {
      return object;
    }
    throw new AdminError(400, "the body must be one JSON object");
  }

  public static void onlyKnown(ObjectNode object, Set<String> known, List<String> problems) {
    for (String name : object.propertyNames()) {
      if (!known.contains(name)) {
        problems.add("unknown field \"" + Printable.json(name) + "\"");
      }
    }
  }

  /** The objects of an array field; empty when it is absent or null. */
  public static List<ObjectNode> objects(ObjectNode object, String name, List<String> problems) {
    JsonNode node = object.get(name);
    if (node == null || node.isNull()) {
      return List.of();
    }
    List<ObjectNode> objects = new ArrayList<>(node.size());
    boolean areObjects = node.isArray();
    for (int i = 0; areObjects && i < node.size(); i++) {
      if (node.get(i) instanceof ObjectNode item) {
        objects.add(item);
      } else {
        areObjects = false;
      }
    }
    if (!areObjects) {
      problems.add(name + " must be an array of objects");
    }
    return objects;
  }

  /** The text of a field; null when it is absent, null or wrong. */
  public static @Nullable String text(
      ObjectNode object, String name, int maxLength, List<String> problems) {
    JsonNode node = object.get(name);
    if (node == null || node.isNull()) {
      return null;
    }
    String problem = node.isString() ? problem(node.stringValue(), maxLength) : " must be a string";
    if (problem != null) {
      problems.add(name + problem);
      return null;
    }
    return node.stringValue();
  }

  private static @Nullable String problem(String text, int maxLength) {
    if (text.isEmpty()) {
      return " is empty";
    }
    if (text.length() > maxLength) {
      return " is longer than " + maxLength + " characters";
    }
    return text.chars().anyMatch(Character::isISOControl) ? " contains a control character" : null;
  }

  /** The texts of an array field; empty when it is absent or null. */
  public static List<String> texts(
      ObjectNode object, String name, int maxLength, List<String> problems) {
    JsonNode node = object.get(name);
    if (node == null || node.isNull()) {
      return List.of();
    }
    if (!node.isArray()) {
      problems.add(name + " must be an array of strings");
      return List.of();
    }
    List<String> texts = new ArrayList<>(node.size());
    for (int i = 0; i < node.size(); i++) {
      JsonNode item = node.get(i);
      String place = name + "[" + i + "]";
      String problem =
          item.isString() ? problem(item.stringValue(), maxLength) : " must be a string";
      if (problem == null) {
        texts.add(item.stringValue());
      } else {
        problems.add(place + problem);
      }
    }
    return texts;
  }

  public static boolean flag(
      ObjectNode object, String name, boolean isDefault, List<String> problems) {
    JsonNode node = object.get(name);
    if (node == null || node.isNull()) {
      return isDefault;
    }
    if (!node.isBoolean()) {
      problems.add(name + " must be true or false");
      return isDefault;
    }
    return node.booleanValue();
  }

  public static double number(
      ObjectNode object,
      String name,
      double defaultValue,
      double min,
      double max,
      List<String> problems) {
    JsonNode node = object.get(name);
    if (node == null || node.isNull()) {
      return defaultValue;
    }
    if (!node.isNumber() || node.doubleValue() < min || node.doubleValue() > max) {
      problems.add(name + " must be a number from " + plain(min) + " to " + plain(max));
      return defaultValue;
    }
    return node.doubleValue();
  }

  private static String plain(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }

  /** Nanoseconds as milliseconds with three decimals. */
  public static double millis(long nanos) {
    return Math.round(nanos / 1e3) / 1e3;
  }
}
