package io.forebay.cli.importer.nginx;

import io.forebay.cli.importer.model.Conditions;
import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.cli.importer.nginx.ConditionTranslator.Regex;
import io.forebay.cli.importer.nginx.LocationImport.Plan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Servers and their locations as routes. nginx takes a location of one path first, then the longest
 * prefix if it says {@code ^~}, then the first expression, then the longest prefix. So prefixes are
 * routes; expressions and single paths are rules of each route that can have them, and the rules of
 * a prefix itself exclude them.
 */
final class RouteImport {
  private final ImportReport report;
  private final ConfigDraft draft;
  private final UpstreamImport upstreams;
  private final CacheImport caches;
  private final RateLimitImport limits;

  /** Hosts and paths that have a route. */
  private final Set<String> taken = new LinkedHashSet<>();

  RouteImport(
      ImportReport report,
      ConfigDraft draft,
      UpstreamImport upstreams,
      CacheImport caches,
      RateLimitImport limits) {
    this.report = report;
    this.draft = draft;
    this.upstreams = upstreams;
    this.caches = caches;
    this.limits = limits;
  }

  private record Prefix(Directive of, String path, boolean isFinal, Plan plan) {}

  private record Special(Directive of, Map<String, Object> condition, String within, Plan plan) {}

  /** What the locations of a server are. */
  private record Locations(
      List<Map<String, Object>> first,
      boolean isAnswered,
      List<Prefix> prefixes,
      List<Special> specials) {}

  void add(List<ServerBlock> servers) {
    List<ServerBlock> left = new ArrayList<>(servers);
    // A server that only redirects joins the one that has the content.
    left.sort(java.util.Comparator.comparingInt(RouteImport::weight));
    Set<ServerBlock> done = new LinkedHashSet<>();
    for (ServerBlock server : left) {
      if (!done.add(server)) {
        continue;
      }
      Locations own = locations(server);
      List<Map<String, Object>> before = new ArrayList<>();
      for (ServerBlock other : left) {
        if (!done.contains(other)
            && other.sharesHosts(server)
            && !other.scheme().isEmpty()
            && !other.scheme().equals(server.scheme())) {
          done.add(other);
          before.addAll(answersOf(other));
        }
      }
      route(server, own, before);
    }
  }

  private static int weight(ServerBlock server) {
    return server.scopes().stream().anyMatch(scope -> !scope.own("proxy_pass").isEmpty()) ? 0 : 1;
  }

  private LocationImport importer(ServerBlock server) {
    return new LocationImport(report, draft, upstreams, caches, limits, server.name());
  }

  private Locations locations(ServerBlock server) {
    RewriteRules first = new RewriteRules(report, server.name(), Map.of());
    first.rewritePhase(server.scope().own());
    List<Prefix> prefixes = new ArrayList<>();
    List<Special> specials = new ArrayList<>();
    collect(server, server.scope(), "/", prefixes, specials);
    if (prefixes.stream().noneMatch(prefix -> prefix.path().equals("/"))) {
      DirectiveScope rest = new DirectiveScope(server.scope(), List.of());
      prefixes.add(
          new Prefix(server.directive(), "/", false, importer(server).plan(rest, "/", null)));
    }
    return new Locations(first.rules(), first.isAnswered(), prefixes, specials);
  }

