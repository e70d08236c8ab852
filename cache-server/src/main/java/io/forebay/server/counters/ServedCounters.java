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

  private final long[] routeRequests = new long[NameTable.SIZE * RESULTS];
  private final long[] routeBytes = new long[NameTable.SIZE * RESULTS];
  private final long[] listenerRequests = new long[NameTable.SIZE * PROTOCOLS];
  private final long[] listenerBytes = new long[NameTable.SIZE * PROTOCOLS];

  /** Cell of a listener, by its number in {@link CounterNames#listeners()}, and a protocol. */
  public static int listenerCell(int listener, Protocol protocol) {
    return listener * PROTOCOLS + protocol.ordinal();
  }

  /** The cell of the same listener for another protocol. */
  public static int otherProtocol(int listenerCell, Protocol protocol) {
    return listenerCell(listenerCell / PROTOCOLS, protocol);
  }

  /**
   * Counts a request.
   *
   * @param route number in {@link CounterNames#routes()}
   * @param listenerCell as {@link #listenerCell} gives it
   * @param bodyBytes sent to the client
   */
  public void count(int route, int listenerCell, CacheResult result, long bodyBytes) {
    int cell = route * RESULTS + result.ordinal();
    routeRequests[cell]++;
    routeBytes[cell] += bodyBytes;
    listenerRequests[listenerCell]++;
    listenerBytes[listenerCell] += bodyBytes;
  }

  public long routeRequests(int route, CacheResult result) {
    return routeRequests[route * RESULTS + result.ordinal()];
  }

  public long routeBytes(int route, CacheResult result) {
    return routeBytes[route * RESULTS + result.ordinal()];
  }

  public long listenerRequests(int listener, Protocol protocol) {
    return listenerRequests[listenerCell(listener, protocol)];
  }

  public long listenerBytes(int listener, Protocol protocol) {
    return listenerBytes[listenerCell(listener, protocol)];
  }

  /** Body bytes of all routes. */
  public long bytes(CacheResult result) {
    long sum = 0;
    for (int cell = result.ordinal(); cell < routeBytes.length; cell += RESULTS) {
      sum += routeBytes[cell];
    }
    return sum;
  }
}
