package io.forebay.cli.importer.caddy;

import io.forebay.cli.importer.caddy.DirectiveOrder.Entry;
import io.forebay.cli.importer.caddy.HeaderEdits.Edits;
import io.forebay.cli.importer.caddy.Placeholders.Text;
import io.forebay.cli.importer.model.Conditions;
import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.server.rule.Template;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The handlers of a site as rules. Caddy asks them in its order until one answers; of rules all
 * that hold apply, until one answers. So the conditions of a rule exclude what handlers before it
 * have taken to an origin.
 */
final class HandlerChain {
  /** What is configured for the site as a whole, elsewhere. */
  private static final Set<String> OF_SITES =
      Set.of("tls", "bind", "log", "handle_errors", "import");

  /** Handlers that answer, and have no rule that does the same. */
  private static final Set<String> ENDS =
      Set.of("php_fastcgi", "acme_server", "metrics", "invoke", "copy_response");

  private final ImportReport report;
  private final ConfigDraft draft;
  private final NodeDraft node;
  private final DirectiveOrder order;
  private final MatcherReader matchers;
  private final String site;

  /** Settings of the site's routes. */
  private final Map<String, Object> settings = new LinkedHashMap<>();

  private final List<Map<String, Object>> rules = new ArrayList<>();

  /** Protections by the prefixes of paths. */
  private final Map<String, Map<String, Object>> guards = new LinkedHashMap<>();

  private final HeaderEdits fields;
  private String origin = "";
  private String someOrigin = "";

  HandlerChain(
      ImportReport report,
      ConfigDraft draft,
      NodeDraft node,
      DirectiveOrder order,
      MatcherReader matchers,
      String site) {
    this.report = report;
    this.draft = draft;
    this.node = node;
    this.order = order;
    this.matchers = matchers;
    this.site = site;
    this.fields = new HeaderEdits(report, settings);
  }

  /** How a block ends for the requests that it gets. */
  private enum End {
    /** The handlers behind it are asked as well. */
    OPEN,
    /** Rules answer. */
    ANSWERED,
    /** An origin answers. */
    SERVED
  }

  /**
   * What a site becomes.
   *
   * @param origin of requests that no rule sends elsewhere; empty where there are none
   * @param guards protections by prefix; that of {@code /} holds for the whole site
   */
  record Site(
      String origin,
      Map<String, Object> settings,
      List<Map<String, Object>> rules,
      Map<String, Map<String, Object>> guards) {}

  Site read(List<Directive> block) {
    List<Map<String, Object>> taken = new ArrayList<>();
    End end = walk(block, new Scope(), null, "/", true, taken);
    if (end == End.OPEN) {
      // What no handler answers is empty there.
      Map<String, Object> rest = Map.of("respond", "200");
      rules.add(Conditions.limited(rest, taken.isEmpty() ? null : Conditions.none(taken)));
    }
    return new Site(origin.isEmpty() ? someOrigin : origin, settings, rules, guards);
  }

