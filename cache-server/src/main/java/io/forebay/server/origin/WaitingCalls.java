package io.forebay.server.origin;

import io.forebay.server.counters.LimitKey;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.Priority;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one event loop that wait at a limit of their origin: at most {@code max-waiting},
 * for {@code timeouts.connect}, and not while no endpoint can be expected to answer. Confined to
 * the loop, except the number that other loops read.
 */
final class WaitingCalls implements WaitQueue {
  static final long NOT_WAITING = Long.MIN_VALUE;

  /** How often it is looked whether those that wait still have something to wait for. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final OriginPool pool;
  private final Limit limit;
  private final CallQueue queue = new CallQueue();
  private final Deadline lookAgain;

  // Written by the loop, read by others; see OriginConnectionPermits for what the order of writes
  // guarantees.
  private volatile long sinceNanos = NOT_WAITING;

  /** What the calls wait at. */
  interface Limit {

    LimitKey key();

    /** What a call fails with, and what of the wait ended so. */
    OriginFailure reached(String then);

    /** Whether waiting leads to nothing, as no endpoint can be expected to answer. */
    boolean isHopeless();

    /** It was not told of anything for a while; there may be a way on for calls. */
    void look();

    /** Calls begin to wait, or none does any more. */
    void onWaiting(boolean isAny);
  }

  WaitingCalls(OriginPool pool, Limit limit) {
    this.pool = pool;
    this.limit = limit;
    this.lookAgain = new Deadline(pool.loop(), this::look);
  }

  /** Since when the first counts as waiting; any thread. */
  long sinceNanos() {
    return sinceNanos;
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  /** Whose turn it is; null if none waits. */
  @Nullable PooledCall first() {
    return queue.first();
  }

  /** Whose turn it is among those that fit; null if none does. */
  @Nullable PooledCall first(Predicate<PooledCall> fits) {
    return queue.first(fits);
  }

  /**
   * Lets a call wait, or fails it or a less urgent one.
   *
   * @param spare how many may wait beyond the bound
   * @return whether it waits
   */
  boolean add(PooledCall call, int spare) {
    if (limit.isHopeless()) {
      call.assign(null);
      call.fail(pool.endpoints().sick());
      return false;
    }
    if (call.request().priority() == Priority.PREFETCH) {
      call.assign(null);
      call.fail(limit.reached("and fetches ahead of clients do not wait"));
      return false;
    }
    int most = pool.origin().config().protection().maxWaiting();
    PooledCall lower = null;
    if (queue.size() >= most && queue.size() >= most + spare) {
      pool.client().counters().hit(limit.key());
      lower = queue.lastBelow(call.request().priority());
      if (lower == null) {
        call.fail(
            limit.reached(
                most == 0
                    ? "and no request may wait"
                    : "and " + most + " requests are already waiting"));
        return false;
      }
      removeWaiting(lower);
    }
    if (queue.isEmpty()) {
      limit.onWaiting(true);
      lookAgain.in(LOOK_NANOS);
    }
    queue.add(call);
    call.onQueued(this, pool.loop().ticker().nanoTime(), pool.origin().config().connectTimeout());
    announceFirst();
    if (lower != null) {
      lower.fail(limit.reached("and " + most + " more urgent requests are waiting"));
    }
    return true;
  }

  @Override
  public void removeWaiting(PooledCall call) {
    queue.remove(call);
    call.onDequeued();
    announceFirst();
    if (queue.isEmpty()) {
      lookAgain.clear();
      limit.onWaiting(false);
    }
  }

  private void announceFirst() {
    PooledCall first = queue.first();
    sinceNanos = first == null ? NOT_WAITING : first.waitingSinceNanos();
  }

  void failAll(OriginFailure failure) {
    PooledCall next = queue.first();
    while (next != null) {
      removeWaiting(next);
      next.assign(null);
      next.fail(failure);
      next = queue.first();
    }
  }

  /**
   * Servers were ejected, failed their probes or were drained since the calls began to wait, or
   * others can be used again; loops are not told of all that, so they look.
   */
  private void look() {
    if (limit.isHopeless()) {
      failAll(pool.endpoints().sick());
      return;
    }
    limit.look();
    if (!queue.isEmpty()) {
      lookAgain.in(LOOK_NANOS);
    }
  }

  @Override
  public OriginFailure waitedTooLong(Duration timeout) {
    return limit.reached("and none became free within " + timeout.toMillis() + " ms");
  }
}
