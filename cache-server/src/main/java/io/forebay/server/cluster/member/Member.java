package io.forebay.server.cluster.member;

import io.forebay.server.config.ClusterConfig.CutOff;
import org.jspecify.annotations.Nullable;

/**
 * A node of the cluster, from its keys in etcd.
 *
 * @param address {@code HOST:PORT} of its listener for other nodes
 * @param cutOff its policy when it is cut off
 * @param isAlive whether its lease lasts. A node without a lease validates stored objects before it
 *     uses them, unless its policy is {@code serve}
 * @param isDraining whether an operator drains it
 * @param share null where it shares no objects
 */
public record Member(
    String name,
    String group,
    String address,
    CutOff cutOff,
    String version,
    boolean isAlive,
    boolean isDraining,
    @Nullable ObjectSharing share) {

  /** A node that is not drained and shares no objects. */
  public Member(
      String name, String group, String address, CutOff cutOff, String version, boolean isAlive) {
    this(name, group, address, cutOff, version, isAlive, false, null);
  }

  /** Whether it certainly validates stored objects before it uses them. */
  public boolean isFenced() {
    return !isAlive && cutOff != CutOff.SERVE;
  }
}
