package io.forebay.cli.importer.nginx;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Fields that nginx sets on responses, and on requests to origins. */
final class HeaderRules {
  /** Without {@code always}, add_header and expires concern these alone. */
  private static final List<String> GOOD =
      List.of("200", "201", "204", "206", "301", "302", "303", "304", "307", "308");

  private static final Pattern HSTS =
      Pattern.compile("max-age=(\\d{1,10})((?:; ?(?:includeSubDomains|preload))*);?");

  private final ImportReport report;
  private final String serverName;

  HeaderRules(ImportReport report, String serverName) {
    this.report = report;
    this.serverName = serverName;
  }

  /**
   * RewriteRules for the fields of responses; a policy of HSTS goes to the settings of the route.
   */
  List<Map<String, Object>> ofResponses(DirectiveScope scope, Map<String, Object> route) {
    Map<String, Object> always = new LinkedHashMap<>();
    Map<String, Object> onSuccess = new LinkedHashMap<>();
    List<String> removed = new ArrayList<>();
    for (Directive each : scope.all("add_header")) {
      String name = each.argument(0);
      if (name.equalsIgnoreCase("strict-transport-security")) {
        hsts(each, route);
        continue;
      }
      try {
        String value = ConditionTranslator.template(each.argument(1), Map.of(), serverName);
        boolean isAlways = each.argument(2).equals("always");
        (isAlways ? always : onSuccess).merge(name, value, HeaderRules::several);
        report.taken(each);
      } catch (UntranslatableException e) {
        report.left(each, e.reason());
      }
    }
    for (Directive each : scope.all("proxy_hide_header")) {
      removed.add(each.argument(0));
      report.taken(each);
    }
    List<Map<String, Object>> rules = new ArrayList<>();
    Map<String, Object> unconditional = new LinkedHashMap<>();
    if (!always.isEmpty()) {
      unconditional.put("add", always);
    }
    if (!removed.isEmpty()) {
      unconditional.put("remove", removed);
    }
    if (!unconditional.isEmpty()) {
      rules.add(rule(false, unconditional));
    }
    if (!onSuccess.isEmpty()) {
      rules.add(rule(true, Map.of("add", onSuccess)));
    }
    Directive expires = scope.find("expires");
    if (expires != null) {
      expires(expires, rules);
    }
    return rules;
  }

  private static Object several(Object one, Object other) {
    List<Object> all = new ArrayList<>(one instanceof List<?> list ? list : List.of(one));
    all.add(other);
    return all;
  }

  private static Map<String, Object> rule(boolean isOnSuccess, Map<String, Object> edits) {
    Map<String, Object> rule = new LinkedHashMap<>();
    if (isOnSuccess) {
      rule.put("response", Map.of("status", GOOD));
    }
    rule.put("response-headers", edits);
    return rule;
  }

  private void hsts(Directive of, Map<String, Object> route) {
    Matcher policy = HSTS.matcher(of.argument(1));
    if (!policy.matches()) {
      report.left(of, "a policy that is not understood");
      return;
    }
    Map<String, Object> hsts = new LinkedHashMap<>();
    hsts.put("max-age", policy.group(1) + "s");
    if (policy.group(2).contains("includeSubDomains")) {
      hsts.put("subdomains", "true");
    }
    if (policy.group(2).contains("preload")) {
      hsts.put("preload", "true");
    }
    route.put("hsts", hsts);
    report.adapted(of, "hsts of the route: in every response over TLS");
  }

  private void expires(Directive of, List<Map<String, Object>> rules) {
    String time = of.argument(0);
    if (time.equals("off")) {
      report.taken(of);
      return;
    }
    long millis =
        time.equals("max") ? 315_360_000_000L : time.equals("epoch") ? -1 : Units.millis(time);
    if (of.arguments().size() != 1 || (millis < 0 && !time.equals("epoch") && !time.equals("-1"))) {
      report.left(of, "only a time, max, epoch, -1 and off");
      return;
    }
    String value = millis < 0 ? "no-cache" : "max-age=" + millis / 1000;
    rules.add(
        rule(true, Map.of("set", Map.of("Cache-Control", value), "remove", List.of("Expires"))));
    report.adapted(of, "Cache-Control alone, without Expires");
  }

  /**
   * Fields of requests: the settings of the origin and of the route, and edits.
   *
   * @param origin settings of the origin; {@code host} where it is not the client's
   * @param address host and port of {@code proxy_pass}, which is nginx's default for Host
   * @return edits for {@code request-headers}
   */
  Map<String, Object> ofRequests(
      DirectiveScope scope, Map<String, Object> origin, String address, Map<String, Object> route) {
    String host = address;
    boolean isHostGiven = false;
    Map<String, Object> set = new LinkedHashMap<>();
    List<String> removed = new ArrayList<>();
    for (Directive each : scope.all("proxy_set_header")) {
      String name = each.argument(0).toLowerCase(Locale.ROOT);
      String value = each.argument(1);
      switch (name) {
        case "host" -> {
          if (isHostGiven) {
            report.adapted(each, "a request has one Host: the last one of these");
          }
          isHostGiven = true;
          host = host(each, value, address);
        }
        case "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host" -> report.taken(each);
        case "x-real-ip", "x-forwarded-port", "x-forwarded-ssl", "x-forwarded-server" ->
            report.adapted(each, "origins get the address of the client in X-Forwarded-For");
        case "upgrade" -> {
          if (!value.isEmpty()) {
            route.put("upgrade", List.of("websocket"));
          }
          report.taken(each);
        }
        case "connection" -> report.taken(each);
        case "accept-encoding" ->
            report.left(each, "the node asks with the codings that clients accept");
        default -> {
          if (value.isEmpty()) {
            removed.add(each.argument(0));
            report.taken(each);
            continue;
          }
          try {
            set.put(each.argument(0), ConditionTranslator.template(value, Map.of(), serverName));
            report.taken(each);
          } catch (UntranslatableException e) {
            report.left(each, e.reason());
          }
        }
      }
    }
    if (!host.isEmpty()) {
      origin.put("host", host);
    }
    Map<String, Object> edits = new LinkedHashMap<>();
    if (!set.isEmpty()) {
      edits.put("set", set);
    }
    if (!removed.isEmpty()) {
      edits.put("remove", removed);
    }
    return edits;
  }

  private String host(Directive of, String value, String address) {
    if (Set.of("$host", "$http_host", "$host:$server_port").contains(value)) {
      report.taken(of);
      return "";
    }
    if (value.equals("$proxy_host")) {
      report.taken(of);
      return address;
    }
    if (value.equals("$server_name") && !serverName.isEmpty()) {
      report.taken(of);
      return serverName;
    }
    if (value.indexOf('$') >= 0) {
      report.left(of, "the origin gets the Host of the client");
      return "";
    }
    report.taken(of);
    return value;
  }
}
