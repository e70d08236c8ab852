package io.forebay.server.cluster.member;

/**
 * The data directory and the start that use a name.
 *
 * @param data identifies the data directory, which only one process uses at a time
 * @param boot identifies the start of the process
 */
public record NodeIdentity(String data, String boot) {

  /** Whether both use the same data directory, so that the earlier start has ended. */
  boolean isSameNode(NodeIdentity other) {
    return data.equals(other.data);
  }
}
