package io.forebay.cli.importer.trafficserver;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.SettingUnits;
import java.util.LinkedHashMap;
import java.util.Map;

/** Settings of records that rules can have their own of, as settings of routes and origins. */
final class RouteSettings {
  private static final String NEGATIVE = "http.negative_caching_";
  private static final String HEURISTIC = "http.cache.heuristic_min_lifetime";
  private static final String DEFAULT_ERRORS = "403 404 405 414 500 501 502 503 504";

  private final ImportReport report;

  RouteSettings(ImportReport report) {
    this.report = report;
  }

  /** How the responses of a route are stored. */
  void ofRoute(Records records, Map<String, Object> route) {
    taken(records, "http.cache.http");
    if (!records.isOn("http.cache.http", true)) {
      route.put("cache", "false");
      return;
    }
    lifetimes(records, route);
    errors(records, route);
    stale(records, route);
    boolean isHonoured =
        !records.isOn("http.cache.ignore_client_no_cache", true)
            || !records.isOn("http.cache.ignore_client_cc_max_age", true);
    if (isHonoured) {
      route.put("client-directives", "honour");
    }
    taken(records, "http.cache.ignore_client_no_cache");
    taken(records, "http.cache.ignore_client_cc_max_age");
    long variants = records.number("cache.limits.http.max_alts", 0);
    Directive ofVariants = records.find("cache.limits.http.max_alts");
    if (ofVariants != null) {
      if (variants >= 1 && variants <= 256) {
        key(route).put("variants", String.valueOf(variants));
        report.taken(ofVariants);
      } else {
        report.adapted(ofVariants, "a key has up to 256 variants");
        key(route).put("variants", "256");
      }
    }
  }

  /** The settings of the route's key. */
  @SuppressWarnings("unchecked") // only this class and its callers make it
  static Map<String, Object> key(Map<String, Object> route) {
    return (Map<String, Object>)
        route.computeIfAbsent("key", key -> new LinkedHashMap<String, Object>());
  }

  private void lifetimes(Records records, Map<String, Object> route) {
    long needed = records.number("http.cache.required_headers", 2);
    Directive of = records.find("http.cache.required_headers");
    if (needed == 0) {
      route.put(
          "default-ttl",
          SettingUnits.duration(1000 * Math.max(0, records.number(HEURISTIC, 3600))));
      if (of != null) {
        report.adapted(of, "default-ttl, instead of a share of the age");
      }
      taken(records, HEURISTIC);
    } else {
      if (needed != 1) {
        route.put("heuristic", "false");
      }
      if (of != null) {
        report.taken(of);
      }
    }
  }

  private void errors(Records records, Map<String, Object> route) {
    Directive enabled = records.find(NEGATIVE + "enabled");
    if (records.isOn(NEGATIVE + "enabled", false)) {
      String time = SettingUnits.duration(1000 * records.number(NEGATIVE + "lifetime", 1800));
      Map<String, Object> errors = new LinkedHashMap<>();
      boolean isWhole = true;
      for (String status :
          records.text(NEGATIVE + "list", DEFAULT_ERRORS).trim().split("\\s+", -1)) {
        if (status.matches("[45]\\d\\d")) {
          errors.put(status, time);
        } else {
          isWhole = false;
        }
      }
      if (!errors.isEmpty()) {
        route.put("negative-ttl", errors);
      }
      Directive list = records.find(NEGATIVE + "list");
      if (list != null) {
        if (isWhole) {
          report.taken(list);
        } else {
          report.adapted(list, "errors only: 4xx and 5xx");
        }
      }
    } else {
      unneeded(records, NEGATIVE + "list", "negative caching is off");
    }
    if (enabled != null) {
      report.taken(enabled);
    }
    taken(records, NEGATIVE + "lifetime");
  }

  private void stale(Records records, Map<String, Object> route) {
    long seconds = records.number("http.cache.max_stale_age", 604_800);
    if (records.isOn("http.negative_revalidating_enabled", true) && seconds > 0) {
      route.put("stale-if-error", SettingUnits.duration(1000 * seconds));
    }
    taken(records, "http.negative_revalidating_enabled");
    taken(records, "http.cache.max_stale_age");
    unneeded(
        records,
        "http.negative_revalidating_lifetime",
        "a stale response is tried again with the next request");
  }

  /** How the servers of an origin are asked. */
  void ofOrigin(Records records, Map<String, Object> origin) {
    Map<String, Object> timeouts = new LinkedHashMap<>();
    seconds(records, "http.connect_attempts_timeout", 300, timeouts, "connect", "first-byte");
    seconds(records, "http.transaction_no_activity_timeout_out", 3600, timeouts, "idle");
    seconds(records, "http.transaction_active_timeout_out", 604_800, timeouts, "total");
    if (!timeouts.isEmpty()) {
      origin.put("timeouts", timeouts);
    }
    seconds(records, "http.keep_alive_no_activity_timeout_out", 3600, origin, "keep-alive");
    long most = records.number("http.per_server.connection.max", 0);
    if (most >= 1 && most <= 100_000) {
      origin.put("max-connections", String.valueOf(most));
    }
    taken(records, "http.per_server.connection.max");
    long retries = records.number("http.connect_attempts_max_retries", -1);
    Directive ofRetries = records.find("http.connect_attempts_max_retries");
    if (ofRetries != null && retries >= 0) {
      origin.put("retry", Map.of("attempts", String.valueOf(Math.min(10, retries))));
      report.taken(ofRetries);
    }
  }

  private void seconds(
      Records records, String name, long most, Map<String, Object> into, String... keys) {
    Directive of = records.find(name);
    long seconds = records.number(name, -1);
    if (of == null) {
      return;
    }
    if (seconds < 0) {
      report.left(of, "not a number of seconds");
      return;
    }
    if (seconds == 0) {
      report.adapted(of, "no limit there; here the default holds");
      return;
    }
    for (String key : keys) {
      into.put(key, SettingUnits.duration(1000 * Math.min(most, seconds)));
    }
    if (seconds > most) {
      report.adapted(of, "at most " + SettingUnits.duration(1000 * most));
    } else {
      report.taken(of);
    }
  }

  private void taken(Records records, String name) {
    Directive of = records.find(name);
    if (of != null) {
      report.taken(of);
    }
  }

  private void unneeded(Records records, String name, String why) {
    Directive of = records.find(name);
    if (of != null) {
      report.unneeded(of, why);
    }
  }
}
