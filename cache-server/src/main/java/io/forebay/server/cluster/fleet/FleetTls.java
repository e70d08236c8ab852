package io.forebay.server.cluster.fleet;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What of TLS a node shares with its cluster. Never blocks; any thread. */
public interface FleetTls {

  /** For how long a ticket key encrypts; zero where the node uses none of the cluster. */
  Duration ticketRotation();

  /** How long a ticket key is, in bytes. */
  int ticketKeyBytes();

  /** Uses these ticket keys from now on: the first encrypts, all decrypt. */
  void ticketKeys(List<byte[]> keys);

  /** The answers to ACME validations that this node expects: key authorizations by token. */
  Map<String, String> ownChallenges();

  /** Those that other nodes expect. */
  void challenges(Map<String, String> byToken);
}
