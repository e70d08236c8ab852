package io.forebay.cli.importer.caddy;

import io.forebay.cli.importer.caddy.HeaderEdits.Edits;
import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code reverse_proxy}: the settings of an origin, and edits of fields. */
final class ReverseProxyImport {
  private static final Pattern UPSTREAM =
      Pattern.compile(
          "(?:(https?|h2c)://)?([A-Za-z0-9._-]*|\\[[0-9A-Fa-f:.]+])(?::(\\d{1,5})(?:-(\\d{1,5}))?)?/?");

  private static final Set<String> STREAMING =
      Set.of(
          "flush_interval",
          "buffer_requests",
          "buffer_responses",
          "request_buffers",
          "response_buffers",
          "max_buffer_size",
          "stream_buffer_size");

  private final ImportReport report;
  private final ConfigDraft draft;
  private final HeaderEdits fields;
  private final NodeDraft node;

  ReverseProxyImport(ImportReport report, ConfigDraft draft, HeaderEdits fields, NodeDraft node) {
    this.report = report;
    this.draft = draft;
    this.fields = fields;
    this.node = node;
  }

  /**
   * What a statement becomes.
   *
   * @param origin its name
   * @param rewrite what its paths become; empty where they stay
   */
  record Proxy(String origin, Edits requests, Edits responses, String rewrite) {}

  /** Reads a statement; its upstreams follow the matcher. */
  Proxy read(Directive of, Matched matched, Scope scope) throws UntranslatableException {
    List<String> upstreams =
        new ArrayList<>(of.arguments().subList(matched.arguments(), of.arguments().size()));
    Map<String, Object> origin = new LinkedHashMap<>();
    Map<String, Object> probe = new LinkedHashMap<>();
    Map<String, Object> ejection = new LinkedHashMap<>();
    Edits requests = new Edits();
    Edits responses = new Edits();
    boolean isTls = false;
    String rewrite = "";
    String dynamic = "";
    List<String> balance = List.of();
    for (Directive each : of.block()) {
      try {
        switch (each.name()) {
          case "to" -> {
            upstreams.addAll(each.arguments());
            report.taken(each);
          }
          case "lb_policy" -> balance = each.arguments();
          case "header_up" -> up(each, matched, scope, requests, origin);
          case "header_down" -> {
            for (Directive line : renamed(each)) {
              fields.response(line, each, true, matched, scope, responses);
            }
          }
          case "transport" -> isTls = transport(each, origin) || isTls;
          case "rewrite" -> {
            rewrite = each.argument(0);
            report.taken(each);
          }
          case "dynamic" -> {
            if (!each.argument(0).equals("srv") || each.arguments().size() != 2) {
              throw new UntranslatableException("servers are named, or come from an SRV record");
            }
            dynamic = each.argument(1);
            report.allTaken(each);
          }
          case "trusted_proxies" -> node.trust(each);
          default -> setting(each, origin, probe, ejection);
        }
      } catch (UntranslatableException e) {
        report.allLeft(each, e.reason());
      }
    }
    servers(upstreams, dynamic, isTls, balance, origin);
    if (!balance.isEmpty()) {
      balance(of, balance, origin);
    }
    if (!probe.isEmpty()) {
      probe.put("type", "http");
      origin.put("probe", probe);
    }
    if (!ejection.isEmpty()) {
      origin.put("ejection", ejection);
    }
    hostOfUpstream(origin);
    report.taken(of);
    return new Proxy(draft.origin(name(origin), origin), requests, responses, rewrite);
  }

  private static List<Directive> renamed(Directive of) {
    List<String> words = of.arguments();
    return words.isEmpty()
        ? List.of()
        : List.of(
            new Directive(
                of.file(), of.line(), words.getFirst(), words.subList(1, words.size()), null));
  }

  private static String name(Map<String, Object> origin) {
    Object first = origin.get("url");
    if (first == null && origin.get("servers") instanceof List<?> servers) {
      first = servers.getFirst() instanceof Map<?, ?> map ? map.get("url") : servers.getFirst();
    }
    String host =
        String.valueOf(first).replaceFirst("^[a-z0-9+]+://", "").replaceFirst("(:\\d+)?/?$", "");
    return host.matches("localhost|127\\..*|\\[::1]")
        ? "origin"
        : host.replaceFirst("^unix:.*/", "");
  }

