package io.forebay.cli.importer.caddy;

import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.SettingUnits;
import io.forebay.cli.importer.model.UntranslatableException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Settings of the node that statements of several sites give. */
final class NodeDraft {
  private final ImportReport report;
  private final Map<String, Object> timeouts = new LinkedHashMap<>();
  private final Map<String, Object> limits = new LinkedHashMap<>();
  private final Set<String> trusted = new LinkedHashSet<>();
  private final Map<String, Object> acme = new LinkedHashMap<>();
  private final Set<String> acmeHosts = new LinkedHashSet<>();
  private final Set<String> onDemand = new LinkedHashSet<>();
  private String log = "";
  private long bodyBytes = -1;

  NodeDraft(ImportReport report) {
    this.report = report;
  }

  void timeout(Directive of, String key, long leastMillis, long mostMillis)
      throws UntranslatableException {
    String time = CaddyUnits.duration(of.argument(0), leastMillis, mostMillis);
    Object known = timeouts.putIfAbsent(key, time);
    if (known != null && !known.equals(time)) {
      throw new UntranslatableException("one time for all: timeouts." + key);
    }
    report.taken(of);
  }

  void limit(String key, String value) {
    limits.put(key, value);
  }

  /** The largest body of a request of all sites. */
  void body(Directive of, String size) throws UntranslatableException {
    bodyBytes = Math.max(bodyBytes, CaddyUnits.bytes(size));
    report.adapted(of, "limits.request-body: the largest of the file holds for all");
  }

  /** Networks of proxies in front. */
  void trust(Directive of) throws UntranslatableException {
    List<String> networks = new ArrayList<>();
    for (String each : of.arguments()) {
      if (each.equals("private_ranges")) {
        networks.addAll(MatcherReader.PRIVATE_RANGES);
      } else if (each.matches("[0-9A-Fa-f:.]+(/\\d{1,3})?")) {
        networks.add(each);
      } else if (!each.equals("static")) {
        throw new UntranslatableException(each + " is no network");
      }
    }
    trusted.addAll(networks);
    report.taken(of);
  }

  /** An access log; the first one holds for all. */
  void log(Directive of) {
    String output = "stdout";
    for (Directive each : of.block()) {
      switch (each.name()) {
        case "output" -> {
          if (each.argument(0).equals("file") && each.argument(1).startsWith("/")) {
            output = each.argument(1);
            report.allTaken(each);
          } else if (each.argument(0).matches("stdout|stderr")) {
            report.allTaken(each);
          } else if (each.argument(0).equals("discard")) {
            output = "off";
            report.allTaken(each);
          } else {
            report.allLeft(each, "one access log, in a file or on standard output");
          }
        }
        case "format" -> report.allUnneeded(each, "logs are always JSON");
        case "level" -> report.allUnneeded(each, "every request is logged");
        default -> report.allLeft(each, "the access log has no such setting");
      }
    }
    if (log.isEmpty() || log.equals(output)) {
      log = output;
      report.adapted(of, "one JSON object for each request, of all sites");
    } else {
      report.left(of, "one access log for all");
    }
  }

  void acme(String key, Object value) {
    acme.put(key, value);
  }

  /** A name for which certificates are ordered. */
  void acmeHost(String host) {
    (host.startsWith("*.") ? onDemand : acmeHosts).add(host);
  }

  /** Adds all of it. */
  void addTo(ConfigDraft draft) {
    if (bodyBytes >= 0) {
      limits.put("request-body", SettingUnits.size(bodyBytes));
    }
    put(draft, "limits", limits);
    put(draft, "timeouts", timeouts);
    if (!trusted.isEmpty()) {
      draft.setting("forwarding", Map.of("trusted", List.copyOf(trusted)));
    }
    if (!log.isEmpty()) {
      draft.setting("access-log", log);
    }
    if (!acmeHosts.isEmpty() || !onDemand.isEmpty()) {
      Map<String, Object> all = new LinkedHashMap<>();
      if (!acmeHosts.isEmpty()) {
        all.put("hosts", List.copyOf(acmeHosts));
      }
      if (!onDemand.isEmpty()) {
        all.put("on-demand", List.copyOf(onDemand));
      }
      // As Caddy does on its user's behalf; the report says so.
      all.put("agree-to-terms", "true");
      all.putAll(acme);
      draft.setting("tls", Map.of("acme", all));
    }
  }

  private static void put(ConfigDraft draft, String key, Map<String, Object> values) {
    if (!values.isEmpty()) {
      draft.setting(key, values);
    }
  }
}