  private void collect(
      ServerBlock server,
      DirectiveScope scope,
      String within,
      List<Prefix> prefixes,
      List<Special> specials) {
    for (Directive each : scope.own("location")) {
      List<String> arguments = each.arguments();
      String modifier = arguments.size() > 1 ? arguments.getFirst() : "";
      String pattern = arguments.isEmpty() ? "" : arguments.getLast();
      DirectiveScope inner = scope.inner(each.block());
      if (pattern.startsWith("@")) {
        // Those that a try_files ends with are part of the location that has it.
        continue;
      }
      try {
        switch (modifier) {
          case "=" -> {
            report.taken(each);
            specials.add(
                new Special(
                    each,
                    Map.of("path", Map.of("is", pattern)),
                    within,
                    importer(server).plan(inner, null, null)));
          }
          case "~", "~*" -> {
            Regex regex = ConditionTranslator.regex(pattern, modifier.equals("~*"));
            report.taken(each);
            specials.add(
                new Special(
                    each,
                    Map.of("path", Map.of("regex", regex.text())),
                    within,
                    importer(server).plan(inner, null, regex)));
          }
          default -> {
            if (!pattern.startsWith("/") || pattern.contains("//")) {
              throw new UntranslatableException("paths begin with a slash");
            }
            if (pattern.endsWith("/")) {
              report.taken(each);
            } else {
              report.adapted(each, pattern + " and what is below it; not " + pattern + "x");
            }
            prefixes.add(
                new Prefix(
                    each,
                    pattern,
                    modifier.equals("^~"),
                    importer(server).plan(inner, pattern, null)));
            collect(server, inner, pattern, prefixes, specials);
          }
        }
      } catch (UntranslatableException e) {
        report.allLeft(each, e.reason());
      }
    }
  }

  /** The rules of a server that answers requests of the other scheme. */
  private List<Map<String, Object>> answersOf(ServerBlock server) {
    Locations locations = locations(server);
    Map<String, Object> scheme = Map.of("scheme", server.scheme());
    List<Map<String, Object>> rules = new ArrayList<>(conditional(scheme, locations.first()));
    if (locations.isAnswered()) {
      return rules;
    }
    List<Map<String, Object>> others = new ArrayList<>();
    for (Special special : locations.specials()) {
      rules.addAll(
          conditional(Conditions.both(scheme, special.condition()), special.plan().rules()));
      others.add(special.condition());
      unlessAnswered(special.of(), special.plan());
    }
    for (Prefix prefix : locations.prefixes()) {
      List<Map<String, Object>> longer = new ArrayList<>(others);
      for (Prefix other : locations.prefixes()) {
        if (!other.path().equals(prefix.path()) && other.path().startsWith(prefix.path())) {
          longer.add(Map.of("path", List.of(other.path())));
        }
      }
      Map<String, Object> condition = new LinkedHashMap<>(scheme);
      if (!prefix.path().equals("/")) {
        condition.put("path", List.of(prefix.path()));
      }
      if (!longer.isEmpty()) {
        condition.put("not", Map.of("any", longer));
      }
      rules.addAll(conditional(condition, prefix.plan().rules()));
      unlessAnswered(prefix.of(), prefix.plan());
    }
    return rules;
  }

  private void unlessAnswered(Directive of, Plan plan) {
    if (!plan.isAnswered()) {
      report.left(of, "over the other scheme this host has other content; this one is not served");
    }
  }

  private static List<Map<String, Object>> conditional(
      @Nullable Map<String, Object> condition, List<Map<String, Object>> rules) {
    List<Map<String, Object>> all = new ArrayList<>();
    for (Map<String, Object> rule : rules) {
      Map<String, Object> copy = new LinkedHashMap<>();
      @SuppressWarnings("unchecked")
      Map<String, Object> own = (Map<String, Object>) rule.get("when");
      Map<String, Object> both = Conditions.both(condition, own);
      if (!both.isEmpty()) {
        copy.put("when", both);
      }
      rule.forEach(copy::putIfAbsent);
      all.add(copy);
    }
    return all;
  }

