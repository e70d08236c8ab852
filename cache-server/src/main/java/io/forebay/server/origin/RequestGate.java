package io.forebay.server.origin;

import io.forebay.server.counters.LimitKey;
import io.forebay.server.origin.call.OriginFailure;
import io.netty.channel.EventLoop;

/**
 * What requests to an origin with an adaptive limit pass on one event loop before anything is done
 * for them. A request counts from then until it is over, however often it is sent again; as a
 * tunnel it no longer counts. Confined to the loop.
 *
 * <pre>
 *   call ──► permit? ──yes──────────────────────────► OriginPool ──► endpoint, connection
 *               └─no─► WaitingCalls ──permit granted──►┘
 * </pre>
 */
final class RequestGate implements WaitingCalls.Limit, WaitingLoops.Member {
  private final OriginPool pool;
  private final RequestPermits permits;
  private final WaitingCalls waiting;
  private boolean isRetired;

  RequestGate(OriginPool pool, RequestPermits permits) {
    this.pool = pool;
    this.permits = permits;
    this.waiting = new WaitingCalls(pool, this);
    permits.gates().join(this);
  }

  @Override
  public EventLoop loop() {
    return pool.loop();
  }

  @Override
  public long waitingSinceNanos() {
    return waiting.sinceNanos();
  }

  /** Sends a call, at once or when there is a permit for it. */
  void submit(PooledCall call) {
    if (waiting.isEmpty() && permits.tryAcquire()) {
      pass(call);
    } else if (waiting.add(call, 0) && permits.tryAcquire()) {
      onGranted();
    }
  }

  /**
   * Lets a call pass that cannot wait.
   *
   * @param isOptional whether it passes only if there is a permit that no other request waits for;
   *     else it counts beyond the limit
   */
  boolean passNow(PooledCall call, boolean isOptional) {
    if (!isOptional) {
      permits.acquire();
    } else if (!waiting.isEmpty() || !permits.tryAcquire()) {
      return false;
    }
    call.onAdmitted(permits);
    return true;
  }

  /** There is a permit for the call that has waited longest. */
  void onGranted() {
    PooledCall next = waiting.first();
    if (next == null) {
      permits.release();
    } else {
      waiting.removeWaiting(next);
      pass(next);
    }
  }

  private void pass(PooledCall call) {
    call.onAdmitted(permits);
    pool.sendAdmitted(call);
  }

  void failWaiting(OriginFailure failure) {
    waiting.failAll(failure);
  }

  /** No new calls come; those that wait are still sent. */
  void retire() {
    isRetired = true;
    if (waiting.isEmpty()) {
      permits.gates().leave(this);
    }
  }

  @Override
  public void onWaiting(boolean isAny) {
    if (isRetired && isAny) {
      permits.gates().join(this);
    } else if (isRetired) {
      permits.gates().leave(this);
    }
  }

  @Override
  public boolean isHopeless() {
    return pool.endpoints().isSick();
  }

  @Override
  public void look() {
    if (permits.tryAcquire()) {
      onGranted();
    }
  }

  @Override
  public LimitKey key() {
    return LimitKey.ORIGIN_ADAPTIVE_LIMIT;
  }

  @Override
  public OriginFailure reached(String then) {
    return new OriginFailure(
        OriginFailure.Kind.TOO_MANY_REQUESTS,
        pool.origin().label()
            + ": all "
            + permits.limit().limit()
            + " requests of the adaptive limit are in progress "
            + then);
  }
}
