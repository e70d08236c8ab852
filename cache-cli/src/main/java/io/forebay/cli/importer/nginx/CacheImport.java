package io.forebay.cli.importer.nginx;

import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code proxy_cache} and what belongs to it, as settings of a route. */
final class CacheImport {
  private final ImportReport report;
  private final ConfigDraft draft;
  private final Map<String, Directive> zones = new LinkedHashMap<>();

  CacheImport(ImportReport report, ConfigDraft draft) {
    this.report = report;
    this.draft = draft;
  }

  /** {@code proxy_cache_path}: a store on disk, if it is used. */
  void zone(Directive of) {
    for (String argument : of.arguments()) {
      if (argument.startsWith("keys_zone=")) {
        zones.put(argument.substring(10).replaceAll(":.*", ""), of);
      }
    }
  }

  /** Whether responses are cached here. */
  static boolean isOn(DirectiveScope scope) {
    Directive cache = scope.find("proxy_cache");
    return cache != null && !cache.argument(0).equals("off");
  }

  /** Settings of a route whose responses are cached. */
  void ofRoute(DirectiveScope scope, Map<String, Object> route) {
    Directive cache = scope.find("proxy_cache");
    if (cache == null) {
      return;
    }
    report.taken(cache);
    store(cache.argument(0));
    boolean ignoresLifetimes = ignored(scope, route);
    valid(scope, route, ignoresLifetimes);
    stale(scope, route);
    key(scope, route);
    Directive wait = scope.find("proxy_cache_lock_timeout");
    if (wait != null) {
      put(route, "share-wait", Units.duration(wait.argument(0)));
      report.taken(wait);
    }
    Directive slice = scope.find("slice");
    if (slice != null) {
      route.put("range-fetch", "slices");
      report.adapted(slice, "the node chooses the size of slices");
    }
    for (Directive uses : scope.all("proxy_cache_min_uses")) {
      report.left(uses, "memory stores at once; for disks see store.disk-admission");
    }
    for (Directive methods : scope.all("proxy_cache_methods")) {
      if (methods.arguments().contains("POST")) {
        report.left(methods, "answers to POST are stored for GET only: see store-post");
      } else {
        report.taken(methods);
      }
    }
  }

  private void store(String zone) {
    Directive path = zones.get(zone);
    if (path == null || report.knows(path)) {
      return;
    }
    long bytes = -1;
    for (String argument : path.arguments()) {
      if (argument.startsWith("max_size=")) {
        bytes = Units.bytes(argument.substring(9));
      }
    }
    if (bytes <= 0) {
      report.adapted(path, "in memory: without max_size the size of a store is not known");
      return;
    }
    Map<String, Object> store = new LinkedHashMap<>();
    store.put("path", "/var/cache/forebay/" + ConfigDraft.nameOf(zone));
    store.put("size", Units.size(Math.max(bytes, 2 << 20)));
    draft.store(ConfigDraft.nameOf(zone), store);
    report.adapted(
        path, "another directory, whose parent must exist; objects stay until room is needed");
  }

  /** Says whether lifetimes of responses are ignored. */
  private boolean ignored(DirectiveScope scope, Map<String, Object> route) {
    boolean isIgnored = false;
    for (Directive each : scope.all("proxy_ignore_headers")) {
      for (String field : each.arguments()) {
        switch (field.toLowerCase(java.util.Locale.ROOT)) {
          case "cache-control", "expires" -> {
            isIgnored = true;
            report.adapted(each, "ttl-override; no-store and private still hold");
          }
          case "set-cookie" -> {
            route.put("set-cookie", "strip");
            report.adapted(each, "stored without Set-Cookie, which nginx stores");
          }
          case "x-accel-expires",
              "x-accel-redirect",
              "x-accel-limit-rate",
              "x-accel-buffering",
              "x-accel-charset" ->
              report.unneeded(each, "the node does not know X-Accel fields");
          default -> report.left(each, field + " cannot be ignored");
        }
      }
    }
    return isIgnored;
  }

