package io.forebay.cli.importer.trafficserver;

import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.SettingUnits;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Settings of records that hold for the node: where it listens, timeouts, limits. */
final class NodeSettings {
  private static final String TUNING = "the node chooses this itself";
  private static final String PROCESS = "the process is started otherwise: see OPERATIONS.md";

  /** Beginnings of names for which nothing has to be configured, and why. */
  private static final Map<String, String> UNNEEDED = new TreeMap<>();

  static {
    for (String name :
        Set.of(
            "exec_thread.",
            "accept_threads",
            "task_threads",
            "cache.threads_per_disk",
            "cache.ram_cache_cutoff",
            "cache.min_average_object_size",
            "cache.log.",
            "cache.max_doc_size",
            "http.accept_no_activity_timeout",
            "http.connect_attempts_max_retries_d",
            "http.connect_attempts_rr_retries",
            "http.post_connect_attempts_timeout",
            "http.down_server.",
            "http.parent_proxy.",
            "http.push_method_enabled",
            "http.uncacheable_requests_bypass_parent",
            "net.default_inactivity_timeout",
            "net.max_connections_in",
            "net.max_requests_in",
            "ssl.server.cert.path",
            "ssl.server.private_key.path",
            "ssl.server.multicert.",
            "ssl.server.cipher_suite",
            "hostdb.",
            "dns.")) {
      UNNEEDED.put(name, TUNING);
    }
    for (String name :
        Set.of(
            "admin.",
            "diags.",
            "dump_mem_info_frequency",
            "res_track_memory",
            "core_limit",
            "crash_log",
            "proxy_name",
            "process_manager.",
            "restart.",
            "syslog_facility",
            "stack_dump",
            "bin_path",
            "local_state_dir",
            "product_",
            "output.logfile",
            "http.slow.log.",
            "memory.",
            "thread.",
            "plugin.",
            "config_",
            "body_factory.")) {
      UNNEEDED.put(name, PROCESS);
    }
    UNNEEDED.put("log.", "access-log says where to; one JSON object for each request");
  }

  private final ImportReport report;
  private final ConfigDraft draft;
  private boolean hasTls;
  private boolean hasPlain;

  NodeSettings(ImportReport report, ConfigDraft draft) {
    this.report = report;
    this.draft = draft;
  }

  boolean hasTls() {
    return hasTls;
  }

  boolean hasPlain() {
    return hasPlain;
  }

  /**
   * Adds the listeners; what listens with TLS is named {@code https-PORT}.
   *
   * @param needsTls whether there are rules for https
   */
  void listeners(Records records, boolean needsTls) {
    Directive of = records.find("http.server_ports");
    String otherwise = needsTls ? "8080 443:ssl" : "8080";
    String[] words = records.text("http.server_ports", otherwise).trim().split("[\\s,]+", -1);
    boolean isWhole = true;
    for (String word : words) {
      isWhole &= listener(word);
    }
    if (of != null) {
      if (isWhole) {
        report.taken(of);
      } else {
        report.adapted(of, "on all addresses, and without options the node does not have");
      }
    }
  }

  private boolean listener(String word) {
    int port = 0;
    String address = "";
    boolean isTls = false;
    boolean isProxied = false;
    boolean isWhole = true;
    for (String part : word.split(":", -1)) {
      if (part.matches("\\d{1,5}")) {
        port = Integer.parseInt(part);
      } else if (part.equals("ssl")) {
        isTls = true;
      } else if (part.matches("ip-in=\\d{1,3}(\\.\\d{1,3}){3}")) {
        address = part.substring("ip-in=".length());
      } else if (part.equals("pp")) {
        isProxied = true;
      } else if (!part.matches("ipv6|ipv4|tr-.*|proto=http.*")) {
        isWhole = false;
      }
    }
    if (port < 1 || port > 65_535) {
      return false;
    }
    Map<String, Object> listener = draft.listener(port);
    if (isTls) {
      listener.put("name", "https-" + port);
      hasTls = true;
    } else {
      hasPlain = true;
    }
    if (!address.isEmpty()) {
      listener.put("address", address + ":" + port);
    }
    if (isProxied) {
      listener.put("proxy-protocol", "true");
    }
    return isWhole;
  }

  /** Adds what holds for the node as a whole, and a verdict for each setting that has none. */
  void others(Records records) {
    Map<String, Object> timeouts = new LinkedHashMap<>();
    Map<String, Object> limits = new LinkedHashMap<>();
    for (Directive each : records.all()) {
      if (!report.knows(each)) {
        other(each, records, timeouts, limits);
      }
    }
    if (!timeouts.isEmpty()) {
      draft.setting("timeouts", timeouts);
    }
    if (!limits.isEmpty()) {
      draft.setting("limits", limits);
    }
  }

