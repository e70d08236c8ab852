package io.forebay.cli.importer.caddy;

import io.forebay.cli.importer.model.Conditions;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.EditableFields;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code header}, {@code request_header}, {@code header_up} and {@code header_down}. */
final class HeaderEdits {
  private static final Pattern HSTS =
      Pattern.compile(
          "max-age=\"?(\\d{1,10})\"?((?:;\\s*(?:includeSubDomains|preload))*);?",
          Pattern.CASE_INSENSITIVE);

  private final ImportReport report;
  private final Map<String, Object> settings;

  /** Fields that a statement of the site has set before. */
  private final Set<String> known = new HashSet<>();

  /**
   * Edits of a site.
   *
   * @param settings of its routes; gets {@code hsts}
   */
  HeaderEdits(ImportReport report, Map<String, Object> settings) {
    this.report = report;
    this.settings = settings;
  }

  /** The edits of fields, of one condition. */
  static final class Edits {
    private final Map<String, Object> set = new LinkedHashMap<>();
    private final Map<String, Object> added = new LinkedHashMap<>();
    private final Map<String, Object> defaults = new LinkedHashMap<>();
    private final List<String> removed = new ArrayList<>();
    private boolean isOfCut;

    boolean isEmpty() {
      return set.isEmpty() && added.isEmpty() && defaults.isEmpty() && removed.isEmpty();
    }

    /** As the value of {@code response-headers} or {@code request-headers}. */
    Map<String, Object> value() {
      Map<String, Object> value = new LinkedHashMap<>();
      set.keySet().forEach(removed::remove);
      if (!set.isEmpty()) {
        value.put("set", set);
      }
      if (!added.isEmpty()) {
        value.put("add", added);
      }
      if (!removed.isEmpty()) {
        value.put("remove", removed);
      }
      if (!defaults.isEmpty()) {
        value.put("default", defaults);
      }
      return value;
    }

    /** Whether values have a part of the path. */
    boolean isOfCut() {
      return isOfCut;
    }

    private void add(String name, Object value) {
      added.merge(name, value, Edits::several);
    }

    private static Object several(Object one, Object other) {
      List<Object> all = new ArrayList<>(one instanceof List<?> list ? list : List.of(one));
      all.add(other);
      return all;
    }
  }

  /** The rules of a {@code header} statement. */
  List<Map<String, Object>> responses(
      Directive of, Matched matched, @Nullable Map<String, Object> condition, Scope scope) {
    List<Directive> lines = lines(of, matched.arguments());
    boolean isDeferred =
        lines.stream()
            .anyMatch(line -> line.name().equals("defer") || line.name().matches("[->?].+"));
    Edits edits = new Edits();
    for (Directive line : lines) {
      if (line.name().equals("defer")) {
        report.taken(line);
      } else if (line.name().equals("match")) {
        report.allLeft(line, "a condition on the response: write a rule with response");
      } else {
        response(
            line,
            line == lines.getFirst() && !of.hasBlock() ? of : line,
            isDeferred,
            matched,
            scope,
            edits);
      }
    }
    if (isDeferred && !edits.isEmpty()) {
      report.adapted(of, "in errors of the node, too");
    } else if (!report.knows(of)) {
      report.taken(of);
    }
    return edits.isEmpty()
        ? List.of()
        : List.of(
            Conditions.limited(
                Map.of("response-headers", edits.value()),
                HandlerChain.ofCut(condition, edits.isOfCut(), scope)));
  }

  /** The lines of its block, or itself without the matcher. */
  private static List<Directive> lines(Directive of, int skipped) {
    if (of.hasBlock()) {
      return of.block();
    }
    List<String> words = of.arguments().subList(skipped, of.arguments().size());
    return words.isEmpty()
        ? List.of()
        : List.of(
            new Directive(
                of.file(), of.line(), words.getFirst(), words.subList(1, words.size()), null));
  }

