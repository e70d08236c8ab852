package io.forebay.server.tls;

import io.forebay.server.config.TlsConfig.PairConfig;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** A certificate with its chain and its private key. */
public record CertificatePair(
    Path file, Path keyFile, List<X509Certificate> chain, PrivateKey key) {
  private static final int DNS_NAME = 2;

  /** Reads both files. */
  public static CertificatePair load(PairConfig config) throws TlsException {
    return new CertificatePair(
        config.certificate(),
        config.key(),
        List.copyOf(PemFile.certificates(config.certificate())),
        PemFile.privateKey(config.key()));
  }

  public X509Certificate leaf() {
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

  /** Whether the key is that of the certificate: it signs with the one, verifies with the other. */
  public boolean hasMatchingKey() {
    PublicKey publicKey = leaf().getPublicKey();
    if (!publicKey.getAlgorithm().equals(key.getAlgorithm())) {
      return false;
    }
    try {
      Signature signature = Signature.getInstance(isEcdsa() ? "SHA256withECDSA" : "SHA256withRSA");
      byte[] message = leaf().getEncoded();
      signature.initSign(key);
      signature.update(message);
      byte[] signed = signature.sign();
      signature.initVerify(publicKey);
      signature.update(message);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  /** Whether clients take the certificate for a name, or for all a wildcard stands for. */
  public boolean covers(String host) {
    int dot = host.indexOf('.');
    List<String> names = names();
    return names.contains(host) || (dot > 0 && names.contains("*" + host.substring(dot)));
  }
}
