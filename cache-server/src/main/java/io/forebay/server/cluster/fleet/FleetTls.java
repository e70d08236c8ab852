package io.forebay.server.cluster.fleet;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The TLS state that a node shares with its cluster: ticket keys and answers to ACME validations.
 * Never blocks; any thread.
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

  /** The answers to ACME validations that this node expects: key authorizations by token. */
  Map<String, String> ownChallenges();

  /** Sets the answers that other nodes expect. */
  void challenges(Map<String, String> byToken);
}