  /**
   * Adds the rules of a block.
   *
   * @param context which requests it gets, or null for all
   * @param within the prefix that all their paths have, or empty where this is not known
   * @param isOrdered whether Caddy sorts the handlers
   * @param taken gets the conditions of what went to origins
   */
  private End walk(
      List<Directive> block,
      Scope scope,
      @Nullable Map<String, Object> context,
      String within,
      boolean isOrdered,
      List<Map<String, Object>> taken) {
    for (Directive each : block) {
      if (each.name().startsWith("@")) {
        scope.matchers.put(each.name(), each);
      }
    }
    List<Entry> entries = new ArrayList<>();
    for (Directive each : block) {
      Entry entry = entry(each, scope, context);
      if (entry != null) {
        entries.add(entry);
      }
    }
    List<Map<String, Object>> handled = new ArrayList<>();
    List<Map<String, Object>> rewritten = new ArrayList<>();
    End end = End.OPEN;
    for (Entry each : isOrdered ? order.sorted(entries) : entries) {
      if (end != End.OPEN) {
        report.allUnneeded(each.of(), "a handler before it answers every request");
        continue;
      }
      // Groups of the statement's own expression come first.
      Map<String, Object> own = join(each.matched().condition(), context);
      Map<String, Object> condition =
          taken.isEmpty() ? own : Conditions.both(own, Conditions.none(taken));
      try {
        switch (each.of().name()) {
          case "handle", "handle_path", "route" -> {
            boolean isExclusive = !each.of().name().equals("route");
            List<Map<String, Object>> others = new ArrayList<>(taken);
            if (isExclusive) {
              handled.stream().filter(one -> !taken.contains(one)).forEach(others::add);
            }
            Map<String, Object> inner =
                others.isEmpty() ? own : Conditions.both(own, Conditions.none(others));
            String prefix = prefix(each.matched(), scope);
            End ofBlock = group(each, scope, inner, prefix.equals("/") ? within : prefix);
            if (ofBlock == End.SERVED && !each.matched().isAll()) {
              taken.add(condition(each));
            }
            if (isExclusive && ofBlock != End.ANSWERED && !each.matched().isAll()) {
              handled.add(condition(each));
            }
            end = each.matched().isAll() ? ofBlock : End.OPEN;
          }
          case "reverse_proxy", "file_server" -> {
            serve(each, scope, condition, context == null && each.matched().isAll());
            if (each.matched().isAll()) {
              end = End.SERVED;
            } else {
              taken.add(condition(each));
            }
          }
          case "redir", "respond", "error", "abort" -> {
            answer(each, scope, condition);
            end = each.matched().isAll() ? End.ANSWERED : End.OPEN;
          }
          case "rewrite" -> {
            Map<String, Object> first =
                rewritten.isEmpty()
                    ? condition
                    : Conditions.both(condition, Conditions.none(rewritten));
            rewrite(each, scope, first, each.of().argument(each.matched().arguments()));
            report.taken(each.of());
            if (!each.matched().isAll()) {
              rewritten.add(condition(each));
            }
          }
          case "uri" -> uri(each, scope, condition);
          case "header" ->
              rules.addAll(fields.responses(each.of(), each.matched(), condition, scope));
          case "request_header" -> requestHeader(each, scope, condition);
          case "basicauth", "basic_auth", "forward_auth" ->
              guard(each, scope, condition, within, context == null);
          case "request_body" -> body(each.of());
          case "root" -> root(each, scope);
          case "try_files" -> tried(each.of(), each.matched().arguments());
          default -> left(each);
        }
      } catch (UntranslatableException e) {
        report.allLeft(each.of(), e.reason());
        if (ends(each.of())) {
          refuse(condition, "404");
          end = each.matched().isAll() ? End.ANSWERED : End.OPEN;
        }
      }
    }
    return end;
  }

  private static @Nullable Map<String, Object> join(
      @Nullable Map<String, Object> one, @Nullable Map<String, Object> other) {
    return one == null && other == null ? null : Conditions.both(one, other);
  }

  private static Map<String, Object> condition(Entry of) {
    Map<String, Object> condition = of.matched().condition();
    return condition == null ? Map.of() : condition;
  }

  private static boolean ends(Directive of) {
    return ENDS.contains(of.name())
        || Set.of(
                "handle",
                "handle_path",
                "reverse_proxy",
                "file_server",
                "respond",
                "redir",
                "error")
            .contains(of.name());
  }

  /** A handler with its matcher; null for what is none, or has a verdict. */
  private @Nullable Entry entry(Directive of, Scope scope, @Nullable Map<String, Object> context) {
    if (of.name().startsWith("@") || (OF_SITES.contains(of.name()) && context == null)) {
      return null;
    }
    if (of.name().equals("import")) {
      return null;
    }
    if (!order.isHandler(of.name())) {
      report.allLeft(of, "there is nothing like it");
      return null;
    }
    try {
      boolean isTarget =
          of.arguments().size() == 1
              && of.argument(0).startsWith("/")
              && Set.of("rewrite", "redir", "root", "try_files").contains(of.name());
      return new Entry(of, isTarget ? Matched.ALL : matchers.of(of, scope));
    } catch (UntranslatableException e) {
      report.allLeft(of, e.reason());
      if (MatcherReader.restricts(of)) {
        report.left(of, "all requests of the block are refused, since it may be for any of them");
        refuse(context, "403");
      }
      return null;
    }
  }