  private void other(
      Directive of, Records records, Map<String, Object> timeouts, Map<String, Object> limits) {
    String name = of.name();
    long value = records.number(name, -1);
    switch (name) {
      case "http.keep_alive_no_activity_timeout_in" ->
          seconds(of, value, 0, 86_400, timeouts, "keep-alive");
      case "http.transaction_no_activity_timeout_in" -> {
        seconds(of, value, 1, 3600, timeouts, "request-body-idle");
        seconds(of, value, 1, 86_400, timeouts, "no-progress");
      }
      case "http.transaction_active_timeout_in" ->
          seconds(of, value, 1, 31_536_000, timeouts, "request-total");
      case "net.connections_throttle" ->
          range(of, value, 1, 10_000_000, limits, "connections", String.valueOf(value));
      case "http.max_post_size" -> {
        if (value == 0) {
          limits.put("request-body", "16TiB");
          report.taken(of);
        } else {
          range(of, value, 1, 1L << 44, limits, "request-body", SettingUnits.size(value));
        }
      }
      case "http.request_header_max_size" ->
          range(of, value, 1024, 1 << 20, limits, "header-bytes", SettingUnits.size(value));
      case "cache.ram_cache.size" -> {
        if (value < 16 << 20) {
          report.unneeded(of, "store.memory is 512MiB, unless it is set");
        } else {
          draft.setting("store", Map.of("memory", SettingUnits.size(value)));
          report.taken(of);
        }
      }
      case "log.logging_enabled" -> {
        if (value > 0) {
          draft.setting("access-log", "stdout");
          report.adapted(of, "one JSON object for each request, on standard output");
        } else {
          report.taken(of);
        }
      }
      case "http.insert_squid_x_forwarded_for" -> {
        if (value == 0) {
          draft.setting("forwarding", Map.of("x-forwarded", "false"));
        }
        report.taken(of);
      }
      case "http.insert_client_ip" ->
          report.adapted(of, "origins get the client's address in X-Forwarded-For");
      case "http.insert_request_via_str" -> report.adapted(of, "Via is sent; see routes[].via");
      case "http.insert_response_via_str" -> report.adapted(of, "clients get Via");
      case "url_remap.remap_required" ->
          should(of, value, 1, "requests without a rule get 404; the node is no open proxy");
      case "reverse_proxy.enabled" -> should(of, value, 1, "the node is always a reverse proxy");
      case "http.cache.cache_urls_that_look_dynamic" ->
          should(of, value, 1, "URLs with a query are stored as others are");
      case "http.cache.cache_responses_to_cookies" ->
          report.adapted(
              of,
              "requests with cookies are looked up, responses with Set-Cookie are not"
                  + " stored: see set-cookie and pass-cookies of routes");
      case "http.cache.when_to_revalidate" ->
          should(of, value, 0, "when the lifetime of a response is over");
      case "http.cache.guaranteed_min_lifetime" -> should(of, value, 0, "use ttl-override");
      case "http.cache.ignore_server_no_cache" -> should(of, value, 0, "no-store always holds");
      case "http.cache.ignore_authentication" ->
          should(
              of, value, 0, "responses to requests with Authorization say whether they are shared");
      case "http.referer_filter" -> should(of, value, 0, "the rules with a referer are refused");
      case "http.forward.proxy_auth_to_parent" -> should(of, value, 0, "it is never forwarded");
      case "http.normalize_ae" ->
          report.adapted(of, "the origin gets the codings that clients accept, in a normal form");
      case "http.cache.heuristic_max_lifetime",
          "http.cache.heuristic_lm_factor",
          "http.cache.heuristic_min_lifetime",
          "http.cache.guaranteed_max_lifetime" ->
          report.adapted(of, "heuristic lifetimes are a tenth of the age, at most a day");
      case "ssl.client.verify.server.policy", "ssl.client.verify.server" -> {
        if (of.argument(0).matches("ENFORCED|1")) {
          report.taken(of);
        } else {
          report.adapted(of, "certificates of origins are always verified: set trust");
        }
      }
      case "ssl.client.verify.server.properties" ->
          report.adapted(of, "signature and name are both verified");
      case "ssl.client.CA.cert.filename" -> {
        if (of.argument(0).matches("(?i)null|")) {
          report.unneeded(of, "the platform's trust anchors");
        } else {
          report.left(of, "set trust of the origins");
        }
      }
      case "ssl.TLSv1", "ssl.TLSv1_1" -> should(of, value, 0, "TLS 1.2 and 1.3 only");
      default -> {
        boolean isOfCache = name.startsWith("http.cache.") || name.startsWith("http.negative_");
        String reason =
            isOfCache && !records.isOn("http.cache.http", true)
                ? "nothing is stored"
                : reason(name);
        if (reason == null) {
          report.left(of, "there is nothing like it");
        } else {
          report.unneeded(of, reason);
        }
      }
    }
  }

  private static @Nullable String reason(String name) {
    for (Map.Entry<String, String> each : UNNEEDED.entrySet()) {
      if (name.startsWith(each.getKey())) {
        return each.getValue();
      }
    }
    return null;
  }

  /** A setting for which the node has one behaviour. */
  private void should(Directive of, long value, long expected, String text) {
    if (value == expected) {
      report.unneeded(of, text);
    } else {
      report.left(of, text);
    }
  }

  private void seconds(
      Directive of, long value, long least, long most, Map<String, Object> into, String key) {
    if (value == 0 && least > 0) {
      report.adapted(of, "no limit there; here the default holds");
    } else {
      range(of, value, least, most, into, key, SettingUnits.duration(1000 * Math.max(0, value)));
    }
  }

  private void range(
      Directive of,
      long value,
      long least,
      long most,
      Map<String, Object> into,
      String key,
      String text) {
    if (value < least || value > most) {
      report.left(of, key + " is from " + least + " to " + most);
    } else {
      into.put(key, text);
      report.taken(of);
    }
  }
}
