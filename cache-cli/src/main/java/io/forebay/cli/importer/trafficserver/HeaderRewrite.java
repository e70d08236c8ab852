package io.forebay.cli.importer.trafficserver;

import io.forebay.cli.importer.model.Conditions;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.EditableFields;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.server.rule.Template;
import io.forebay.server.text.LinearRegex;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Files of the plugin {@code header_rewrite}: conditions, and operators that follow them. */
final class HeaderRewrite {
  private static final Pattern VARIABLE = Pattern.compile("%\\{([A-Z-]+)(?::([^}]*))?}");

  private static final Set<String> REQUEST_HOOKS =
      Set.of(
          "REMAP_PSEUDO_HOOK",
          "READ_REQUEST_HDR_HOOK",
          "READ_REQUEST_PRE_REMAP_HOOK",
          "SEND_REQUEST_HDR_HOOK");

  private final ImportReport report;
  private final Plan plan;

  /** What is read before the first operator. */
  private String hook = "REMAP_PSEUDO_HOOK";

  private @Nullable Map<String, Object> condition;
  private final Map<String, Object> response = new LinkedHashMap<>();
  private final List<Map<String, Object>> alternatives = new ArrayList<>();
  private final Set<String> fields = new TreeSet<>();
  private boolean isFixedKeyPart = true;
  private @Nullable String problem;

  HeaderRewrite(ImportReport report, Plan plan) {
    this.report = report;
    this.plan = plan;
  }

  /** The rules that the statements of a file become. */
  List<Map<String, Object>> rules(List<Directive> lines) {
    List<Map<String, Object>> rules = new ArrayList<>();
    boolean isActing = true;
    for (Directive each : lines) {
      if (each.name().equals("cond")) {
        if (isActing) {
          reset();
          isActing = false;
        }
        condition(each);
      } else {
        isActing = true;
        operator(each, rules);
      }
    }
    return rules;
  }

  private void reset() {
    hook = "REMAP_PSEUDO_HOOK";
    condition = null;
    response.clear();
    alternatives.clear();
    fields.clear();
    isFixedKeyPart = true;
    problem = null;
  }

  private boolean isOfRequest() {
    return REQUEST_HOOKS.contains(hook);
  }

  // --- conditions --------------------------------------------------------------------------------

  private void condition(Directive of) {
    if (of.argument(0).matches("%\\{[A-Z_]+_HOOK}")) {
      hook = of.argument(0).substring(2, of.argument(0).length() - 1);
      report.taken(of);
      return;
    }
    Matcher variable = VARIABLE.matcher(of.argument(0));
    if (!variable.matches()) {
      refuse(of, "a condition that is not understood");
      return;
    }
    String name = variable.group(1);
    List<String> words = new ArrayList<>(of.arguments().subList(1, of.arguments().size()));
    String flags = "";
    if (!words.isEmpty() && words.getLast().matches("\\[[A-Z,]+]")) {
      flags = words.removeLast();
    }
    try {
      String qualifier = variable.group(2) == null ? "" : variable.group(2);
      String operand = String.join(" ", words);
      if (name.equals("STATUS") || (name.equals("HEADER") && !isOfRequest())) {
        if (flags.matches(".*(NOT|OR).*")) {
          throw new UntranslatableException(
              "conditions on responses are neither negated nor joined");
        }
        ofResponse(name, qualifier, operand);
      } else {
        Map<String, Object> one = ofRequest(name, qualifier, operand, flags.contains("NOCASE"));
        add(flags.contains("NOT") ? Map.of("not", one) : one, flags.matches(".*\\bOR\\b.*"));
      }
      report.taken(of);
    } catch (UntranslatableException e) {
      refuse(of, e.reason());
    }
  }

  private void refuse(Directive of, String reason) {
    report.left(of, reason);
    problem = "its condition is not taken over";
  }

  private void add(Map<String, Object> one, boolean isAlternative) {
    alternatives.add(one);
    if (!isAlternative) {
      condition = Conditions.both(condition, Conditions.any(alternatives));
      alternatives.clear();
    }
  }

