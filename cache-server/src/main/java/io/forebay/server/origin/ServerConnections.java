package io.forebay.server.origin;

/**
 * How many connections there are to one server of an origin, over its addresses and all event
 * loops. It is counted also where nothing limits it, so that a reload can.
 */
final class ServerConnections {
  private final BoundedCount open = new BoundedCount();

  /** Endpoints of loops that use it; changed by {@link OriginConnectionPermits} alone. */
  int users;

  /** Open or being opened. */
  int open() {
    return open.get();
  }

  boolean tryAcquire(int most) {
    return open.tryIncrement(most);
  }

  /** Only by a {@link ConnectionPermit}. */
  void release() {
    open.decrement();
  }
}
