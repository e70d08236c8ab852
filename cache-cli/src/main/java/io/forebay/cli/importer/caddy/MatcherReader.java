package io.forebay.cli.importer.caddy;

import io.forebay.cli.importer.model.Conditions;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.server.text.LinearRegex;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Matchers as conditions of rules. */
final class MatcherReader {
  static final List<String> PRIVATE_RANGES =
      List.of("192.168.0.0/16", "172.16.0.0/12", "10.0.0.0/8", "127.0.0.1/8", "fd00::/8", "::1");

  private static final Pattern SPECIAL = Pattern.compile("[.\\[\\](){}+|^$\\\\]");

  private final ImportReport report;
  private boolean isCaseTold;

  /** Whether the statement that is read restricts access: its paths are compared without case. */
  private boolean isRestriction;

  MatcherReader(ImportReport report) {
    this.report = report;
  }

  /** The matcher that a statement begins with, if it has one. */
  Matched of(Directive statement, Scope scope) throws UntranslatableException {
    String first = statement.argument(0);
    isRestriction = restricts(statement);
    if (first.equals("*")) {
      return Matched.ALL.naming(1);
    }
    if (first.startsWith("/")) {
      rewritten(statement, scope);
      Map<String, Object> condition = path(statement, List.of(first), scope);
      return new Matched(condition, first, null, 1);
    }
    if (!first.startsWith("@")) {
      return Matched.ALL;
    }
    Directive definition = scope.matchers.get(first);
    if (definition == null) {
      throw new UntranslatableException("no matcher is named " + first);
    }
    Matched matched = named(definition, scope).naming(1);
    if (usesPath(definition)) {
      rewritten(statement, scope);
    }
    return matched;
  }

  /** Whether a statement keeps requests from an origin. */
  static boolean restricts(Directive statement) {
    return statement.name().matches("abort|basic_?auth|forward_auth")
        || (statement.name().matches("respond|error")
            && statement.arguments().stream().anyMatch(each -> each.matches("401|403")));
  }

  private void rewritten(Directive statement, Scope scope) {
    if (scope.isRewritten) {
      report.adapted(
          statement, "it compares the path as the client sent it, before it is rewritten");
    }
  }

  private static boolean usesPath(Directive definition) {
    return definition.argument(0).startsWith("path")
        || definition.block().stream().anyMatch(each -> each.name().startsWith("path"));
  }

  private Matched named(Directive definition, Scope scope) throws UntranslatableException {
    try {
      Matched matched =
          definition.hasBlock() && definition.arguments().isEmpty()
              ? set(definition.block(), scope)
              : set(List.of(inline(definition)), scope);
      report.allTaken(definition);
      return matched;
    } catch (UntranslatableException e) {
      report.allLeft(definition, e.reason());
      throw new UntranslatableException("its matcher: " + e.reason());
    }
  }

  /** {@code @name path /a} as the statement {@code path /a}. */
  private static Directive inline(Directive definition) {
    List<String> words = definition.arguments();
    return new Directive(
        definition.file(),
        definition.line(),
        definition.argument(0),
        words.subList(Math.min(1, words.size()), words.size()),
        definition.hasBlock() ? definition.block() : null);
  }

  /** A set of matchers, all of which have to hold; several of one kind: one of them. */
  private Matched set(List<Directive> set, Scope scope) throws UntranslatableException {
    Map<String, List<Directive>> byKind = new LinkedHashMap<>();
    for (Directive each : set) {
      byKind.computeIfAbsent(each.name(), kind -> new ArrayList<>()).add(each);
    }
    Map<String, Object> condition = null;
    String path = "";
    String regexName = null;
    for (Map.Entry<String, List<Directive>> kind : byKind.entrySet()) {
      List<Directive> all = kind.getValue();
      List<String> values = all.stream().flatMap(each -> each.arguments().stream()).toList();
      if (kind.getKey().equals("path") && values.size() == 1) {
        path = values.getFirst();
      }
      if (kind.getKey().equals("path_regexp")) {
        regexName = values.size() == 2 ? values.getFirst() : "";
      }
      condition = Conditions.both(condition, one(kind.getKey(), all, values, scope));
    }
    if (condition == null) {
      throw new UntranslatableException("an empty set of matchers");
    }
    return new Matched(condition, path, regexName, 0);
  }

