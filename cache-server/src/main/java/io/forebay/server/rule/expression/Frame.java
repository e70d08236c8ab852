package io.forebay.server.rule.expression;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One evaluation: what it asks about, what its variables hold, and the steps that are left. */
final class Frame {
  /** Names of one map, and characters of one value. */
  static final int MAX_NAMES = 256;

  static final int MAX_VALUE = 8192;

  private static final int LOOKUP_STEPS = 8;
  private static final int PAIR_STEPS = 4;

  private final ExpressionInputs inputs;
  private final Object[] locals;
  private @Nullable Map<Variable, Map<String, String>> maps;
  private final long steps;
  private long left;

  Frame(ExpressionInputs inputs, int slots, long steps) {
    this.inputs = inputs;
    this.locals = new Object[slots];
    this.steps = steps;
    this.left = steps;
  }

  /** The steps that were taken. */
  long taken() {
    return steps - left;
  }

  /** Takes steps. */
  void charge(long more) {
    left -= more;
    if (left < 0) {
      left = 0;
      throw EvaluationException.limit("the evaluation takes more than " + steps + " steps");
    }
  }

  Object local(int slot) {
    return locals[slot];
  }

  void local(int slot, Object value) {
    locals[slot] = value;
  }

  Object value(Variable variable) {
    Object value = inputs.value(variable);
    return value instanceof String text ? bounded(text) : value;
  }

  /** The value of a name in a map, or null. */
  @Nullable String entry(Variable variable, String name) {
    charge(LOOKUP_STEPS);
    Map<Variable, Map<String, String>> known = maps;
    if (variable.hasFieldNames() && (known == null || !known.containsKey(variable))) {
      String value = inputs.field(variable, name);
      return value == null ? null : bounded(value);
    }
    return map(variable).get(name);
  }

  /** All pairs of a map. */
  Map<String, String> map(Variable variable) {
    Map<Variable, Map<String, String>> known = maps;
    if (known == null) {
      known = new EnumMap<>(Variable.class);
      maps = known;
    }
    Map<String, String> map = known.get(variable);
    if (map == null) {
      map = collected(variable);
      known.put(variable, map);
    }
    return map;
  }

  private Map<String, String> collected(Variable variable) {
    Map<String, String> map = new LinkedHashMap<>();
    int[] pairs = new int[1];
    inputs.forEach(
        variable,
        (name, value) -> {
          charge(PAIR_STEPS);
          if (++pairs[0] > MAX_NAMES) {
            throw EvaluationException.limit(variable + " has more than " + MAX_NAMES + " names");
          }
          if (variable.hasFieldNames()) {
            map.merge(name.toLowerCase(Locale.ROOT), value, this::joined);
          } else {
            map.putIfAbsent(name, value);
          }
        });
    map.values().forEach(Frame::bounded);
    return map;
  }

  private String joined(String first, String next) {
    charge(Operators.steps(first.length() + next.length()));
    return first + ", " + next;
  }

  private static String bounded(String text) {
    if (text.length() > MAX_VALUE) {
      throw EvaluationException.limit("a text of more than " + MAX_VALUE + " characters");
    }
    return text;
  }
}
