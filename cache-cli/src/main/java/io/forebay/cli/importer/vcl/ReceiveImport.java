package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.EditableFields;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.cli.importer.vcl.CookiePatterns.Left;
import io.forebay.cli.importer.vcl.RequestState.Value;
import io.forebay.cli.importer.vcl.UrlPatterns.Change;
import io.forebay.cli.importer.vcl.VclExpression.Binary;
import io.forebay.cli.importer.vcl.VclExpression.Call;
import io.forebay.cli.importer.vcl.VclStatement.Assign;
import io.forebay.cli.importer.vcl.VclStatement.CallSub;
import io.forebay.cli.importer.vcl.VclStatement.If;
import io.forebay.cli.importer.vcl.VclStatement.Invoke;
import io.forebay.cli.importer.vcl.VclStatement.New;
import io.forebay.cli.importer.vcl.VclStatement.Return;
import io.forebay.cli.importer.vcl.VclStatement.Unknown;
import io.forebay.cli.importer.vcl.VclStatement.Unset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code vcl_recv} as rules. VCL runs from top to bottom and ends with a {@code return}; of rules
 * all apply that hold. So the condition of each rule is what leads to its statement, without what
 * has returned before it.
 */
final class ReceiveImport {
  private static final String GRACE =
      "differs: stale responses are served as stale-while-revalidate says";

  private static final Map<String, String> SETTINGS =
      Map.of(
          "req.grace", GRACE,
          "req.ttl", "",
          "req.hash_always_miss", "",
          "req.hash_ignore_busy", "",
          "req.esi", "",
          "req.storage", "see storage-class of the route");

  private final VclContext context;
  private final ImportReport report;
  private final RuleList rules;
  private final RequestState request;
  private final PurgeImport purges;
  private final SynthImport answers;
  private final Deque<String> calls = new ArrayDeque<>();

  /** What has returned: to the cache, past it. */
  private final List<Condition> looked = new ArrayList<>();

  private final List<Condition> passed = new ArrayList<>();

  /** Changes that only requests past the store can have: they wait for a pass. */
  private final List<Pending> pending = new ArrayList<>();

  /** Statements that take cookies away where the key does not tell. */
  private final List<Directive> cookieFree = new ArrayList<>();

  private @Nullable Left vmodCookies;
  private boolean isCookieFree;

  private record Pending(Directive of, Condition path, Map<String, Object> actions) {}

  ReceiveImport(VclContext context, PurgeImport purges, SynthImport answers) {
    this.context = context;
    this.purges = purges;
    this.answers = answers;
    report = context.report();
    rules = context.rules();
    request = context.request();
  }

  /** The statements of {@code vcl_recv}, and those that Varnish has behind them. */
  void run(List<VclStatement> statements) {
    run(statements, Condition.always());
    builtin();
    for (Pending one : pending) {
      report.left(one.of(), "it depends on what is not in the key of what is stored");
    }
    cookies();
  }

  private void run(List<VclStatement> statements, Condition path) {
    boolean isAnswer =
        !statements.isEmpty()
            && statements.getLast() instanceof Return last
            && last.action().equals("synth");
    for (VclStatement statement : statements) {
      if (isOver(path)) {
        if (statement instanceof If all) {
          all.branches().forEach(branch -> report.allUnneeded(branch.of(), "no request gets here"));
        } else {
          report.allUnneeded(statement.of(), "no request gets here");
        }
        continue;
      }
      switch (statement) {
        case If all -> conditional(all, path);
        case Return returned -> returned(returned, path);
        case Assign assign -> assign(assign, path, isAnswer);
        case Unset unset -> unset(unset, path);
        case CallSub call -> call(call, path);
        case Invoke invoke -> invoke(invoke);
        case New made -> report.left(made.of(), "there is nothing like it");
        case Unknown unknown -> report.left(unknown.of(), unknown.why());
      }
    }
  }

  /** Whether all requests that get here have returned. */
  private boolean isOver(Condition path) {
    for (List<Condition> all : List.of(looked, passed)) {
      for (Condition one : all) {
        if (path.parts().containsAll(one.parts())) {
          return true;
        }
      }
    }
    return false;
  }

