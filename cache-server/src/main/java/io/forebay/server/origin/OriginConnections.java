package io.forebay.server.origin;

import java.util.concurrent.ConcurrentHashMap;

/**
 * The connections of the whole node, counted for each origin, so that a cap holds over all loops.
 * Shared by them, one instance a node.
 */
public final class OriginConnections {
  private final ConcurrentHashMap<String, OriginConnectionPermits> byOrigin =
      new ConcurrentHashMap<>();

  public OriginConnections() {}

  OriginConnectionPermits slots(String origin) {
    return byOrigin.computeIfAbsent(origin, name -> new OriginConnectionPermits());
  }

  /** Connections open or being opened to an origin now. */
  public int open(String origin) {
    OriginConnectionPermits slots = byOrigin.get(origin);
    return slots == null ? 0 : slots.open();
  }
}
