package io.forebay.cli.importer.trafficserver;

import io.forebay.cli.importer.model.Conditions;
import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.trafficserver.RemapRule.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rules as routes, one for each host and path. Of the rules whose host and path a request has, the
 * first one in the file holds there, first those that map, then temporary redirects, then permanent
 * ones; of routes the one with the longest path. So each route gets what the first rule for its
 * path does, over http and over https, and a rule that is never reached has no route.
 */
final class RouteAssembly {
  private final ImportReport report;
  private final ConfigDraft draft;
  private final Records records;
  private final NodeSettings node;
  private final PluginImport plugins;
  private final CacheControl cacheControl;
  private final ParentProxies parents;
  private final RouteSettings settings;
  private final List<RemapRule> rules;

  RouteAssembly(
      ImportReport report,
      ConfigDraft draft,
      Records records,
      NodeSettings node,
      PluginImport plugins,
      CacheControl cacheControl,
      ParentProxies parents,
      List<RemapRule> rules) {
    this.report = report;
    this.draft = draft;
    this.records = records;
    this.node = node;
    this.plugins = plugins;
    this.cacheControl = cacheControl;
    this.parents = parents;
    this.settings = new RouteSettings(report);
    this.rules = rules;
  }

  /** Adds a route for each host and path. */
  void add() throws ImportException {
    Set<List<String>> places = new LinkedHashSet<>();
    rules.forEach(rule -> places.add(List.of(rule.hostPattern(), rule.from().path())));
    Set<RemapRule> reached = new LinkedHashSet<>();
    for (List<String> place : places) {
      add(place.getFirst(), place.getLast(), reached);
    }
    if (!draft.isEmpty()) {
      // As there without the plugin.
      draft.setting("compress", "off");
    }
    for (RemapRule rule : rules) {
      boolean isElsewhere = reached.stream().anyMatch(other -> other.of().equals(rule.of()));
      if (!reached.contains(rule) && !isElsewhere) {
        report.allUnneeded(rule.of(), "a rule before it gets all its requests");
      }
    }
  }

  private void add(String host, String path, Set<RemapRule> reached) throws ImportException {
    RemapRule plain = node.hasPlain() || !node.hasTls() ? find(host, path, false) : null;
    RemapRule secure = node.hasTls() ? find(host, path, true) : null;
    RemapRule first = plain == null ? secure : plain;
    boolean isOwn =
        (plain != null && isAt(plain, host, path)) || (secure != null && isAt(secure, host, path));
    if (first == null || !isOwn) {
      for (RemapRule each : rules) {
        if (first == null && isAt(each, host, path)) {
          report.allLeft(each.of(), "no listener has its scheme: see http.server_ports");
          reached.add(each);
        }
      }
      return;
    }
    if (!path.endsWith("/")) {
      report.adapted(first.of(), path + " and what is below it; not " + path + "x");
    }
    reached.add(first);
    Plan plan = plan(first);
    Map<String, Object> scheme = null;
    List<Map<String, Object>> before = new ArrayList<>();
    if (node.hasTls() && node.hasPlain()) {
      if (plain == null || secure == null) {
        Map<String, Object> rule = new LinkedHashMap<>();
        rule.put("when", Map.of("scheme", plain == null ? "http" : "https"));
        rule.put("deny", "404");
        before.add(rule);
      } else {
        reached.add(secure);
        if (!plain.isLike(secure)) {
          scheme = Map.of("scheme", "http");
          other(secure, plan, before);
        } else if (plain.isMap() && !plan.settings.containsKey("cache")) {
          RouteSettings.key(plan.settings).put("scheme", "false");
          reportLike(plain, secure);
        } else {
          reportLike(plain, secure);
        }
      }
    }
    List<Map<String, Object>> all = new ArrayList<>(beside(host, path));
    all.addAll(before);
    for (Map<String, Object> rule : plan.rules) {
      all.add(Conditions.limited(rule, scheme));
    }
    emit(host, path, plan, all, tunnel(host, path));
  }

  /**
   * Refuses paths that begin with that of a guarded rule and are not below it: the rule is for them
   * too, its route is not.
   */
  private List<Map<String, Object>> beside(String host, String path) {
    List<Map<String, Object>> refused = new ArrayList<>();
    for (RemapRule rule : rules) {
      String own = rule.from().path();
      boolean isBelow =
          (rule.hostPattern().equals(host) || rule.hostPattern().isEmpty())
              && own.startsWith(path)
              && !own.equals(path);
      if (isBelow && !own.endsWith("/") && !rule.guards().isEmpty()) {
        Map<String, Object> refusal = new LinkedHashMap<>();
        refusal.put("when", Map.of("path", Map.of("regex", PathMapping.beginning(own) + "[^/]")));
        refusal.put("deny", "403");
        refused.add(refusal);
        report.adapted(rule.of(), own + "x is refused");
      }
    }
    return refused;
  }

  /** The same plugins stand on both lines. */
  private void reportLike(RemapRule one, RemapRule other) {
    if (!one.of().equals(other.of())) {
      for (int i = 0; i < one.plugins().size(); i++) {
        report.taken(other.plugins().get(i).of());
      }
    }
  }