  private Map<String, Object> ofRequest(
      String name, String qualifier, String operand, boolean ignoresCase)
      throws UntranslatableException {
    Object value = value(operand, ignoresCase);
    return switch (name) {
      case "METHOD" -> {
        isFixedKeyPart = false;
        if (!operand.matches("=[A-Z]+")) {
          throw new UntranslatableException("methods that are not listed");
        }
        yield Map.of("method", List.of(operand.substring(1)));
      }
      case "CLIENT-HEADER", "HEADER" -> {
        if (qualifier.equalsIgnoreCase("host")) {
          yield Map.of("host", value);
        }
        fields.add(qualifier);
        yield Map.of("header", Map.of(qualifier, value));
      }
      case "COOKIE" -> {
        isFixedKeyPart = false;
        yield Map.of("cookie", Map.of(qualifier, value));
      }
      case "CLIENT-URL", "URL", "FROM-URL" -> {
        if (qualifier.equals("HOST")) {
          yield Map.of("host", value);
        }
        if (qualifier.equals("PATH") && value instanceof Map<?, ?> test) {
          // Paths there begin behind the slash.
          Object text = test.get("is");
          Object regex = test.get("regex");
          if (text != null) {
            yield Map.of("path", Map.of("is", "/" + text));
          }
          if (regex instanceof String expression && !expression.contains("^")) {
            yield Map.of("path", test);
          }
          if (regex instanceof String expression && expression.lastIndexOf('^') == 0) {
            yield Map.of("path", Map.of("regex", "^/" + expression.substring(1)));
          }
        }
        if (qualifier.equals("SCHEME") && operand.matches("=https?")) {
          yield Map.of("scheme", operand.substring(1));
        }
        throw new UntranslatableException("rules have no condition on " + name + ":" + qualifier);
      }
      case "IP" -> {
        isFixedKeyPart = false;
        if (!qualifier.equals("CLIENT") || !operand.startsWith("=")) {
          throw new UntranslatableException("only the address of the client, compared with =");
        }
        yield Map.of("client", AddressRange.networks(operand.substring(1)));
      }
      case "TRUE" -> Map.of("path", "/");
      default -> throw new UntranslatableException("rules have no condition on " + name);
    };
  }

  private static Object value(String operand, boolean ignoresCase) throws UntranslatableException {
    String prefix = ignoresCase ? "(?i)" : "";
    if (operand.length() > 2 && operand.startsWith("/") && operand.endsWith("/")) {
      String text = prefix + operand.substring(1, operand.length() - 1);
      try {
        return Map.of("regex", LinearRegex.of(text).toString());
      } catch (IllegalArgumentException e) {
        throw new UntranslatableException(
            "the expression cannot be matched in linear time, or is too large: " + e.getMessage());
      }
    }
    if (operand.isEmpty() || operand.equals("=")) {
      return operand.isEmpty() ? Map.of("present", "true") : Map.of("is", "");
    }
    if (!operand.startsWith("=") || ignoresCase) {
      throw new UntranslatableException("values are compared with = and /expressions/");
    }
    return Map.of("is", operand.substring(1));
  }

  private void ofResponse(String name, String qualifier, String operand)
      throws UntranslatableException {
    if (name.equals("HEADER")) {
      response.put("header", Map.of(qualifier, value(operand, false)));
      return;
    }
    if (!operand.matches("[=<>][2-5]\\d\\d")) {
      throw new UntranslatableException("a status is compared with =, < or >");
    }
    int status = Integer.parseInt(operand.substring(1));
    String statuses =
        switch (operand.charAt(0)) {
          case '=' -> String.valueOf(status);
          case '<' -> "200-" + Math.max(200, status - 1);
          default -> Math.min(599, status + 1) + "-599";
        };
    if (response.put("status", statuses) != null) {
      throw new UntranslatableException("two conditions on the status");
    }
  }

  // --- operators ---------------------------------------------------------------------------------

  private void operator(Directive of, List<Map<String, Object>> rules) {
    if (of.name().equals("no-op")) {
      report.unneeded(of, "it does nothing");
      return;
    }
    if (problem != null) {
      if (of.name().equals("set-status") && of.argument(0).matches("401|403")) {
        rules.add(AccessFilter.CLOSED);
        report.left(of, problem + "; all requests are refused");
      } else {
        report.left(of, problem);
      }
      return;
    }
    try {
      Map<String, Object> rule = new LinkedHashMap<>();
      switch (of.name()) {
        case "set-header", "add-header", "rm-header" -> edit(of, rule);
        case "set-redirect" -> redirect(of, rule);
        case "set-status" -> {
          if (!isOfRequest() || !of.argument(0).matches("[45]\\d\\d")) {
            throw new UntranslatableException("rules refuse requests with 400 to 599");
          }
          rule.put("deny", of.argument(0));
        }
        default -> throw new UntranslatableException("rules have no such action");
      }
      rules.add(Conditions.limited(rule, condition));
      if (hook.equals("READ_RESPONSE_HDR_HOOK")) {
        report.adapted(of, "in what clients get; what is stored stays as the origin sent it");
      } else if (!report.knows(of)) {
        report.taken(of);
      }
    } catch (UntranslatableException e) {
      report.left(of, e.reason());
    }
  }

