package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.EditableFields;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.cli.importer.vcl.VclExpression.Binary;
import io.forebay.cli.importer.vcl.VclExpression.Call;
import io.forebay.cli.importer.vcl.VclExpression.Name;
import io.forebay.cli.importer.vcl.VclStatement.Assign;
import io.forebay.cli.importer.vcl.VclStatement.Branch;
import io.forebay.cli.importer.vcl.VclStatement.CallSub;
import io.forebay.cli.importer.vcl.VclStatement.If;
import io.forebay.cli.importer.vcl.VclStatement.Invoke;
import io.forebay.cli.importer.vcl.VclStatement.New;
import io.forebay.cli.importer.vcl.VclStatement.Return;
import io.forebay.cli.importer.vcl.VclStatement.Unknown;
import io.forebay.cli.importer.vcl.VclStatement.Unset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code vcl_backend_fetch}, {@code vcl_backend_response} and {@code vcl_deliver} as rules: fields
 * of requests to the origin, lifetimes, and fields of responses.
 */
final class ResponseImport {
  private static final Pattern HSTS =
      Pattern.compile("max-age=(\\d{1,9})((?:; ?(?:includeSubDomains|preload))*);?");

  /** What keeps a response out of the store in any case. */
  private static final Set<String> FORBIDDING =
      Set.of(
          "beresp.ttl",
          "beresp.http.set-cookie",
          "beresp.http.vary",
          "beresp.http.cache-control",
          "beresp.http.surrogate-control",
          "bereq.uncacheable");

  private final VclContext context;
  private final ImportReport report;
  private final RuleList rules;
  private final Set<String> unsetAtLast = new LinkedHashSet<>();

  ResponseImport(VclContext context) {
    this.context = context;
    report = context.report();
    rules = context.rules();
  }

  /** Where a statement stands. */
  private enum Phase {
    FETCH,
    RESPONSE,
    DELIVER
  }

  /** Takes the statements of all three subs. */
  void run() {
    for (VclStatement statement : context.program().sub("vcl_deliver")) {
      if (statement instanceof Unset unset && VclNames.isResponseField(unset.target())) {
        unsetAtLast.add(VclNames.field(unset.target()).toLowerCase(Locale.ROOT));
      }
    }
    sub("vcl_backend_fetch", Phase.FETCH);
    sub("vcl_backend_response", Phase.RESPONSE);
    sub("vcl_fetch", Phase.RESPONSE);
    sub("vcl_deliver", Phase.DELIVER);
  }

  private void sub(String name, Phase phase) {
    new Run(phase).all(context.program().sub(name), Condition.always(), 0);
  }

  /** The statements of one sub. */
  private final class Run {
    private final Phase phase;
    private final List<Condition> returned = new ArrayList<>();

    Run(Phase phase) {
      this.phase = phase;
    }

    void all(List<VclStatement> statements, Condition path, int depth) {
      for (VclStatement statement : statements) {
        boolean isOver = returned.stream().anyMatch(one -> path.parts().containsAll(one.parts()));
        if (isOver) {
          if (statement instanceof If all) {
            all.branches()
                .forEach(branch -> report.allUnneeded(branch.of(), "no request gets here"));
          } else {
            report.allUnneeded(statement.of(), "no request gets here");
          }
          continue;
        }
        one(statement, path, depth);
      }
    }

    private void one(VclStatement statement, Condition path, int depth) {
      Directive of = statement.of();
      Condition here = path.except(returned);
      try {
        switch (statement) {
          case If all -> conditional(all, path, depth);
          case CallSub call -> {
            if (depth > 16 || !context.program().subs().containsKey(call.name())) {
              throw new UntranslatableException("a sub that is not there, or calls itself");
            }
            report.taken(of);
            all(context.program().sub(call.name()), path, depth + 1);
          }
          case Assign assign -> assign(assign, here);
          case Unset unset -> unset(unset, here);
          case Return end -> end(end, path, here);
          case Invoke invoke -> {
            if (!invoke.call().name().matches("std\\.(log|syslog|timestamp|collect)")) {
              throw new UntranslatableException("rules have no " + invoke.call().name());
            }
            report.unneeded(of, "only for the log of Varnish");
          }
          case New made -> report.left(made.of(), "there is nothing like it");
          case Unknown unknown -> report.left(of, unknown.why());
        }
      } catch (UntranslatableException e) {
        report.left(of, e.reason());
      }
    }