  private void conditional(If all, Condition path) {
    context.branches(
        all,
        path,
        (branch, here) -> {
          if (PurgeImport.isPurge(here)) {
            purges.take(branch, here);
          } else if (isOfQuery(here, path) && isAboutUrl(branch.body())) {
            // What a query does not have cannot be taken out of it.
            run(branch.body(), path);
          } else if (isOfCookies(here, path) && isAboutCookies(branch.body())) {
            run(branch.body(), path);
          } else {
            run(branch.body(), here);
          }
        });
  }

  private static Condition added(Condition here, Condition path) {
    List<Condition> parts = new ArrayList<>(here.parts());
    parts.removeAll(path.parts());
    return Condition.all(parts);
  }

  private static boolean isOfQuery(Condition here, Condition path) {
    return added(here, path).parts().stream()
        .allMatch(part ->
            part instanceof Condition.OnRequest one && one.expression().startsWith(Cel.URL));
  }

  private static boolean isAboutUrl(List<VclStatement> body) {
    return body.stream()
        .allMatch(statement ->
            statement instanceof Assign assign && assign.target().equalsIgnoreCase("req.url"));
  }

  private static boolean isOfCookies(Condition here, Condition path) {
    Condition added = added(here, path);
    return !added.isAlways() && CookiePatterns.isAboutCookies(added);
  }

  /** Whether all that is done is to change cookies, and what is done without any is the same. */
  private static boolean isAboutCookies(List<VclStatement> body) {
    return !body.isEmpty()
        && body.stream()
            .allMatch(statement ->
                switch (statement) {
                  case Assign assign -> assign.target().equalsIgnoreCase("req.http.cookie");
                  case Invoke invoke -> invoke.call().name().startsWith("cookie.");
                  case If all ->
                      all.branches().stream()
                          .allMatch(branch ->
                              branch.body().stream()
                                  .allMatch(one -> isOfEmptyCookie(branch, one) || isPass(one)));
                  default -> false;
                });
  }

  private static boolean isPass(VclStatement statement) {
    return statement instanceof Return returned && returned.action().equals("pass");
  }

  private static boolean isOfEmptyCookie(VclStatement.Branch branch, VclStatement statement) {
    return branch.condition()
            instanceof Binary(String operator, VclExpression left, VclExpression right)
        && Set.of("==", "~").contains(operator)
        && left.isName("req.http.cookie")
        && right instanceof VclExpression.Text(String text)
        && CookiePatterns.isOfSeparators(text)
        && statement instanceof Unset unset
        && unset.target().equalsIgnoreCase("req.http.cookie");
  }

  private void call(CallSub call, Condition path) {
    if (!context.program().subs().containsKey(call.name())) {
      report.left(call.of(), "there is no sub " + call.name());
    } else if (calls.contains(call.name()) || calls.size() > 16) {
      report.left(call.of(), "a sub that calls itself");
    } else {
      report.taken(call.of());
      calls.push(call.name());
      run(context.program().sub(call.name()), path);
      calls.pop();
    }
  }

  // --- returns ----------------------------------------------------------------------------------

  private void returned(Return of, Condition path) {
    switch (of.action()) {
      case "pass" -> pass(of.of(), path, List.of());
      case "pipe" -> pipe(of, path);
      case "hash", "lookup" -> {
        boolean isOfGet =
            path.except(passed).parts().stream()
                .anyMatch(part ->
                    part instanceof Condition.OnMethod(Set<String> methods)
                        && Set.of("GET", "HEAD").containsAll(methods));
        if (isOfGet) {
          report.taken(of.of());
        } else {
          report.adapted(of.of(), "differs: other methods than GET and HEAD are passed");
        }
        looked.add(path);
      }
      case "synth" -> answer(of, path);
      case "purge" -> report.left(of.of(), "purges are asked for with the method PURGE or BAN");
      case "restart", "vcl", "fail" -> report.left(of.of(), "rules have no such action");
      default -> report.left(of.of(), "no action of vcl_recv");
    }
  }

  private void pass(Directive of, Condition path, List<String> notes) {
    if (!path.isForOtherMethods()) {
      Map<String, Object> actions = new LinkedHashMap<>();
      actions.put("pass", "true");
      for (Pending one : List.copyOf(pending)) {
        if (one.path().equals(path)
            && actions.keySet().stream().noneMatch(one.actions()::containsKey)) {
          actions.putAll(one.actions());
          pending.remove(one);
          report.taken(one.of());
        }
      }
      try {
        rules.add(path.except(looked), actions);
      } catch (UntranslatableException e) {
        report.left(of, context.uncached(e.reason()));
        return;
      }
    }
    if (path.equals(request.hasCookies())) {
      isCookieFree = true;
    }
    passed.add(path);
    context.verdict(of, notes);
  }

