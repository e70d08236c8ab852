package io.forebay.cli.importer.trafficserver;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.trafficserver.RemapRule.Plugin;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Plugins of rules. */
final class PluginImport {
  /** Records that a rule can have of its own here. */
  private static final Set<String> OVERRIDABLE =
      Set.of(
          "url_remap.pristine_host_hdr",
          "http.cache.http",
          "http.cache.required_headers",
          "http.cache.heuristic_min_lifetime",
          "http.cache.ignore_client_no_cache",
          "http.cache.ignore_client_cc_max_age",
          "http.cache.max_stale_age",
          "http.negative_caching_enabled",
          "http.negative_caching_lifetime",
          "http.negative_caching_list",
          "http.negative_revalidating_enabled",
          "http.connect_attempts_timeout",
          "http.connect_attempts_max_retries",
          "http.transaction_no_activity_timeout_out",
          "http.transaction_active_timeout_out",
          "http.keep_alive_no_activity_timeout_out",
          "http.per_server.connection.max");

  private static final Map<String, String> UNNEEDED =
      Map.of(
          "background_fetch", "a fetch goes on when its client has gone",
          "collapsed_forwarding", "requests for one object share a fetch",
          "cache_promote", "disks take what is asked for again: store.disk-admission",
          "xdebug", "see forebay explain and Cache-Status",
          "tcpinfo", "see /metrics",
          "stats_over_http", "see /metrics of the admin API");

  private final Path directory;
  private final ImportReport report;

  /** Statements of files that plugins read. */
  private final List<Directive> read = new ArrayList<>();

  private final Map<Path, List<Directive>> files = new LinkedHashMap<>();

  PluginImport(Path directory, ImportReport report) {
    this.directory = directory;
    this.report = report;
  }

  List<Directive> read() {
    return read;
  }

  /** Adds what the plugins of a rule do. */
  void add(RemapRule rule, Plan plan) throws ImportException {
    for (Plugin each : rule.plugins()) {
      switch (each.name()) {
        case "conf_remap" -> overrides(each, plan);
        case "header_rewrite" -> headers(each, plan);
        case "cachekey" -> key(each, plan);
        case "slice", "cache_range_requests" -> {
          plan.settings.put("range-fetch", "slices");
          report.adapted(each.of(), "the node chooses the size of slices");
        }
        case "stale_response" -> stale(each, plan);
        default -> {
          String reason = UNNEEDED.get(each.name());
          if (reason == null) {
            report.left(each.of(), "there is no such plugin");
          } else {
            report.unneeded(each.of(), reason);
          }
        }
      }
    }
  }

  private List<Directive> file(Plugin of, String name) throws ImportException {
    Path path = directory.resolve(name);
    List<Directive> known = files.get(path);
    if (known != null) {
      return known;
    }
    if (!Files.isRegularFile(path)) {
      report.left(of.of(), name + ": there is no such file");
      return List.of();
    }
    List<Directive> lines = LineReader.read(path);
    files.put(path, lines);
    read.addAll(lines);
    return lines;
  }

  private void overrides(Plugin of, Plan plan) throws ImportException {
    for (String parameter : of.parameters()) {
      int equals = parameter.indexOf('=');
      if (equals > 0) {
        override(of.of(), parameter.substring(0, equals), parameter.substring(equals + 1), plan);
        continue;
      }
      for (Directive each : file(of, parameter)) {
        override(each, each.argument(0), each.argument(2), plan);
      }
      if (!report.knows(of.of())) {
        report.taken(of.of());
      }
    }
  }

  private void override(Directive of, String name, String value, Plan plan) {
    String own = name.replaceFirst("^proxy\\.config\\.", "");
    if (OVERRIDABLE.contains(own)) {
      plan.records = plan.records.with(own, value, of);
      report.taken(of);
    } else {
      report.left(of, own + " is no setting of routes or origins");
    }
  }

  private void headers(Plugin of, Plan plan) throws ImportException {
    for (String parameter : of.parameters()) {
      if (parameter.startsWith("-")) {
        report.left(of.of(), "the option " + parameter);
        continue;
      }
      List<Directive> lines = file(of, parameter);
      plan.rules.addAll(new HeaderRewrite(report, plan).rules(lines));
      if (!report.knows(of.of())) {
        report.taken(of.of());
      }
    }
  }

  private void key(Plugin of, Plan plan) {
    Map<String, Object> key = RouteSettings.key(plan.settings);
    boolean isWhole = true;
    for (String parameter : of.parameters()) {
      String[] parts = parameter.replaceFirst("^--", "").split("=", 2);
      String value = parts.length == 2 ? parts[1] : "true";
      List<String> names = List.of(value.split(",", -1));
      switch (parts[0]) {
        case "static-prefix" -> {
          if (value.matches("[A-Za-z0-9.-]+")) {
            key.put("host", value);
          } else {
            isWhole = false;
            report.left(of.of(), parameter + ": key.host is a host");
          }
        }
        case "remove-all-params" -> {
          if (value.matches("true|1|yes")) {
            key.put("query", "ignore");
          }
        }
        case "sort-params" -> {
          if (value.matches("true|1|yes")) {
            key.putIfAbsent("query", "sort");
          }
        }
        case "include-params" -> key.put("keep", names);
        case "exclude-params" -> key.put("strip", names);
        case "include-headers" -> key.put("headers", names);
        case "include-cookies" -> key.put("cookies", names);
        case "separator", "key-type", "uri-type" -> {}
        default -> {
          isWhole = false;
          report.left(of.of(), parameter + " is not in keys");
        }
      }
    }
    if (isWhole) {
      report.adapted(of.of(), "what is not in the key does not reach the origin either");
    }
    if (key.isEmpty()) {
      plan.settings.remove("key");
    }
  }

  private void stale(Plugin of, Plan plan) {
    boolean isWhole = true;
    for (String parameter : of.parameters()) {
      String[] parts = parameter.replaceFirst("^--", "").split("=", 2);
      String seconds = parts.length == 2 && parts[1].matches("\\d{1,8}") ? parts[1] + "s" : "";
      if (parts[0].startsWith("stale-while-revalidate") && !seconds.isEmpty()) {
        plan.settings.put("stale-while-revalidate", seconds);
      } else if (parts[0].startsWith("stale-if-error") && !seconds.isEmpty()) {
        plan.settings.put("stale-if-error", seconds);
      } else if (!parts[0].startsWith("log")) {
        isWhole = false;
        report.left(of.of(), parameter + ": see stale-while-revalidate of the route");
      }
    }
    if (isWhole) {
      report.taken(of.of());
    }
  }
}
