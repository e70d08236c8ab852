package io.forebay.server.tls;

import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.TlsConfig;
import io.forebay.server.config.TlsConfig.CertificateConfig;
import io.forebay.server.config.TlsConfig.ClientAuth;
import io.forebay.server.config.TlsConfig.PairConfig;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The first phase of a change of certificates: reads and checks every file, creates the contexts,
 * and performs one handshake with each. Nothing takes effect before {@link ClientTls#commit}; with
 * any error nothing ever does. Unchanged entries are kept.
 */
public final class TlsReload {
  /** What a certificate is looked at for; what is over is not always an error. */
  enum Purpose {
    /** {@code config check}: everything that is wrong. */
    CHECK,
    /** A node that starts serves what it has. */
    START,
    /** A node that runs takes in nothing that does not work. */
    RELOAD
  }

  private final Purpose purpose;
  private final Map<String, TlsHost> before;
  private final Instant now;
  private final Map<String, TlsHost> hosts = new LinkedHashMap<>();
  private final List<String> errors = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private final List<String> changed = new ArrayList<>();
  private SniTable table = SniTable.EMPTY;

  private TlsReload(Purpose purpose, Map<String, TlsHost> before, Instant now) {
    this.purpose = purpose;
    this.before = before;
    this.now = now;
  }

  static TlsReload of(
      TlsConfig tls,
      List<ListenerConfig> listeners,
      Purpose purpose,
      Map<String, TlsHost> before,
      Instant now) {
    TlsReload stage = new TlsReload(purpose, before, now);
    stage.read(tls, listeners);
    return stage;
  }

  /** Why it cannot be put in force, a line a problem; empty when it can. */
  public List<String> errors() {
    return errors;
  }

  public List<String> warnings() {
    return warnings;
  }

  /** Entries whose files or settings are not what is in force. */
  public List<String> changed() {
    return changed;
  }

  Map<String, TlsHost> hosts() {
    return hosts;
  }

  SniTable table() {
    return table;
  }

  private void read(TlsConfig tls, List<ListenerConfig> listeners) {
    SniTable.Builder builder = new SniTable.Builder(tls.clientHelloBytes());
    if (tls.ja4()) {
      builder.fingerprints();
    }
    Map<CertificateConfig, TlsHost> named = new LinkedHashMap<>();
    for (CertificateConfig certificate : tls.certificates()) {
      TlsHost host = host("certificates." + certificate.name(), certificate, tls);
      if (host != null) {
        builder.host(host);
        named.put(certificate, host);
      }
    }
    names(builder, named);
    for (ListenerConfig listener : listeners) {
      TlsHost host = null;
      if (listener.defaultCertificate() != null) {
        host = hosts.get("certificates." + listener.defaultCertificate());
      } else if (listener.certificate() != null && listener.key() != null) {
        CertificateConfig own =
            new CertificateConfig(
                listener.name(),
                List.of(new PairConfig(listener.certificate(), listener.key())),
                List.of(),
                ClientAuth.OFF,
                null,
                null);
        host = host("listener " + listener.name(), own, tls);
      }
      if (host != null) {
        builder.listener(listener.name(), host);
      } else if (listener.acme()) {
        builder.listener(listener.name());
      }
    }
    before.keySet().stream().filter(name -> !hosts.containsKey(name)).forEach(changed::add);
    table = builder.build();
  }

  /** What is named in the configuration goes before what is only in a certificate. */
  private void names(SniTable.Builder builder, Map<CertificateConfig, TlsHost> named) {
    Map<String, String> taken = new HashMap<>();
    named.forEach((certificate, host) -> {
      for (String name : certificate.hosts()) {
        String other = taken.putIfAbsent(name, host.name());
        if (other != null) {
          errors.add(host.name() + ": " + other + " also has the host " + name + "; keep one");
        }
        builder.name(name, host);
      }
    });
    named.forEach((certificate, host) -> {
      if (!certificate.hosts().isEmpty()) {
        return;
      }
      Set<String> names = new HashSet<>();
      host.settings().pairs().forEach(pair -> names.addAll(pair.names()));
      if (names.isEmpty()) {
        warnings.add(
            host.name() + ": its certificate names no host, so no client receives it; set hosts");
      }
      for (String name : names) {
        TlsHost other = builder.name(name, host);
        if (other != null) {
          warnings.add(
              host.name() + ": " + other.name() + " serves " + name + ", which both cover");
        }
      }
    });
  }

  private @Nullable TlsHost host(String name, CertificateConfig config, TlsConfig tls) {
    int errorsBefore = errors.size();
    List<CertificatePair> pairs = new ArrayList<>();
    for (PairConfig pair : config.pairs()) {
      try {
        pairs.add(CertificatePair.load(pair));
      } catch (TlsException e) {
        errors.add(name + ": " + e.getMessage());
      }
    }
    List<X509Certificate> clientCas = List.of();
    Path clientCa = config.clientCa();
    if (clientCa != null && config.clientAuth() != ClientAuth.OFF) {
      try {
        clientCas = List.copyOf(PemFile.certificates(clientCa));
      } catch (TlsException e) {
        errors.add(name + ": " + e.getMessage());
      }
    }
    if (errors.size() > errorsBefore) {
      return null;
    }
    if (pairs.size() > 1 && pairs.get(0).isEcdsa() == pairs.get(1).isEcdsa()) {
      errors.add(
          name
              + ": both certificates are "
              + pairs.getFirst().kind().toUpperCase(java.util.Locale.ROOT)
              + "; the second must have the other key type");
      return null;
    }
    pairs.sort(Comparator.comparing(pair -> !pair.isEcdsa()));
    TlsHostSettings settings =
        new TlsHostSettings(
            name,
            List.copyOf(pairs),
            config.policy() == null ? tls.policy() : config.policy(),
            config.clientAuth(),
            clientCas,
            tls.tickets().enabled(),
            TlsHostSettings.HTTP);
    TlsHost known = before.get(name);
    boolean isKnown = known != null && Arrays.equals(known.fingerprint(), settings.fingerprint());
    for (CertificatePair pair : pairs) {
      ServerCertificateCheck.run(
          pair, config.hosts(), now, finding -> take(name, finding, isKnown));
    }
    if (errors.size() > errorsBefore) {
      return null;
    }
    TlsHost host = isKnown ? known : made(settings);
    if (host != null) {
      hosts.put(name, host);
    }
    return host;
  }

  private void take(String name, CertificateWarning finding, boolean isKnown) {
    boolean isError =
        switch (finding.severity()) {
          case ERROR -> true;
          case TIME ->
              switch (purpose) {
                case CHECK -> true;
                case START -> false;
                // What serves already does not get better by being refused now.
                case RELOAD -> !isKnown;
              };
          case WARNING -> false;
        };
    (isError ? errors : warnings).add(name + ": " + finding.text());
  }

  private @Nullable TlsHost made(TlsHostSettings settings) {
    try {
      TlsHost host = tried(settings);
      changed.add(settings.name());
      return host;
    } catch (TlsException e) {
      errors.add(settings.name() + ": " + e.getMessage());
      return null;
    }
  }

  /** A handshake shows that a key matches, at a third of the cost; of two pairs it shows one. */
  private static TlsHost tried(TlsHostSettings settings) throws TlsException {
    List<CertificatePair> pairs = settings.pairs();
    if (settings.clientAuth() == ClientAuth.REQUIRED || pairs.size() > 1) {
      requireMatchingKeys(pairs);
    }
    try {
      TlsHost host = new TlsHost(settings);
      if (settings.clientAuth() != ClientAuth.REQUIRED) {
        TrialHandshake.with(host);
      }
      return host;
    } catch (TlsException e) {
      requireMatchingKeys(pairs);
      throw e;
    }
  }

  private static void requireMatchingKeys(List<CertificatePair> pairs) throws TlsException {
    for (CertificatePair pair : pairs) {
      if (!pair.hasMatchingKey()) {
        throw new TlsException(pair.file() + " and key " + pair.keyFile() + " do not match");
      }
    }
  }
}
