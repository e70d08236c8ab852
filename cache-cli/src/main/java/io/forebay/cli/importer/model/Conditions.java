package io.forebay.cli.importer.model;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Conditions of rules, put together. */
public final class Conditions {
  private Conditions() {}

  /** A condition that holds where both do; null is one that always holds. */
  public static Map<String, Object> both(
      @Nullable Map<String, Object> one, @Nullable Map<String, Object> other) {
    if (one == null || other == null) {
      return one == null ? (other == null ? Map.of() : other) : one;
    }
    if (one.keySet().stream().noneMatch(other::containsKey)) {
      Map<String, Object> both = new LinkedHashMap<>(one);
      both.putAll(other);
      return both;
    }
    return Map.of("all", List.of(one, other));
  }

  /** A condition that holds where none of these does. */
  public static Map<String, Object> none(List<Map<String, Object>> conditions) {
    return Map.of("not", any(conditions));
  }

  /** A condition that holds where one of these does. */
  public static Map<String, Object> any(List<Map<String, Object>> conditions) {
    return conditions.size() == 1 ? conditions.getFirst() : Map.of("any", List.copyOf(conditions));
  }

  /** The rule with a further condition; null is one that always holds. */
  public static Map<String, Object> limited(
      Map<String, Object> rule, @Nullable Map<String, Object> condition) {
    if (condition == null || condition.isEmpty()) {
      return new LinkedHashMap<>(rule);
    }
    Map<String, Object> limited = new LinkedHashMap<>();
    limited.put(
        "when",
        rule.get("when") instanceof Map<?, ?> own ? both(condition, typed(own)) : condition);
    rule.forEach(limited::putIfAbsent);
    return limited;
  }

  private static Map<String, Object> typed(Map<?, ?> condition) {
    Map<String, Object> typed = new LinkedHashMap<>();
    condition.forEach((key, value) -> typed.put(String.valueOf(key), value));
    return typed;
  }
}
