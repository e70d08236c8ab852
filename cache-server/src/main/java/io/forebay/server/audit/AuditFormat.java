package io.forebay.server.audit;

import io.forebay.server.config.LogConfig;
import io.forebay.server.text.SecretMask;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes events as lines of JSON of at most {@link #MAX_LINE} bytes. Secrets are masked; long
 * texts, such as documents of configuration, are told by length and SHA-256.
 */
final class AuditFormat {
  static final int SCHEMA_VERSION = 1;
  static final int MAX_LINE = 16 << 10;

  private static final int MAX_PARAMETERS = 8 << 10;
  private static final int MAX_TEXT = 512;
  private static final int MAX_ITEMS = 20;
  private static final int MAX_DEPTH = 8;
  private static final int MAX_ANSWER_TEXT = 200;
  private static final int MAX_ANSWER_MEMBERS = 16;
  private static final String MASKED = "***";

  /** What the names of members with secrets contain. */
  private static final List<String> SECRET_NAMES =
      List.of("token", "secret", "password", "passwd", "credential", "authorization");

  private static final JsonMapper JSON = JsonMapper.shared();

  private final SecretMask mask;

  /** Hides values of these parameters, and those that are secrets by their usual names. */
  AuditFormat(List<String> masked) {
    mask =
        new SecretMask(
            Stream.concat(LogConfig.Lines.DEFAULT.mask().stream(), masked.stream())
                .distinct()
                .toList());
  }

  /** The line with its end. */
  byte[] line(AuditEvent event, long epochMillis) {
    ObjectNode line = object();
    line.put("v", SCHEMA_VERSION);
    line.put("ts", Instant.ofEpochMilli(epochMillis).toString());
    line.put("action", shortened(event.action()));
    actor(line.putObject("actor"), event.actor());
    byte[] given = event.parameters();
    if (given != null && given.length > 0) {
      parameters(line, given);
    }
    line.put("result", lower(event.result()));
    if (event.status() != 0) {
      line.put("status", event.status());
    }
    byte[] answer = event.answer();
    if (answer != null) {
      answer(line, answer);
    }
    if (event.tookNanos() > 0) {
      line.put("duration_us", event.tookNanos() / 1000);
    }
    if (event.suppressed() > 0) {
      line.put("suppressed", event.suppressed());
    }
    byte[] bytes = bytes(line);
    if (bytes.length > MAX_LINE) {
      line.remove(List.of("answer", "parameters"));
      line.put("truncated", true);
      bytes = bytes(line);
    }
    return bytes;
  }

  private static void actor(ObjectNode node, AuditActor actor) {
    node.put("by", lower(actor.by()));
    put(node, "address", actor.address());
    put(node, "user", actor.user());
    put(node, "group", actor.group());
  }

  private static void put(ObjectNode node, String name, @Nullable String value) {
    if (value != null) {
      node.put(name, shortened(value));
    }
  }

  private void parameters(ObjectNode line, byte[] given) {
    JsonNode read = read(given);
    JsonNode shown =
        read instanceof ObjectNode
            ? masked(read, 0)
            : text(new String(given, StandardCharsets.UTF_8));
    if (bytes(shown).length > MAX_PARAMETERS) {
      shown = digest(given);
    }
    line.set("parameters", shown);
  }

  /** The members of the response that are single values. */
  private void answer(ObjectNode line, byte[] answer) {
    if (!(read(answer) instanceof ObjectNode object)) {
      return;
    }
    ObjectNode shown = object();
    for (Map.Entry<String, JsonNode> member : object.properties()) {
      JsonNode value = member.getValue();
      if (shown.size() < MAX_ANSWER_MEMBERS && value.isValueNode() && !value.isNull()) {
        String text = value.isString() ? value.stringValue() : null;
        if (text == null || text.length() <= MAX_ANSWER_TEXT || member.getKey().equals("error")) {
          shown.set(member.getKey(), isSecret(member.getKey()) ? hidden() : masked(value, 0));
        }
      }
    }
    if (!shown.isEmpty()) {
      line.set("answer", shown);
    }
  }

  private static @Nullable JsonNode read(byte[] bytes) {
    try {
      return JSON.readTree(bytes);
    } catch (JacksonException e) {
      return null;
    }
  }

  private JsonNode masked(JsonNode node, int depth) {
    if (depth > MAX_DEPTH) {
      return JsonNodeFactory.instance.stringNode("…");
    }
    return switch (node) {
      case ObjectNode object -> members(object, depth + 1);
      case ArrayNode array -> items(array, depth + 1);
      default -> node.isString() ? text(node.stringValue()) : node;
    };
  }

  private ObjectNode members(ObjectNode object, int depth) {
    ObjectNode shown = object();
    for (Map.Entry<String, JsonNode> member : object.properties()) {
      String name = member.getKey();
      shown.set(shortened(name), isSecret(name) ? hidden() : masked(member.getValue(), depth));
    }
    return shown;
  }

  private ArrayNode items(ArrayNode array, int depth) {
    ArrayNode shown = JsonNodeFactory.instance.arrayNode();
    for (int i = 0; i < array.size() && i < MAX_ITEMS; i++) {
      shown.add(masked(array.get(i), depth));
    }
    if (array.size() > MAX_ITEMS) {
      shown.add("… " + (array.size() - MAX_ITEMS) + " more");
    }
    return shown;
  }

  private JsonNode text(String value) {
    return value.length() > MAX_TEXT || value.indexOf('\n') >= 0
        ? digest(value.getBytes(StandardCharsets.UTF_8))
        : JsonNodeFactory.instance.stringNode(mask.apply(value));
  }

  private static ObjectNode digest(byte[] of) {
    try {
      byte[] sum = MessageDigest.getInstance("SHA-256").digest(of);
      return object().put("bytes", of.length).put("sha256", HexFormat.of().formatHex(sum));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("no SHA-256 in this Java", e);
    }
  }

  private static boolean isSecret(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return SECRET_NAMES.stream().anyMatch(lower::contains);
  }

  private static JsonNode hidden() {
    return JsonNodeFactory.instance.stringNode(MASKED);
  }

  private static String shortened(String text) {
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  private static byte[] bytes(JsonNode node) {
    return (JSON.writeValueAsString(node) + "\n").getBytes(StandardCharsets.UTF_8);
  }
}