  /**
   * One field of responses.
   *
   * @param told what the report names
   * @param isDeferred whether it is edited when the response of the origin is there
   */
  void response(
      Directive line,
      Directive told,
      boolean isDeferred,
      Matched matched,
      Scope scope,
      Edits edits) {
    String name = line.name().replaceFirst("^[+\\-?>]", "").replaceFirst(":$", "");
    char sign = line.name().charAt(0);
    try {
      if (name.equalsIgnoreCase("strict-transport-security") && sign != '-') {
        hsts(line.argument(0), told);
        return;
      }
      edit(
          line,
          name,
          sign,
          EditableFields.inResponses(name),
          edits,
          () -> {
            Placeholders.Text value = Placeholders.translate(line.argument(0), matched, scope);
            edits.isOfCut |= value.isOfCut();
            String lower = name.toLowerCase(Locale.ROOT);
            boolean isFirst = known.add(lower);
            if (sign == '?') {
              if (Placeholders.has(line.argument(0))) {
                throw new UntranslatableException("a default has no variables");
              }
              edits.defaults.put(name, value.template());
            } else if (sign == '+') {
              edits.add(name, value.template());
            } else if (isDeferred || !isFirst || lower.equals("content-type")) {
              edits.set.put(name, value.template());
            } else {
              // What the origin sends comes beside it.
              edits.add(name, value.template());
            }
          });
      report.taken(told);
    } catch (UntranslatableException e) {
      report.left(told, e.reason());
    }
  }

  /** One field of requests. */
  void request(Directive line, Directive told, Matched matched, Scope scope, Edits edits) {
    String name = line.name().replaceFirst("^[+\\-?>]", "").replaceFirst(":$", "");
    char sign = line.name().charAt(0);
    try {
      if (name.matches("(?i)x-forwarded-(for|proto|host)") && sign != '-') {
        report.adapted(told, "the node sends this field itself");
        return;
      }
      edit(
          line,
          name,
          sign,
          EditableFields.inRequests(name),
          edits,
          () -> {
            Placeholders.Text value = Placeholders.translate(line.argument(0), matched, scope);
            edits.isOfCut |= value.isOfCut();
            if (sign == '+') {
              edits.add(name, value.template());
            } else {
              edits.set.put(name, value.template());
            }
          });
      report.taken(told);
    } catch (UntranslatableException e) {
      boolean isAddress =
          line.argument(0).matches("\\{(http\\.request\\.)?(remote(_host|\\.host)?|client_ip)}");
      if (isAddress) {
        report.adapted(told, "origins get the address of the client in X-Forwarded-For");
      } else {
        report.left(told, e.reason());
      }
    }
  }

  private interface Change {
    void make() throws UntranslatableException;
  }

  private static void edit(
      Directive line, String name, char sign, boolean isEditable, Edits edits, Change change)
      throws UntranslatableException {
    if (!isEditable) {
      throw new UntranslatableException("rules do not change this field");
    }
    if (sign == '-') {
      if (!edits.removed.contains(name)) {
        edits.removed.add(name);
      }
      return;
    }
    if (line.arguments().size() > 1) {
      throw new UntranslatableException("a part of a value is not replaced");
    }
    if (line.arguments().isEmpty()) {
      throw new UntranslatableException("a field without a value");
    }
    change.make();
  }

  private void hsts(String value, Directive told) throws UntranslatableException {
    Matcher policy = HSTS.matcher(value.trim());
    if (!policy.matches()) {
      throw new UntranslatableException("a policy that is not understood");
    }
    Map<String, Object> hsts = new LinkedHashMap<>();
    hsts.put("max-age", policy.group(1) + "s");
    String options = policy.group(2).toLowerCase(Locale.ROOT);
    if (options.contains("includesubdomains")) {
      hsts.put("subdomains", "true");
    }
    if (options.contains("preload")) {
      hsts.put("preload", "true");
    }
    settings.put("hsts", hsts);
    report.adapted(told, "hsts of the route: in every response over TLS");
  }
}