  private void pipe(Return of, Condition path) {
    boolean isUpgrade =
        path.parts().stream()
            .anyMatch(part -> part.toString().toLowerCase(Locale.ROOT).contains("upgrade"));
    if (isUpgrade) {
      rules.route().put("upgrade", List.of("websocket"));
      report.taken(of.of());
      passed.add(path);
    } else if (path.isForOtherMethods()) {
      report.taken(of.of());
      passed.add(path);
    } else {
      pass(of.of(), path, List.of("differs: passed as a request, not as a tunnel"));
    }
  }

  private void answer(Return of, Condition path) {
    List<Condition> before = new ArrayList<>(looked);
    before.addAll(passed);
    Condition all = path.except(before);
    try {
      answers.answer(of, path, all);
    } catch (UntranslatableException e) {
      report.left(of.of(), e.reason());
    }
    // No rule is asked behind one that answers.
    if (path.isAlways()) {
      passed.add(path);
    }
  }

  /** What Varnish does behind the statements of a user. */
  private void builtin() {
    if (isOver(Condition.always())) {
      return;
    }
    Condition cookies = request.hasCookies();
    Condition authorization =
        new Condition.OnRequest(
            "header",
            Map.of("Authorization", "*"),
            false,
            Cel.hasField("request", "authorization"));
    for (RequestState.Assigned one : request.assignments("authorization")) {
      authorization =
          one.when().isAlways() ? Condition.never() : authorization.and(Condition.not(one.when()));
    }
    Condition both = Condition.any(List.of(authorization, cookies));
    isCookieFree = true;
    Map<String, Object> actions = Map.of("pass", "true");
    try {
      rules.add(both.except(looked), actions);
    } catch (UntranslatableException e) {
      // Without the exceptions fewer requests are answered from the cache, and none wrongly.
      try {
        rules.add(both, actions);
      } catch (UntranslatableException again) {
        rules.route().put("cache", "false");
      }
    }
  }

  // --- changes of the request -------------------------------------------------------------------

  private void assign(Assign assign, Condition path, boolean isAnswer) {
    Directive of = assign.of();
    String target = assign.target().toLowerCase(Locale.ROOT);
    try {
      if (!assign.operator().equals("=")) {
        throw new UntranslatableException("rules have no sums");
      }
      switch (target) {
        case "req.url" -> url(assign, path);
        case "req.backend_hint" -> {
          String origin = context.backends().origin(assign.value());
          boolean isOfAll =
              path.isAlways()
                  && passed.isEmpty()
                  && rules.rules().stream().noneMatch(rule -> rule.containsKey("origin"));
          if (isOfAll) {
            rules.route().put("origin", origin);
            report.taken(of);
          } else {
            edit(of, path, Condition.always(), Map.of("origin", origin), List.of());
          }
        }
        case "req.http.host" -> host(assign, path);
        case "req.http.cookie" -> cookie(assign, path);
        case "req.http.accept-encoding" ->
            report.unneeded(of, "the node brings Accept-Encoding into a normal form");
        case "req.method" -> report.left(of, "the method stays");
        default -> {
          if (VclNames.isRequestField(target)) {
            field(assign, path, isAnswer);
          } else if (target.equals("req.grace")
              && path.isAlways()
              && VclNames.millis(assign.value()) >= 0) {
            report.adapted(of, GRACE);
          } else {
            String text = SETTINGS.getOrDefault(target, "");
            report.left(of, text.isEmpty() ? "rules have nothing like it" : text);
          }
        }
      }
    } catch (UntranslatableException e) {
      report.left(of, e.reason());
    }
  }

