package io.forebay.cli.importer.trafficserver;

import io.forebay.cli.importer.model.UntranslatableException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** {@code @action}, {@code @method} and {@code @src_ip}: a rule that refuses requests. */
final class AccessFilter {
  /** What is refused while a filter cannot be expressed: everything. */
  static final Map<String, Object> CLOSED = Map.of("deny", "403");

  private static final Set<String> NAMES =
      Set.of("action", "method", "src_ip", "in_ip", "internal", "src_ip_category");

  private AccessFilter() {}

  /** Whether a word such as {@code @method=GET} belongs to a filter. */
  static boolean has(String word) {
    return word.startsWith("@") && NAMES.contains(name(word));
  }

  private static String name(String word) {
    int equals = word.indexOf('=');
    return word.substring(1, equals < 0 ? word.length() : equals).toLowerCase(Locale.ROOT);
  }

  /**
   * The rules of a filter; none where it allows everything.
   *
   * @param words such as {@code @method=GET}
   */
  static List<Map<String, Object>> rules(List<String> words) throws UntranslatableException {
    boolean isAllow = true;
    List<String> methods = new ArrayList<>();
    List<String> networks = new ArrayList<>();
    for (String word : words) {
      int equals = word.indexOf('=');
      String value = equals < 0 ? "" : word.substring(equals + 1);
      switch (name(word)) {
        case "action" -> {
          if (!value.matches("(?i)allow|deny|[01]|on|off")) {
            throw new UntranslatableException("@action is allow or deny");
          }
          isAllow = value.matches("(?i)allow|1|on");
        }
        case "method" -> {
          if (!value.matches("[A-Za-z-]{1,32}")) {
            throw new UntranslatableException(value + " is not a method");
          }
          methods.add(value.toUpperCase(Locale.ROOT));
        }
        case "src_ip" -> {
          if (value.startsWith("~")) {
            throw new UntranslatableException("networks that clients must not be in");
          }
          networks.addAll(AddressRange.networks(value));
        }
        default -> throw new UntranslatableException("rules have no condition on " + word);
      }
    }
    Map<String, Object> condition = new LinkedHashMap<>();
    if (!methods.isEmpty()) {
      condition.put("method", methods);
    }
    if (!networks.isEmpty()) {
      condition.put("client", networks);
    }
    if (condition.isEmpty()) {
      return isAllow ? List.of() : List.of(CLOSED);
    }
    Map<String, Object> rule = new LinkedHashMap<>();
    rule.put("when", isAllow ? Map.of("not", condition) : condition);
    rule.put("deny", "403");
    return List.of(rule);
  }
}