  private void edit(Directive of, Map<String, Object> rule) throws UntranslatableException {
    String name = of.argument(0);
    boolean isRequest = isOfRequest();
    if (!(isRequest ? EditableFields.inRequests(name) : EditableFields.inResponses(name))) {
      throw new UntranslatableException("the node writes or evaluates this field itself");
    }
    if (!isRequest && !hook.matches("READ_RESPONSE_HDR_HOOK|SEND_RESPONSE_HDR_HOOK")) {
      throw new UntranslatableException("a hook the node does not have");
    }
    if (isRequest && !response.isEmpty()) {
      throw new UntranslatableException("a condition on the response");
    }
    if (isRequest && !isFixedKeyPart) {
      throw new UntranslatableException("what the origin is asked depends on what is in no key");
    }
    if (!response.isEmpty()) {
      rule.put("response", new LinkedHashMap<>(response));
    }
    List<String> words = new ArrayList<>(of.arguments().subList(1, of.arguments().size()));
    if (!words.isEmpty() && words.getLast().matches("\\[[A-Z,]+]")) {
      words.removeLast();
    }
    Map<String, Object> edits =
        of.name().equals("rm-header")
            ? Map.of("remove", List.of(name))
            : Map.of(
                of.name().equals("set-header") ? "set" : "add",
                Map.of(name, template(String.join(" ", words))));
    rule.put(isRequest ? "request-headers" : "response-headers", edits);
    if (isRequest && !fields.isEmpty()) {
      Map<String, Object> key = RouteSettings.key(plan.settings);
      Set<String> all = new TreeSet<>(fields);
      if (key.get("headers") instanceof List<?> known) {
        known.forEach(each -> all.add(String.valueOf(each)));
      }
      key.put("headers", List.copyOf(all));
      report.adapted(of, "the fields of its condition become part of the key");
    }
  }

  private void redirect(Directive of, Map<String, Object> rule) throws UntranslatableException {
    String status = of.argument(0);
    if (!isOfRequest() || !status.matches("30[12378]")) {
      throw new UntranslatableException("requests are redirected with 301, 302, 303, 307 or 308");
    }
    String target = template(of.argument(1));
    if (of.arguments().stream().anyMatch(word -> word.matches("\\[.*QSA.*]"))) {
      target += (target.contains("?") ? "&" : "?") + "$query";
    }
    if (!Template.of(target).isSafeTarget()) {
      throw new UntranslatableException("a target whose host depends on the request");
    }
    Map<String, Object> redirect = new LinkedHashMap<>();
    redirect.put("to", target);
    redirect.put("status", status);
    rule.put("redirect", redirect);
  }

  /** A value with {@code %{...}} as a template of rules. */
  private static String template(String value) throws UntranslatableException {
    Matcher variable = VARIABLE.matcher(value);
    StringBuilder out = new StringBuilder();
    int at = 0;
    while (variable.find()) {
      String before = value.substring(at, variable.start()).replace("$", "$$");
      at = variable.end();
      String name = variable.group(1) + ":" + variable.group(2);
      String own =
          switch (name) {
            case "CLIENT-URL:HOST", "FROM-URL:HOST", "CLIENT-HEADER:Host" -> "$(host)";
            case "CLIENT-URL:QUERY", "FROM-URL:QUERY" -> "$(query)";
            case "CLIENT-URL:SCHEME", "FROM-URL:SCHEME" -> "$(scheme)";
            case "CLIENT-URL:PATH", "FROM-URL:PATH" -> "$(path)";
            default -> throw new UntranslatableException("rules have no variable for " + name);
          };
      if (own.equals("$(path)")) {
        // Paths there begin behind the slash.
        if (!before.endsWith("/")) {
          throw new UntranslatableException("a path without its slash");
        }
        before = before.substring(0, before.length() - 1);
      }
      out.append(before).append(own);
    }
    out.append(value.substring(at).replace("$", "$$"));
    if (out.indexOf("%<") >= 0 || out.indexOf("%{") >= 0) {
      throw new UntranslatableException("rules have no such variable");
    }
    return out.toString();
  }
}