  /** A change that what is stored may depend on: by what is in the key alone. */
  private void edit(
      Directive of,
      Condition path,
      Condition captures,
      Map<String, Object> actions,
      List<String> notes)
      throws UntranslatableException {
    List<String> all = new ArrayList<>(notes);
    Condition here = path.except(looked);
    Condition exact = here.except(passed);
    Condition near = here.except(passed.stream().filter(Condition::isKeyed).toList());
    if (exact.isKeyed() && exact.fits()) {
      rules.add(exact, captures, actions);
    } else if (near.isKeyed() && near.fits()) {
      rules.add(near, captures, actions);
      all.add("differs: also for some requests that were passed before");
    } else if (here.isKeyed() && here.fits()) {
      rules.add(here, captures, actions);
      all.add("differs: also for requests that were passed before");
    } else if (path.isKeyed() && path.fits()) {
      rules.add(path, captures, actions);
      all.add("differs: also for requests that returned before");
    } else if (!captures.isAlways()) {
      throw new UntranslatableException("it depends on what is not in the key of what is stored");
    } else {
      pending.add(new Pending(of, path, actions));
      return;
    }
    context.verdict(of, all);
  }

  private void url(Assign assign, Condition path) throws UntranslatableException {
    Directive of = assign.of();
    VclExpression value = assign.value();
    if (value instanceof Call(String name, List<VclExpression> _) && name.equals("std.querysort")) {
      ofAll(path);
      rules.key().put("query", "sort");
      report.taken(of);
      return;
    }
    if (value instanceof Call(String name, List<VclExpression> arguments)
        && name.matches("regsub(all)?")
        && arguments.size() == 3
        && arguments.getFirst().isName("req.url")) {
      Change change =
          UrlPatterns.change(
              VclNames.constant(arguments.get(1)), VclNames.constant(arguments.get(2)));
      switch (change) {
        case Change.Nothing(String why) -> report.unneeded(of, why);
        case Change.StripParameters(List<String> names) -> {
          ofAll(path);
          rules.addToKey("strip", names);
          report.taken(of);
        }
        case Change.DropQuery _ when path.isAlways() && looked.isEmpty() && passed.isEmpty() -> {
          rules.key().put("query", "ignore");
          report.taken(of);
        }
        case Change.DropQuery _ ->
            edit(
                of,
                path,
                Condition.always(),
                Map.of("rewrite", Map.of("path", "$path")),
                List.of("differs: keys have the query"));
        case Change.Rewrite rewrite -> {
          Condition matches =
              new Condition.OnRequest(
                  "path",
                  Map.of("regex", rewrite.path()),
                  true,
                  Cel.matches("request.path", rewrite.path()));
          edit(
              of,
              path,
              matches,
              Map.of("rewrite", Map.of("path", rewrite.template())),
              List.of("differs: keys have the URL of the client"));
          request.changeUrl();
        }
      }
      return;
    }
    TemplateImport.Made template = new TemplateImport(request, path).of(value);
    if (!template.text().matches("(/(?!/)|\\$path|\\$uri)(?s:.*)")) {
      throw new UntranslatableException("a target that does not begin with a path");
    }
    edit(
        of,
        path,
        template.condition(),
        Map.of("rewrite", Map.of("path", template.text())),
        List.of("differs: keys have the URL of the client"));
    request.changeUrl();
  }

  private static void ofAll(Condition path) throws UntranslatableException {
    if (!path.isAlways()) {
      throw new UntranslatableException("the key is a setting of the whole route");
    }
  }

  private void host(Assign assign, Condition path) throws UntranslatableException {
    Directive of = assign.of();
    VclExpression value = assign.value();
    if (value.isName("req.http.host")
        || (value instanceof Call(String name, List<VclExpression> _)
            && name.equals("std.tolower"))) {
      report.unneeded(of, "hosts are compared and stored in lower case");
      return;
    }
    if (value instanceof Call(String name, List<VclExpression> arguments)
        && name.matches("regsub(all)?")
        && arguments.size() == 3
        && arguments.get(1) instanceof VclExpression.Text(String expression)
        && expression.startsWith(":")) {
      rules.key().put("port", "false");
      report.taken(of);
      return;
    }
    if (path.isAlways() && VclNames.isConstant(value) && looked.isEmpty() && passed.isEmpty()) {
      String host = VclNames.constant(value).toLowerCase(Locale.ROOT);
      if (host.matches("[a-z0-9.-]+")) {
        rules.fixHost(of, host);
        return;
      }
    }
    throw new UntranslatableException("hosts stay: see key.host of a route, and host of origins");
  }

