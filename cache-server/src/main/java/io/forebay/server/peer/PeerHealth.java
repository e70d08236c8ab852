package io.forebay.server.peer;

import java.util.concurrent.TimeUnit;

/**
 * Decides whether a node is asked. After three failures in a row the node is out for a second; then
 * one request probes it. Each failed probe doubles the time, up to 30 s. Shared by all loops.
 */
final class PeerHealth {
  static final int FAILURES = 3;
  private static final long MAX_OUT_SECONDS = 30;
  private static final int MAX_DOUBLINGS = 5;

  private int failures;
  private int times;
  private long outUntilNanos;
  private boolean isProbing;

  /** Whether the node is out, and a probe is in progress or not yet due. */
  synchronized boolean isOut(long nowNanos) {
    return times > 0 && (isProbing || nowNanos - outUntilNanos < 0);
  }

  /**
   * Whether a request may be sent now. A node that is out gets one request at a time, as a probe.
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

  /** Records a failure; true if the node is out from now on and was not before. */
  synchronized boolean failed(long nowNanos) {
    failures = Math.min(failures + 1, FAILURES);
    boolean wasIn = times == 0;
    boolean isProbe = isProbing;
    isProbing = false;
    if (failures < FAILURES || (!wasIn && !isProbe)) {
      // The request was sent before the node was out: its failure is no news.
      return false;
    }
    long seconds = Math.min(MAX_OUT_SECONDS, 1L << Math.min(times, MAX_DOUBLINGS));
    times++;
    outUntilNanos = nowNanos + TimeUnit.SECONDS.toNanos(seconds);
    return wasIn;
  }

  /** Records that a request has ended without an outcome. */
  synchronized void givenUp() {
    isProbing = false;
  }
}