    private void conditional(If all, Condition path, int depth) {
      if (phase == Phase.DELIVER && isOfHits(all)) {
        all.branches().forEach(branch -> ofHits(branch.of()));
        return;
      }
      if (phase == Phase.RESPONSE && isOfStored(all)) {
        Branch branch = all.branches().getFirst();
        rules.route().put("set-cookie", "strip");
        report.taken(branch.of());
        branch.body().forEach(one -> report.taken(one.of()));
        return;
      }
      if (phase == Phase.RESPONSE && isForbidden(all)) {
        all.branches()
            .forEach(branch ->
                report.allUnneeded(branch.of(), "such responses are not stored in any case"));
        return;
      }
      context.branches(all, path, (branch, here) -> all(branch.body(), here, depth + 1));
    }

    // --- assignments ----------------------------------------------------------------------------

    private void assign(Assign assign, Condition here) throws UntranslatableException {
      String target = assign.target().toLowerCase(Locale.ROOT);
      if (!assign.operator().equals("=")) {
        throw new UntranslatableException("rules have no sums");
      }
      switch (phase) {
        case FETCH -> ofFetch(assign, target, here);
        case RESPONSE -> ofResponse(assign, target, here);
        case DELIVER -> {
          if (!VclNames.isResponseField(target)) {
            throw new UntranslatableException("rules have nothing like it");
          }
          field(assign, here, List.of());
        }
      }
    }

    private void ofFetch(Assign assign, String target, Condition here)
        throws UntranslatableException {
      if (target.equals("bereq.backend")) {
        keyed(here);
        rules.add(here, Map.of("origin", context.backends().origin(assign.value())));
        report.taken(assign.of());
        return;
      }
      if (!VclNames.isRequestField(target)) {
        throw new UntranslatableException("rules have nothing like it: see timeouts of origins");
      }
      String field = VclNames.field(assign.target());
      String lower = field.toLowerCase(Locale.ROOT);
      switch (lower) {
        case "connection", "accept-encoding", "x-forwarded-for" ->
            report.unneeded(assign.of(), "the node writes this field itself");
        case "host" -> throw new UntranslatableException("see host of the origin");
        default -> {
          checkRequestField(lower);
          keyed(here);
          TemplateImport.Made made = new TemplateImport(context.request(), here).of(assign.value());
          rules.add(
              here,
              made.condition(),
              Map.of("request-headers", Map.of("set", Map.of(field, made.text()))));
          report.taken(assign.of());
        }
      }
    }

    private void checkRequestField(String lower) throws UntranslatableException {
      if (!EditableFields.inRequests(lower)) {
        throw new UntranslatableException("the node writes this field itself");
      }
    }

    private void keyed(Condition here) throws UntranslatableException {
      if (!here.isKeyed()) {
        throw new UntranslatableException("it depends on what is not in the key of what is stored");
      }
    }

    private void ofResponse(Assign assign, String target, Condition here)
        throws UntranslatableException {
      Directive of = assign.of();
      VclExpression value = assign.value();
      switch (target) {
        case "beresp.ttl" -> {
          String time = VclNames.duration(value);
          if (time.equals("0s")) {
            rules.addOnResponse(here, Map.of("cache", "false"));
          } else {
            rules.addOnResponse(here, Map.of("ttl", time));
          }
          report.taken(of);
        }
        case "beresp.grace" -> {
          String time = VclNames.duration(value);
          Map<String, Object> actions = new LinkedHashMap<>();
          actions.put("grace", time);
          actions.put("stale-if-error", time);
          rules.addOnResponse(here, actions);
          report.taken(of);
        }
        case "beresp.keep" -> {
          if (!here.isAlways()) {
            throw new UntranslatableException("keep is a setting of the whole route");
          }
          rules.route().put("keep", VclNames.duration(value));
          report.taken(of);
        }
        case "beresp.uncacheable" -> {
          if (!value.isName("true")) {
            throw new UntranslatableException("there is nothing like it");
          }
          rules.addOnResponse(here, Map.of("cache", "false"));
          report.taken(of);
        }
        case "beresp.do_stream" -> {
          if (value.isName("true")) {
            report.unneeded(of, "bodies are always streamed");
          } else {
            report.adapted(of, "differs: bodies are always streamed");
          }
        }
        case "beresp.do_gzip" -> {
          if (!value.isName("true")) {
            report.adapted(of, "for all of the route: compress is a setting of routes");
          } else {
            rules.route().put("compress", "on");
            report.adapted(of, "text of the types that compress has, with br and zstd too");
          }
        }
        case "beresp.do_esi", "beresp.do_gunzip" -> {
          if (value.isName("false")) {
            report.unneeded(of, "bodies stay as they are");
          } else {
            throw new UntranslatableException(
                target.equals("beresp.do_esi")
                    ? "see esi of the route"
                    : "bodies are decompressed for clients that need it");
          }
        }
        case "beresp.storage", "beresp.storage_hint" ->
            throw new UntranslatableException("see storage-class of the route");
        default -> {
          if (!VclNames.isResponseField(target)) {
            throw new UntranslatableException("rules have nothing like it");
          }
          String field = VclNames.field(target);
          if (unsetAtLast.contains(field)) {
            report.unneeded(of, "clients do not get the field, and purges do not need it");
            return;
          }
          field(assign, here, ofStoring(field));
        }
      }
    }