  private void field(Assign assign, Condition path, boolean isAnswer)
      throws UntranslatableException {
    Directive of = assign.of();
    String field = VclNames.field(assign.target());
    String lower = field.toLowerCase(Locale.ROOT);
    VclExpression value = request.resolved(assign.value());
    if (lower.equals("x-forwarded-for")) {
      report.unneeded(of, "the node writes X-Forwarded-For");
      return;
    }
    request.assign(field, path, new Value.Given(value));
    if (isAnswer) {
      report.taken(of);
      return;
    }
    if (!EditableFields.inRequests(lower)) {
      report.adapted(of, "used in conditions; the node writes this field itself");
      return;
    }
    TemplateImport.Made template;
    try {
      template = new TemplateImport(request, path).of(value);
    } catch (UntranslatableException e) {
      if (context.hashed().contains(lower)) {
        // The key says what becomes of it.
        report.adapted(of, "see hash_data: origins do not get it");
        return;
      }
      throw e;
    }
    boolean isKeyed = path.except(looked).isKeyed();
    if (!isKeyed && VclNames.isConstant(value)) {
      report.adapted(of, "used in conditions; origins do not get the field");
      return;
    }
    edit(
        of,
        path,
        template.condition(),
        Map.of("request-headers", Map.of("set", Map.of(field, template.text()))),
        List.of());
  }

