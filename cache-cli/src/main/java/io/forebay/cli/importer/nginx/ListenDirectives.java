package io.forebay.cli.importer.nginx;

import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Where servers listen, and their certificates. */
final class ListenDirectives {
  private static final Set<String> SOCKET_SETTINGS =
      Set.of(
          "http2",
          "deferred",
          "bind",
          "ipv6only",
          "reuseport",
          "so_keepalive",
          "backlog",
          "rcvbuf",
          "sndbuf",
          "fastopen",
          "accept_filter",
          "setfib",
          "spdy",
          "http3");

  private final ImportReport report;
  private final ConfigDraft draft;
  private final Set<String> http3 = new TreeSet<>();

  ListenDirectives(ImportReport report, ConfigDraft draft) {
    this.report = report;
    this.draft = draft;
  }

  /**
   * What a server listens for.
   *
   * @param isPlain it has a port without TLS
   * @param isTls it has one with TLS
   * @param isDefault it says that it is the default of a port
   */
  record Ports(Set<Integer> numbers, boolean isPlain, boolean isTls, boolean isDefault) {}

  /** Adds the listeners of a server. */
  Ports of(DirectiveScope server, List<String> names) {
    Set<Integer> numbers = new TreeSet<>();
    boolean isPlain = false;
    boolean isTls = false;
    boolean isDefault = false;
    boolean isAllTls = server.own("ssl").stream().anyMatch(each -> each.argument(0).equals("on"));
    server.own("ssl").forEach(report::taken);
    List<Directive> all = server.own("listen");
    for (Directive each : all) {
      List<String> flags =
          each.arguments().subList(Math.min(1, each.arguments().size()), each.arguments().size());
      int port = port(each.argument(0));
      if (port < 0) {
        report.left(each, "write it as listen[].address");
        continue;
      }
      isDefault |= flags.contains("default_server") || flags.contains("default");
      boolean isSecured = isAllTls || flags.contains("ssl") || flags.contains("quic");
      numbers.add(port);
      isTls |= isSecured;
      isPlain |= !isSecured;
      Map<String, Object> listener = draft.listener(port);
      if (flags.contains("proxy_protocol")) {
        listener.put("proxy-protocol", "true");
      }
      if (flags.contains("quic")) {
        http3.add("https-" + port);
      }
      if (isSecured) {
        listener.put("name", "https-" + port);
        secure(server, names, listener);
      }
      boolean isKnown = flags.stream().allMatch(ListenDirectives::isKnown);
      boolean isOnAll =
          !each.argument(0).contains(":")
              || each.argument(0).matches("(\\*|\\[::]|0\\.0\\.0\\.0):\\d+");
      if (isKnown && isOnAll) {
        report.taken(each);
      } else {
        report.adapted(each, isKnown ? "on all addresses" : "without " + flags);
      }
    }
    if (all.isEmpty()) {
      numbers.add(80);
      isPlain = true;
      draft.listener(80);
    }
    if (!http3.isEmpty()) {
      draft.setting("http3", Map.of("listeners", List.copyOf(http3)));
    }
    return new Ports(numbers, isPlain, isTls, isDefault);
  }

  private static boolean isKnown(String flag) {
    String name = flag.replaceAll("=.*", "");
    return SOCKET_SETTINGS.contains(name)
        || Set.of("ssl", "quic", "default_server", "default", "proxy_protocol").contains(name);
  }

  private static int port(String address) {
    if (address.startsWith("unix:")) {
      return -1;
    }
    String port = address.substring(address.lastIndexOf(':') + 1);
    if (port.matches("\\d{1,5}")) {
      return Integer.parseInt(port);
    }
    return address.endsWith("]") || !address.contains(":") ? 80 : -1;
  }

  private void secure(DirectiveScope server, List<String> names, Map<String, Object> listener) {
    List<Directive> certificates = server.all("ssl_certificate");
    List<Directive> keys = server.all("ssl_certificate_key");
    if (certificates.isEmpty() || certificates.size() != keys.size()) {
      certificates.forEach(each -> report.left(each, "each certificate needs a key"));
      return;
    }
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("certificate", certificates.getFirst().argument(0));
    settings.put("key", keys.getFirst().argument(0));
    if (certificates.size() > 1) {
      settings.put(
          "second",
          Map.of("certificate", certificates.get(1).argument(0), "key", keys.get(1).argument(0)));
    }
    for (int i = 0; i < certificates.size(); i++) {
      if (i < 2) {
        report.taken(certificates.get(i));
        report.taken(keys.get(i));
      } else {
        report.left(certificates.get(i), "a name has two certificates at most");
        report.left(keys.get(i), "a name has two certificates at most");
      }
    }
    List<String> hosts = new ArrayList<>(names);
    hosts.removeIf(name -> !name.matches("(\\*\\.)?[A-Za-z0-9.-]+") || !name.contains("."));
    if (!hosts.isEmpty()) {
      settings.put("hosts", hosts);
    }
    clients(server, settings);
    policy(server, settings);
    String name =
        ConfigDraft.nameOf(names.isEmpty() ? "default" : names.getFirst().replace("*.", ""));
    draft.certificate(name, settings);
    listener.putIfAbsent("tls", Map.of("default", name));
    Directive stapling = server.find("ssl_stapling");
    if (stapling != null) {
      report.adapted(stapling, "tls.ocsp is on by default");
    }
  }

  private void clients(DirectiveScope server, Map<String, Object> settings) {
    Directive verify = server.find("ssl_verify_client");
    Directive authorities = server.find("ssl_client_certificate");
    if (verify == null || verify.argument(0).equals("off")) {
      return;
    }
    if (authorities == null || verify.argument(0).equals("optional_no_ca")) {
      report.left(verify, "client certificates need authorities");
      return;
    }
    settings.put("client-auth", verify.argument(0).equals("on") ? "required" : "optional");
    settings.put("client-ca", authorities.argument(0));
    if (verify.argument(0).equals("on")) {
      report.adapted(verify, "without a certificate the handshake fails; there status 400");
    } else {
      report.taken(verify);
    }
    report.taken(authorities);
  }

  private void policy(DirectiveScope server, Map<String, Object> settings) {
    Directive protocols = server.find("ssl_protocols");
    if (protocols == null) {
      return;
    }
    List<String> versions = protocols.arguments();
    if (versions.equals(List.of("TLSv1.3"))) {
      settings.put("policy", "modern");
      report.taken(protocols);
    } else if (versions.contains("TLSv1")
        || versions.contains("TLSv1.1")
        || versions.contains("SSLv3")) {
      report.adapted(protocols, "TLS 1.2 and 1.3 only");
    } else {
      report.taken(protocols);
    }
  }
}
