package io.forebay.server.cluster.fleet;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The TLS state that a node shares with its cluster: ticket keys and answers to ACME validations.
 * Any thread but event loops: answers of others become certificates here.
 */
public interface FleetTls {

  /**
   * The time for which a ticket key encrypts; zero where the node does not use the cluster's keys.
   */
  Duration ticketRotation();

  /** Length of a ticket key in bytes. */
  int ticketKeyBytes();

  /** Uses these ticket keys from now on: the first encrypts, all decrypt. */
  void ticketKeys(List<byte[]> keys);

  /**
   * Answers to ACME validations.
   *
   * @param tokens key authorizations by token (http-01)
   * @param hashes of key authorizations in base64, by name (tls-alpn-01)
   */
  record Challenges(Map<String, String> tokens, Map<String, String> hashes) {
    static final Challenges NONE = new Challenges(Map.of(), Map.of());
  }

  /** The answers that this node expects. */
  Challenges ownChallenges();

  /**
   * Sets the answers that other nodes expect.
   *
   * @return whether this node gives all of them from now on
   */
  boolean challenges(Challenges others);

  /**
   * Says which answers of this node all nodes give.
   *
   * @param behind the nodes that do not give all of them yet
   */
  void confirmed(Challenges everywhere, List<String> behind);
}
