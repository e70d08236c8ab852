package io.forebay.server.tls;

import io.forebay.server.config.TlsConfig.PairConfig;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** A certificate with its chain and its private key. */
record CertificatePair(Path file, Path keyFile, List<X509Certificate> chain, PrivateKey key) {
  private static final int DNS_NAME = 2;

  static CertificatePair load(PairConfig config) throws TlsException {
    return new CertificatePair(
        config.certificate(),
        config.key(),
        List.copyOf(PemFile.certificates(config.certificate())),
        PemFile.privateKey(config.key()));
  }

  X509Certificate leaf() {
    return chain.getFirst();
  }

  boolean isEcdsa() {
    return leaf().getPublicKey().getAlgorithm().equals("EC");
  }

  /** As metrics name it. */
  String kind() {
    return isEcdsa() ? "ecdsa" : "rsa";
  }

  /** The DNS names of the certificate, in lower case. */
  List<String> names() {
    List<String> names = new ArrayList<>();
    for (List<?> name : alternativeNames()) {
      if (name.get(0) instanceof Integer type && type == DNS_NAME) {
        names.add(String.valueOf(name.get(1)).toLowerCase(Locale.ROOT));
      }
    }
    return names;
  }

  boolean hasAlternativeNames() {
    return !alternativeNames().isEmpty();
  }

  private Collection<List<?>> alternativeNames() {
    try {
      Collection<List<?>> all = leaf().getSubjectAlternativeNames();
      return all == null ? List.of() : all;
    } catch (CertificateParsingException e) {
      return List.of();
    }
  }

  /** Whether clients take the certificate for a name, or for all a wildcard stands for. */
  boolean covers(String host) {
    int dot = host.indexOf('.');
    List<String> names = names();
    return names.contains(host) || (dot > 0 && names.contains("*" + host.substring(dot)));
  }
}
