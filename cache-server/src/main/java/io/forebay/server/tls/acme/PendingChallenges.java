package io.forebay.server.tls.acme;

import io.forebay.server.http.ChallengeTokens;
import io.forebay.server.tls.CertificatePair;
import io.forebay.server.tls.ClientTls;
import io.forebay.server.tls.TlsException;
import java.util.HashMap;
import java.util.Map;

/**
 * The answers to validations that are expected, by host: tokens for plain text listeners and
 * certificates for TLS listeners. Confined to the manager's thread; listeners get immutable copies.
 */
final class PendingChallenges {
  private record Answer(String token, String keyAuthorization) {}

  private final ClientTls tls;
  private final ChallengeTokens published;
  private final Map<String, Answer> tokens = new HashMap<>();
  private final Map<String, CertificatePair> certificates = new HashMap<>();

  PendingChallenges(ClientTls tls, ChallengeTokens published) {
    this.tls = tls;
    this.published = published;
  }

  void token(String host, String token, String keyAuthorization) {
    tokens.put(host, new Answer(token, keyAuthorization));
    publishTokens();
  }

  /** Whether other nodes get the tokens, too, a few seconds later. */
  boolean isShared() {
    return published.isShared();
  }

  void certificate(String host, CertificatePair certificate) throws TlsException {
    certificates.put(host, certificate);
    tls.challenges(certificates);
  }

  /** Validations of a host are over. */
  void clear(String host) {
    if (tokens.remove(host) != null) {
      publishTokens();
    }
    if (certificates.remove(host) != null) {
      try {
        tls.challenges(certificates);
      } catch (TlsException e) {
        throw new IllegalStateException("certificates that were served can be", e);
      }
    }
  }

  private void publishTokens() {
    Map<String, String> all = new HashMap<>();
    tokens.values().forEach(answer -> all.put(answer.token(), answer.keyAuthorization()));
    published.publish(all);
  }
}
