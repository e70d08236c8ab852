package io.forebay.server.cluster.member;

/**
 * Which node has a name.
 *
 * @param data tells data directories apart; only one process at a time uses one
 * @param boot tells starts apart
 */
public record NodeIdentity(String data, String boot) {

  /** Whether both have the same data directory, so that the earlier start is over. */
  boolean isSameNode(NodeIdentity other) {
    return data.equals(other.data);
  }
}
