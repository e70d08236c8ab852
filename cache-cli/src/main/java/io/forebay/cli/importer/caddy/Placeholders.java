package io.forebay.cli.importer.caddy;

import io.forebay.cli.importer.model.UntranslatableException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Texts with placeholders as templates of rules. */
final class Placeholders {
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{([^{}\\s]+)}");
  private static final Pattern CAPTURE =
      Pattern.compile("(?:re|http\\.regexp)(?:\\.([A-Za-z_][\\w-]*))?\\.([1-9])");

  private Placeholders() {}

  /**
   * A template.
   *
   * @param isOfCut whether $1 stands for what follows the prefix that was cut from the path, and
   *     its slash
   */
  record Text(String template, boolean isOfCut) {}

  static boolean has(String text) {
    return PLACEHOLDER.matcher(text).find();
  }

  /** A text for requests of a matcher. */
  static Text translate(String text, Matched matched, Scope scope) throws UntranslatableException {
    Matcher placeholder = PLACEHOLDER.matcher(text);
    StringBuilder out = new StringBuilder();
    boolean isOfCut = false;
    int at = 0;
    while (placeholder.find()) {
      out.append(text.substring(at, placeholder.start()).replace("$", "$$"));
      at = placeholder.end();
      String name = placeholder.group(1);
      switch (name) {
        case "host", "http.request.host", "hostport", "http.request.hostport" ->
            out.append("$(host)");
        case "scheme", "http.request.scheme" -> out.append("$(scheme)");
        case "query", "http.request.uri.query" -> out.append("$(query)");
        case "http.request.orig_uri", "orig_uri" -> out.append("$(uri)");
        case "http.request.orig_uri.path", "orig_path" -> out.append("$(path)");
        case "path", "http.request.uri.path", "uri", "http.request.uri" -> {
          boolean isUri = name.endsWith("uri");
          if (scope.isAlwaysRewritten) {
            throw new UntranslatableException("the path was rewritten before");
          }
          if (scope.cut.isEmpty()) {
            out.append(isUri ? "$(uri)" : "$(path)");
          } else if (matched.regexName() != null) {
            throw new UntranslatableException("a part of the path beside groups of an expression");
          } else {
            isOfCut = true;
            out.append(isUri ? "/$1?$(query)" : "/$1");
          }
        }
        default -> out.append(capture(name, matched));
      }
    }
    out.append(text.substring(at).replace("$", "$$"));
    return new Text(plain(out.toString()), isOfCut);
  }

  private static String capture(String name, Matched matched) throws UntranslatableException {
    Matcher capture = CAPTURE.matcher(name);
    String regex = matched.regexName();
    if (regex == null || !capture.matches()) {
      throw new UntranslatableException("rules have no variable for {" + name + "}");
    }
    String of = capture.group(1);
    if (of != null && !of.equals(regex)) {
      throw new UntranslatableException("no expression is named " + of);
    }
    return "$" + capture.group(2);
  }

  /** Without parentheses where no letter follows. */
  private static String plain(String template) {
    return template.replaceAll("\\$\\(([a-z]+)\\)(?![a-z_])", "\\$$1");
  }
}