    private List<String> ofStoring(String lower) {
      return switch (lower) {
        case "cache-control", "expires", "pragma", "surrogate-control" ->
            List.of("differs: no-store and private of the origin still hold");
        case "vary" -> List.of("differs: responses are stored by the Vary of the origin");
        default -> List.of();
      };
    }

    private void field(Assign assign, Condition here, List<String> notes)
        throws UntranslatableException {
      String field = VclNames.field(assign.target());
      String lower = field.toLowerCase(Locale.ROOT);
      if (mentionsHits(assign.value())) {
        report.adapted(assign.of(), "differs: " + ConditionImport.HITS);
        return;
      }
      if (lower.equals("strict-transport-security")) {
        hsts(assign, here);
        return;
      }
      checkField(lower);
      TemplateImport.Made made = new TemplateImport(context.request(), here).of(assign.value());
      List<Condition> rest = new ArrayList<>(here.parts());
      boolean isDefault =
          rest.removeIf(part ->
              part instanceof Condition.Not(Condition.OnResponse one)
                  && one.field().equalsIgnoreCase(field)
                  && one.value().equals("*"));
      String kind = isDefault && VclNames.isConstant(assign.value()) ? "default" : "set";
      Condition when = kind.equals("default") ? Condition.all(rest) : here;
      rules.addOnResponse(
          when,
          made.condition(),
          Map.of("response-headers", Map.of(kind, Map.of(field, made.text()))));
      context.verdict(assign.of(), notes);
    }

    private void hsts(Assign assign, Condition here) throws UntranslatableException {
      Matcher policy = HSTS.matcher(VclNames.constant(assign.value()));
      if (!policy.matches()) {
        throw new UntranslatableException("a policy that is not understood");
      }
      Map<String, Object> hsts = new LinkedHashMap<>();
      hsts.put("max-age", policy.group(1) + "s");
      if (policy.group(2).contains("includeSubDomains")) {
        hsts.put("subdomains", "true");
      }
      if (policy.group(2).contains("preload")) {
        hsts.put("preload", "true");
      }
      rules.route().put("hsts", hsts);
      report.adapted(
          assign.of(),
          "hsts of the route: in every response over TLS"
              + (here.isAlways() ? "" : ", whatever the condition"));
    }

    private void checkField(String lower) throws UntranslatableException {
      if (!EditableFields.inResponses(lower)) {
        throw new UntranslatableException("the node writes this field itself");
      }
    }

    private void unset(Unset unset, Condition here) throws UntranslatableException {
      Directive of = unset.of();
      String field = VclNames.field(unset.target());
      String lower = field.toLowerCase(Locale.ROOT);
      if (phase == Phase.FETCH) {
        if (!VclNames.isRequestField(unset.target())) {
          throw new UntranslatableException("there is nothing like it");
        }
        checkRequestField(lower);
        keyed(here);
        rules.add(here, Map.of("request-headers", Map.of("remove", List.of(field))));
        report.taken(of);
        return;
      }
      if (!VclNames.isResponseField(unset.target())) {
        throw new UntranslatableException("there is nothing like it");
      }
      if (lower.equals("x-varnish")) {
        report.unneeded(of, "only Varnish sends it");
        return;
      }
      checkField(lower);
      if (phase == Phase.RESPONSE && lower.equals("set-cookie")) {
        if (here.isAlways()) {
          rules.route().put("set-cookie", "strip");
        }
        rules.addOnResponse(here, Map.of("response-headers", Map.of("remove", List.of(field))));
        if (here.isAlways()) {
          report.taken(of);
        } else {
          report.adapted(
              of,
              "differs: clients do not get it, but such responses are not stored; see set-cookie");
        }
        return;
      }
      rules.addOnResponse(here, Map.of("response-headers", Map.of("remove", List.of(field))));
      context.verdict(of, phase == Phase.RESPONSE ? ofStoring(lower) : List.of());
    }

    // --- ends -----------------------------------------------------------------------------------

