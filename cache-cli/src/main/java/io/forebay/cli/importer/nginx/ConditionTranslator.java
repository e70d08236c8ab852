package io.forebay.cli.importer.nginx;

import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.server.text.LinearRegex;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Regular expressions and texts with variables of nginx in the words of rules. */
final class ConditionTranslator {
  private static final Pattern GROUP = Pattern.compile("\\\\.|\\((\\?(P?<(\\w+)>)?)?");
  private static final Pattern VARIABLE = Pattern.compile("\\$(?:\\{(\\w+)}|(\\w+))");

  private ConditionTranslator() {}

  /** An expression that rules have, and the numbers of its named groups. */
  record Regex(String text, Map<String, Integer> groups) {}

  /**
   * An expression of nginx (PCRE) as rules have them (RE2).
   *
   * @param ignoresCase as {@code ~*} does
   */
  static Regex regex(String pcre, boolean ignoresCase) throws UntranslatableException {
    Map<String, Integer> groups = new LinkedHashMap<>();
    StringBuilder out = new StringBuilder(ignoresCase ? "(?i)" : "");
    Matcher matcher = GROUP.matcher(pcre);
    int number = 0;
    int at = 0;
    while (matcher.find()) {
      out.append(pcre, at, matcher.start());
      at = matcher.end();
      String name = matcher.group(3);
      if (name != null) {
        groups.put(name, ++number);
        out.append('(');
        continue;
      }
      if (matcher.group().equals("(")) {
        number++;
      }
      out.append(matcher.group());
    }
    out.append(pcre, at, pcre.length());
    try {
      LinearRegex checked = LinearRegex.of(out.toString());
      return new Regex(checked.toString(), groups);
    } catch (IllegalArgumentException e) {
      throw new UntranslatableException(
          "the expression cannot be matched in linear time, or is too large: " + e.getMessage());
    }
  }

  /**
   * A text with variables as a template of rules.
   *
   * @param groups numbers of named groups of the expression that holds
   * @param serverName what {@code $server_name} stands for
   */
  static String template(String text, Map<String, Integer> groups, String serverName)
      throws UntranslatableException {
    StringBuilder out = new StringBuilder();
    Matcher matcher = VARIABLE.matcher(text);
    int at = 0;
    while (matcher.find()) {
      out.append(literal(text.substring(at, matcher.start())));
      at = matcher.end();
      String name = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
      String after = text.substring(at);
      Integer group = groups.get(name);
      if (group != null) {
        out.append(variable(String.valueOf(group), after));
        continue;
      }
      switch (name) {
        case "scheme", "host" -> out.append(variable(name, after));
        case "http_host" -> out.append(variable("host", after));
        case "server_name" -> {
          if (serverName.isEmpty()) {
            throw new UntranslatableException("$server_name has no value here");
          }
          out.append(serverName);
        }
        case "uri", "document_uri" -> out.append(variable("path", after));
        case "request_uri" -> out.append(variable("uri", after));
        case "args", "query_string" -> out.append(variable("query", after));
        // A question mark before an empty query goes.
        case "is_args" -> out.append('?');
        default -> {
          if (name.matches("[1-9]")) {
            out.append(variable(name, after));
          } else {
            throw new UntranslatableException("rules have no variable for $" + name);
          }
        }
      }
    }
    return out.append(literal(text.substring(at))).toString();
  }

  private static String literal(String text) throws UntranslatableException {
    if (text.indexOf('$') >= 0) {
      throw new UntranslatableException("a lone $");
    }
    return text;
  }

  private static String variable(String name, String after) {
    boolean isGlued = !after.isEmpty() && Character.isLetterOrDigit(after.charAt(0));
    return isGlued ? "$(" + name + ")" : "$" + name;
  }

