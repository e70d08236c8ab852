package io.forebay.cli.importer.caddy;

import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Where sites listen, and their certificates. */
final class SiteListeners {
  private static final Set<String> CHOSEN =
      Set.of(
          "ciphers", "curves", "alpn", "resolvers", "reuse_private_keys", "renewal_window_ratio");

  private final ImportReport report;
  private final ConfigDraft draft;
  private final NodeDraft node;
  private final GlobalOptions options;
  private final Map<Integer, String> binds = new HashMap<>();

  SiteListeners(ImportReport report, ConfigDraft draft, NodeDraft node, GlobalOptions options) {
    this.report = report;
    this.draft = draft;
    this.node = node;
    this.options = options;
  }

  /** The {@code tls} statement of a site, while it is read. */
  private static final class Tls {
    private String certificate = "";
    private String key = "";
    private boolean isInternal;
    private boolean isRefused;
    private final Map<String, Object> settings = new LinkedHashMap<>();
  }

  /**
   * Adds the listeners of a site.
   *
   * @return whether its requests have to be refused, because a condition on certificates is left
   */
  boolean add(Directive site, List<SiteAddress> addresses) {
    Directive bind = options.defaultBind();
    Tls tls = new Tls();
    for (Directive each : site.block()) {
      if (each.name().equals("bind")) {
        bind = each;
      } else if (each.name().equals("tls")) {
        tls(each, tls);
      }
    }
    for (SiteAddress address : addresses) {
      Map<String, Object> listener = draft.listener(address.port());
      if (bind != null) {
        bind(bind, address.port(), listener);
      } else if (!":".concat(String.valueOf(address.port())).equals(listener.get("address"))) {
        report.left(site, "another site of this port listens on one address");
      }
      if (address.isTls()) {
        secure(site, address, tls, listener);
      }
    }
    return tls.isRefused;
  }

  /**
   * A plain listener whose requests are redirected.
   *
   * @param tlsPort of the listener that has the site, on the same address
   */
  void plain(int port, int tlsPort) {
    Map<String, Object> listener = draft.listener(port);
    String address = binds.get(tlsPort);
    if (address != null && !binds.containsKey(port)) {
      binds.put(port, address);
      listener.put("address", address + ":" + port);
    }
  }

  private void bind(Directive of, int port, Map<String, Object> listener) {
    String host = of.argument(0);
    if (!host.matches("[A-Za-z0-9.-]+|\\[?[0-9A-Fa-f:.]+]?") || of.arguments().size() != 1) {
      report.left(of, "write the addresses as listen[].address");
      return;
    }
    String own = host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
    String known = binds.putIfAbsent(port, own);
    if (known != null && !known.equals(own)) {
      report.left(of, "a port has one address here: " + known);
      return;
    }
    listener.put("address", own + ":" + port);
    report.taken(of);
  }

  // --- certificates ------------------------------------------------------------------------------

  private void secure(Directive site, SiteAddress address, Tls tls, Map<String, Object> listener) {
    Map<String, Object> own = new LinkedHashMap<>();
    if (listener.get("tls") instanceof Map<?, ?> known) {
      known.forEach((key, value) -> own.put(String.valueOf(key), value));
    }
    boolean isOrdered =
        tls.certificate.isEmpty()
            && !tls.isInternal
            && !options.hasLocalCertificates()
            && address.isPublic();
    if (isOrdered) {
      node.acmeHost(address.host());
      own.put("acme", "true");
      report.adapted(
          site,
          "tls.acme.agree-to-terms is set, as Caddy agrees for you: read the authority's terms");
    } else {
      String name =
          ConfigDraft.nameOf(
              address.host().isEmpty() ? "default" : address.host().replace("*.", ""));
      Map<String, Object> certificate = new LinkedHashMap<>();
      boolean isThere = !tls.certificate.isEmpty();
      certificate.put(
          "certificate", isThere ? tls.certificate : "/etc/forebay/tls/" + name + ".pem");
      certificate.put("key", isThere ? tls.key : "/etc/forebay/tls/" + name + ".key");
      if (address.host().contains(".")
          && address.host().matches("(\\*\\.)?[a-z0-9.-]*[a-z-][a-z0-9.-]*")) {
        certificate.put("hosts", List.of(address.host()));
      }
      certificate.putAll(tls.settings);
      draft.certificate(name, certificate);
      own.putIfAbsent("default", name);
      if (!isThere) {
        report.left(
            site,
            "there is no authority of the node's own: put a certificate where certificates says");
      }
    }
    listener.put("tls", own);
  }