  private Map<String, Object> one(
      String kind, List<Directive> all, List<String> values, Scope scope)
      throws UntranslatableException {
    if (values.isEmpty() && !kind.equals("not")) {
      throw new UntranslatableException("a matcher without a value");
    }
    return switch (kind) {
      case "path" -> path(all.getFirst(), values, scope);
      case "path_regexp" -> {
        String expression = values.getLast();
        if (!scope.cut.isEmpty()) {
          if (!expression.startsWith("^")) {
            throw new UntranslatableException("an expression on a part of the path");
          }
          expression = "^" + quoted(scope.cut) + expression.substring(1);
        }
        yield Map.of("path", Map.of("regex", regex(expression)));
      }
      case "method" ->
          Map.of("method", values.stream().map(each -> each.toUpperCase(Locale.ROOT)).toList());
      case "host" -> Map.of("host", hosts(values));
      case "protocol" -> {
        if (!values.getFirst().matches("https?")) {
          throw new UntranslatableException("the protocols are http and https");
        }
        yield Map.of("scheme", values.getFirst());
      }
      case "remote_ip", "client_ip" -> Map.of("client", networks(all.getFirst(), values));
      case "header" -> headers(all);
      case "header_regexp" -> {
        if (all.size() > 1 || values.size() < 2) {
          throw new UntranslatableException("one field and its expression");
        }
        String name = values.get(values.size() - 2);
        yield Map.of("header", Map.of(field(name), Map.of("regex", regex(values.getLast()))));
      }
      case "query" -> query(values);
      case "not" -> not(all, scope);
      default -> throw new UntranslatableException("rules have no condition like " + kind);
    };
  }

  private Map<String, Object> not(List<Directive> all, Scope scope) throws UntranslatableException {
    Map<String, Object> condition = null;
    for (Directive each : all) {
      List<Directive> inner =
          each.hasBlock() && each.arguments().isEmpty() ? each.block() : List.of(inline(each));
      Map<String, Object> set = set(inner, scope).condition();
      if (set == null) {
        throw new UntranslatableException("not without a matcher");
      }
      condition = Conditions.both(condition, Map.of("not", set));
    }
    return condition == null ? Map.of() : condition;
  }

  // --- paths -------------------------------------------------------------------------------------

  private Map<String, Object> path(Directive of, List<String> patterns, Scope scope)
      throws UntranslatableException {
    Map<String, List<String>> byKind = new LinkedHashMap<>();
    List<Map<String, Object>> alternatives = new ArrayList<>();
    for (String pattern : patterns) {
      if (isRestriction && !pattern.contains("{") && !pattern.contains("%")) {
        String whole = pattern.startsWith("/") ? scope.cut + pattern : pattern;
        alternatives.add(Map.of("regex", regex(withoutCase(whole))));
        continue;
      }
      if (pattern.contains("{") || pattern.contains("%")) {
        throw new UntranslatableException("a path with a placeholder or an escape");
      }
      String whole = pattern.startsWith("/") ? scope.cut + pattern : pattern;
      String inner = whole.replaceFirst("^\\*", "").replaceFirst("\\*$", "");
      if (inner.contains("*")) {
        // There a star in the middle ends at a slash.
        String regex = "^" + quoted(whole).replace("*", "[^/]*") + "$";
        boolean isAtEnds = whole.startsWith("*") || whole.endsWith("*");
        alternatives.add(Map.of("regex", regex(isAtEnds ? regex.replace("[^/]*$", ".*$") : regex)));
      } else if (whole.equals("*") || whole.equals("/*")) {
        alternatives.add(Map.of("prefix", "/"));
      } else if (whole.startsWith("*") && whole.endsWith("*")) {
        byKind.computeIfAbsent("glob", kind -> new ArrayList<>()).add(whole);
      } else if (whole.startsWith("*")) {
        byKind.computeIfAbsent("suffix", kind -> new ArrayList<>()).add(inner);
      } else if (whole.endsWith("*") && !inner.endsWith("/")) {
        // A prefix ends where a segment does; there it is any beginning.
        alternatives.add(Map.of("regex", regex("^" + quoted(inner))));
      } else {
        String kind = whole.endsWith("*") ? "prefix" : "is";
        byKind.computeIfAbsent(kind, key -> new ArrayList<>()).add(inner);
      }
    }
    byKind.forEach((kind, texts) ->
        alternatives.add(Map.of(kind, texts.size() == 1 ? texts.getFirst() : List.copyOf(texts))));
    if (!isCaseTold && !isRestriction) {
      isCaseTold = true;
      report.adapted(of, "paths are compared with case, in all matchers");
    }
    return Conditions.any(
        alternatives.stream().map(each -> Map.<String, Object>of("path", each)).toList());
  }

  /** An expression for what a pattern stands for, whatever the case. */
  private static String withoutCase(String pattern) {
    boolean isOpenAtStart = pattern.startsWith("*");
    boolean isOpenAtEnd = pattern.endsWith("*") && pattern.length() > 1;
    String inner =
        pattern.substring(isOpenAtStart ? 1 : 0, pattern.length() - (isOpenAtEnd ? 1 : 0));
    // There a star in the middle ends at a slash.
    return "(?i)"
        + (isOpenAtStart ? "" : "^")
        + quoted(inner).replace("*", "[^/]*")
        + (isOpenAtEnd || inner.isEmpty() ? "" : "$");
  }