  /**
   * The condition of an {@code if}: a variable, or one that is compared.
   *
   * @return a condition of rules
   */
  static Map<String, Object> condition(List<String> words) throws UntranslatableException {
    List<String> plain = new ArrayList<>(words);
    if (plain.isEmpty() || !plain.getFirst().startsWith("(") || !plain.getLast().endsWith(")")) {
      throw new UntranslatableException("a condition that is not in parentheses");
    }
    plain.set(0, plain.getFirst().substring(1));
    int last = plain.size() - 1;
    plain.set(last, plain.get(last).substring(0, plain.get(last).length() - 1));
    if (plain.getFirst().isEmpty()) {
      plain.removeFirst();
    }
    // What is compared may be an empty text, whose quotes are no part of the last word.
    if (plain.size() != 3 && !plain.isEmpty() && plain.getLast().isEmpty()) {
      plain.removeLast();
    }
    if (plain.isEmpty() || !plain.getFirst().startsWith("$")) {
      throw new UntranslatableException("rules know nothing of files");
    }
    String variable = plain.getFirst().substring(1);
    if (plain.size() == 1) {
      return present(variable);
    }
    if (plain.size() != 3) {
      throw new UntranslatableException("a condition that is not understood");
    }
    String value = plain.get(2);
    return switch (plain.get(1)) {
      case "=" -> value.isEmpty() ? not(present(variable)) : compared(variable, value, null);
      case "!=" -> value.isEmpty() ? present(variable) : not(compared(variable, value, null));
      case "~" -> compared(variable, "", regex(value, false));
      case "~*" -> compared(variable, "", regex(value, true));
      case "!~" -> not(compared(variable, "", regex(value, false)));
      case "!~*" -> not(compared(variable, "", regex(value, true)));
      default -> throw new UntranslatableException("a comparison that is not understood");
    };
  }

  static Map<String, Object> not(Map<String, Object> condition) {
    return Map.of("not", condition);
  }

  /** A condition on a request whose variable is neither empty nor 0. */
  static Map<String, Object> present(String variable) throws UntranslatableException {
    return named(variable, "*");
  }

  private static Map<String, Object> compared(
      String variable, String text, @Nullable Regex expression) throws UntranslatableException {
    Object value = expression == null ? Map.of("is", text) : Map.of("regex", expression.text());
    return switch (variable) {
      case "host", "http_host" -> Map.of("host", value);
      case "uri", "document_uri" -> Map.of("path", value);
      case "request_uri" -> {
        if (expression == null || expression.text().contains("?") || text.contains("?")) {
          throw new UntranslatableException("rules compare the path and the query apart");
        }
        yield Map.of("path", value);
      }
      case "scheme" -> {
        if (expression != null || !List.of("http", "https").contains(text)) {
          throw new UntranslatableException("a scheme that is neither http nor https");
        }
        yield Map.of("scheme", text);
      }
      case "https" -> Map.of("scheme", text.equals("on") ? "https" : "http");
      case "request_method" -> Map.of("method", methods(text, expression));
      case "ssl_protocol" -> Map.of("tls-version", text);
      case "ssl_server_name" -> Map.of("server-name", value);
      default -> named(variable, expression == null ? literal(text) : value);
    };
  }

  private static List<String> methods(String text, @Nullable Regex expression)
      throws UntranslatableException {
    String all = expression == null ? text : expression.text();
    Matcher list = Pattern.compile("\\^?\\(?([A-Z|]+)\\)?\\$?").matcher(all);
    if (!list.matches()) {
      throw new UntranslatableException("methods that are not listed");
    }
    return List.of(list.group(1).split("\\|"));
  }

  private static Map<String, Object> named(String variable, Object value)
      throws UntranslatableException {
    if (variable.startsWith("http_")) {
      return Map.of("header", Map.of(field(variable.substring(5)), value));
    }
    if (variable.startsWith("cookie_")) {
      return Map.of("cookie", Map.of(variable.substring(7), value));
    }
    if (variable.startsWith("arg_")) {
      return Map.of("query", Map.of(variable.substring(4), value));
    }
    throw new UntranslatableException("rules have no condition on $" + variable);
  }

  /** The name of a field whose variable is {@code $http_NAME}. */
  static String field(String variable) {
    StringBuilder name = new StringBuilder();
    for (String part : variable.split("_", -1)) {
      if (!part.isEmpty()) {
        name.append(name.isEmpty() ? "" : "-")
            .append(Character.toUpperCase(part.charAt(0)))
            .append(part.substring(1));
      }
    }
    return name.toString();
  }
}
