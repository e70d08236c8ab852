package io.forebay.server.cluster.etcd;

import io.forebay.server.cluster.etcd.EtcdException.Kind;
import io.forebay.server.text.Printable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The JSON of etcd's gateway: numbers of 64 bits are strings, keys and values are base64. */
final class EtcdJson {
  /** Bound of one answer: a page of keys, or the events of one message of a watch. */
  static final int MAX_BYTES = 4 << 20;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(16)
                          .maxNumberLength(32)
                          .maxNameLength(256)
                          .maxStringLength(1 << 20)
                          .maxDocumentLength(MAX_BYTES)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private EtcdJson() {}

  static byte[] bytes(ObjectNode body) {
    return MAPPER.writeValueAsBytes(body);
  }

  static ObjectNode object(byte[] answer) throws EtcdException {
    try {
      if (MAPPER.readTree(answer) instanceof ObjectNode object) {
        return object;
      }
    } catch (JacksonException e) {
      throw new EtcdException(
          Kind.UNAVAILABLE,
          "etcd answered what is no JSON: "
              + Printable.json(String.valueOf(e.getOriginalMessage())));
    }
    throw new EtcdException(Kind.UNAVAILABLE, "etcd answered what is no JSON object");
  }

  static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String text(JsonNode base64) throws EtcdException {
    try {
      return new String(Base64.getDecoder().decode(base64.asString("")), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new EtcdException(Kind.UNAVAILABLE, "etcd answered what is no base64");
    }
  }

  /** A number of 64 bits; 0 where the key is absent. */
  static long number(JsonNode object, String name) throws EtcdException {
    JsonNode node = object.path(name);
    if (node.isMissingNode() || node.isNull()) {
      return 0;
    }
    try {
      return Long.parseLong(node.asString(""));
    } catch (NumberFormatException e) {
      throw new EtcdException(Kind.UNAVAILABLE, "etcd answered no number as " + name);
    }
  }

  static long revision(JsonNode answer) throws EtcdException {
    return number(answer.path("header"), "revision");
  }

  static KeyValue keyValue(JsonNode kv) throws EtcdException {
    return new KeyValue(text(kv.path("key")), text(kv.path("value")), number(kv, "mod_revision"));
  }

  static List<KeyValue> keyValues(JsonNode range) throws EtcdException {
    List<KeyValue> found = new ArrayList<>();
    for (JsonNode kv : range.path("kvs")) {
      found.add(keyValue(kv));
    }
    return found;
  }

  /** The first key after all keys with a prefix. */
  static String endOf(String prefix) {
    int last = prefix.length() - 1;
    return prefix.substring(0, last) + (char) (prefix.charAt(last) + 1);
  }
}