  private void unset(Unset unset, Condition path) {
    Directive of = unset.of();
    String target = unset.target().toLowerCase(Locale.ROOT);
    try {
      if (!VclNames.isRequestField(target)) {
        throw new UntranslatableException("there is nothing like it");
      }
      String field = VclNames.field(unset.target());
      String lower = field.toLowerCase(Locale.ROOT);
      switch (lower) {
        case "cookie" -> {
          if (path.parts().contains(Condition.not(request.hasCookies()))) {
            report.unneeded(of, "there is no cookie left here");
          } else {
            request.assignCookies(path, new Left.Nothing());
            unsetCookie(of, path);
          }
        }
        case "proxy" -> report.unneeded(of, "the node drops the field");
        case "accept-encoding" ->
            report.adapted(of, "differs: origins are asked with what clients accept");
        case "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "forwarded" -> {
          request.assign(field, path, new Value.Absent());
          report.adapted(of, "the node writes this field itself: see forwarding");
        }
        default -> {
          if (!EditableFields.inRequests(lower)) {
            throw new UntranslatableException("the node writes this field itself");
          }
          request.assign(field, path, new Value.Absent());
          edit(
              of,
              path,
              Condition.always(),
              Map.of("request-headers", Map.of("remove", List.of(field))),
              List.of());
        }
      }
    } catch (UntranslatableException e) {
      report.left(of, e.reason());
    }
  }

  private void unsetCookie(Directive of, Condition path) throws UntranslatableException {
    if (path.isAlways() && looked.isEmpty() && passed.isEmpty()) {
      rules.route().put("request-cookies", Map.of("keep", List.of()));
      report.taken(of);
    } else if (path.isAlways()) {
      rules.addToKey("ignore-headers", List.of("Cookie"));
      report.adapted(of, "differs: requests that are passed keep their cookies");
    } else if (CookiePatterns.isAboutCookies(path) || !path.except(looked).isKeyed()) {
      // Requests that are looked up have none then, if those with cookies are passed.
      cookieFree.add(of);
    } else {
      edit(
          of,
          path,
          Condition.always(),
          Map.of("request-headers", Map.of("remove", List.of("Cookie"))),
          List.of());
    }
  }

  private void cookie(Assign assign, Condition path) throws UntranslatableException {
    Directive of = assign.of();
    VclExpression value = assign.value();
    Left before = request.cookiesOfAll();
    Left left;
    if (value instanceof Call(String name, List<VclExpression> arguments)
        && name.matches("regsub(all)?")
        && arguments.size() == 3
        && arguments.getFirst().isName("req.http.cookie")) {
      left =
          CookiePatterns.change(
              before, VclNames.constant(arguments.get(1)), VclNames.constant(arguments.get(2)));
    } else if (value instanceof Call(String name, List<VclExpression> _)
        && name.equals("cookie.get_string")
        && vmodCookies != null) {
      left = vmodCookies;
    } else if (value instanceof Binary(String operator, VclExpression one, VclExpression other)
        && operator.equals("+")
        && one instanceof VclExpression.Text(String sign)
        && CookiePatterns.isOfSeparators(sign)
        && other.isName("req.http.cookie")) {
      left = before;
    } else if (value.isName("req.http.cookie")
        || (value instanceof Call(String name, List<VclExpression> _)
            && name.equals("std.collect"))) {
      left = before;
    } else if (value instanceof VclExpression.Text(String text) && text.isBlank()) {
      request.assignCookies(path, new Left.Nothing());
      unsetCookie(of, path);
      return;
    } else {
      throw new UntranslatableException("cookies that are computed");
    }
    if (!path.isAlways() && !left.equals(before)) {
      throw new UntranslatableException("cookies are stripped for the whole route");
    }
    if (left.equals(before)) {
      report.unneeded(of, "cookies are taken out with their separators");
      return;
    }
    request.assignCookies(path, left);
    List<String> names =
        switch (left) {
          case Left.Others(List<String> others) -> others;
          case Left.Only(List<String> kept) -> kept;
          default -> List.of();
        };
    if (names.stream().allMatch(CookiePatterns::isPlain)) {
      report.taken(of);
    } else {
      report.adapted(
          of, "differs: names that are no fixed text count where cookies are compared, and stay");
    }
  }

  /** What the route does with cookies, by what is left of them in the end. */
  private void cookies() {
    List<String> plain =
        switch (request.cookiesOfAll()) {
          case Left.Others(List<String> names) -> CookiePatterns.plain(names);
          case Left.Only(List<String> names)
              when names.stream().allMatch(CookiePatterns::isPlain) ->
              CookiePatterns.plain(names);
          default -> List.of();
        };
    if (!plain.isEmpty() && !rules.route().containsKey("request-cookies")) {
      String kind = request.cookiesOfAll() instanceof Left.Only ? "keep" : "strip";
      rules.route().put("request-cookies", Map.of(kind, plain));
    }
    if (isCookieFree && (!request.cookies().isEmpty() || !cookieFree.isEmpty())) {
      boolean isWithout =
          rules.route().getOrDefault("request-cookies", "").toString().equals("{keep=[]}");
      if (!isWithout) {
        rules.addToKey("ignore-headers", List.of("Cookie"));
      }
      cookieFree.forEach(of -> report.taken(of));
    } else {
      cookieFree.forEach(
          of -> report.left(of, "requests of one key go to the origin with and without cookies"));
    }
  }

  // --- functions --------------------------------------------------------------------------------

  private void invoke(Invoke invoke) {
    Directive of = invoke.of();
    Call call = invoke.call();
    try {
      switch (call.name()) {
        case "std.log", "std.syslog", "std.timestamp" ->
            report.unneeded(of, "only for the log of Varnish: see the access log");
        case "std.collect" -> report.unneeded(of, "lines of a field are joined");
        case "ban" ->
            throw new UntranslatableException("purges are asked for with the method PURGE or BAN");
        case "cookie.parse" -> {
          vmodCookies = request.cookiesOfAll();
          report.taken(of);
        }
        case "cookie.filter", "cookie.delete" -> vmod(call, of, false, false);
        case "cookie.filter_re" -> vmod(call, of, false, true);
        case "cookie.keep" -> vmod(call, of, true, false);
        case "cookie.keep_re" -> vmod(call, of, true, true);
        case "cookie.clean" -> report.unneeded(of, "nothing of it stays");
        default -> throw new UntranslatableException("rules have no " + call.name());
      }
    } catch (UntranslatableException e) {
      report.left(of, e.reason());
    }
  }

  private void vmod(Call call, Directive of, boolean isKept, boolean isExpression)
      throws UntranslatableException {
    if (!(vmodCookies instanceof Left.Everything)) {
      throw new UntranslatableException("cookies are changed once");
    }
    String text = VclNames.constant(call.argument(0));
    List<String> names;
    if (isExpression) {
      // Found anywhere in a name.
      names = new ArrayList<>();
      for (String name : CookiePatterns.names(text)) {
        boolean isBegun = name.startsWith("^");
        boolean isEnded = name.endsWith("$");
        String bare = name.substring(isBegun ? 1 : 0, name.length() - (isEnded ? 1 : 0));
        names.add((isBegun ? "" : ".*") + bare + (isEnded ? "" : ".*"));
      }
    } else {
      names =
          Arrays.stream(text.split(",", -1))
              .map(String::strip)
              .filter(name -> !name.isEmpty())
              .map(ConditionImport::quoted)
              .toList();
    }
    vmodCookies = isKept ? new Left.Only(names) : new Left.Others(names);
    report.taken(of);
  }
}