  // --- servers -----------------------------------------------------------------------------------

  private static void servers(
      List<String> upstreams,
      String dynamic,
      boolean isTls,
      List<String> balance,
      Map<String, Object> origin)
      throws UntranslatableException {
    List<String> urls = new ArrayList<>();
    if (!dynamic.isEmpty()) {
      urls.add((isTls ? "https+srv://" : "http+srv://") + dynamic);
    }
    for (String each : upstreams) {
      urls.addAll(urls(each, isTls, origin));
    }
    if (urls.isEmpty()) {
      throw new UntranslatableException("no server is named");
    }
    if (urls.size() > 64) {
      throw new UntranslatableException("an origin has 64 servers at most");
    }
    if (urls.size() == 1) {
      origin.put("url", urls.getFirst());
      return;
    }
    boolean isFirst = !balance.isEmpty() && balance.getFirst().equals("first");
    List<Object> servers = new ArrayList<>();
    for (int i = 0; i < urls.size(); i++) {
      Map<String, Object> server = new LinkedHashMap<>();
      server.put("url", urls.get(i));
      boolean isWeighted =
          !balance.isEmpty()
              && balance.getFirst().equals("weighted_round_robin")
              && i + 1 < balance.size();
      if (isWeighted && balance.get(i + 1).matches("[1-9]\\d{0,2}")) {
        server.put("weight", balance.get(i + 1));
      }
      if (isFirst && i > 0) {
        server.put("backup", "true");
      }
      servers.add(server.size() == 1 ? urls.get(i) : server);
    }
    origin.put("servers", servers);
    origin.put("balance", "random");
  }

  private static List<String> urls(String upstream, boolean isTls, Map<String, Object> origin)
      throws UntranslatableException {
    if (Placeholders.has(upstream)) {
      throw new UntranslatableException("servers are fixed: write an origin for each value");
    }
    if (upstream.startsWith("unix/") || upstream.startsWith("unix+h2c/")) {
      if (upstream.startsWith("unix+h2c/")) {
        origin.put("protocol", "http2");
      }
      return List.of("unix:" + upstream.substring(upstream.indexOf('/') + 1));
    }
    Matcher matcher = UPSTREAM.matcher(upstream);
    if (!matcher.matches() || upstream.isEmpty()) {
      throw new UntranslatableException(upstream + " is not a server");
    }
    String given = matcher.group(1) == null ? "" : matcher.group(1);
    if (given.equals("h2c")) {
      origin.put("protocol", "http2");
    }
    String host = matcher.group(2).isEmpty() ? "127.0.0.1" : matcher.group(2);
    String scheme = given.equals("https") || isTls ? "https" : "http";
    int port =
        matcher.group(3) == null
            ? scheme.equals("https") ? 443 : 80
            : Integer.parseInt(matcher.group(3));
    int last = matcher.group(4) == null ? port : Integer.parseInt(matcher.group(4));
    if (port < 1 || last > 65_535 || last < port || last - port > 63) {
      throw new UntranslatableException(upstream + ": ports are 1 to 65535, at most 64 of them");
    }
    List<String> urls = new ArrayList<>();
    for (int each = port; each <= last; each++) {
      boolean isDefault = each == (scheme.equals("https") ? 443 : 80);
      urls.add(scheme + "://" + host + (isDefault ? "" : ":" + each));
    }
    return urls;
  }

  private void balance(Directive of, List<String> policy, Map<String, Object> origin) {
    Directive told =
        of.block().stream().filter(each -> each.name().equals("lb_policy")).findFirst().orElse(of);
    if (!origin.containsKey("servers")) {
      report.allUnneeded(told, "there is one server");
      return;
    }
    switch (policy.getFirst()) {
      case "random", "first" -> report.taken(told);
      case "round_robin", "weighted_round_robin" -> {
        origin.put("balance", "round-robin");
        report.taken(told);
      }
      case "least_conn" -> {
        origin.put("balance", "least-requests");
        report.taken(told);
      }
      case "random_choose" -> {
        origin.put("balance", "least-requests");
        report.adapted(told, "the server with the fewest requests");
      }
      case "uri_hash" -> {
        origin.put("balance", "consistent");
        report.adapted(told, "the hash is that of the key of what is stored");
      }
      default -> report.allLeft(told, "clients have no server of their own");
    }
    if (policy.getFirst().equals("first")) {
      origin.remove("balance");
    }
  }

