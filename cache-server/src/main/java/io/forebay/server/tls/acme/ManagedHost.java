package io.forebay.server.tls.acme;

import io.forebay.server.tls.CertificatePair;
import org.jspecify.annotations.Nullable;

/** One name and how far it has come. Confined to the manager's thread. */
final class ManagedHost {
  final String name;

  /** Whether a handshake brought it, not the list of hosts. */
  final boolean isOnDemand;

  /** What is served: the last good certificate; null while there is none. */
  @Nullable CertificatePair pair;

  /** The order under way; at most one. */
  @Nullable PendingOrder order;

  long renewAtMillis;

  /** No renewal begins before: an authority whose certificates are always due is no loop. */
  long earliestRenewalMillis;

  long renewalInfoAtMillis;

  /** When it is looked at next. */
  long dueMillis;

  /** Failed attempts in a row. */
  int failures;

  /** Attempts in all, which select the challenge. */
  int attempts;

  /** Polls of the order in this attempt, and when the attempt began. */
  int polls;

  long attemptBeganMillis;

  /** Whether the answer to the order's challenge is published by this process, and asked for. */
  boolean isAnswering;

  /** Since when the order waits for other nodes to give the answer, too; 0 while it does not. */
  long sharedMillis;

  /** Where nodes order together. */
  final GroupCertificateState inGroup = new GroupCertificateState();

  ManagedHost(String name, boolean isOnDemand) {
    this.name = name;
    this.isOnDemand = isOnDemand;
  }
}