  private void refuse(@Nullable Map<String, Object> condition, String status) {
    rules.add(Conditions.limited(Map.of("deny", status), condition));
  }

  /** The prefix that a matcher's paths have: {@code /} if it says nothing of them. */
  private static String prefix(Matched matched, Scope scope) {
    Map<String, Object> condition = matched.condition();
    if (condition == null) {
      return "/";
    }
    String path = matched.path();
    boolean isPlain = condition.keySet().equals(Set.of("path")) && path.startsWith("/");
    return isPlain ? scope.cut + path : "";
  }

  /** The condition, with groups for the part of the path behind what was cut from it. */
  static @Nullable Map<String, Object> ofCut(
      @Nullable Map<String, Object> condition, boolean isOfCut, Scope scope) {
    if (!isOfCut) {
      return condition;
    }
    Map<String, Object> path =
        Map.of("path", Map.of("regex", "^" + MatcherReader.quoted(scope.cut) + "/?(.*)$"));
    return Conditions.both(path, condition);
  }

  /** Adds a rule that changes what the origin is asked. */
  private void request(@Nullable Map<String, Object> condition, Map<String, Object> action) {
    Map<String, Object> rule = Conditions.limited(action, condition);
    if (!MatcherReader.isInKey(condition)) {
      rule.put("pass", "true");
    }
    rules.add(rule);
  }

  // --- blocks ------------------------------------------------------------------------------------

  private End group(
      Entry entry, Scope scope, @Nullable Map<String, Object> condition, String within)
      throws UntranslatableException {
    Directive of = entry.of();
    boolean isOrdered = !of.name().equals("route");
    if (!of.name().equals("handle_path")) {
      report.taken(of);
      return walk(of.block(), scope.inner(), condition, within, isOrdered, new ArrayList<>());
    }
    String pattern = entry.matched().path();
    if (!pattern.startsWith("/") || pattern.replaceFirst("\\*$", "").contains("*")) {
      throw new UntranslatableException("handle_path is for one path, such as /api/*");
    }
    report.taken(of);
    Scope inner = scope.cutting(pattern.replaceFirst("/?\\*$", "").replaceFirst("/$", ""));
    int place = rules.size();
    End end = walk(of.block(), inner, condition, within, true, new ArrayList<>());
    if (end != End.ANSWERED && !inner.cut.isEmpty()) {
      // Before the rules of the block: the last one that rewrites does.
      Map<String, Object> rule =
          Conditions.limited(Map.of("rewrite", Map.of("strip-prefix", inner.cut)), condition);
      if (!MatcherReader.isInKey(condition)) {
        rule.put("pass", "true");
      }
      rules.add(place, rule);
    }
    return end;
  }

  // --- answers -----------------------------------------------------------------------------------

  private void answer(Entry entry, Scope scope, @Nullable Map<String, Object> condition)
      throws UntranslatableException {
    Directive of = entry.of();
    List<String> words = of.arguments().subList(entry.matched().arguments(), of.arguments().size());
    switch (of.name()) {
      case "redir" -> redirect(entry, words, scope, condition);
      case "respond" -> respond(of, words, condition);
      case "abort" -> {
        refuse(condition, "403");
        report.adapted(of, "answered with 403; the connection is not closed without an answer");
      }
      default -> {
        String status = words.isEmpty() ? "500" : words.getLast();
        if (!status.matches("[45]\\d\\d")) {
          status = "500";
        }
        refuse(condition, status);
        if (words.size() > 1) {
          report.adapted(of, "the page is that of error-pages, without its message");
        } else {
          report.taken(of);
        }
      }
    }
  }