    private void end(Return end, Condition path, Condition here) throws UntranslatableException {
      switch (end.action()) {
        case "fetch" -> report.taken(end.of());
        case "deliver" -> {
          if (phase == Phase.RESPONSE) {
            report.adapted(
                end.of(), "differs: Set-Cookie, no-store and private still forbid storing");
          } else {
            report.taken(end.of());
          }
        }
        case "pass", "hit_for_pass" -> {
          if (phase != Phase.RESPONSE) {
            throw new UntranslatableException("no action here");
          }
          rules.addOnResponse(here, Map.of("cache", "false"));
          report.taken(end.of());
        }
        case "retry", "restart" ->
            throw new UntranslatableException("see retry.statuses of the origin");
        default -> throw new UntranslatableException("rules have no such action on responses");
      }
      returned.add(path);
    }
  }

  // --- idioms -----------------------------------------------------------------------------------

  private static boolean mentionsHits(VclExpression expression) {
    Set<String> names = new LinkedHashSet<>();
    names(expression, names);
    return names.contains("obj.hits") || names.contains("req.is_hit");
  }

  private static void names(@Nullable VclExpression expression, Set<String> into) {
    switch (expression) {
      case Name(String name) -> into.add(name.toLowerCase(Locale.ROOT));
      case Binary(String _, VclExpression left, VclExpression right) -> {
        names(left, into);
        names(right, into);
      }
      case VclExpression.Not(VclExpression inner) -> names(inner, into);
      case Call(String _, List<VclExpression> arguments) ->
          arguments.forEach(one -> names(one, into));
      case null, default -> {}
    }
  }

  /** Whether it only tells clients that there was a hit. */
  private static boolean isOfHits(If all) {
    Set<String> names = new LinkedHashSet<>();
    names(all.branches().getFirst().condition(), names);
    boolean isHit =
        names.contains("obj.hits")
            || names.contains("req.is_hit")
            || names.contains("resp.http.x-varnish");
    return isHit
        && all.branches().stream()
            .flatMap(branch -> branch.body().stream())
            .allMatch(one ->
                (one instanceof Assign assign && VclNames.isResponseField(assign.target()))
                    || (one instanceof Unset unset && VclNames.isResponseField(unset.target())));
  }

  private void ofHits(Directive of) {
    report.adapted(of, "differs: " + ConditionImport.HITS);
    of.block().forEach(this::ofHits);
  }

  /** Whether it takes the cookies away from what will be stored. */
  private static boolean isOfStored(If all) {
    if (all.branches().size() != 1) {
      return false;
    }
    Branch branch = all.branches().getFirst();
    Set<String> names = new LinkedHashSet<>();
    names(branch.condition(), names);
    return names.contains("beresp.ttl")
        && Set.of("beresp.ttl", "bereq.method").containsAll(names)
        && !branch.body().isEmpty()
        && hasLifetime(branch.condition())
        && branch.body().stream()
            .allMatch(one ->
                one instanceof Unset unset
                    && unset.target().equalsIgnoreCase("beresp.http.set-cookie"));
  }

  private static boolean hasLifetime(@Nullable VclExpression expression) {
    return expression instanceof Binary(String operator, VclExpression left, VclExpression right)
        && ((operator.equals(">") && left.isName("beresp.ttl"))
            || (operator.equals("&&") && (hasLifetime(left) || hasLifetime(right))));
  }

  /** Whether it keeps out of the store what is not stored in any case. */
  private static boolean isForbidden(If all) {
    if (all.branches().size() != 1) {
      return false;
    }
    Branch branch = all.branches().getFirst();
    Set<String> names = new LinkedHashSet<>();
    names(branch.condition(), names);
    boolean isUncacheable =
        branch.body().stream()
            .anyMatch(one ->
                (one instanceof Assign assign
                        && assign.target().equals("beresp.uncacheable")
                        && assign.value().isName("true"))
                    || (one instanceof Return end
                        && Set.of("pass", "hit_for_pass").contains(end.action())));
    boolean isNothingElse =
        branch.body().stream()
            .allMatch(one ->
                (one instanceof Assign assign
                        && Set.of("beresp.ttl", "beresp.uncacheable").contains(assign.target()))
                    || one instanceof Return);
    return isUncacheable
        && isNothingElse
        && !names.isEmpty()
        && FORBIDDING.containsAll(names)
        && !hasAnd(branch.condition());
  }

  private static boolean hasAnd(@Nullable VclExpression expression) {
    return expression instanceof Binary(String operator, VclExpression left, VclExpression right)
        && ((operator.equals("&&") && !isAbout(left, "surrogate") && !isAbout(right, "surrogate"))
            || hasAnd(left)
            || hasAnd(right));
  }

  private static boolean isAbout(VclExpression expression, String what) {
    Set<String> names = new LinkedHashSet<>();
    names(expression, names);
    return names.stream().anyMatch(name -> name.contains(what));
  }
}
