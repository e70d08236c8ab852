package io.forebay.server.origin;

import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The permits for connections to one origin, as many as its limit, shared by the pools of all event
 * loops.
 *
 * <p>No slot is lost to a loop that waits: a slot given up while some pool waits is not freed but
 * handed to the pool that waited longest. A pool announces that it waits (a volatile store) before
 * it tries for a slot once more, and a slot is freed (an atomic decrement) before the freeing side
 * looks for waiting pools once more; whatever the order of the two, one of them sees the other.
 */
final class OriginConnectionPermits {
  private final AtomicInteger open = new AtomicInteger();
  private final CopyOnWriteArrayList<OriginPool> pools = new CopyOnWriteArrayList<>();

  int open() {
    return open.get();
  }

  /** Idle connections of all loops, about. */
  int idle() {
    int idle = 0;
    for (OriginPool pool : pools) {
      idle += pool.idleCount();
    }
    return idle;
  }

  void join(OriginPool pool) {
    pools.add(pool);
  }

  void leave(OriginPool pool) {
    pools.remove(pool);
  }

  boolean tryAcquire(int most) {
    int count = open.get();
    while (count < most) {
      int seen = open.compareAndExchange(count, count + 1);
      if (seen == count) {
        return true;
      }
      count = seen;
    }
    return false;
  }

  /** Returns a permit, or passes it to the longest waiting request. */
  void release(int most) {
    if (open.get() <= most && grant()) {
      return;
    }
    open.decrementAndGet();
    while (longestWaiting(null) != null && tryAcquire(most)) {
      if (grant()) {
        return;
      }
      open.decrementAndGet();
    }
  }

  private boolean grant() {
    OriginPool waiting = longestWaiting(null);
    if (waiting == null) {
      return false;
    }
    try {
      waiting.loop().execute(waiting::onSlotGranted);
      return true;
    } catch (RejectedExecutionException e) {
      // That loop has stopped; its pool waits for nothing any more.
      pools.remove(waiting);
      return grant();
    }
  }

  /** The pool, other than one, whose oldest request has waited longest; null if none waits. */
  @Nullable OriginPool longestWaiting(@Nullable OriginPool except) {
    OriginPool longest = null;
    long longestSince = 0;
    for (OriginPool pool : pools) {
      long since = pool.waitingSinceNanos();
      if (pool != except
          && since != OriginPool.NOT_WAITING
          && (longest == null || since - longestSince < 0)) {
        longest = pool;
        longestSince = since;
      }
    }
    return longest;
  }

  /** Asks one loop that keeps an idle connection to close it, because another loop waits. */
  void askForIdle(OriginPool waiting) {
    for (OriginPool pool : pools) {
      if (pool != waiting && pool.idleCount() > 0) {
        try {
          pool.loop().execute(pool::yieldIdle);
          return;
        } catch (RejectedExecutionException e) {
          pools.remove(pool);
        }
      }
    }
  }
}
