package io.forebay.server.origin;

import org.jspecify.annotations.Nullable;

/**
 * What a connection holds from before it is opened until it is closed: a place among those of its
 * origin and, once it is known where it goes, one among those of the server. It is handed from loop
 * to loop, and belongs to one at a time.
 *
 * <pre>
 *   OriginConnectionPermits ──► origin's place ──tryTake──► and the server's ──► connection
 *            ▲                       │ another server ◄──────┘                       │
 *            └── release: handed on to the pool that waited longest, or free ────────┘
 * </pre>
 */
final class ConnectionPermit {
  private final OriginConnectionPermits origin;
  private final int most;
  private @Nullable ServerConnections server;
  private int serverMost = Integer.MAX_VALUE;

  /**
   * A place that was counted.
   *
   * @param most places that the origin has
   */
  ConnectionPermit(OriginConnectionPermits origin, int most) {
    this.origin = origin;
    this.most = most;
  }

  int most() {
    return most;
  }

  /** Whether its place is one at that server already. */
  boolean isFor(EndpointPool endpoint) {
    return server == endpoint.serverConnections();
  }

  /** Takes a place at that server, in place of the one at another; or does nothing. */
  boolean tryTake(EndpointPool endpoint) {
    ServerConnections wanted = endpoint.serverConnections();
    if (server != wanted) {
      if (!wanted.tryAcquire(endpoint.maxConnections())) {
        return false;
      }
      boolean wasLimited = freeServer();
      server = wanted;
      serverMost = endpoint.maxConnections();
      if (wasLimited) {
        origin.wakeOthers(null);
      }
    }
    return true;
  }

  /** Whether there are more connections than there may be, since a reload. */
  boolean isOver() {
    ServerConnections at = server;
    return origin.open() > most || (at != null && at.open() > serverMost);
  }

  /** The connection is closed, or was never opened. */
  void release() {
    origin.release(this);
  }

  /** The pool has requests that wait, but none that can use this permit. */
  void returnUnused(OriginPool by) {
    origin.free(this);
    origin.wakeOthers(by);
  }

  /** Only by {@link OriginConnectionPermits}. */
  boolean freeServer() {
    ServerConnections at = server;
    server = null;
    if (at == null) {
      return false;
    }
    at.release();
    return serverMost != Integer.MAX_VALUE;
  }
}