  private void valid(DirectiveScope scope, Map<String, Object> route, boolean isOverride) {
    Map<String, Object> errors = new LinkedHashMap<>();
    for (Directive each : scope.all("proxy_cache_valid")) {
      List<String> arguments = each.arguments();
      String time = arguments.isEmpty() ? null : Units.duration(arguments.getLast());
      if (time == null) {
        report.left(each, "a time that is not understood");
        continue;
      }
      List<String> statuses = new ArrayList<>(arguments.subList(0, arguments.size() - 1));
      if (statuses.isEmpty()) {
        statuses.addAll(List.of("200", "301", "302"));
      }
      boolean isTaken = true;
      for (String status : statuses) {
        if (status.equals("any")) {
          errors.putIfAbsent("4xx", time);
          errors.putIfAbsent("5xx", time);
          route.putIfAbsent(isOverride ? "ttl-override" : "default-ttl", time);
        } else if (status.matches("[45]\\d\\d")) {
          errors.put(status, time);
        } else if (status.matches("200|301|302|206|203|300|303|307|308")) {
          String known = String.valueOf(route.getOrDefault("default-ttl", time));
          isTaken &= known.equals(time);
          route.putIfAbsent(isOverride ? "ttl-override" : "default-ttl", time);
        } else {
          isTaken = false;
        }
      }
      if (isTaken) {
        report.taken(each);
      } else {
        report.adapted(each, "one lifetime for all that are no errors: use a rule on response");
      }
    }
    if (!errors.isEmpty()) {
      route.put("negative-ttl", errors);
    }
    route.putIfAbsent("heuristic", "false");
  }

  private void stale(DirectiveScope scope, Map<String, Object> route) {
    Directive stale = scope.find("proxy_cache_use_stale");
    Directive background = scope.find("proxy_cache_background_update");
    if (stale == null || stale.argument(0).equals("off")) {
      if (stale != null) {
        report.taken(stale);
      }
      return;
    }
    if (stale.arguments().contains("updating")) {
      route.put("stale-while-revalidate", "1d");
    }
    if (stale.arguments().stream().anyMatch(one -> !one.equals("updating"))) {
      route.put("stale-if-error", "1d");
    }
    report.adapted(stale, "for a day; on no connection, timeout, 500, 502, 503 and 504");
    if (background != null) {
      report.taken(background);
    }
  }

  private void key(DirectiveScope scope, Map<String, Object> route) {
    Directive key = scope.find("proxy_cache_key");
    Map<String, Object> settings = new LinkedHashMap<>();
    if (key == null) {
      // $scheme$proxy_host$request_uri
      return;
    }
    String text = String.join("", key.arguments()).replace("{", "").replace("}", "");
    List<String> cookies = new ArrayList<>();
    List<String> fields = new ArrayList<>();
    boolean hasQuery = text.contains("$request_uri") || text.contains("$args");
    String rest = text;
    for (String variable : text.split("\\$", -1)) {
      String name = variable.replaceAll("\\W.*", "");
      if (name.startsWith("cookie_")) {
        cookies.add(name.substring(7));
      } else if (name.startsWith("http_") && !name.equals("http_host")) {
        fields.add(ConditionTranslator.field(name.substring(5)));
      } else if (!name.matches(
          "|scheme|host|http_host|proxy_host|server_name|request_uri|uri|is_args|args|request_method"
              + "|slice_range|document_uri|query_string|upstream_addr")) {
        report.left(key, "$" + name + " is not in keys");
        return;
      }
    }
    if (!rest.contains("$scheme")) {
      settings.put("scheme", "false");
    }
    if (!hasQuery && !text.contains("$query_string")) {
      settings.put("query", "ignore");
    }
    if (!cookies.isEmpty()) {
      settings.put("cookies", cookies);
    }
    if (!fields.isEmpty()) {
      settings.put("headers", fields);
    }
    if (!settings.isEmpty()) {
      route.put("key", settings);
    }
    report.adapted(key, "the host of the key is that which the client asks for");
  }

  /** RewriteRules for requests that are not answered from the cache, or not stored. */
  List<Map<String, Object>> passes(DirectiveScope scope) {
    List<Map<String, Object>> rules = new ArrayList<>();
    List<Map<String, Object>> conditions = new ArrayList<>();
    for (String name : List.of("proxy_cache_bypass", "proxy_no_cache")) {
      for (Directive each : scope.all(name)) {
        for (String argument : each.arguments()) {
          try {
            if (!argument.startsWith("$")) {
              throw new UntranslatableException("a text that is no variable");
            }
            Map<String, Object> condition = ConditionTranslator.present(argument.substring(1));
            if (!conditions.contains(condition)) {
              conditions.add(condition);
            }
            report.adapted(each, "such requests are neither answered from the cache nor stored");
          } catch (UntranslatableException e) {
            report.left(each, e.reason());
          }
        }
      }
    }
    if (!conditions.isEmpty()) {
      Map<String, Object> rule = new LinkedHashMap<>();
      rule.put("when", conditions.size() == 1 ? conditions.getFirst() : Map.of("any", conditions));
      rule.put("pass", "true");
      rules.add(rule);
    }
    return rules;
  }

  private static void put(
      Map<String, Object> map, String key, @org.jspecify.annotations.Nullable Object value) {
    if (value != null) {
      map.put(key, value);
    }
  }
}
