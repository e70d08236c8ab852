package io.forebay.cli.importer.nginx;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The groups of servers, by their names. */
final class UpstreamImport {
  private static final Set<String> NO_PARAMETERS = Set.of("resolve");

  private final ImportReport report;
  private final Map<String, Directive> groups = new HashMap<>();

  UpstreamImport(ImportReport report) {
    this.report = report;
  }

  void add(Directive upstream) {
    groups.put(upstream.argument(0), upstream);
  }

  boolean has(String name) {
    return groups.containsKey(name);
  }

  /**
   * The settings of an origin that has the servers of a group.
   *
   * @param scheme {@code http} or {@code https}
   */
  Map<String, Object> settings(String name, String scheme) {
    Directive group = groups.get(name);
    Map<String, Object> origin = new LinkedHashMap<>();
    if (group == null) {
      return origin;
    }
    report.taken(group);
    List<Object> servers = new ArrayList<>();
    Map<String, Object> ejection = new LinkedHashMap<>();
    for (Directive each : group.block()) {
      switch (each.name()) {
        case "server" -> server(each, scheme, servers, ejection);
        case "least_conn" -> {
          origin.put("balance", "least-requests");
          report.taken(each);
        }
        case "random" -> {
          origin.put("balance", "random");
          report.taken(each);
        }
        case "hash" -> {
          origin.put("balance", "consistent");
          report.adapted(each, "the hash is that of the key of what is stored");
        }
        case "ip_hash" -> report.left(each, "clients have no server of their own");
        case "keepalive_timeout" -> {
          origin.put("keep-alive", Units.duration(each.argument(0)));
          report.taken(each);
        }
        default -> {
          String reason = UnneededDirectives.reason(each);
          if (reason == null) {
            report.left(each, "origins have no such setting");
          } else {
            report.unneeded(each, reason);
          }
        }
      }
    }
    boolean isPlain = servers.size() == 1 && servers.getFirst() instanceof String;
    origin.put(isPlain ? "url" : "servers", isPlain ? servers.getFirst() : servers);
    if (!origin.containsKey("balance") && servers.size() > 1) {
      origin.put("balance", "round-robin");
    }
    if (!ejection.isEmpty()) {
      origin.put("ejection", ejection);
    }
    return origin;
  }

  private void server(
      Directive of, String scheme, List<Object> servers, Map<String, Object> ejection) {
    String address = of.argument(0);
    Map<String, Object> server = new LinkedHashMap<>();
    server.put("url", url(scheme, address));
    boolean isDown = false;
    for (String parameter :
        of.arguments().subList(Math.min(1, of.arguments().size()), of.arguments().size())) {
      String[] parts = parameter.split("=", 2);
      String value = parts.length == 2 ? parts[1] : "";
      switch (parts[0]) {
        case "weight" -> server.put("weight", value);
        case "backup" -> server.put("backup", "true");
        case "max_conns" -> server.put("max-connections", value);
        case "max_fails" -> ejection.put("failures", value);
        case "fail_timeout" -> {
          String time = Units.duration(value);
          if ("0s".equals(time)) {
            // No failure keeps a request from the server.
            ejection.put("failures", "0");
          } else if (time != null) {
            ejection.put("time", time);
          }
        }
        case "down" -> isDown = true;
        default -> {
          if (!NO_PARAMETERS.contains(parts[0])) {
            report.left(of, "servers have no " + parts[0]);
          }
        }
      }
    }
    if (isDown) {
      report.adapted(
          of, "left out while it is down; or add it, and drain it: forebay origins drain");
      return;
    }
    servers.add(server.size() == 1 ? server.get("url") : server);
    report.taken(of);
  }

  /** The URL of a server's address; {@code unix:} names a socket. */
  static String url(String scheme, String address) {
    return address.startsWith("unix:") ? address : scheme + "://" + address;
  }
}