  private void route(ServerBlock server, Locations locations, List<Map<String, Object>> before) {
    List<String> hosts =
        server.isDefault() || server.hosts().isEmpty() ? List.of("") : server.hosts();
    for (Prefix prefix : locations.prefixes()) {
      Plan plan = prefix.plan();
      List<Special> specials =
          locations.specials().stream()
              .filter(special ->
                  special.within().startsWith(prefix.path())
                      || prefix.path().startsWith(special.within()))
              .filter(
                  special -> !prefix.isFinal() || special.condition().toString().contains("is="))
              .filter(special -> isReachable(special, prefix.path()))
              .toList();
      boolean isCached =
          plan.isCached() || specials.stream().anyMatch(one -> one.plan().isCached());
      Map<String, Object> settings = settings(plan, specials);
      List<Map<String, Object>> rules = new ArrayList<>(before);
      rules.addAll(locations.first());
      String origin = origin(plan, specials);
      boolean isServed = origin != null || plan.isAnswered() || locations.isAnswered();
      List<Map<String, Object>> conditions = new ArrayList<>();
      for (Special special : specials) {
        Map<String, Object> condition =
            conditions.isEmpty()
                ? special.condition()
                : Conditions.both(
                    special.condition(),
                    ConditionTranslator.not(Map.of("any", List.copyOf(conditions))));
        rules.addAll(conditional(condition, ofSpecial(special, origin, settings, isCached)));
        conditions.add(special.condition());
      }
      Map<String, Object> rest =
          conditions.isEmpty()
              ? null
              : ConditionTranslator.not(
                  conditions.size() == 1 ? conditions.getFirst() : Map.of("any", conditions));
      List<Map<String, Object>> ofPrefix = new ArrayList<>(plan.rules());
      if (isCached && !plan.isCached() && plan.origin() != null) {
        ofPrefix.add(new LinkedHashMap<>(Map.of("pass", "true")));
      }
      if (plan.origin() == null && origin != null && !plan.isAnswered()) {
        files(prefix.of());
        ofPrefix.add(new LinkedHashMap<>(Map.of("deny", "404")));
      }
      rules.addAll(conditional(rest, ofPrefix));
      if (!isServed) {
        files(prefix.of());
        continue;
      }
      for (String host : hosts) {
        emit(host, prefix.path(), origin, settings, isCached, rules, prefix.of());
      }
    }
  }

  private void files(Directive of) {
    report.left(of, "it has no content that the node can serve");
  }

  private static boolean isReachable(Special special, String prefix) {
    Object path = special.condition().get("path");
    return !(path instanceof Map<?, ?> map)
        || !(map.get("is") instanceof String exact)
        || exact.startsWith(prefix);
  }

  private static Map<String, Object> settings(Plan plan, List<Special> specials) {
    Map<String, Object> settings = new LinkedHashMap<>(plan.settings());
    if (!plan.isCached()) {
      for (Special special : specials) {
        if (special.plan().isCached()) {
          special
              .plan()
              .settings()
              .forEach((key, value) -> {
                if (!key.equals("protection") && !key.equals("upgrade") && !key.equals("hsts")) {
                  settings.putIfAbsent(key, value);
                }
              });
        }
      }
    }
    return settings;
  }

  private static @Nullable String origin(Plan plan, List<Special> specials) {
    if (plan.origin() != null) {
      return plan.origin();
    }
    return specials.stream()
        .map(special -> special.plan().origin())
        .filter(java.util.Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private List<Map<String, Object>> ofSpecial(
      Special special, @Nullable String origin, Map<String, Object> settings, boolean isCached) {
    Plan plan = special.plan();
    List<Map<String, Object>> rules = new ArrayList<>(plan.rules());
    if (plan.isAnswered()) {
      return rules;
    }
    if (plan.origin() == null) {
      files(special.of());
      rules.add(new LinkedHashMap<>(Map.of("deny", "404")));
      return rules;
    }
    if (!plan.origin().equals(origin)) {
      rules.add(new LinkedHashMap<>(Map.of("origin", plan.origin())));
    }
    if (isCached && !plan.isCached()) {
      rules.add(new LinkedHashMap<>(Map.of("pass", "true")));
    }
    plan.settings()
        .forEach((key, value) -> {
          if (!value.equals(settings.get(key))) {
            report.left(
                special.of(), key + " is a setting of routes, and paths of a route share it");
          }
        });
    return rules;
  }

  private void emit(
      String host,
      String path,
      @Nullable String origin,
      Map<String, Object> settings,
      boolean isCached,
      List<Map<String, Object>> rules,
      Directive of) {
    if (!taken.add(host + " " + path)) {
      report.left(of, "another server has a route for this host and path");
      return;
    }
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
        origin == null
            ? draft.origin("nobody", new LinkedHashMap<>(Map.of("url", "http://127.0.0.1:9")))
            : origin);
    if (!isCached) {
      route.put("cache", "false");
    }
    route.putAll(settings);
    if (!rules.isEmpty()) {
      route.put("rules", rules);
    }
    draft.route(route);
  }
}
