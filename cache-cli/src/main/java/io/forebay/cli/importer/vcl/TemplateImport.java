package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.cli.importer.vcl.UrlPatterns.Change;
import io.forebay.cli.importer.vcl.VclExpression.Amount;
import io.forebay.cli.importer.vcl.VclExpression.Binary;
import io.forebay.cli.importer.vcl.VclExpression.Call;
import io.forebay.cli.importer.vcl.VclExpression.Name;
import io.forebay.cli.importer.vcl.VclExpression.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** Texts with variables as templates of rules. */
final class TemplateImport {
  private final RequestState request;

  /** The way on which the text is made: what holds there is known. */
  private final Condition path;

  /** An expression on the path whose groups the text names, or null. */
  private @Nullable String expression;

  TemplateImport(RequestState request, Condition path) {
    this.request = request;
    this.path = path;
  }

  /**
   * A template.
   *
   * @param expression what the path must match, or null
   */
  record Made(String text, @Nullable String expression) {
    /** The condition that the path matches. */
    Condition condition() {
      String own = expression;
      return own == null
          ? Condition.always()
          : new Condition.OnRequest(
              "path", Map.of("regex", own), true, Cel.matches("request.path", own));
    }
  }

  Made of(VclExpression text) throws UntranslatableException {
    expression = null;
    List<String> parts = new ArrayList<>();
    add(text, parts);
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < parts.size(); i++) {
      String part = parts.get(i);
      boolean isGlued =
          part.matches("\\$[a-z]+")
              && i + 1 < parts.size()
              && parts.get(i + 1).matches("(?s)[A-Za-z_].*");
      out.append(isGlued ? "$(" + part.substring(1) + ")" : part);
    }
    return new Made(out.toString(), expression);
  }

  private void add(VclExpression text, List<String> parts) throws UntranslatableException {
    switch (text) {
      case Text(String value) -> {
        if (value.length() > 2000
            || !value.chars().allMatch(c -> (c >= ' ' && c < 0x7f) || c == '\t')) {
          throw new UntranslatableException("a text that is long, or not of printable ASCII");
        }
        if (!value.isEmpty()) {
          parts.add(value.replace("$", "$$"));
        }
      }
      case Amount(String value) -> parts.add(value);
      case Binary(String operator, VclExpression left, VclExpression right)
          when operator.equals("+") -> {
        add(left, parts);
        add(right, parts);
      }
      case Name(String name) -> variable(name, parts);
      case Call(String name, List<VclExpression> arguments) -> call(name, arguments, parts);
      default -> throw new UntranslatableException("a text that is not understood");
    }
  }

  private void variable(String name, List<String> parts) throws UntranslatableException {
    String lower = name.toLowerCase(Locale.ROOT);
    switch (lower) {
      case "req.url", "bereq.url" -> parts.add("$uri");
      case "req.http.host", "bereq.http.host" -> {
        String host = knownHost();
        parts.add(host.isEmpty() ? "$host" : host);
      }
      case "req.http.x-forwarded-proto" -> parts.add("$scheme");
      default -> {
        if (VclNames.isRequestField(name)) {
          VclExpression given = request.resolved(VclNames.field(name), path);
          if (!given.isName("req.http." + VclNames.field(name))) {
            add(given, parts);
            return;
          }
        }
        throw new UntranslatableException("rules have no variable for " + name);
      }
    }
  }

  /** The host, if a condition says which one it is. */
  private String knownHost() {
    for (Condition part : path.parts()) {
      if (part instanceof Condition.OnRequest one
          && one.key().equals("host")
          && one.value() instanceof Map<?, ?> map
          && map.get("is") instanceof String host) {
        return host;
      }
    }
    return "";
  }

  private void call(String name, List<VclExpression> arguments, List<String> parts)
      throws UntranslatableException {
    if (name.equals("std.tolower")
        && arguments.size() == 1
        && arguments.getFirst().isName("req.http.host")) {
      variable("req.http.host", parts);
      return;
    }
    if (!name.matches("regsub(all)?") || arguments.size() != 3) {
      throw new UntranslatableException("rules have no " + name);
    }
    VclExpression what = arguments.getFirst();
    String regex = VclNames.constant(arguments.get(1));
    String by = VclNames.constant(arguments.get(2));
    if (what.isName("req.http.host")) {
      if (regex.startsWith(":[0-9]") || regex.startsWith(":\\d")) {
        variable("req.http.host", parts);
        return;
      }
      String host = knownHost();
      if (host.isEmpty()) {
        throw new UntranslatableException("rules have no parts of the host: write one for each");
      }
      try {
        String java = by.replace("$", "\\$").replaceAll("\\\\(\\d)", "\\$$1");
        parts.add(Pattern.compile(regex).matcher(host).replaceFirst(java).replace("$", "$$"));
      } catch (PatternSyntaxException | IndexOutOfBoundsException e) {
        throw new UntranslatableException("an expression that is not understood");
      }
      return;
    }
    if (!what.isName("req.url") && !what.isName("bereq.url")) {
      throw new UntranslatableException("rules have " + name + " of the URL alone");
    }
    switch (UrlPatterns.change(regex, by)) {
      case Change.DropQuery _ -> parts.add("$path");
      case Change.Nothing _ -> parts.add("$uri");
      case Change.StripParameters _ ->
          throw new UntranslatableException("parameters of the URL are changed");
      case Change.Rewrite rewrite -> {
        if (expression != null) {
          throw new UntranslatableException("two changes of the URL");
        }
        expression = rewrite.path();
        parts.add(rewrite.template());
      }
    }
  }
}
