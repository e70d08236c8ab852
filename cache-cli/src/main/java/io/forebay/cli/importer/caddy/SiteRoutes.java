package io.forebay.cli.importer.caddy;

import io.forebay.cli.importer.model.Conditions;
import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Sites as routes, one for each host, and one for each prefix with a protection of its own. Routes
 * do not look at ports: sites of one host on several ports become rules of one route.
 */
final class SiteRoutes {
  private final ImportReport report;
  private final ConfigDraft draft;
  private final GlobalOptions options;
  private final SiteListeners listeners;
  private final Map<String, List<Served>> byHost = new LinkedHashMap<>();

  SiteRoutes(
      ImportReport report, ConfigDraft draft, GlobalOptions options, SiteListeners listeners) {
    this.report = report;
    this.draft = draft;
    this.options = options;
    this.listeners = listeners;
  }

  /** A site at one of its addresses. */
  private record Served(Directive of, SiteAddress address, HandlerChain.Site site) {}

  void add(Directive of, List<SiteAddress> addresses, HandlerChain.Site site) {
    for (SiteAddress address : addresses) {
      byHost
          .computeIfAbsent(address.host(), host -> new ArrayList<>())
          .add(new Served(of, address, site));
    }
  }

  /** Adds the routes of all sites. */
  void emit() {
    if (!byHost.isEmpty() && !byHost.containsKey("")) {
      Served first = byHost.values().iterator().next().getFirst();
      report.adapted(first.of(), "a host without a site gets 404; there an empty 200");
    }
    byHost.forEach(this::emit);
    draft.share("compress");
  }

  private void emit(String host, List<Served> all) {
    List<Map<String, Object>> rules = new ArrayList<>();
    Map<String, Object> settings = new LinkedHashMap<>();
    Map<String, Map<String, Object>> guards = new LinkedHashMap<>();
    Set<Integer> ports = new TreeSet<>();
    all.forEach(each -> ports.add(each.address().port()));
    if (ports.size() < draft.listeners().size()) {
      all.forEach(each -> report.adapted(each.of(), "on all ports: routes do not look at them"));
    }
    boolean isPlain = all.stream().anyMatch(one -> !one.address().isTls());
    for (Served each : all) {
      if (each.address().isTls() && !isPlain && !host.isEmpty() && options.isRedirecting()) {
        listeners.plain(options.httpPort(), each.address().port());
        rules.add(toTls(each.address().port()));
        break;
      }
    }
    Set<HandlerChain.Site> sites = new LinkedHashSet<>();
    all.forEach(each -> sites.add(each.site()));
    String origin = "";
    for (HandlerChain.Site site : sites) {
      Map<String, Object> condition = sites.size() == 1 ? null : condition(site, all);
      if (condition != null && !site.origin().isEmpty()) {
        Map<String, Object> rule = Conditions.limited(Map.of("origin", site.origin()), condition);
        rule.put("pass", "true");
        rules.add(rule);
      }
      for (Map<String, Object> rule : site.rules()) {
        Map<String, Object> own = Conditions.limited(rule, condition);
        boolean asksOrigin =
            rule.containsKey("origin")
                || rule.containsKey("rewrite")
                || rule.containsKey("request-headers");
        if (asksOrigin && !MatcherReader.isInKey(condition)) {
          own.put("pass", "true");
        }
        rules.add(own);
      }
      origin = origin.isEmpty() ? site.origin() : origin;
      settings.putAll(site.settings());
      site.guards()
          .forEach((prefix, guard) ->
              guards.computeIfAbsent(prefix, key -> new LinkedHashMap<>()).putAll(guard));
    }
    if (sites.size() > 1 && sites.stream().anyMatch(site -> !site.settings().isEmpty())) {
      all.forEach(each ->
          report.adapted(
              each.of(), "sites of one host share hsts, compress, upgrades and protections"));
    }
    route(host, "/", origin, settings, rules, guards.get("/"));
    String ofHost = origin;
    guards.forEach((prefix, guard) -> {
      if (!prefix.equals("/")) {
        Map<String, Object> both = new LinkedHashMap<>(guards.getOrDefault("/", Map.of()));
        both.putAll(guard);
        route(host, prefix, ofHost, settings, rules, both);
      }
    });
  }

  /** Which requests a site gets, where another one has the host too. */
  private Map<String, Object> condition(HandlerChain.Site site, List<Served> all) {
    List<Served> own = all.stream().filter(each -> each.site().equals(site)).toList();
    boolean isTls = own.getFirst().address().isTls();
    boolean isByScheme =
        own.stream().allMatch(each -> each.address().isTls() == isTls)
            && all.stream()
                .allMatch(each -> each.site().equals(site) || each.address().isTls() != isTls);
    if (isByScheme) {
      return Map.of("scheme", isTls ? "https" : "http");
    }
    Set<String> names = new TreeSet<>();
    for (Served each : own) {
      names.add(each.address().listener());
      draft.listener(each.address().port()).put("name", each.address().listener());
    }
    return Map.of("listener", List.copyOf(names));
  }

  private Map<String, Object> toTls(int port) {
    Map<String, Object> redirect = new LinkedHashMap<>();
    redirect.put("to", "https://$host" + (port == 443 ? "" : ":" + port) + "$uri");
    redirect.put("status", "308");
    Map<String, Object> rule = new LinkedHashMap<>();
    rule.put("when", Map.of("scheme", "http"));
    rule.put("redirect", redirect);
    return rule;
  }

  private void route(
      String host,
      String path,
      String origin,
      Map<String, Object> settings,
      List<Map<String, Object>> rules,
      @Nullable Map<String, Object> guard) {
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
        origin.isEmpty()
            ? draft.origin("nobody", new LinkedHashMap<>(Map.of("url", "http://127.0.0.1:9")))
            : origin);
    route.put("cache", "false");
    route.putAll(settings);
    route.putIfAbsent("compress", "off");
    if (guard != null && !guard.isEmpty()) {
      String name = guard.containsKey("basic-auth") ? "members" : "asked";
      route.put("protection", draft.protection(name, new LinkedHashMap<>(guard)));
    }
    if (!rules.isEmpty()) {
      route.put("rules", rules);
    }
    draft.route(route);
  }
}
