package io.forebay.server.config;

import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.TlsConfig.CertificateConfig;
import io.forebay.server.config.TlsConfig.ClientAuth;
import io.forebay.server.config.TlsConfig.PairConfig;
import io.forebay.server.config.TlsConfig.TicketConfig;
import io.forebay.server.text.Printable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Binds the configuration of listeners, their certificates, TLS and HTTP/3. */
final class ListenBinder extends Binder {

  ListenBinder(ConfigValues values, List<ConfigProblem> problems, Map<String, String> sources) {
    super(values, problems, sources);
  }

  List<CertificateConfig> certificates() {
    List<CertificateConfig> certificates = new ArrayList<>();
    for (Map.Entry<String, SourceLocation> instance :
        values.instances(ConfigKeys.CERTIFICATES).entrySet()) {
      String name = instance.getKey();
      String scope = "certificates." + name;
      SourceLocation place = instance.getValue();
      List<PairConfig> pairs = new ArrayList<>();
      pairs.add(
          new PairConfig(
              neededFile(scope, ConfigKeys.CERTIFICATE_FILE, place),
              neededFile(scope, ConfigKeys.CERTIFICATE_KEY, place)));
      Path second = file(scope, ConfigKeys.CERTIFICATE_SECOND);
      Path secondKey = file(scope, ConfigKeys.CERTIFICATE_SECOND_KEY);
      if (second != null && secondKey != null) {
        pairs.add(new PairConfig(second, secondKey));
      } else if (second != null || secondKey != null) {
        problems.add(
            place.problem(scope + ".second", "one of certificate and key is missing", "give both"));
      }
      ClientAuth clientAuth = given(scope, ConfigKeys.CERTIFICATE_CLIENT_AUTH);
      Path clientCa = file(scope, ConfigKeys.CERTIFICATE_CLIENT_CA);
      if (clientAuth != ClientAuth.OFF && clientCa == null) {
        problems.add(
            place.problem(
                scope + ".client-ca",
                "is missing, but clients are asked for certificates",
                "set it to the PEM file of the authorities that issue them"));
      }
      certificates.add(
          new CertificateConfig(
              name,
              List.copyOf(pairs),
              given(scope, ConfigKeys.CERTIFICATE_HOSTS),
              clientAuth,
              clientCa,
              value(scope, ConfigKeys.CERTIFICATE_POLICY)));
      for (Field<CertificateConfig, ?> field : ConfigKeys.CERTIFICATES.fields()) {
        source(ConfigKeys.CERTIFICATES, name, field, scope + "." + field.name());
      }
    }
    return List.copyOf(certificates);
  }

  List<ListenerConfig> listeners(List<CertificateConfig> certificates) {
    List<ListenerConfig> listeners = new ArrayList<>();
    Set<String> names = new HashSet<>();
    Map<String, String> addresses = new HashMap<>();
    for (Map.Entry<String, SourceLocation> instance :
        values.instances(ConfigKeys.LISTEN).entrySet()) {
      String scope = "listen." + instance.getKey();
      SourceLocation entry = instance.getValue();
      addListener(
          listeners,
          names,
          addresses,
          entry,
          scope,
          value(scope, ConfigKeys.LISTEN_NAME),
          new ListenerConfig(
              "",
              needed(scope, ConfigKeys.LISTEN_ADDRESS, entry),
              file(scope, ConfigKeys.LISTEN_CERTIFICATE),
              file(scope, ConfigKeys.LISTEN_KEY),
              defaultCertificate(scope, ConfigKeys.LISTEN_DEFAULT, certificates),
              given(scope, ConfigKeys.LISTEN_H2C),
              given(scope, ConfigKeys.LISTEN_PROXY),
              given(scope, ConfigKeys.LISTEN_ACME),
              value(scope, ConfigKeys.LISTEN_REDIRECT)),
          false);
    }
    SourceLocation place = givenPlace("tls.listen", "tls.certificate", "tls.key", "tls.default");
    if (place != null) {
      Address address = value("tls", ConfigKeys.TLS_LISTEN);
      if (address == null) {
        problems.add(place.problem("tls", "no address to listen on", "set tls.listen"));
      } else {
        addListener(
            listeners,
            names,
            addresses,
            place,
            "tls",
            null,
            new ListenerConfig(
                "",
                address,
                file("tls", ConfigKeys.TLS_CERTIFICATE),
                file("tls", ConfigKeys.TLS_KEY),
                defaultCertificate("tls", ConfigKeys.TLS_DEFAULT, certificates),
                false,
                false,
                isAcmeOn(),
                null),
            true);
      }
    }
    SourceLocation acme = givenPlace("tls.acme.hosts", "tls.acme.on-demand");
    if (acme != null && isAcmeOn() && listeners.stream().noneMatch(ListenerConfig::isTls)) {
      problems.add(
          acme.problem("tls.acme", "no listener serves TLS", "set tls.listen, such as :443"));
    }
    if (listeners.isEmpty()) {
      listeners.add(new ListenerConfig("http", new Address("*", 8080), null, null));
    }
    return List.copyOf(listeners);
  }

