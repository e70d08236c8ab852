package io.forebay.cli.doctor;

import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.TlsConfig.PairConfig;
import io.forebay.server.tls.CertificatePair;
import io.forebay.server.tls.ClientTls;
import io.forebay.server.tls.TlsException;
import io.forebay.server.tls.TlsReload;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Certificates that clients and origins are shown: key, chain, names and time. */
final class CertificateChecks {
  private static final Topic CERTIFICATES =
      new Topic(
          "certificates", "Clients close the connection at a certificate that does not hold.");
  private static final Topic CLIENT =
      new Topic(
          "origin-certificates",
          "An origin that asks for a certificate refuses connections with one that does not hold.");

  private CertificateChecks() {}

  static List<Finding> of(Subject subject) {
    List<Finding> findings = new ArrayList<>(shown(subject.config(), subject.now()));
    List<Finding> own = new ArrayList<>();
    for (OriginConfig origin : subject.config().origins()) {
      PairConfig pair = origin.tls().client();
      if (pair != null) {
        own.add(client(origin, pair, subject));
      }
    }
    findings.addAll(own.isEmpty() ? List.of(CLIENT.ok("none is configured")) : own);
    return findings;
  }

  private static List<Finding> shown(ServerConfig config, Instant now) {
    Map<Path, PairConfig> pairs = new LinkedHashMap<>();
    for (ListenerConfig listener : config.listeners()) {
      if (listener.certificate() != null && listener.key() != null) {
        pairs.put(listener.certificate(), new PairConfig(listener.certificate(), listener.key()));
      }
    }
    config
        .tls()
        .certificates()
        .forEach(entry -> entry.pairs().forEach(pair -> pairs.put(pair.certificate(), pair)));
    if (pairs.isEmpty()) {
      return List.of(
          CERTIFICATES.ok(
              config.listeners().stream().anyMatch(ListenerConfig::isTls)
                  ? "by ACME alone; forebay stats has those in force"
                  : "no listener has TLS"));
    }
    // Keys, chains, names and times, each with one handshake, as config check does.
    TlsReload check = ClientTls.check(config, now);
    List<Finding> findings = new ArrayList<>();
    for (String error : check.errors()) {
      findings.add(CERTIFICATES.error(error, "replace the file, then forebay reload"));
    }
    for (String warning : check.warnings()) {
      findings.add(
          CERTIFICATES.warning(warning, "replace or repair the file, then forebay reload"));
    }
    boolean isWhole = findings.isEmpty();
    for (PairConfig pair : pairs.values()) {
      try {
        CertificatePair loaded = CertificatePair.load(pair);
        Instant until = loaded.leaf().getNotAfter().toInstant();
        boolean isEnding = until.isBefore(now.plus(config.tls().expiryWarning()));
        if (isEnding && !until.isBefore(now)) {
          findings.add(
              CERTIFICATES.warning(described(loaded, now), "renew it, then forebay reload"));
        } else if (isWhole) {
          findings.add(CERTIFICATES.ok(described(loaded, now)));
        }
      } catch (TlsException told) {
        // Among the errors above.
      }
    }
    return findings;
  }

  private static Finding client(OriginConfig origin, PairConfig files, Subject subject) {
    String where = "origins." + origin.name() + ": ";
    String fix = "replace origins." + origin.name() + ".tls.certificate and .key, then reload";
    try {
      CertificatePair pair = CertificatePair.load(files);
      Instant until = pair.leaf().getNotAfter().toInstant();
      String found = where + described(pair, subject.now());
      if (!pair.hasMatchingKey()) {
        return CLIENT.error(where + files.key() + " is not the key of " + files.certificate(), fix);
      }
      if (until.isBefore(subject.now())) {
        return CLIENT.error(found, fix);
      }
      return CLIENT.warningUnless(
          until.isAfter(subject.now().plus(subject.config().tls().expiryWarning())), found, fix);
    } catch (TlsException e) {
      return CLIENT.error(where + e.lines().getFirst(), fix);
    }
  }

  private static String described(CertificatePair pair, Instant now) {
    Instant until = pair.leaf().getNotAfter().toInstant();
    return pair.file()
        + ", chain of "
        + pair.chain().size()
        + ", "
        + (until.isBefore(now) ? "expired at " : "until ")
        + until
        + " ("
        + Duration.between(now, until).toDays()
        + " days)";
  }
}
