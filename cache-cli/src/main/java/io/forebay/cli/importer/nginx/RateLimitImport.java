package io.forebay.cli.importer.nginx;

import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code limit_req}: the zones, and the limits that use them. */
final class RateLimitImport {
  private static final Pattern RATE = Pattern.compile("rate=(\\d{1,6})r/([sm])");

  private final ImportReport report;
  private final Map<String, Directive> zones = new LinkedHashMap<>();

  RateLimitImport(ImportReport report) {
    this.report = report;
  }

  void zone(Directive of) {
    for (String argument : of.arguments()) {
      if (argument.startsWith("zone=")) {
        zones.put(argument.substring(5).replaceAll(":.*", ""), of);
      }
    }
  }

  /** Adds the limits that hold in a scope to a protection. */
  void of(DirectiveScope scope, Map<String, Object> protection) {
    List<Object> limits = new ArrayList<>();
    for (Directive each : scope.all("limit_req")) {
      Map<String, Object> limit = limit(each);
      if (limit != null) {
        limits.add(limit);
      }
    }
    if (!limits.isEmpty()) {
      protection.put("rate-limits", limits);
    }
  }

  private @Nullable Map<String, Object> limit(Directive of) {
    String name = "";
    int burst = 0;
    boolean delays = true;
    for (String argument : of.arguments()) {
      if (argument.startsWith("zone=")) {
        name = argument.substring(5);
      } else if (argument.matches("burst=\\d{1,5}")) {
        burst = Integer.parseInt(argument.substring(6));
      } else if (argument.equals("nodelay") || argument.startsWith("delay=")) {
        delays = false;
      }
    }
    Directive zone = zones.get(name);
    if (zone == null) {
      report.left(of, "its zone is missing");
      return null;
    }
    String key = key(zone.argument(0));
    Matcher rate = RATE.matcher(zone.arguments().getLast());
    for (String argument : zone.arguments()) {
      if (argument.startsWith("rate=")) {
        rate = RATE.matcher(argument);
      }
    }
    if (key == null || !rate.matches()) {
      report.left(zone, key == null ? "limits have no such key" : "a rate that is not understood");
      report.left(of, "see limit_req_zone");
      return null;
    }
    Map<String, Object> limit = new LinkedHashMap<>();
    limit.put("name", ConfigDraft.nameOf(name));
    limit.put("key", key);
    limit.put("requests", rate.group(1));
    limit.put("per", rate.group(2).equals("s") ? "1s" : "1m");
    limit.put("burst", String.valueOf(burst + 1));
    report.taken(zone);
    if (delays && burst > 0) {
      report.adapted(of, "requests are not delayed; beyond the burst they get 429");
    } else {
      report.adapted(of, "429 in place of 503");
    }
    return limit;
  }

  private static @Nullable String key(String variable) {
    return switch (variable) {
      case "$binary_remote_addr", "$remote_addr" -> "client";
      case "$host", "$http_host", "$server_name" -> "host";
      default ->
          variable.startsWith("$http_")
              ? "header " + ConditionTranslator.field(variable.substring(6))
              : variable.startsWith("$cookie_") ? "cookie " + variable.substring(8) : null;
    };
  }
}