  // --- settings ----------------------------------------------------------------------------------

  private void setting(
      Directive of,
      Map<String, Object> origin,
      Map<String, Object> probe,
      Map<String, Object> ejection)
      throws UntranslatableException {
    String value = of.argument(0);
    switch (of.name()) {
      case "health_uri", "health_path" -> probe.put("path", value);
      case "health_port" -> probe.put("port", value);
      case "health_interval" -> probe.put("interval", CaddyUnits.duration(value, 10, 3_600_000));
      case "health_timeout" -> probe.put("timeout", CaddyUnits.duration(value, 1, 60_000));
      case "health_passes" -> probe.put("healthy", value);
      case "health_fails" -> probe.put("unhealthy", value);
      case "health_method" -> {
        if (!value.matches("GET|HEAD")) {
          throw new UntranslatableException("probes are GET or HEAD");
        }
        probe.put("method", value);
      }
      case "health_status" -> {
        if (!value.matches("[2-5](xx|\\d\\d)")) {
          throw new UntranslatableException("a status that is not understood");
        }
        probe.put(
            "statuses",
            List.of(
                value.endsWith("xx") ? value.charAt(0) + "00-" + value.charAt(0) + "99" : value));
      }
      case "health_body" -> {
        if (!value.matches("[A-Za-z0-9 _/-]{1,255}")) {
          throw new UntranslatableException("probes look for a text, not for an expression");
        }
        probe.put("text", value);
      }
      case "health_headers" -> {
        for (Directive each : of.block()) {
          if (each.name().equalsIgnoreCase("host")) {
            probe.put("host", each.argument(0));
            report.taken(each);
          } else {
            report.left(each, "probes have no fields of their own");
          }
        }
      }
      case "max_fails" -> ejection.put("failures", value);
      case "fail_duration" -> {
        ejection.put("time", CaddyUnits.duration(value, 100, 300_000));
        ejection.putIfAbsent("failures", "1");
      }
      case "unhealthy_status" -> {
        ejection.put("gateway-errors", ejection.getOrDefault("failures", "1"));
        report.adapted(of, "502, 503 and 504");
        return;
      }
      case "lb_retries" -> {
        if (!value.matches("\\d{1,2}")) {
          throw new UntranslatableException("a number of retries");
        }
        int retries = Math.min(10, Integer.parseInt(value));
        origin.put("retry", Map.of("attempts", String.valueOf(retries)));
      }
      case "lb_try_duration" -> {
        origin.putIfAbsent("retry", Map.of("attempts", "3"));
        report.adapted(of, "as often as retry.attempts says, at once");
        return;
      }
      case "lb_try_interval" -> {
        report.unneeded(of, "retries go to another server at once");
        return;
      }
      default -> {
        if (STREAMING.contains(of.name())) {
          report.unneeded(of, "bodies are streamed with back-pressure in both directions");
          return;
        }
        throw new UntranslatableException("origins have no such setting");
      }
    }
    if (value.isEmpty() && !of.hasBlock()) {
      throw new UntranslatableException("a value is missing");
    }
    if (of.name().matches("health_port|health_passes|health_fails|max_fails")
        && !value.matches("\\d{1,5}")) {
      probe.values().remove(value);
      ejection.values().remove(value);
      throw new UntranslatableException("not a number");
    }
    report.taken(of);
  }

  private void up(
      Directive of, Matched matched, Scope scope, Edits requests, Map<String, Object> origin)
      throws UntranslatableException {
    String name = of.argument(0);
    String value = of.argument(1);
    if (!name.equalsIgnoreCase("host")) {
      for (Directive line : renamed(of)) {
        fields.request(line, of, matched, scope, requests);
      }
      return;
    }
    if (value.matches("\\{(http\\.request\\.)?host(port)?}")) {
      report.taken(of);
    } else if (value.matches(
        "\\{(upstream_hostport|http\\.reverse_proxy\\.upstream\\.(hostport|host))}")) {
      origin.put("host", "");
      report.taken(of);
    } else if (Placeholders.has(value) || of.arguments().size() != 2) {
      throw new UntranslatableException("the origin gets the client's Host, or a fixed one");
    } else {
      origin.put("host", value);
      report.taken(of);
    }
  }

