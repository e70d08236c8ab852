package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.UntranslatableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What VCL leaves of a request's cookies, and expressions on their text. */
final class CookiePatterns {
  /** Names between what separates cookies and the values behind them. */
  private static final Pattern STRIPPED =
      Pattern.compile(
          "(?:\\\\s|[\\^|;()*+?<=: \\[\\]])*?\\(*(?:\\?:)?"
              + "([A-Za-z0-9_%.\\\\*+?|\\[\\]-]+?)\\)*=(?:\\(?\\[\\^;[^\\]]*\\][*+]|\\.[*+]\\??).*",
          Pattern.DOTALL);

  private static final Pattern MARKED = Pattern.compile(";\\s*\\(([^=]*)\\)=");

  private static final Pattern ONE =
      Pattern.compile("\\^?[.*?]*\\(?;? ?\\)?([A-Za-z0-9_-]+)=\\(?\\[\\^;\\][*+]\\)?.*");

  /** The letters of cookies that {@code __utm.} stands for. */
  private static final List<String> UTM = List.of("a", "b", "c", "t", "v", "x", "z");

  private CookiePatterns() {}

  /** The cookies of a request as VCL left them. */
  sealed interface Left {
    /** All that the client sent. */
    record Everything() implements Left {}

    /** None. */
    record Nothing() implements Left {}

    /** All but those whose names match. */
    record Others(List<String> names) implements Left {}

    /** Those whose names match. */
    record Only(List<String> names) implements Left {}

    /** As before; those whose names match will be kept when the others go. */
    record Marked(Left before, List<String> names) implements Left {}
  }

  /** What {@code regsub} or {@code regsuball} leaves of cookies. */
  static Left change(Left before, String expression, String by) throws UntranslatableException {
    if (by.matches("; ?\\\\1=")) {
      Matcher marked = MARKED.matcher(expression);
      if (marked.matches()) {
        return new Left.Marked(before, names(marked.group(1)));
      }
    }
    if (before instanceof Left.Marked(Left _, List<String> names)
        && by.isEmpty()
        && expression.matches(";\\[\\^ \\]\\[\\^;\\]\\*")) {
      return new Left.Only(names);
    }
    if (isOfSeparators(expression)) {
      return before;
    }
    if (by.matches("(; ?)?|\\\\[1-9]")) {
      Matcher stripped = STRIPPED.matcher(expression);
      if (stripped.matches()) {
        List<String> names = new ArrayList<>();
        if (before instanceof Left.Others(List<String> known)) {
          names.addAll(known);
        } else if (!(before instanceof Left.Everything)) {
          return before;
        }
        names.addAll(names(stripped.group(1)));
        return new Left.Others(names.stream().distinct().toList());
      }
    }
    throw new UntranslatableException("a change of cookies that is not one of whole cookies");
  }

  /** Whether it matches nothing but what stands between cookies. */
  static boolean isOfSeparators(String expression) {
    return expression.replace("\\s", "").matches("[\\^;*+$()|, ?\\[\\]]*");
  }

  /** The expressions on names of cookies that stand between bars. */
  static List<String> names(String expression) throws UntranslatableException {
    List<String> names = new ArrayList<>();
    for (String name : UrlPatterns.alternatives(expression)) {
      if (name.isEmpty()) {
        throw new UntranslatableException("cookies without a name");
      }
      names.add(UrlPatterns.checked(name));
    }
    return names;
  }

  /** The one cookie whose value an expression captures, or an empty text. */
  static String captured(String expression) {
    Matcher matcher = ONE.matcher(expression);
    return matcher.matches() ? matcher.group(1) : "";
  }

  /** Names that settings of routes can have, and of {@code __utm.} those that there are. */
  static List<String> plain(List<String> names) {
    List<String> plain = new ArrayList<>();
    for (String name : names) {
      if (name.matches("[A-Za-z0-9_-]+")) {
        plain.add(name);
      } else if (name.startsWith("__utm")) {
        UTM.forEach(letter -> plain.add("__utm" + letter));
      }
    }
    return plain.stream().distinct().toList();
  }

  static boolean isPlain(String name) {
    return name.matches("[A-Za-z0-9_-]+") || Set.of("__utm.", "__utm[a-z]").contains(name);
  }

  /** A condition that a cookie is left. */
  static Condition isLeft(Left left) {
    return switch (left) {
      case Left.Everything _ -> any();
      case Left.Nothing _ -> Condition.never();
      case Left.Marked marked -> isLeft(marked.before());
      case Left.Others others -> any().and(exists("!", others.names()));
      case Left.Only only when only.names().stream().allMatch(CookiePatterns::isPlain) ->
          Condition.any(plain(only.names()).stream().map(CookiePatterns::named).toList());
      case Left.Only only -> any().and(exists("", only.names()));
    };
  }

  private static Condition any() {
    return new Condition.OnRequest(
        "header", Map.of("Cookie", "*"), false, Cel.hasField("request", "cookie"));
  }

  private static Condition named(String name) {
    return new Condition.OnRequest(
        "cookie", Map.of(name, "*"), false, Cel.text(name) + " in request.cookies");
  }

  private static Condition exists(String sign, List<String> names) {
    String cel =
        "request.cookies.exists(name, "
            + sign
            + "name.matches("
            + Cel.text("^(?:" + String.join("|", names) + ")$")
            + "))";
    return new Condition.OnRequest("expression", cel, false, cel);
  }

  /** Whether a condition asks about cookies alone. */
  static boolean isAboutCookies(Condition condition) {
    return condition.parts().stream()
        .allMatch(part ->
            switch (part) {
              case Condition.Not(Condition inner) -> isAboutCookies(inner);
              case Condition.OnRequest one ->
                  one.key().equals("cookie")
                      || one.expression().contains("request.cookies")
                      || (one.value() instanceof Map<?, ?> map
                          && map.keySet().stream()
                              .allMatch(key ->
                                  String.valueOf(key).toLowerCase(Locale.ROOT).equals("cookie")));
              default -> false;
            });
  }
}
