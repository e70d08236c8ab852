package io.forebay.server.origin;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The permits for connections to one origin, as many as its limit, shared by the pools of all event
 * loops; and the numbers of connections to its servers, which may have limits of their own.
 *
 * <p>No permit is lost to a loop that waits: a permit given up while some pool waits is not freed
 * but handed to the pool that waited longest. A pool announces that it waits (a volatile store)
 * before it tries for a permit once more, and a permit is freed (an atomic decrement) before the
 * freeing side looks for waiting pools once more; whatever the order of the two, one of them sees
 * the other.
 *
 * <p>Where servers have limits, a pool may get a permit that none of its requests can use: the
 * server is not one for them, and those that are have no place left. It frees the permit and then
 * tells the other pools that wait to look for themselves. These try only for what they can use, so
 * that no permit goes around in a circle.
 */
final class OriginConnectionPermits {
  /** Servers that are kept although no loop uses them now. */
  private static final int MAX_UNUSED = 64;

  private final BoundedCount open = new BoundedCount();
  private final WaitingLoops<OriginPool> pools = new WaitingLoops<>();
  private final ConcurrentHashMap<String, ServerConnections> servers = new ConcurrentHashMap<>();

  int open() {
    return open.get();
  }

  /** Idle connections of all loops, about. */
  int idle() {
    int idle = 0;
    for (OriginPool pool : pools.all()) {
      idle += pool.idleCount();
    }
    return idle;
  }

  void join(OriginPool pool) {
    pools.join(pool);
  }

  void leave(OriginPool pool) {
    pools.leave(pool);
  }

  // Servers.

  /** The connections to the server of that URL, for an endpoint that uses it from now on. */
  ServerConnections useServer(String url) {
    ServerConnections[] used = new ServerConnections[1];
    servers.compute(
        url,
        (key, known) -> {
          ServerConnections server = known == null ? new ServerConnections() : known;
          server.users++;
          used[0] = server;
          return server;
        });
    return used[0];
  }

  /** An endpoint no longer uses the server; its connections count until they are closed. */
  void leaveServer(String url) {
    servers.computeIfPresent(
        url,
        (key, known) -> {
          known.users--;
          return known;
        });
    if (servers.size() > MAX_UNUSED) {
      for (String each : servers.keySet()) {
        servers.computeIfPresent(
            each, (key, known) -> known.users == 0 && known.open() == 0 ? null : known);
      }
    }
  }

  /** Connections to the server of that URL now. */
  int open(String url) {
    ServerConnections server = servers.get(url);
    return server == null ? 0 : server.open();
  }

  // Permits.

  /** A permit for a connection to a server that is not chosen yet, or null. */
  @Nullable ConnectionPermit tryAcquire(int most) {
    return open.tryIncrement(most) ? new ConnectionPermit(this, most) : null;
  }

  /** Frees a permit, or passes it to the longest waiting request. */
  void release(ConnectionPermit permit) {
    if (!permit.isOver() && grant(permit)) {
      return;
    }
    free(permit);
    while (longestWaiting(null) != null) {
      ConnectionPermit another = tryAcquire(permit.most());
      if (another == null || grant(another)) {
        return;
      }
      free(another);
    }
  }

  void free(ConnectionPermit permit) {
    permit.freeServer();
    open.decrement();
  }

  private boolean grant(ConnectionPermit permit) {
    return pools.tellLongest(pool -> pool.onGranted(permit));
  }

  /** Tells pools that wait that a place may have become free. */
  void wakeOthers(@Nullable OriginPool except) {
    for (OriginPool pool : pools.all()) {
      if (pool != except && pool.waitingSinceNanos() != WaitingCalls.NOT_WAITING) {
        pools.tell(pool, OriginPool::serveWaiting);
      }
    }
  }

  /** The pool, other than one, whose oldest request has waited longest; null if none waits. */
  @Nullable OriginPool longestWaiting(@Nullable OriginPool except) {
    return pools.longest(except);
  }

  /**
   * Asks loops that keep idle connections to close one, because another loop waits.
   *
   * @param isAny whether any idle connection will do; else each loop is asked, and closes one if it
   *     is to a server without a place left
   */
  void askForIdle(OriginPool waiting, boolean isAny) {
    for (OriginPool pool : pools.all()) {
      if (pool != waiting
          && pool.idleCount() > 0
          && pools.tell(pool, OriginPool::yieldIdle)
          && isAny) {
        return;
      }
    }
  }
}
