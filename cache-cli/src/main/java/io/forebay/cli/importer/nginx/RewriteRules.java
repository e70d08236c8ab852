package io.forebay.cli.importer.nginx;

import io.forebay.cli.importer.model.Conditions;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.cli.importer.nginx.ConditionTranslator.Regex;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rules for what nginx does with a request before it looks for content: {@code return}, {@code
 * rewrite}, {@code if}, {@code allow} and {@code deny}.
 */
final class RewriteRules {
  private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

  private final ImportReport report;
  private final String serverName;

  /** Named groups of the expression of the location. */
  private final Map<String, Integer> groups;

  private final List<Map<String, Object>> rules = new ArrayList<>();
  private boolean isAnswered;

  RewriteRules(ImportReport report, String serverName, Map<String, Integer> groups) {
    this.report = report;
    this.serverName = serverName;
    this.groups = groups;
  }

  List<Map<String, Object>> rules() {
    return rules;
  }

  /** Whether every request has got its answer. */
  boolean isAnswered() {
    return isAnswered;
  }

  /** Takes the statements of a block in their order. */
  void rewritePhase(List<Directive> block) {
    for (Directive each : block) {
      if (isAnswered && Set.of("return", "rewrite", "if", "set").contains(each.name())) {
        report.allUnneeded(each, "a return before it answers every request");
        continue;
      }
      switch (each.name()) {
        case "return" -> {
          if (answer(each, null)) {
            isAnswered = true;
          }
        }
        case "rewrite" -> rewrite(each, null);
        case "if" -> conditional(each);
        case "set" -> report.left(each, "rules have no variables of one's own");
        case "break" -> report.unneeded(each, "rules do not look for another location");
        default -> {}
      }
    }
  }

  private void conditional(Directive of) {
    Map<String, Object> condition;
    try {
      condition = ConditionTranslator.condition(of.arguments());
    } catch (UntranslatableException e) {
      report.allLeft(of, e.reason());
      return;
    }
    report.taken(of);
    for (Directive each : of.block()) {
      switch (each.name()) {
        case "return" -> answer(each, condition);
        case "rewrite" -> rewrite(each, condition);
        case "break" -> report.unneeded(each, "rules do not look for another location");
        default -> report.allLeft(each, "within if, only return and rewrite are taken over");
      }
    }
  }

  /** {@code return}; says whether it was taken. */
  private boolean answer(Directive of, @Nullable Map<String, Object> condition) {
    String first = of.argument(0);
    boolean isStatus = first.matches("\\d{3}");
    int status = isStatus ? Integer.parseInt(first) : 302;
    String text = isStatus ? of.argument(1) : first;
    Map<String, Object> action = new LinkedHashMap<>();
    try {
      if (REDIRECTS.contains(status) && !text.isEmpty()) {
        action.put("redirect", target(text, status));
      } else if (status == 444) {
        report.adapted(of, "answered with 403; the connection is not closed without an answer");
        action.put("deny", "403");
      } else if (status >= 400 && status < 600 && text.isEmpty()) {
        action.put("deny", String.valueOf(status));
      } else if (status >= 200 && status < 600) {
        if (text.indexOf('$') >= 0) {
          throw new UntranslatableException("texts of respond have no variables");
        }
        Map<String, Object> respond = new LinkedHashMap<>();
        respond.put("status", String.valueOf(status));
        if (!text.isEmpty()) {
          respond.put("text", text);
        }
        action.put("respond", respond);
      } else {
        throw new UntranslatableException("a status that rules do not answer with");
      }
    } catch (UntranslatableException e) {
      report.left(of, e.reason());
      return false;
    }
    add(condition, action);
    if (!report.knows(of)) {
      report.taken(of);
    }
    return true;
  }

  private Map<String, Object> target(String text, int status) throws UntranslatableException {
    return target(text, status, groups);
  }

  private Map<String, Object> target(String text, int status, Map<String, Integer> names)
      throws UntranslatableException {
    Map<String, Object> redirect = new LinkedHashMap<>();
    redirect.put("to", ConditionTranslator.template(text, names, serverName));
    redirect.put("status", String.valueOf(status));
    return redirect;
  }

  private void rewrite(Directive of, @Nullable Map<String, Object> condition) {
    String flag = of.argument(2);
    String replacement = of.argument(1);
    try {
      Regex regex = ConditionTranslator.regex(of.argument(0), false);
      Map<String, Object> when = new LinkedHashMap<>();
      when.put("path", Map.of("regex", regex.text()));
      Map<String, Object> both = Conditions.both(condition, when);
      String target = withQuery(replacement);
      boolean isRedirect =
          flag.equals("redirect")
              || flag.equals("permanent")
              || replacement.startsWith("http://")
              || replacement.startsWith("https://")
              || replacement.startsWith("$scheme");
      if (isRedirect) {
        int status = flag.equals("permanent") ? 301 : 302;
        add(both, Map.of("redirect", target(target, status, regex.groups())));
        report.taken(of);
        return;
      }
      String path = ConditionTranslator.template(target, regex.groups(), serverName);
      add(both, Map.of("rewrite", Map.of("path", path)));
      if (flag.equals("break")) {
        report.taken(of);
      } else {
        report.adapted(of, "the origin is asked for the new path; no other location is looked for");
      }
    } catch (UntranslatableException e) {
      report.left(of, e.reason());
    }
  }

  /** nginx appends the query of the request, unless the replacement ends with a question mark. */
  private static String withQuery(String replacement) {
    if (replacement.endsWith("?")) {
      return replacement.substring(0, replacement.length() - 1);
    }
    return replacement + (replacement.indexOf('?') < 0 ? "?" : "&") + "$args";
  }

  /** {@code allow} and {@code deny} that hold here: the first that matches decides. */
  void access(List<Directive> list) {
    List<String> allowed = new ArrayList<>();
    List<String> denied = new ArrayList<>();
    boolean isClosed = false;
    for (Directive each : list) {
      String network = each.argument(0);
      boolean isAllow = each.name().equals("allow");
      if (network.equals("all")) {
        isClosed = !isAllow;
        break;
      }
      if (!network.matches("[0-9a-fA-F:.]+(/\\d{1,3})?")) {
        report.left(each, "networks are addresses or CIDR blocks");
        return;
      }
      boolean isException = isAllow ? !denied.isEmpty() : !allowed.isEmpty() && !isClosed(list);
      if (isException) {
        list.forEach(one -> report.left(one, "exceptions within networks: write the rule by hand"));
        return;
      }
      (isAllow ? allowed : denied).add(network);
    }
    if (isClosed) {
      add(
          allowed.isEmpty() ? null : ConditionTranslator.not(Map.of("client", allowed)),
          Map.of("deny", "403"));
    } else if (!denied.isEmpty()) {
      add(Map.of("client", denied), Map.of("deny", "403"));
    }
    list.forEach(report::taken);
  }

  private static boolean isClosed(List<Directive> list) {
    Directive last = list.getLast();
    return last.name().equals("deny") && last.argument(0).equals("all");
  }

  void add(@Nullable Map<String, Object> condition, Map<String, Object> actions) {
    Map<String, Object> rule = new LinkedHashMap<>();
    if (condition != null) {
      rule.put("when", condition);
    }
    rule.putAll(actions);
    rules.add(rule);
  }
}