  private void redirect(
      Entry entry, List<String> words, Scope scope, @Nullable Map<String, Object> condition)
      throws UntranslatableException {
    if (words.isEmpty()) {
      throw new UntranslatableException("a redirect without a target");
    }
    String code = words.size() < 2 ? "302" : words.get(1);
    String status =
        switch (code) {
          case "permanent" -> "301";
          case "temporary" -> "302";
          default -> code;
        };
    if (!status.matches("30[12378]")) {
      throw new UntranslatableException("redirects have status 301, 302, 303, 307 or 308");
    }
    Text to = Placeholders.translate(words.getFirst(), entry.matched(), scope);
    if (!Template.of(to.template()).isSafeTarget()) {
      throw new UntranslatableException(
          "a target that does not say for sure which host it leads to");
    }
    Map<String, Object> redirect = new LinkedHashMap<>();
    redirect.put("to", to.template());
    redirect.put("status", status);
    rules.add(
        Conditions.limited(Map.of("redirect", redirect), ofCut(condition, to.isOfCut(), scope)));
    report.taken(entry.of());
  }

  private void respond(Directive of, List<String> words, @Nullable Map<String, Object> condition)
      throws UntranslatableException {
    String status = "200";
    String text = "";
    if (words.size() == 1 && words.getFirst().matches("\\d{3}")) {
      status = words.getFirst();
    } else if (!words.isEmpty()) {
      text = words.getFirst();
      status = words.size() > 1 ? words.get(1) : status;
    }
    for (Directive each : of.block()) {
      switch (each.name()) {
        case "body" -> {
          text = each.argument(0);
          report.taken(each);
        }
        case "close" -> report.adapted(each, "the connection stays open");
        default -> report.allLeft(each, "answers have no such setting");
      }
    }
    if (Placeholders.has(text) || Placeholders.has(status)) {
      throw new UntranslatableException("texts of respond have no variables");
    }
    boolean isEmptyStatus = status.matches("204|205|206|304");
    if (!status.matches("[2-5]\\d\\d")
        || (isEmptyStatus && (!text.isEmpty() || !status.equals("204")))) {
      throw new UntranslatableException("a status that rules do not answer with");
    }
    Object answer = status;
    if (!text.isEmpty()) {
      Map<String, Object> whole = new LinkedHashMap<>();
      whole.put("status", status);
      whole.put("text", text);
      answer = whole;
    }
    rules.add(Conditions.limited(Map.of("respond", answer), condition));
    report.taken(of);
  }

  /** What has no rule; requests of handlers that answer are refused. */
  private void left(Entry entry) throws UntranslatableException {
    Directive of = entry.of();
    if (of.name().equals("encode")) {
      encode(entry);
      return;
    }
    String reason =
        switch (of.name()) {
          case "php_fastcgi" -> "the node speaks HTTP to origins";
          case "map", "vars" -> "rules have no variables of one's own";
          default -> "there is nothing like it";
        };
    if (ENDS.contains(of.name())) {
      throw new UntranslatableException(reason + "; such requests get 404");
    }
    report.allLeft(of, reason);
  }

  /** Compression is a setting of routes. */
  private void encode(Entry entry) {
    Directive of = entry.of();
    Set<String> codings = new LinkedHashSet<>();
    String min = "512";
    List<String> names =
        new ArrayList<>(of.arguments().subList(entry.matched().arguments(), of.arguments().size()));
    for (Directive each : of.block()) {
      switch (each.name()) {
        case "minimum_length" -> {
          min = each.argument(0);
          report.taken(each);
        }
        case "match" -> report.allLeft(each, "the types are those of compress.types");
        default -> {
          names.add(each.name());
          report.allTaken(each);
        }
      }
    }
    for (String name : names) {
      if (name.matches("gzip|zstd|br")) {
        codings.add(name);
      } else {
        report.left(of, "there is no coding " + name);
      }
    }
    Map<String, Object> compress = new LinkedHashMap<>();
    if (!codings.isEmpty()) {
      compress.put("codings", new ArrayList<>(codings));
    }
    if (min.matches("\\d{1,9}")) {
      compress.put("min", min);
    }
    settings.putIfAbsent("compress", compress);
    report.adapted(
        of,
        (entry.matched().isAll() ? "" : "a setting of routes: for all requests of the site; ")
            + "not for Cookie or Authorization unless compress.private is on");
  }

