package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rules and the settings of the route that a program becomes. */
final class RuleList {
  /** Methods that rules never see: purges have a list of networks. */
  static final Set<String> PURGES = Set.of("PURGE", "BAN", "PURGEKEYS");

  private static final int MAX_RULES = 1000;

  /** Changes of fields of one rule. */
  private static final int MAX_FIELDS = 60;

  private final Map<String, Object> route = new LinkedHashMap<>();
  private final Map<String, Object> key = new LinkedHashMap<>();
  private final List<Map<String, Object>> rules = new ArrayList<>();
  private String hostOfAll = "";
  private @Nullable Directive hostStatement;

  Map<String, Object> route() {
    return route;
  }

  Map<String, Object> key() {
    return key;
  }

  List<Map<String, Object>> rules() {
    return rules;
  }

  /** Adds to a list of the route's key. */
  void addToKey(String name, List<String> values) {
    @SuppressWarnings("unchecked")
    List<String> known = (List<String>) key.getOrDefault(name, List.of());
    List<String> all = new ArrayList<>(known);
    values.stream().filter(value -> !all.contains(value)).forEach(all::add);
    key.put(name, all);
  }

  /** All requests have this host: if no rule compares it. */
  void fixHost(Directive of, String host) {
    hostOfAll = host;
    hostStatement = of;
  }

  /** Settles what became of the host, when all rules are known. */
  void settleHost(ImportReport report) {
    Directive of = hostStatement;
    if (of == null) {
      return;
    }
    if (rules.toString().contains("host=")) {
      report.left(of, "rules compare the host of the client, so it stays: see key.host");
    } else {
      key.put("host", hostOfAll);
      report.adapted(of, "differs: requests that are passed have the host of the client");
    }
  }

  /** A rule for requests. */
  void add(Condition when, Map<String, Object> actions) throws UntranslatableException {
    add(when, Condition.always(), Map.of(), actions);
  }

  /**
   * A rule whose actions name groups.
   *
   * @param captures the expression on the path that has them, or always
   */
  void add(Condition when, Condition captures, Map<String, Object> actions)
      throws UntranslatableException {
    add(when, captures, Map.of(), actions);
  }

  /** A rule for responses: part of the condition may be on them. */
  void addOnResponse(Condition when, Map<String, Object> actions) throws UntranslatableException {
    addOnResponse(when, Condition.always(), actions);
  }

  /** A rule for responses whose actions name groups. */
  void addOnResponse(Condition when, Condition captures, Map<String, Object> actions)
      throws UntranslatableException {
    boolean isOfStoring = !actions.containsKey("response-headers");
    add(when.ofRequest(), captures, when.response(isOfStoring), actions);
  }

  private void add(
      Condition given,
      Condition captures,
      Map<String, Object> response,
      Map<String, Object> actions)
      throws UntranslatableException {
    Condition when =
        Condition.all(given.parts().stream().filter(part -> !isOfPurges(part)).toList())
            .capturing(captures);
    if (when.isNever()) {
      return;
    }
    if (!when.fits()) {
      throw new UntranslatableException("the condition is too long for a rule");
    }
    Map<String, Object> rule = new LinkedHashMap<>();
    if (!when.isAlways()) {
      rule.put("when", when.when());
    }
    if (!response.isEmpty()) {
      rule.put("response", response);
    }
    Map<String, Object> last = rules.isEmpty() ? Map.of() : rules.getLast();
    if (canJoin(last, rule, actions)) {
      join(last, actions);
      return;
    }
    if (rules.size() == MAX_RULES) {
      throw new UntranslatableException("more than " + MAX_RULES + " rules: see redirect maps");
    }
    rule.putAll(actions);
    rules.add(rule);
  }

  private static boolean isOfPurges(Condition part) {
    return part instanceof Condition.Not(Condition.OnMethod method)
        && PURGES.containsAll(method.methods());
  }

  private static boolean canJoin(
      Map<String, Object> last, Map<String, Object> rule, Map<String, Object> actions) {
    boolean isSame =
        last.getOrDefault("when", "").equals(rule.getOrDefault("when", ""))
            && last.getOrDefault("response", "").equals(rule.getOrDefault("response", ""))
            && !last.isEmpty();
    if (!isSame) {
      return false;
    }
    Set<String> ends = Set.of("deny", "redirect", "respond", "pass", "cache", "rewrite");
    if (last.keySet().stream().anyMatch(ends::contains)
        || actions.keySet().stream().anyMatch(ends::contains)) {
      return false;
    }
    for (Map.Entry<String, Object> action : actions.entrySet()) {
      Object known = last.get(action.getKey());
      if (known != null
          && !(known instanceof Map<?, ?> map && isDisjoint(map, action.getValue()))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isDisjoint(Map<?, ?> one, Object other) {
    Set<String> names = names(one);
    return names.size() < MAX_FIELDS && names(other).stream().noneMatch(names::contains);
  }

  private static Set<String> names(Object edits) {
    Set<String> names = new java.util.HashSet<>();
    if (edits instanceof Map<?, ?> map) {
      for (Object part : map.values()) {
        List<Object> own =
            part instanceof Map<?, ?> lines
                ? new ArrayList<>(lines.keySet())
                : part instanceof List<?> list ? new ArrayList<>(list) : List.of();
        own.forEach(name -> names.add(String.valueOf(name).toLowerCase(java.util.Locale.ROOT)));
      }
    }
    return names;
  }

  /** Adds changes of fields to those of the last rule. */
  private void join(Map<String, Object> last, Map<String, Object> actions) {
    actions.forEach((key, value) -> {
      if (last.get(key) instanceof Map<?, ?> known && value instanceof Map<?, ?> added) {
        Map<String, Object> all = new LinkedHashMap<>();
        known.forEach((name, edits) -> all.put(String.valueOf(name), edits));
        added.forEach((name, edits) -> all.merge(String.valueOf(name), edits, RuleList::both));
        last.put(key, all);
      } else {
        last.put(key, value);
      }
    });
  }

  private static Object both(Object one, Object other) {
    if (one instanceof Map<?, ?> map && other instanceof Map<?, ?> more) {
      Map<Object, Object> all = new LinkedHashMap<>(map);
      all.putAll(more);
      return all;
    }
    List<Object> all = new ArrayList<>((List<?>) one);
    all.addAll((List<?>) other);
    return all;
  }
}
