package io.forebay.server.origin;

import java.util.concurrent.ConcurrentHashMap;

/**
 * The connections of the whole node, counted for each origin, so that a cap holds over all loops.
 * Shared by them, one instance a node.
 */
public final class OriginConnections {
  private final ConcurrentHashMap<String, OriginSlots> byOrigin = new ConcurrentHashMap<>();

  public OriginConnections() {}

  OriginSlots slots(String origin) {
    return byOrigin.computeIfAbsent(origin, name -> new OriginSlots());
  }

  /** Connections open or being opened to an origin now. */
  public int open(String origin) {
    OriginSlots slots = byOrigin.get(origin);
    return slots == null ? 0 : slots.open();
  }
}
