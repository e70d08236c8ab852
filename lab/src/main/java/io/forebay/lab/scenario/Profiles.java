package io.forebay.lab.scenario;

import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * Applies a profile to the tree of a scenario.
 *
 * <pre>
 *   profiles:
 *     here: {factor: 256, time-factor: 20, set: {load: {clients: 1}}}
 *
 *   1. sizes of memory, disk and footprint, and channels, are divided by factor
 *   2. times are divided by time-factor
 *   3. the keys of set replace those of the file, and are not divided
 * </pre>
 *
 * <p>Object sizes, rates, connections and counts are never divided. A value that is no size or time
 * stays as it is, for the binder to complain of.
 */
final class Profiles {
  private static final String PROFILES = "profiles";

  private Profiles() {}

  /** The tree without profiles, after one was applied. */
  record Applied(ObjectNode tree, double factor, double timeFactor) {}

  static Applied apply(String source, ObjectNode file, Profile profile) {
    MappingReader profiles = new MappingReader(source, PROFILES, file.get(PROFILES));
    double factor = 1;
    double timeFactor = 1;
    @Nullable JsonNode set = null;
    for (Profile each : Profile.values()) {
      MappingReader keys = profiles.mapping(each.label());
      double divideBy = keys.number("factor", 1, 1, 1e9);
      double divideTimesBy = keys.number("time-factor", 1, 1, 1e6);
      JsonNode over = keys.mapping("set").node();
      keys.end();
      if (each == profile) {
        factor = divideBy;
        timeFactor = divideTimesBy;
        set = over;
      }
    }
    profiles.end();
    ObjectNode tree = file.deepCopy();
    tree.remove(PROFILES);
    divide(tree, factor, timeFactor);
    if (tree.get("steps") instanceof ArrayNode steps) {
      for (JsonNode step : steps) {
        if (step instanceof ObjectNode mapping) {
          divide(mapping, factor, timeFactor);
        }
      }
    }
    if (set instanceof ObjectNode over) {
      merge(tree, over);
    }
    return new Applied(tree, factor, timeFactor);
  }

  /** Puts the keys of one mapping over those of another; a key without a value removes it. */
  static void merge(ObjectNode base, ObjectNode over) {
    for (Map.Entry<String, JsonNode> entry : over.properties()) {
      if (entry.getValue().isNull()) {
        base.remove(entry.getKey());
      } else if (entry.getValue() instanceof ObjectNode inner
          && base.get(entry.getKey()) instanceof ObjectNode own) {
        merge(own, inner);
      } else {
        base.set(entry.getKey(), entry.getValue().deepCopy());
      }
    }
  }

  private static void divide(ObjectNode dials, double factor, double timeFactor) {
    if (dials.get("server") instanceof ObjectNode server) {
      divideSize(server, "memory", factor);
      divideSize(server, "disk", factor);
    }
    divideSize(dials, "footprint", factor);
    if (dials.path("channels").isIntegralNumber()) {
      dials.put("channels", Math.max(1, Math.round(dials.get("channels").asLong() / factor)));
    }
    if (dials.get("time") instanceof ObjectNode time) {
      divideTime(time, "warm-up", timeFactor);
      divideTime(time, "measured", timeFactor);
    }
    if (dials.get("search") instanceof ObjectNode search) {
      divideTime(search, "held", timeFactor);
    }
    if (dials.get("load") instanceof ObjectNode load
        && load.get("ramps") instanceof ArrayNode ramps) {
      for (JsonNode ramp : ramps) {
        if (ramp instanceof ObjectNode mapping) {
          divideTime(mapping, "time", timeFactor);
        }
      }
    }
  }

  private static void divideSize(ObjectNode mapping, String key, double factor) {
    OptionalLong bytes = Units.bytes(mapping.path(key).asString(""));
    if (factor != 1 && bytes.isPresent() && bytes.getAsLong() > 0) {
      mapping.set(
          key, StringNode.valueOf(Math.max(1, Math.round(bytes.getAsLong() / factor)) + "B"));
    }
  }

  private static void divideTime(ObjectNode mapping, String key, double factor) {
    OptionalDouble seconds = Units.seconds(mapping.path(key).asString(""));
    if (factor != 1 && seconds.isPresent()) {
      mapping.set(
          key,
          StringNode.valueOf(String.format(Locale.ROOT, "%.3fs", seconds.getAsDouble() / factor)));
    }
  }
}
