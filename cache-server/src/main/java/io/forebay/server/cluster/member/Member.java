package io.forebay.server.cluster.member;

import io.forebay.server.config.ClusterConfig.CutOff;

/**
 * A node as etcd has it.
 *
 * @param address {@code HOST:PORT} of its listener for other nodes
 * @param cutOff what it does once it is cut off
 * @param isAlive whether its lease lasts: otherwise it uses nothing without validation, unless its
 *     policy is {@code serve}
 * @param isDraining whether an operator wants it to get no traffic
 */
public record Member(
    String name,
    String group,
    String address,
    CutOff cutOff,
    String version,
    boolean isAlive,
    boolean isDraining) {

  /** A node that is not drained. */
  public Member(
      String name, String group, String address, CutOff cutOff, String version, boolean isAlive) {
    this(name, group, address, cutOff, version, isAlive, false);
  }

  /** Whether it is proven to use nothing that it has not validated. */
  public boolean isFenced() {
    return !isAlive && cutOff != CutOff.SERVE;
  }
}