  // --- requests ----------------------------------------------------------------------------------

  private void rewrite(
      Entry entry, Scope scope, @Nullable Map<String, Object> condition, String target)
      throws UntranslatableException {
    String whole = target.startsWith("?") ? "{path}" + target : target;
    Text to = Placeholders.translate(whole, entry.matched(), scope);
    if (!to.template().matches("(/(?!/)|\\$path|\\$uri).*")) {
      throw new UntranslatableException("a path begins with a slash");
    }
    request(
        ofCut(condition, to.isOfCut(), scope), Map.of("rewrite", Map.of("path", to.template())));
    rewritten(entry, scope);
  }

  private void rewritten(Entry entry, Scope scope) {
    scope.isRewritten = true;
    if (entry.matched().isAll()) {
      scope.isAlwaysRewritten = true;
    } else {
      report.adapted(entry.of(), "statements behind it see the path as the client sent it");
    }
  }

  private void uri(Entry entry, Scope scope, @Nullable Map<String, Object> condition)
      throws UntranslatableException {
    List<String> words =
        entry.of().arguments().subList(entry.matched().arguments(), entry.of().arguments().size());
    String how = words.isEmpty() ? "" : words.getFirst();
    String what = words.size() < 2 ? "" : words.get(1);
    if (how.equals("strip_prefix") && what.matches("/?[^/{}][^{}]*")) {
      String prefix = scope.cut + (what.startsWith("/") ? what : "/" + what);
      request(condition, Map.of("rewrite", Map.of("strip-prefix", prefix.replaceFirst("/$", ""))));
    } else if (how.equals("strip_suffix") && !what.isEmpty() && scope.cut.isEmpty()) {
      Map<String, Object> path =
          Map.of("path", Map.of("regex", "^/(.*)" + MatcherReader.quoted(what) + "$"));
      request(Conditions.both(path, condition), Map.of("rewrite", Map.of("path", "/$1")));
    } else {
      throw new UntranslatableException("of uri: strip_prefix and strip_suffix");
    }
    rewritten(entry, scope);
    report.taken(entry.of());
  }

  private void requestHeader(Entry entry, Scope scope, @Nullable Map<String, Object> condition) {
    List<String> words =
        entry.of().arguments().subList(entry.matched().arguments(), entry.of().arguments().size());
    Edits edits = new Edits();
    List<Directive> lines =
        words.isEmpty()
            ? entry.of().block()
            : List.of(
                new Directive(
                    entry.of().file(),
                    entry.of().line(),
                    words.getFirst(),
                    words.subList(1, words.size()),
                    null));
    for (Directive line : lines) {
      fields.request(line, words.isEmpty() ? line : entry.of(), entry.matched(), scope, edits);
    }
    if (!report.knows(entry.of())) {
      report.taken(entry.of());
    }
    if (!edits.isEmpty()) {
      request(ofCut(condition, edits.isOfCut(), scope), Map.of("request-headers", edits.value()));
    }
  }

  private void body(Directive of) throws UntranslatableException {
    report.taken(of);
    for (Directive each : of.block()) {
      if (each.name().equals("max_size")) {
        node.body(each, each.argument(0));
      } else {
        report.allLeft(each, "the node has no such setting");
      }
    }
  }

  // --- origins -----------------------------------------------------------------------------------

