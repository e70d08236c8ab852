package io.forebay.server.tls.acme;

/**
 * One name in an {@link AcmeOrderGroup}: what the group has of it, and what this node owes the
 * group. Confined to the manager's thread.
 */
final class GroupCertificateState {
  private static final long ABSENT = Long.MIN_VALUE;

  /** When the group's certificate begins to be valid. */
  private long beginMillis = ABSENT;

  private long revision;
  private boolean isUnpublished;
  private boolean isFromOther;
  private boolean keepsClaim;
  private boolean isUnanswered;

  // --- what the group has -----------------------------------------------------------------------

  /** The group has no certificate, as far as this node knows. */
  void absent() {
    beginMillis = ABSENT;
    revision = 0;
  }

  void seen(long begin, long atRevision) {
    beginMillis = begin;
    revision = atRevision;
  }

  /** Only a later order of this node replaces it, so two nodes with two secrets are no loop. */
  void refused() {
    beginMillis = Long.MAX_VALUE;
  }

  /** Revision of the group's certificate; 0 for none. */
  long revision() {
    return revision;
  }

  /** Whether the group lacks a certificate of this node. */
  boolean lacks(long begin) {
    return isUnpublished || begin > beginMillis;
  }

  // --- the certificate in use -------------------------------------------------------------------

  /** The group has it, too; who ordered it does not matter for the order, which is over. */
  void shared(boolean isOwn) {
    isFromOther = !isOwn;
    isUnpublished = false;
    keepsClaim = false;
  }

  /** This node ordered it. */
  void issued(boolean hasGroup) {
    isFromOther = false;
    isUnpublished = hasGroup;
  }

  /** This node ordered it, and the group cannot read what it has. */
  void damaged() {
    isUnpublished = true;
  }

  void published(long begin, long atRevision) {
    seen(begin, atRevision);
    isUnpublished = false;
    keepsClaim = false;
  }

  /** Whether another node ordered it, as far as is known. */
  boolean isFromOther() {
    return isFromOther;
  }

  // --- the order --------------------------------------------------------------------------------

  /** This node has the order. */
  void claimed() {
    keepsClaim = true;
  }

  /** Another node may do better. */
  void yields() {
    keepsClaim = false;
  }

  /** Another node may order, unless this one has ordered already. */
  void yieldsUnlessIssued() {
    keepsClaim = isUnpublished;
  }

  boolean keepsClaim() {
    return keepsClaim;
  }

  void answered(boolean isAnswered) {
    isUnanswered = !isAnswered;
  }

  /** Whether the group cannot be asked about an order that is due. */
  boolean isUnanswered() {
    return isUnanswered;
  }
}
