package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.server.text.LinearRegex;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Expressions on {@code req.url}. VCL has path and query in one text; rules have the path apart. So
 * each expression is one on the path where that is the same, and one on both as an expression of
 * rules where it asks about the query.
 */
final class UrlPatterns {
  /** Ends that allow a query behind the path. */
  private static final List<String> QUERY_ENDS =
      List.of(
          "(\\?.*)?$",
          "(\\?(.*))?$",
          "(?:\\?.*)?$",
          "(\\?.+)?$",
          "(\\?.*|)$",
          "(|\\?.*)$",
          "(\\?|$)",
          "($|\\?)",
          "(\\?.*|$)",
          "($|\\?.*)",
          "\\??$",
          "[?$]");

  private static final Pattern PARAMETERS =
      Pattern.compile(
          "(?:\\(\\?i\\))?[\\\\?&|()\\[\\]^+]*?(?:\\(\\?:)?\\(?([A-Za-z0-9_.\\\\*+|\\[\\]-]+?)\\)?=.*",
          Pattern.DOTALL);

  private static final Pattern NAME =
      Pattern.compile("([A-Za-z0-9_-]*)(\\[[^\\]]+][+*]|\\\\w[+*]|\\.[+*])?");

  private UrlPatterns() {}

  /**
   * A condition that an expression is found in the URL.
   *
   * @param notes gets what differs
   */
  static Condition found(String expression, List<String> notes) throws UntranslatableException {
    String flags = expression.startsWith("(?i)") ? "(?i)" : "";
    String bare = expression.substring(flags.length());
    // Up to the query, that is anywhere in the path.
    String path = withoutQueryEnd(bare).replace("[^?]", ".");
    if (asksForQuery(path)) {
      String checked = checked(expression);
      return new Condition.OnRequest(
          "expression", Cel.matches(Cel.URL, checked), false, Cel.matches(Cel.URL, checked));
    }
    if (withoutQueryEnd(bare).equals(bare)) {
      if (endsWithDollar(bare)) {
        notes.add("differs: the path is compared, also where there is a query");
      } else if (!isBound(bare)) {
        notes.add("differs: looked for in the path, not in the query");
      }
    }
    return onPath(checked(flags + path));
  }

  private static Condition onPath(String expression) {
    return new Condition.OnRequest(
        "path", Map.of("regex", expression), true, Cel.matches("request.path", expression));
  }

  /** A condition that the URL is a text. */
  static Condition is(String url, List<String> notes) throws UntranslatableException {
    if (url.indexOf('?') >= 0) {
      String cel = Cel.URL + " == " + Cel.text(url);
      return new Condition.OnRequest("expression", cel, false, cel);
    }
    if (!url.startsWith("/")) {
      throw new UntranslatableException("paths begin with a slash");
    }
    notes.add("differs: the path is compared, also where there is a query");
    return new Condition.OnRequest(
        "path", Map.of("is", url), true, "request.path == " + Cel.text(url));
  }

  static String checked(String expression) throws UntranslatableException {
    try {
      return LinearRegex.of(expression).toString();
    } catch (IllegalArgumentException e) {
      throw new UntranslatableException(
          "the expression cannot be matched in linear time, or is too large: " + e.getMessage());
    }
  }

  static String withoutQueryEnd(String expression) {
    for (String end : QUERY_ENDS) {
      if (expression.endsWith(end) && expression.length() > end.length()) {
        return expression.substring(0, expression.length() - end.length()) + "$";
      }
    }
    return expression;
  }

  static boolean asksForQuery(String expression) {
    return expression.contains("\\?")
        || expression.contains("[?")
        || expression.contains("?]")
        || expression.contains("=")
        || expression.contains("&");
  }

  private static boolean endsWithDollar(String expression) {
    return expression.endsWith("$") && !expression.endsWith("\\$");
  }

  /** Whether every way to match begins with the path and cannot reach the query. */
  private static boolean isBound(String expression) {
    boolean isAnchored = true;
    for (String way : alternatives(expression)) {
      isAnchored &= way.startsWith("^");
    }
    String unescaped = expression.replaceAll("\\\\.", "").replace("[^?]", "");
    return isAnchored && !unescaped.matches("(?s).*(\\.|\\[\\^).*");
  }

