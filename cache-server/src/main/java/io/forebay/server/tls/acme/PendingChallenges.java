package io.forebay.server.tls.acme;

import io.forebay.server.http.ChallengeTokens;
import io.forebay.server.tls.TlsException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The answers to validations that this node expects, by host: tokens for plain text listeners and
 * hashes for TLS listeners. Confined to the manager's thread; listeners get immutable copies.
 */
final class PendingChallenges {
  private record Answer(String token, String keyAuthorization) {}

  private final ChallengeTokens published;
  private final AlpnChallenges alpn;
  private final ConfirmedChallenges confirmed;
  private final Map<String, Answer> tokens = new HashMap<>();

  PendingChallenges(ChallengeTokens published, AlpnChallenges alpn, ConfirmedChallenges confirmed) {
    this.published = published;
    this.alpn = alpn;
    this.confirmed = confirmed;
  }

  void token(String host, String token, String keyAuthorization) {
    tokens.put(host, new Answer(token, keyAuthorization));
    publishTokens();
  }

  /** Whether other nodes give the answers, too, a few seconds later. */
  boolean isShared() {
    return confirmed.isShared();
  }

  /** Whether all nodes give the answers for a host. */
  boolean isConfirmed(String host) {
    Answer answer = tokens.get(host);
    String hash = alpn.own().get(host);
    return (answer == null || confirmed.hasToken(answer.token()))
        && (hash == null || confirmed.hasHash(host, hash));
  }

  /** The nodes that are known to lack some answer. */
  List<String> behind() {
    return confirmed.behind();
  }

  /** A validation by tls-alpn-01, by the hash that it asks for. */
  void hash(String host, byte[] hash) throws TlsException {
    alpn.put(host, hash);
  }

  /** Validations of a host are over. */
  void clear(String host) {
    if (tokens.remove(host) != null) {
      publishTokens();
    }
    try {
      alpn.remove(host);
    } catch (TlsException e) {
      throw new IllegalStateException("certificates that were served can be", e);
    }
  }

  private void publishTokens() {
    Map<String, String> all = new HashMap<>();
    tokens.values().forEach(answer -> all.put(answer.token(), answer.keyAuthorization()));
    published.publish(all);
  }
}