  static String quoted(String text) {
    return SPECIAL.matcher(text).replaceAll("\\\\$0");
  }

  private static String regex(String text) throws UntranslatableException {
    try {
      return LinearRegex.of(text).toString();
    } catch (IllegalArgumentException e) {
      throw new UntranslatableException("an expression that rules do not have: " + e.getMessage());
    }
  }

  // --- other parts -------------------------------------------------------------------------------

  private static List<String> hosts(List<String> values) throws UntranslatableException {
    for (String value : values) {
      if (!value.matches("[A-Za-z0-9._*-]+|\\[[0-9A-Fa-f:.]+]")) {
        throw new UntranslatableException(value + " is not a host");
      }
    }
    return values;
  }

  private List<String> networks(Directive of, List<String> values) throws UntranslatableException {
    List<String> networks = new ArrayList<>();
    for (String value : values) {
      if (value.equals("private_ranges")) {
        networks.addAll(PRIVATE_RANGES);
      } else if (value.equals("forwarded")) {
        report.adapted(of, "X-Forwarded-For counts for the proxies in forwarding.trusted only");
      } else if (value.matches("[0-9A-Fa-f:.]+(/\\d{1,3})?")) {
        networks.add(value);
      } else {
        throw new UntranslatableException(value + " is no network");
      }
    }
    if (networks.isEmpty()) {
      throw new UntranslatableException("no network");
    }
    return networks;
  }

  /** Fields of several names hold together; values of one name are alternatives. */
  private static Map<String, Object> headers(List<Directive> all) throws UntranslatableException {
    Map<String, List<String>> values = new LinkedHashMap<>();
    Map<String, Object> condition = null;
    for (Directive each : all) {
      String name = each.argument(0);
      if (name.startsWith("!")) {
        Map<String, Object> present = Map.of("header", Map.of(field(name.substring(1)), "*"));
        condition = Conditions.both(condition, Map.of("not", present));
      } else {
        values
            .computeIfAbsent(field(name), key -> new ArrayList<>())
            .add(each.arguments().size() < 2 ? "*" : each.argument(1));
      }
    }
    for (Map.Entry<String, List<String>> field : values.entrySet()) {
      List<String> texts = field.getValue();
      if (texts.stream().anyMatch(text -> text.contains("{") || text.contains("?"))) {
        throw new UntranslatableException("a value with a placeholder or a question mark");
      }
      condition =
          Conditions.both(
              condition,
              Map.of(
                  "header", Map.of(field.getKey(), texts.size() == 1 ? texts.getFirst() : texts)));
    }
    return condition == null ? Map.of() : condition;
  }

  private static String field(String name) throws UntranslatableException {
    if (!name.matches("[A-Za-z0-9_-]{1,128}") || name.equalsIgnoreCase("host")) {
      throw new UntranslatableException(
          name.equalsIgnoreCase("host") ? "use the matcher host" : name + " is no field");
    }
    return name;
  }

  private static Map<String, Object> query(List<String> values) throws UntranslatableException {
    Map<String, List<String>> byName = new LinkedHashMap<>();
    for (String value : values) {
      for (String pair : value.split("&", -1)) {
        int equals = pair.indexOf('=');
        String text = equals < 0 ? "*" : pair.substring(equals + 1);
        if (equals == 0 || pair.isEmpty() || pair.contains("{") || text.contains("?")) {
          throw new UntranslatableException("a parameter that is not NAME=VALUE");
        }
        byName
            .computeIfAbsent(
                equals < 0 ? pair : pair.substring(0, equals), key -> new ArrayList<>())
            .add(text);
      }
    }
    Map<String, Object> test = new LinkedHashMap<>();
    byName.forEach((name, texts) -> test.put(name, texts.size() == 1 ? texts.getFirst() : texts));
    return Map.of("query", test);
  }

  /** Whether a condition is on what is in every key. */
  static boolean isInKey(@Nullable Object condition) {
    return switch (condition) {
      case null -> true;
      case Map<?, ?> map -> {
        boolean isInKey = true;
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          String key = String.valueOf(entry.getKey());
          isInKey &=
              switch (key) {
                case "path", "host", "scheme", "query" -> true;
                case "any", "all", "not" -> isInKey(entry.getValue());
                default -> false;
              };
        }
        yield isInKey;
      }
      case List<?> list -> list.stream().allMatch(MatcherReader::isInKey);
      default -> true;
    };
  }
}