  /** The parts of an expression between bars outside of parentheses. */
  static List<String> alternatives(String expression) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int from = 0;
    for (int at = 0; at < expression.length(); at++) {
      switch (expression.charAt(at)) {
        case '\\' -> at++;
        case '(', '[' -> depth++;
        case ')', ']' -> depth--;
        case '|' -> {
          if (depth == 0) {
            parts.add(expression.substring(from, at));
            from = at + 1;
          }
        }
        default -> {}
      }
    }
    parts.add(expression.substring(from));
    return parts;
  }

  // --- changes ----------------------------------------------------------------------------------

  /** What a {@code regsub} on the URL does. */
  sealed interface Change {

    /** It takes parameters out of the query. */
    record StripParameters(List<String> names) implements Change {}

    /** It takes the query away. */
    record DropQuery() implements Change {}

    /** It changes nothing that the node would not do, or that requests do not have. */
    record Nothing(String why) implements Change {}

    /** The path changes where the expression is found. */
    record Rewrite(String path, String template) implements Change {}
  }

  static Change change(String expression, String by) throws UntranslatableException {
    if (expression.startsWith("#") || expression.startsWith("\\#")) {
      return new Change.Nothing("requests have no fragments");
    }
    if (expression.startsWith("^http")) {
      return new Change.Nothing("the scheme and the host of a URL are no part of its path");
    }
    if (List.of("\\?.*$", "\\?.*", "\\?(.*)$", "[?].*$").contains(expression) && by.isEmpty()) {
      return new Change.DropQuery();
    }
    if (expression.matches("[?&|()\\[\\]$+*\\\\^]+") && by.matches("[?&]?|\\\\1")) {
      return new Change.Nothing("parameters are taken out with their separators");
    }
    if (by.matches("[?&]?|\\\\[1-9]")) {
      List<String> names = parameters(expression);
      if (!names.isEmpty()) {
        return new Change.StripParameters(names);
      }
    }
    return rewrite(expression, by);
  }

  /** Names of parameters that an expression matches with their values, or none. */
  static List<String> parameters(String expression) {
    Matcher matcher = PARAMETERS.matcher(expression);
    if (!matcher.matches() || !asksForQuery(expression)) {
      return List.of();
    }
    List<String> names = new ArrayList<>();
    for (String part : alternatives(matcher.group(1))) {
      Matcher name = NAME.matcher(part.replace("\\-", "-").replace("\\.", "-"));
      if (part.contains("\\.") || !name.matches() || name.group(1).isEmpty()) {
        return List.of();
      }
      names.add(name.group(1) + (name.group(2) == null ? "" : "*"));
    }
    return names;
  }

  private static Change.Rewrite rewrite(String expression, String by)
      throws UntranslatableException {
    String flags = expression.startsWith("(?i)") ? "(?i)" : "";
    String bare = withoutQueryEnd(expression.substring(flags.length()));
    if (asksForQuery(bare) || alternatives(bare).size() > 1) {
      throw new UntranslatableException("a change of the URL that is not one of its path");
    }
    if (by.isEmpty() && bare.matches("\\^/[A-Za-z0-9/_-]*[A-Za-z0-9_-]")) {
      // What is below a prefix, without it.
      return new Change.Rewrite(checked(flags + bare + "/(.*)$"), "/$1?$query");
    }
    if (!bare.startsWith("^") && !bare.matches("[A-Za-z0-9_.-].*")) {
      throw new UntranslatableException("a change anywhere in the URL that is not of plain text");
    }
    int shift = 0;
    StringBuilder whole = new StringBuilder(flags);
    String before = "";
    if (bare.startsWith("^")) {
      whole.append('^');
      bare = bare.substring(1);
    } else {
      // Paths begin with a slash, and what is searched for does not.
      whole.append("^/(.*?)");
      before = "/$1";
      shift = 1;
    }
    boolean needsAll = by.contains("\\0");
    if (needsAll) {
      whole.append('(');
      shift++;
    }
    boolean isEnd = endsWithDollar(bare);
    String middle = isEnd ? bare.substring(0, bare.length() - 1) : bare;
    whole.append(middle);
    if (needsAll) {
      whole.append(')');
    }
    int groups = shift + LinearRegex.of(checked(middle.isEmpty() ? "x" : middle)).groupCount();
    String after = "";
    if (isEnd) {
      whole.append('$');
    } else if (!middle.endsWith(".*") && !middle.endsWith("(.*)")) {
      whole.append("(.*)$");
      after = "$" + (groups + 1);
      groups++;
    }
    if (groups > 9) {
      throw new UntranslatableException("more than nine groups");
    }
    StringBuilder template = new StringBuilder(before);
    for (int at = 0; at < by.length(); at++) {
      char c = by.charAt(at);
      boolean isGroup = c == '\\' && at + 1 < by.length() && Character.isDigit(by.charAt(at + 1));
      if (isGroup) {
        int number = by.charAt(++at) - '0';
        template.append('$').append(number == 0 ? shift : number + shift);
      } else {
        template.append(c == '$' ? "$$" : String.valueOf(c));
      }
    }
    template.append(after);
    if (!template.toString().matches("(?s)/(?!/).*")) {
      throw new UntranslatableException("a change after which a path may not begin with a slash");
    }
    // The client's query stays.
    template.append(template.indexOf("?") < 0 ? "?$query" : "&$query");
    return new Change.Rewrite(checked(whole.toString()), template.toString());
  }
}
