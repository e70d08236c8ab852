package io.forebay.server.origin;

/** A connection to an endpoint as its pools see it. It holds a permit while it is open. */
interface PooledConnection {

  EndpointPool endpoint();

  /** Whether a call may be started on it, now or later. */
  boolean isUsable();

  /** Whether that call may be started on it now. */
  boolean canServe(PooledCall call);

  /** Connected, and the permit is its own from now on. */
  void onOpen(ConnectionPermit permit);

  void start(PooledCall call);

  /** It has no call, and is kept for at most so long. */
  void onKept(long keepNanos);

  void close();
}
