package io.forebay.server.rule.expression;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A message whose parts a test sets. */
final class MessageFake implements ExpressionInputs {
  private final Map<Variable, Object> values = new HashMap<>();
  private final Map<Variable, List<Map.Entry<String, String>>> pairs = new HashMap<>();

  MessageFake set(Variable variable, Object value) {
    values.put(variable, value);
    return this;
  }

  MessageFake add(Variable variable, String name, String value) {
    pairs.computeIfAbsent(variable, any -> new ArrayList<>()).add(Map.entry(name, value));
    return this;
  }

  /** The pairs of a map; of the same name the first. */
  Map<String, String> map(Variable variable) {
    Map<String, String> map = new HashMap<>();
    forEach(variable, map::putIfAbsent);
    return map;
  }

  @Override
  public Object value(Variable variable) {
    return Objects.requireNonNull(values.get(variable), variable::toString);
  }

  @Override
  public @Nullable String field(Variable variable, String lowerCaseName) {
    List<String> lines = new ArrayList<>();
    forEach(
        variable,
        (name, value) -> {
          if (name.equalsIgnoreCase(lowerCaseName)) {
            lines.add(value);
          }
        });
    return lines.isEmpty() ? null : String.join(", ", lines);
  }

  @Override
  public void forEach(Variable variable, BiConsumer<String, String> visitor) {
    pairs
        .getOrDefault(variable, List.of())
        .forEach(pair -> visitor.accept(pair.getKey(), pair.getValue()));
  }
}
