package io.forebay.server.tls.acme;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The answers of this node to validations that all nodes of its cluster give. The cluster's thread
 * writes, the manager's reads.
 */
public final class ConfirmedChallenges {
  /** Null in a node without a cluster. */
  private volatile @Nullable State state;

  private record State(Set<String> tokens, Map<String, String> hashes, List<String> behind) {}

  ConfirmedChallenges() {}

  /**
   * Replaces all.
   *
   * @param tokens of http-01
   * @param hashes of tls-alpn-01 in base64, by name
   * @param behind the nodes that lack some answer of this node
   */
  public void set(Set<String> tokens, Map<String, String> hashes, List<String> behind) {
    state = new State(Set.copyOf(tokens), Map.copyOf(hashes), List.copyOf(behind));
  }

  /** Whether there are other nodes that give the answers of this one. */
  boolean isShared() {
    return state != null;
  }

  boolean hasToken(String token) {
    State current = state;
    return current != null && current.tokens().contains(token);
  }

  boolean hasHash(String host, String hash) {
    State current = state;
    return current != null && hash.equals(current.hashes().get(host));
  }

  /** The nodes that lack some answer, as far as is known. */
  List<String> behind() {
    State current = state;
    return current == null ? List.of() : current.behind();
  }
}