  private void tls(Directive of, Tls tls) {
    List<String> words = of.arguments();
    if (words.size() == 2) {
      tls.certificate = words.get(0);
      tls.key = words.get(1);
      report.taken(of);
    } else if (words.equals(List.of("internal"))) {
      tls.isInternal = true;
      report.left(of, "there is no authority of the node's own");
    } else if (words.size() == 1 && words.getFirst().contains("@")) {
      node.acme("email", words.getFirst());
      report.taken(of);
    } else if (words.isEmpty() || words.getFirst().equals("force_automatic")) {
      report.taken(of);
    } else {
      report.left(of, "a certificate and its key, internal, or an e-mail address");
    }
    for (Directive each : of.block()) {
      try {
        setting(each, tls);
      } catch (UntranslatableException e) {
        report.allLeft(each, e.reason());
      }
    }
  }

  private void setting(Directive of, Tls tls) throws UntranslatableException {
    String value = of.argument(0);
    switch (of.name()) {
      case "protocols" -> {
        if (value.equals("tls1.3")) {
          tls.settings.put("policy", "modern");
        }
        report.taken(of);
      }
      case "ca" -> {
        node.acme("directory", value);
        report.taken(of);
      }
      case "ca_root" -> {
        node.acme("ca-file", value);
        report.taken(of);
      }
      case "issuer" -> issuer(of, tls);
      case "client_auth" -> clients(of, tls);
      default -> {
        if (!CHOSEN.contains(of.name())) {
          throw new UntranslatableException("certificates have no such setting");
        }
        report.allUnneeded(of, "TLS follows tls.policy");
      }
    }
  }

  private void issuer(Directive of, Tls tls) throws UntranslatableException {
    if (of.argument(0).equals("internal")) {
      tls.isInternal = true;
      throw new UntranslatableException("there is no authority of the node's own");
    }
    if (!of.argument(0).equals("acme")) {
      throw new UntranslatableException("certificates are ordered by ACME");
    }
    report.taken(of);
    for (Directive each : of.block()) {
      switch (each.name()) {
        case "dir" -> {
          node.acme("directory", each.argument(0));
          report.taken(each);
        }
        case "email" -> {
          node.acme("email", each.argument(0));
          report.taken(each);
        }
        case "trusted_roots" -> {
          node.acme("ca-file", each.argument(0));
          report.taken(each);
        }
        default -> report.allLeft(each, "see tls.acme");
      }
    }
  }

  private void clients(Directive of, Tls tls) {
    String mode = "require_and_verify";
    @Nullable String authorities = null;
    boolean isWhole = true;
    for (Directive each : of.block()) {
      switch (each.name()) {
        case "mode" -> mode = each.argument(0);
        case "trusted_ca_cert_file" -> {
          isWhole &= authorities == null;
          authorities = each.argument(0);
        }
        case "trust_pool" -> {
          String file = each.argument(1);
          for (Directive inner : each.block()) {
            file = inner.name().equals("pem_file") ? inner.argument(0) : file;
          }
          isWhole &= each.argument(0).equals("file") && !file.isEmpty();
          authorities = file;
        }
        default -> isWhole = false;
      }
    }
    if (!isWhole || authorities == null || tls.certificate.isEmpty()) {
      tls.isRefused = true;
      report.allLeft(
          of,
          "client certificates need one file of authorities, and a certificate of the site;"
              + " all requests of the site are refused");
      return;
    }
    boolean isOptional = Objects.equals(mode, "request") || Objects.equals(mode, "verify_if_given");
    tls.settings.put("client-auth", isOptional ? "optional" : "required");
    tls.settings.put("client-ca", authorities);
    report.allTaken(of);
  }
}
