package io.forebay.server.cluster.member;

/** Another node has the name of this one, and is alive. */
public final class NameTakenException extends Exception {
  private static final long serialVersionUID = 1L;

  NameTakenException(String name) {
    super(
        "another node of the cluster is alive under the name "
            + name
            + ": set forwarding.node-id to another one, or stop it");
  }
}
