package io.forebay.server.peer;

import java.util.concurrent.TimeUnit;

/**
 * Whether a node is asked, by how it has answered: after three failures in a row it is out for a
 * second, then for twice as long after each failed probe, at most 30 s. Then one request finds out.
 * Shared by all loops.
 */
final class PeerHealth {
  static final int FAILURES = 3;
  private static final long MAX_OUT_SECONDS = 30;
  private static final int MAX_DOUBLINGS = 5;

  private int failures;
  private int times;
  private long outUntilNanos;
  private boolean isProbing;

  /** Whether it is out, and it is not yet time for a probe, or one is in progress. */
  synchronized boolean isOut(long nowNanos) {
    return times > 0 && (isProbing || nowNanos - outUntilNanos < 0);
  }

  /**
   * Whether a request may be sent now; one that is out has to answer it before there is another.
   */
  synchronized boolean tryAsk(long nowNanos) {
    if (isOut(nowNanos)) {
      return false;
    }
    isProbing = times > 0;
    return true;
  }

  synchronized void succeeded() {
    failures = 0;
    times = 0;
    isProbing = false;
  }

  /** Returns whether it is out from now on, and was not before. */
  synchronized boolean failed(long nowNanos) {
    failures = Math.min(failures + 1, FAILURES);
    boolean wasIn = times == 0;
    boolean isProbe = isProbing;
    isProbing = false;
    if (failures < FAILURES || (!wasIn && !isProbe)) {
      // What was sent before it was out says nothing new.
      return false;
    }
    long seconds = Math.min(MAX_OUT_SECONDS, 1L << Math.min(times, MAX_DOUBLINGS));
    times++;
    outUntilNanos = nowNanos + TimeUnit.SECONDS.toNanos(seconds);
    return wasIn;
  }

  /** A request has ended without an outcome. */
  synchronized void givenUp() {
    isProbing = false;
  }
}
