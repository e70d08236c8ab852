package io.forebay.server.tls;

import io.forebay.server.config.TlsConfig;
import io.forebay.server.config.TlsConfig.ClientAuth;
import io.forebay.server.config.TlsConfig.Policy;
import io.netty.handler.ssl.ApplicationProtocolNames;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * All settings that determine a handshake for one entry of the configuration.
 *
 * @param name the entry, or the listener whose own certificate it is
 * @param pairs ECDSA first
 * @param clientCas whose certificates clients may show
 * @param protocols that ALPN offers, the preferred one first
 */
record TlsHostSettings(
    String name,
    List<CertificatePair> pairs,
    Policy policy,
    ClientAuth clientAuth,
    List<X509Certificate> clientCas,
    boolean tickets,
    List<String> protocols) {

  static final List<String> HTTP =
      List.of(ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1);

  /** For a name with one certificate, as the node orders it. */
  static TlsHostSettings ofManaged(String name, CertificatePair pair, TlsConfig tls) {
    return new TlsHostSettings(
        name,
        List.of(pair),
        tls.policy(),
        ClientAuth.OFF,
        List.of(),
        tls.tickets().enabled(),
        HTTP);
  }

  /** Of the certificate that answers a challenge (RFC 8737 §3), with its protocol alone. */
  static TlsHostSettings ofChallenge(String name, CertificatePair pair) {
    return new TlsHostSettings(
        name,
        List.of(pair),
        Policy.INTERMEDIATE,
        ClientAuth.OFF,
        List.of(),
        false,
        List.of(ClientTls.CHALLENGE_PROTOCOL));
  }

  /**
   * What a session may be resumed within: the same entry that asks the same of clients. BoringSSL
   * puts it into tickets and does a whole handshake where it is another. It is the same on every
   * node with this configuration, and stays when a certificate is renewed.
   */
  byte[] scope() {
    MessageDigest digest = sha256();
    digest.update((name + "\n" + clientAuth).getBytes(StandardCharsets.UTF_8));
    addTo(digest, clientCas);
    return digest.digest();
  }

  /** The same where nothing is different, so that an entry that a reload leaves alone is kept. */
  byte[] fingerprint() {
    MessageDigest digest = sha256();
    digest.update(scope());
    digest.update((policy + " " + tickets + " " + protocols).getBytes(StandardCharsets.UTF_8));
    for (CertificatePair pair : pairs) {
      addTo(digest, pair.chain());
      digest.update(pair.key().getEncoded());
    }
    return digest.digest();
  }

  private static void addTo(MessageDigest digest, List<X509Certificate> certificates) {
    try {
      for (X509Certificate certificate : certificates) {
        digest.update(certificate.getEncoded());
      }
      digest.update((byte) certificates.size());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a certificate that was read has bytes", e);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
