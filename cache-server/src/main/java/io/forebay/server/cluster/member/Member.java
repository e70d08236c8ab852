package io.forebay.server.cluster.member;

import io.forebay.server.config.ClusterConfig.CutOff;
import org.jspecify.annotations.Nullable;

/**
 * A node as etcd has it.
 *
 * @param address {@code HOST:PORT} of its listener for other nodes
 * @param cutOff what it does once it is cut off
 * @param isAlive whether its lease lasts: otherwise it uses nothing without validation, unless its
 *     policy is {@code serve}
 * @param isDraining whether an operator wants it to get no traffic
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

  /** One that is not drained and shares no objects. */
  public Member(
      String name, String group, String address, CutOff cutOff, String version, boolean isAlive) {
    this(name, group, address, cutOff, version, isAlive, false, null);
  }

  /** Whether it is proven to use nothing that it has not validated. */
  public boolean isFenced() {
    return !isAlive && cutOff != CutOff.SERVE;
  }
}