  private void addListener(
      List<ListenerConfig> listeners,
      Set<String> names,
      Map<String, String> addresses,
      SourceLocation place,
      String scope,
      @Nullable String givenName,
      ListenerConfig unnamed,
      boolean isTls) {
    Address address = unnamed.address();
    Path certificate = unnamed.certificate();
    Path key = unnamed.key();
    String defaultCertificate = unnamed.defaultCertificate();
    if (unnamed.proxyProtocol()
        && address.unixFile() == null
        && given("forwarding", ConfigKeys.FORWARDING_TRUSTED).isEmpty()) {
      problems.add(
          place.problem(
              scope,
              "proxy-protocol is on, but no network is trusted to identify clients",
              "list the proxies' networks under forwarding.trusted"));
    }
    if (unnamed.h2c() && unnamed.isTls()) {
      problems.add(
          place.problem(
              scope,
              "h2c applies to plain text only; with TLS, clients choose HTTP/2 by ALPN",
              "remove h2c"));
    }
    if (unnamed.httpsRedirect() != null && unnamed.isTls()) {
      problems.add(
          place.problem(
              scope,
              "https-redirect applies to plain text only; this listener serves TLS",
              "remove https-redirect"));
    }
    if (certificate != null && defaultCertificate != null) {
      problems.add(
          place.problem(
              scope,
              "has both a certificate of its own and the default " + defaultCertificate,
              "keep one of them"));
    } else if ((certificate == null) != (key == null) || (isTls && !unnamed.isTls())) {
      problems.add(
          place.problem(
              scope,
              certificate == null
                  ? (key == null
                      ? "a TLS listener without certificate and key"
                      : "a key without a certificate")
                  : "a certificate without a key",
              "give both as PEM files"));
    }
    String name = givenName;
    if (name == null) {
      boolean isPlain = !unnamed.isTls() && !isTls;
      String base = isPlain ? "http" : "https";
      name = base;
      for (int i = 2; names.contains(name); i++) {
        name = base + "-" + i;
      }
    }
    if (!names.add(name)) {
      problems.add(place.problem(scope, "another listener is named " + name, "use another name"));
    }
    boolean isAnyPort = address.port() == 0 && address.unixFile() == null;
    String other = isAnyPort ? null : addresses.putIfAbsent(identity(address), name);
    if (other != null) {
      problems.add(
          place.problem(
              scope,
              "listener " + other + " already has the address " + ValueType.print(address),
              "choose another port"));
    }
    listeners.add(unnamed.named(name));
    source(ConfigKeys.LISTEN, name, ConfigKeys.LISTEN_NAME, scope + ".name");
    source(
        ConfigKeys.LISTEN,
        name,
        ConfigKeys.LISTEN_ADDRESS,
        isTls ? "tls.listen" : scope + ".address");
    source(
        ConfigKeys.LISTEN,
        name,
        ConfigKeys.LISTEN_CERTIFICATE,
        isTls ? "tls.certificate" : scope + ".tls.certificate");
    source(ConfigKeys.LISTEN, name, ConfigKeys.LISTEN_KEY, isTls ? "tls.key" : scope + ".tls.key");
    source(ConfigKeys.LISTEN, name, ConfigKeys.LISTEN_REDIRECT, scope + ".https-redirect");
    source(ConfigKeys.LISTEN, name, ConfigKeys.LISTEN_ACME, scope + ".tls.acme");
    source(ConfigKeys.LISTEN, name, ConfigKeys.LISTEN_H2C, scope + ".h2c");
    source(ConfigKeys.LISTEN, name, ConfigKeys.LISTEN_PROXY, scope + ".proxy-protocol");
    source(
        ConfigKeys.LISTEN,
        name,
        ConfigKeys.LISTEN_DEFAULT,
        isTls ? "tls.default" : scope + ".tls.default");
  }

  private @Nullable String defaultCertificate(
      String scope, Field<?, String> field, List<CertificateConfig> certificates) {
    String name = value(scope, field);
    List<String> known = certificates.stream().map(CertificateConfig::name).toList();
    if (name != null && !known.contains(name)) {
      String path = scope + "." + field.name();
      problems.add(
          firstPlace(path)
              .problem(
                  path,
                  "there is no certificate named " + name,
                  Printable.suggestion(name, known)));
    }
    return name;
  }

  TlsConfig tls(List<CertificateConfig> certificates) {
    return new TlsConfig(
        given("tls", ConfigKeys.TLS_POLICY),
        given("tls", ConfigKeys.TLS_CLIENT_HELLO),
        given("tls", ConfigKeys.TLS_EXPIRY_WARNING),
        given("tls", ConfigKeys.TLS_OCSP),
        new TicketConfig(
            given("tls", ConfigKeys.TLS_TICKETS),
            given("tls", ConfigKeys.TLS_TICKET_ROTATION),
            file("tls", ConfigKeys.TLS_TICKET_FILE)),
        certificates,
        new AcmeBinder(values, problems, sources).acme(certificates),
        given("tls", ConfigKeys.TLS_JA4));
  }

  private boolean isAcmeOn() {
    return !given("tls", ConfigKeys.ACME_HOSTS).isEmpty()
        || !given("tls", ConfigKeys.ACME_ON_DEMAND).isEmpty();
  }

  Http3Config http3(List<ListenerConfig> listeners) {
    List<String> names = given("http3", ConfigKeys.HTTP3_LISTENERS);
    for (String name : names) {
      if (listeners.stream()
          .noneMatch(listener ->
              listener.name().equals(name)
                  && listener.isTls()
                  && listener.address().unixFile() == null)) {
        problems.add(
            firstPlace("http3.listeners", "http3")
                .problem(
                    "http3.listeners",
                    "there is no TLS listener named " + name,
                    Printable.suggestion(
                        name,
                        listeners.stream()
                            .filter(ListenerConfig::isTls)
                            .map(ListenerConfig::name)
                            .toList())));
      }
    }
    return new Http3Config(
        names,
        given("http3", ConfigKeys.HTTP3_RETRY_FROM),
        given("http3", ConfigKeys.HTTP3_ALT_SVC_MAX_AGE),
        given("http3", ConfigKeys.HTTP3_ALT_SVC_PORT));
  }

  /** Two addresses of one identity cannot both be bound. */
  static String identity(Address address) {
    String host = address.host();
    return (host.equals("0.0.0.0") || host.equals("::") ? "*" : host) + " " + address.port();
  }
}