  /** {@code Host} of the upstream, where it has one server. */
  private void hostOfUpstream(Map<String, Object> origin) throws UntranslatableException {
    if (!"".equals(origin.get("host"))) {
      return;
    }
    if (!(origin.get("url") instanceof String url) || url.startsWith("unix:")) {
      throw new UntranslatableException(
          "the Host of each of several servers: write an origin for each");
    }
    origin.put("host", url.replaceFirst("^[a-z0-9+]+://", ""));
  }

  // --- transport ---------------------------------------------------------------------------------

  /** Says whether servers are spoken to with TLS. */
  private boolean transport(Directive of, Map<String, Object> origin)
      throws UntranslatableException {
    if (!of.argument(0).equals("http")) {
      throw new UntranslatableException("the node speaks HTTP to origins");
    }
    report.taken(of);
    boolean isTls = false;
    Map<String, Object> timeouts = new LinkedHashMap<>();
    Map<String, Object> tls = new LinkedHashMap<>();
    for (Directive each : of.block()) {
      isTls |= each.name().startsWith("tls");
      try {
        transportSetting(each, origin, timeouts, tls);
      } catch (UntranslatableException e) {
        report.allLeft(each, e.reason());
      }
    }
    if (!timeouts.isEmpty()) {
      origin.put("timeouts", timeouts);
    }
    if (!tls.isEmpty()) {
      origin.put("tls", tls);
    }
    return isTls;
  }

  private void transportSetting(
      Directive of,
      Map<String, Object> origin,
      Map<String, Object> timeouts,
      Map<String, Object> tls)
      throws UntranslatableException {
    String value = of.argument(0);
    switch (of.name()) {
      case "tls" -> {}
      case "tls_insecure_skip_verify" -> {
        report.adapted(of, "certificates of origins are always verified: set trust");
        return;
      }
      case "tls_server_name" -> {
        if (Placeholders.has(value)) {
          throw new UntranslatableException("a fixed name");
        }
        tls.put("server-name", value);
      }
      case "tls_trusted_ca_certs" -> origin.put("trust", value);
      case "tls_trust_pool" -> {
        if (!value.equals("file") || of.arguments().size() < 2) {
          throw new UntranslatableException("authorities come from a file");
        }
        origin.put("trust", of.argument(1));
        report.allTaken(of);
      }
      case "tls_client_auth" -> {
        if (of.arguments().size() != 2) {
          throw new UntranslatableException("a certificate and its key");
        }
        tls.put("certificate", value);
        tls.put("key", of.argument(1));
      }
      case "dial_timeout", "tls_timeout" ->
          timeouts.put("connect", CaddyUnits.duration(value, 1, 300_000));
      case "response_header_timeout" ->
          timeouts.put("first-byte", CaddyUnits.duration(value, 1, 3_600_000));
      case "read_timeout", "write_timeout" ->
          timeouts.put("idle", CaddyUnits.duration(value, 1, 3_600_000));
      case "keepalive" ->
          origin.put(
              "keep-alive", value.equals("off") ? "0s" : CaddyUnits.duration(value, 0, 3_600_000));
      case "max_conns_per_host" -> {
        if (!value.matches("[1-9]\\d{0,4}")) {
          throw new UntranslatableException("not a number of connections");
        }
        origin.put("max-connections", value);
      }
      case "versions" -> {
        boolean isHttp2 = of.arguments().contains("2") || of.arguments().contains("h2c");
        boolean isHttp1 = of.arguments().contains("1.1");
        origin.put(
            "protocol",
            !isHttp2 ? "http1" : isHttp1 && !of.arguments().contains("h2c") ? "auto" : "http2");
      }
      case "proxy_protocol" -> {
        if (!value.equals("v2")) {
          throw new UntranslatableException("version 2 only");
        }
        origin.put("proxy-protocol", "v2");
      }
      case "keepalive_idle_conns",
          "keepalive_idle_conns_per_host",
          "keepalive_interval",
          "read_buffer",
          "write_buffer",
          "max_response_header",
          "dial_fallback_delay",
          "expect_continue_timeout" -> {
        report.unneeded(of, "the node chooses this itself");
        return;
      }
      case "compression" -> {
        report.unneeded(of, "the origin is asked with the codings that clients accept");
        return;
      }
      default -> throw new UntranslatableException("origins have no such setting");
    }
    report.taken(of);
  }
}