  /** Adds what requests over https get, where this differs. */
  private void other(RemapRule secure, Plan plan, List<Map<String, Object>> before)
      throws ImportException {
    Plan other = plan(secure);
    Map<String, Object> scheme = Map.of("scheme", "https");
    other.rules.forEach(rule -> before.add(Conditions.limited(rule, scheme)));
    if (plan.origin.isEmpty()) {
      plan.origin = other.origin;
      plan.settings.putAll(other.settings);
    } else if (!other.origin.isEmpty()) {
      if (!other.origin.equals(plan.origin)) {
        Map<String, Object> rule = new LinkedHashMap<>();
        rule.put("when", scheme);
        rule.put("origin", other.origin);
        before.add(rule);
      }
      if (!other.settings.equals(plan.settings)) {
        report.left(secure.of(), "https and http share the settings of a route: its own are left");
      }
    }
  }

  private @Nullable RemapRule tunnel(String host, String path) {
    for (RemapRule rule : rules) {
      if (rule.from().isTunnel() && isAt(rule, host, path)) {
        return rule;
      }
    }
    return null;
  }

  private static boolean isAt(RemapRule rule, String host, String path) {
    return rule.hostPattern().equals(host) && rule.from().path().equals(path);
  }

  /** The rule that holds for a path, or null. */
  private @Nullable RemapRule find(String host, String path, boolean isTls) {
    for (Kind kind : Kind.values()) {
      RemapRule found = find(kind, host, path, isTls);
      if (found == null && !host.isEmpty()) {
        found = find(kind, "", path, isTls);
      }
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private @Nullable RemapRule find(Kind kind, String host, String path, boolean isTls) {
    RemapRule tunnel = null;
    for (RemapRule rule : rules) {
      boolean isMatch =
          rule.kind() == kind
              && rule.isFor(isTls)
              && rule.hostPattern().equals(host)
              && path.startsWith(rule.from().path());
      if (isMatch && !rule.from().isTunnel()) {
        return rule;
      }
      tunnel = isMatch && tunnel == null ? rule : tunnel;
    }
    return tunnel;
  }

  // --- what a rule does --------------------------------------------------------------------------

  private Plan plan(RemapRule rule) throws ImportException {
    Plan plan = new Plan(records);
    plan.rules.addAll(rule.guards());
    if (!rule.isMap()) {
      redirect(rule, plan);
      return plan;
    }
    // A plugin may change the records, and these the settings.
    plugins.add(rule, plan);
    Map<String, Object> ofPlugins = new LinkedHashMap<>(plan.settings);
    settings.ofRoute(plan.records, plan.settings);
    plan.settings.putAll(ofPlugins);
    if (!plan.settings.containsKey("cache")) {
      plan.rules.addAll(cacheControl.rules(rule));
    }
    for (PathMapping.Step step : PathMapping.of(rule.from().path(), rule.to().path())) {
      Map<String, Object> action = Map.of("rewrite", Map.of("path", step.template()));
      plan.rules.add(Conditions.limited(action, step.condition()));
    }
    Map<String, Object> origin = new LinkedHashMap<>();
    if (!plan.records.isOn("url_remap.pristine_host_hdr", false)) {
      origin.put("host", rule.to().authority());
    }
    io.forebay.cli.importer.model.Directive pristine = records.find("url_remap.pristine_host_hdr");
    if (pristine != null) {
      report.taken(pristine);
    }
    parents.servers(rule.to(), origin);
    settings.ofOrigin(plan.records, origin);
    String host = rule.to().host();
    plan.origin =
        draft.origin(host.matches("localhost|127\\..*|\\[::1]") ? "origin" : host, origin);
    return plan;
  }

  private static void redirect(RemapRule rule, Plan plan) {
    String status = rule.kind() == Kind.PERMANENT_REDIRECT ? "301" : "307";
    List<PathMapping.Step> steps = PathMapping.of(rule.from().path(), rule.to().path());
    String target = rule.to().origin();
    if (steps.isEmpty()) {
      plan.rule("redirect", to(target + "$uri", status));
    }
    for (PathMapping.Step step : steps) {
      Map<String, Object> action =
          Map.of("redirect", to(target + step.template() + "?$query", status));
      plan.rules.add(Conditions.limited(action, step.condition()));
    }
  }

  private static Map<String, Object> to(String target, String status) {
    Map<String, Object> redirect = new LinkedHashMap<>();
    redirect.put("to", target);
    redirect.put("status", status);
    return redirect;
  }

  private void emit(
      String host,
      String path,
      Plan plan,
      List<Map<String, Object>> rules,
      @Nullable RemapRule tunnel) {
    Map<String, Object> route = new LinkedHashMap<>();
    Map<String, Object> match = new LinkedHashMap<>();
    if (!host.isEmpty()) {
      match.put("host", host);
    }
    if (!path.equals("/")) {
      match.put("path", path);
    }
    if (!match.isEmpty()) {
      route.put("match", match);
    }
    route.put(
        "origin",
        plan.origin.isEmpty()
            ? draft.origin("nobody", new LinkedHashMap<>(Map.of("url", "http://127.0.0.1:9")))
            : plan.origin);
    route.putAll(plan.settings);
    if (tunnel != null) {
      route.put("upgrade", List.of("websocket"));
      report.adapted(tunnel.of(), "to the origin of the rule for http with this host and path");
    }
    if (plan.origin.isEmpty()) {
      route.putIfAbsent("cache", "false");
    }
    if (!rules.isEmpty()) {
      route.put("rules", rules);
    }
    draft.route(route);
  }
}