  private void serve(
      Entry entry, Scope scope, @Nullable Map<String, Object> condition, boolean isRest)
      throws UntranslatableException {
    Directive of = entry.of();
    String name;
    if (of.name().equals("file_server")) {
      name = files(entry, scope);
    } else {
      ReverseProxyImport.Proxy proxy =
          new ReverseProxyImport(report, draft, fields, node).read(of, entry.matched(), scope);
      name = proxy.origin();
      settings.put("upgrade", List.of("websocket"));
      if (!proxy.requests().isEmpty()) {
        request(
            ofCut(condition, proxy.requests().isOfCut(), scope),
            Map.of("request-headers", proxy.requests().value()));
      }
      if (!proxy.responses().isEmpty()) {
        rules.add(
            Conditions.limited(
                Map.of("response-headers", proxy.responses().value()),
                ofCut(condition, proxy.responses().isOfCut(), scope)));
      }
      if (!proxy.rewrite().isEmpty()) {
        rewrite(entry, scope.inner(), condition, proxy.rewrite());
      }
    }
    someOrigin = someOrigin.isEmpty() ? name : someOrigin;
    if (isRest) {
      // Rules before it send elsewhere what they have taken.
      origin = name;
    } else {
      request(condition, Map.of("origin", name));
    }
  }

  private void root(Entry entry, Scope scope) throws UntranslatableException {
    Directive of = entry.of();
    String directory =
        of.arguments().size() > entry.matched().arguments()
            ? of.argument(entry.matched().arguments())
            : "";
    if (!entry.matched().isAll() || Placeholders.has(directory) || directory.isEmpty()) {
      throw new UntranslatableException("a directory that depends on the request");
    }
    if (scope.root.isEmpty()) {
      scope.root = directory;
    }
    report.taken(of);
  }

  private String files(Entry entry, Scope scope) throws UntranslatableException {
    Directive of = entry.of();
    Map<String, Object> files = new LinkedHashMap<>();
    files.put("directory", scope.root);
    for (String word : of.arguments().subList(entry.matched().arguments(), of.arguments().size())) {
      if (word.equals("browse")) {
        report.left(of, "directories are not listed");
      }
    }
    for (Directive each : of.block()) {
      switch (each.name()) {
        case "root" -> {
          files.put("directory", each.argument(0));
          report.taken(each);
        }
        case "index" -> {
          if (!each.argument(0).matches("[A-Za-z0-9._-]{1,255}")) {
            report.left(each, "an index that is no plain name");
            continue;
          }
          if (!each.argument(0).equals("index.html")) {
            files.put("index", each.argument(0));
          }
          if (each.arguments().size() > 1) {
            report.adapted(each, "a directory has one index: the first");
          } else {
            report.taken(each);
          }
        }
        case "hide" -> report.allLeft(each, "move what is not to be served elsewhere");
        case "browse" -> report.allLeft(each, "directories are not listed");
        default -> report.allLeft(each, "files are served as they are");
      }
    }
    String directory = String.valueOf(files.get("directory"));
    if (Placeholders.has(directory)) {
      throw new UntranslatableException("a directory that depends on the request");
    }
    if (directory.isEmpty()) {
      files.put("directory", ".");
      report.adapted(of, "files of the directory in which the node is started");
    } else {
      report.adapted(of, "a directory without its slash is redirected with 301, not 308");
    }
    files.put("hidden", "true");
    files.put("cache-control", "none");
    return draft.origin("files", new LinkedHashMap<>(Map.of("files", files)));
  }

  private void tried(Directive of, int skipped) {
    boolean isPlain =
        of.arguments().stream()
            .skip(skipped)
            .allMatch(each -> each.matches("\\{(http\\.request\\.uri\\.)?path}/?|=404"));
    if (isPlain) {
      report.allTaken(of);
    } else {
      report.allLeft(of, "what is not there is answered with 404");
    }
  }

  // --- protection --------------------------------------------------------------------------------

