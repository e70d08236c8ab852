package io.forebay.server.counters;

import io.forebay.server.counters.LoopCounters.CacheResult;

/**
 * Counts one event loop's responses and their body bytes, by route and cache result and by listener
 * and protocol. Fixed arrays, so counting is four additions. Written and read as {@link
 * LoopCounters}.
 */
public final class ServedCounters {
  private static final int RESULTS = CacheResult.values().length;
  private static final int PROTOCOLS = Protocol.values().length;

  /** Longs of a cell: requests, then bytes, in one line of the processor's cache. */
  private static final int CELL = 2;

  private final long[] routes = new long[NameTable.SIZE * RESULTS * CELL];
  private final long[] listeners = new long[NameTable.SIZE * PROTOCOLS * CELL];

  /** Cell of a listener, by its number in {@link CounterNames#listeners()}, and a protocol. */
  public static int listenerCell(int listener, Protocol protocol) {
    return (listener * PROTOCOLS + protocol.ordinal()) * CELL;
  }

  /** The cell of the same listener for another protocol. */
  public static int otherProtocol(int listenerCell, Protocol protocol) {
    return listenerCell(listenerCell / (PROTOCOLS * CELL), protocol);
  }

  /**
   * Counts a request.
   *
   * @param route number in {@link CounterNames#routes()}
   * @param listenerCell as {@link #listenerCell} gives it
   * @param bodyBytes sent to the client
   */
  public void count(int route, int listenerCell, CacheResult result, long bodyBytes) {
    int routeCell = routeCell(route, result);
    routes[routeCell]++;
    routes[routeCell + 1] += bodyBytes;
    listeners[listenerCell]++;
    listeners[listenerCell + 1] += bodyBytes;
  }

  private static int routeCell(int route, CacheResult result) {
    return (route * RESULTS + result.ordinal()) * CELL;
  }

  public long routeRequests(int route, CacheResult result) {
    return routes[routeCell(route, result)];
  }

  public long routeBytes(int route, CacheResult result) {
    return routes[routeCell(route, result) + 1];
  }

  public long listenerRequests(int listener, Protocol protocol) {
    return listeners[listenerCell(listener, protocol)];
  }

  public long listenerBytes(int listener, Protocol protocol) {
    return listeners[listenerCell(listener, protocol) + 1];
  }

  /** Body bytes of all routes. */
  public long bytes(CacheResult result) {
    long sum = 0;
    for (int route = 0; route < NameTable.SIZE; route++) {
      sum += routeBytes(route, result);
    }
    return sum;
  }
}
