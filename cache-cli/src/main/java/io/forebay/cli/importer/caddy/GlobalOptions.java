package io.forebay.cli.importer.caddy;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.SettingUnits;
import io.forebay.cli.importer.model.UntranslatableException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The global options of a Caddyfile. */
final class GlobalOptions {
  private static final Map<String, String> UNNEEDED =
      Map.of(
          "admin", "the admin API has admin.address",
          "debug", "see forebay explain",
          "persist_config", "the node keeps accepted configurations: forebay config history",
          "skip_install_trust", "there is no authority of the node's own",
          "storage_clean_interval", "certificates are in the data directory",
          "storage_check", "certificates are in the data directory",
          "ocsp_interval", "the node chooses this itself",
          "renew_interval", "the node chooses this itself");

  private static final Map<String, String> KEY_TYPES =
      Map.of("p256", "ecdsa-p256", "p384", "ecdsa-p384", "rsa2048", "rsa-2048");

  private final ImportReport report;
  private final NodeDraft node;
  private final DirectiveOrder order;
  private int httpPort = 80;
  private int httpsPort = 443;
  private boolean isAutomatic = true;
  private boolean isRedirecting = true;
  private boolean hasLocalCertificates;
  private @Nullable Directive defaultBind;

  GlobalOptions(ImportReport report, NodeDraft node, DirectiveOrder order) {
    this.report = report;
    this.node = node;
    this.order = order;
  }

  int httpPort() {
    return httpPort;
  }

  int httpsPort() {
    return httpsPort;
  }

  /** Whether sites with a name are served over TLS. */
  boolean isAutomatic() {
    return isAutomatic;
  }

  /** Whether requests over http are redirected to https. */
  boolean isRedirecting() {
    return isRedirecting;
  }

  /** Whether all certificates are Caddy's own. */
  boolean hasLocalCertificates() {
    return hasLocalCertificates;
  }

  /** Where sites listen that do not say it, or null. */
  @Nullable Directive defaultBind() {
    return defaultBind;
  }

  void read(List<Directive> options) {
    for (Directive each : options) {
      if (each.name().equals("import")) {
        continue;
      }
      try {
        option(each);
      } catch (UntranslatableException e) {
        report.allLeft(each, e.reason());
      }
    }
  }

  private void option(Directive of) throws UntranslatableException {
    String value = of.argument(0);
    switch (of.name()) {
      case "http_port" -> httpPort = port(value);
      case "https_port" -> httpsPort = port(value);
      case "auto_https" -> {
        for (String each : of.arguments()) {
          switch (each) {
            case "off" -> {
              isAutomatic = false;
              isRedirecting = false;
            }
            case "disable_redirects" -> isRedirecting = false;
            case "disable_certs", "ignore_loaded_certs" ->
                report.adapted(of, "without a certificate no listener serves TLS");
            default -> throw new UntranslatableException("off or disable_redirects");
          }
        }
      }
      case "email" -> node.acme("email", value);
      case "acme_ca" -> node.acme("directory", value);
      case "acme_ca_root" -> node.acme("ca-file", value);
      case "key_type" -> {
        String type = KEY_TYPES.get(value);
        if (type == null) {
          throw new UntranslatableException("keys are ecdsa-p256, ecdsa-p384 or rsa-2048");
        }
        node.acme("key-type", type);
      }
      case "local_certs" -> {
        hasLocalCertificates = true;
        report.left(of, "there is no authority of the node's own: put certificates in place");
        return;
      }
      case "ocsp_stapling" -> {
        report.adapted(of, "see tls.ocsp");
        return;
      }
      case "default_bind" -> defaultBind = of;
      case "grace_period", "shutdown_delay" -> {
        node.timeout(of, of.name().equals("grace_period") ? "drain" : "lame-duck", 0, 3_600_000);
        return;
      }
      case "order" -> order.move(of);
      case "log" -> {
        node.log(of);
        return;
      }
      case "servers" -> {
        servers(of);
        return;
      }
      default -> {
        String reason = UNNEEDED.get(of.name());
        if (reason == null) {
          throw new UntranslatableException("the node has no such setting");
        }
        report.allUnneeded(of, reason);
        return;
      }
    }
    if (!report.knows(of)) {
      report.allTaken(of);
    }
  }

  private static int port(String text) throws UntranslatableException {
    if (!text.matches("[1-9]\\d{0,4}") || Integer.parseInt(text) > 65_535) {
      throw new UntranslatableException("a port is from 1 to 65535");
    }
    return Integer.parseInt(text);
  }

  private void servers(Directive of) {
    if (of.arguments().isEmpty()) {
      report.taken(of);
    } else {
      report.adapted(of, "for all listeners");
    }
    for (Directive each : of.block()) {
      try {
        server(each);
      } catch (UntranslatableException e) {
        report.allLeft(each, e.reason());
      }
    }
  }

  private void server(Directive of) throws UntranslatableException {
    switch (of.name()) {
      case "timeouts" -> {
        report.taken(of);
        for (Directive each : of.block()) {
          timeout(each);
        }
      }
      case "max_header_size" -> {
        long bytes = CaddyUnits.bytes(of.argument(0));
        if (bytes < 1024 || bytes > 1 << 20) {
          throw new UntranslatableException("limits.header-bytes is from 1KiB to 1MiB");
        }
        node.limit("header-bytes", SettingUnits.size(bytes));
        report.taken(of);
      }
      case "trusted_proxies" -> node.trust(of);
      case "client_ip_headers" -> {
        if (!of.arguments().equals(List.of("X-Forwarded-For"))) {
          throw new UntranslatableException(
              "clients are named by X-Forwarded-For, Forwarded or PROXY");
        }
        report.taken(of);
      }
      case "protocols" -> {
        boolean isPlain = of.arguments().stream().allMatch(each -> each.matches("h1|h2"));
        report.adapted(
            of, isPlain ? "HTTP/1.1, and HTTP/2 over TLS" : "see http3.listeners and listen[].h2c");
      }
      case "log_credentials", "metrics", "name", "keepalive_interval" ->
          report.allUnneeded(of, "the node chooses this itself");
      case "strict_sni_host" ->
          report.allUnneeded(of, "hosts with client certificates are checked");
      default -> throw new UntranslatableException("the node has no such setting");
    }
  }

  private void timeout(Directive of) throws UntranslatableException {
    switch (of.name()) {
      case "read_header" -> node.timeout(of, "request-header", 100, 600_000);
      case "read_body" -> {
        node.timeout(of, "request-body-idle", 100, 3_600_000);
        report.adapted(of, "the time between two bytes");
      }
      case "write" -> {
        node.timeout(of, "no-progress", 1000, 86_400_000);
        report.adapted(of, "the time in which a client reads no byte");
      }
      case "idle" -> node.timeout(of, "keep-alive", 0, 86_400_000);
      default -> report.left(of, "the node has no such setting");
    }
  }
}