  private void guard(
      Entry entry,
      Scope scope,
      @Nullable Map<String, Object> condition,
      String within,
      boolean isOfSite)
      throws UntranslatableException {
    Directive of = entry.of();
    String own = prefix(entry.matched(), scope);
    String pattern = own.equals("/") ? within : own;
    if (pattern.isEmpty() || pattern.replaceFirst("\\*$", "").contains("*")) {
      refuse(condition, "403");
      report.left(of, "protections are for prefixes of paths; here all requests are refused");
      of.block().forEach(each -> report.allLeft(each, "see its statement"));
      return;
    }
    String path = pattern.replaceFirst("\\*$", "");
    Map<String, Object> guard = guards.computeIfAbsent(path, key -> new LinkedHashMap<>());
    try {
      if (of.name().equals("forward_auth")) {
        guard.put("forward-auth", forwarded(of, entry.matched(), scope));
      } else {
        guard.put("basic-auth", passwords(of, entry.matched().arguments()));
      }
    } catch (UntranslatableException e) {
      refuse(condition, "403");
      throw new UntranslatableException(e.reason() + "; such requests are refused");
    }
    // Routes look at the case, the matchers of Caddy do not.
    Map<String, Object> otherCase = new LinkedHashMap<>();
    otherCase.put("path", Map.of("regex", "(?i)^" + MatcherReader.quoted(path)));
    otherCase.put("not", Map.of("path", Map.of("prefix", path)));
    if (!path.equals("/")) {
      refuse(otherCase, "403");
    }
    if (!path.endsWith("/") && pattern.endsWith("*")) {
      // Routes have no paths that merely begin so.
      Map<String, Object> beside =
          Map.of("path", Map.of("regex", "^" + MatcherReader.quoted(path) + "[^/]"));
      refuse(beside, "403");
      report.adapted(of, path + " and what is below it; " + path + "x is refused");
    }
    if (!isOfSite || !own.equals("/")) {
      report.adapted(of, "for all paths below " + path + ", whatever else handles them");
    }
  }

  private Map<String, Object> passwords(Directive of, int skipped) throws UntranslatableException {
    List<String> words = of.arguments().subList(skipped, of.arguments().size());
    if (!words.isEmpty() && !words.getFirst().equals("bcrypt")) {
      throw new UntranslatableException("passwords are hashed with bcrypt");
    }
    Map<String, Object> auth = new LinkedHashMap<>();
    String file = "/etc/forebay/users-" + ConfigDraft.nameOf(site);
    auth.put("file", file);
    if (words.size() > 1) {
      auth.put("realm", words.get(1).replaceAll("[\"\\\\]", ""));
    }
    report.adapted(of, "users are in " + file + ": write it before the node starts");
    for (Directive user : of.block()) {
      String hash = user.argument(0);
      if (hash.matches("\\$2[aby]\\$.{20,100}")) {
        report.adapted(user, "a line of " + file + ": NAME:HASH");
      } else {
        report.left(user, "a line of " + file + ": htpasswd -B writes it");
      }
    }
    return auth;
  }

  private Map<String, Object> forwarded(Directive of, Matched matched, Scope scope)
      throws UntranslatableException {
    List<Directive> proxy = new ArrayList<>();
    Map<String, Object> auth = new LinkedHashMap<>();
    String path = "/";
    List<String> copied = new ArrayList<>();
    for (Directive each : of.block()) {
      switch (each.name()) {
        case "uri" -> {
          path = each.argument(0);
          report.taken(each);
        }
        case "copy_headers" -> {
          copied.addAll(each.arguments());
          each.block().forEach(line -> copied.add(line.name()));
          report.allTaken(each);
        }
        default -> proxy.add(each);
      }
    }
    if (!path.startsWith("/") || Placeholders.has(path)) {
      throw new UntranslatableException("a fixed path is asked");
    }
    for (String each : copied) {
      if (!each.matches("[A-Za-z0-9-]{1,128}")) {
        throw new UntranslatableException("fields are copied under their own names");
      }
    }
    Directive servers = new Directive(of.file(), of.line(), of.name(), of.arguments(), proxy);
    auth.put(
        "origin",
        new ReverseProxyImport(report, draft, fields, node).read(servers, matched, scope).origin());
    auth.put("path", path);
    if (!copied.isEmpty()) {
      auth.put("response-headers", copied);
    }
    auth.put("pass-redirects", "true");
    report.adapted(of, "asked with authorization and cookie; see forward-auth.request-headers");
    return auth;
  }
}
