package io.forebay.server.listen.connection;

import io.forebay.server.config.ServerConfig.TimeoutsConfig;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.counters.LoopCounters;

/**
 * Detects stalls of an HTTP/2 or HTTP/3 client: on the connection as a whole, and on each of its
 * streams. The connection checks every {@link #lookNanos}. Confined to the event loop of its
 * connection.
 */
public final class StreamProgress {

  private final LoopCounters counters;
  private long noProgressNanos;
  private long lookNanos;
  private long keepAliveNanos;
  private int stuckLooks;
  private long lastSigns;

  public StreamProgress(LoopCounters counters, TimeoutsConfig timeouts) {
    this.counters = counters;
    noProgressNanos = timeouts.noProgress().toNanos();
    lookNanos =
        Math.min(noProgressNanos / StallDetector.LOOKS, timeouts.requestBodyIdle().toNanos());
    keepAliveNanos = timeouts.keepAlive().toNanos();
  }

  /**
   * The limits of a route hold from now on, where they are stricter.
   *
   * @return whether the connection has to look more often
   */
  public boolean tighten(long ofNoProgress, long ofKeepAlive) {
    keepAliveNanos = Math.min(keepAliveNanos, ofKeepAlive);
    if (ofNoProgress >= noProgressNanos) {
      return false;
    }
    noProgressNanos = ofNoProgress;
    stuckLooks = 0;
    long look = Math.min(lookNanos, ofNoProgress / StallDetector.LOOKS);
    boolean isShorter = look < lookNanos;
    lookNanos = look;
    return isShorter;
  }

  /** How long the connection stays without a request. */
  public long keepAliveNanos() {
    return keepAliveNanos;
  }

  public long lookNanos() {
    return lookNanos;
  }

  /**
   * Looks at the connection; whether the client has taken nothing of it for too long.
   *
   * @param hasWaiting whether anything waits that the client has to make room for
   * @param signs a number that changes whenever the client takes something
   */
  public boolean isStuck(boolean hasWaiting, long signs) {
    stuckLooks = hasWaiting && signs == lastSigns ? stuckLooks + 1 : 0;
    lastSigns = signs;
    return stuckLooks * lookNanos >= noProgressNanos;
  }

  /**
   * Looks at one stream; whether the client has taken nothing of it for too long.
   *
   * @param isShut whether something of it waits and the client makes no room for that
   */
  public boolean isStuck(RequestStream<?> stream, boolean isShut) {
    // A little later than a connection on which nothing moves at all is cut for it.
    return stream.windowClosedNanos(isShut, lookNanos) >= noProgressNanos + 2 * lookNanos;
  }

  /** Counts a connection or a stream that is given up because of it. */
  public void countStalled() {
    counters.stalledClosed++;
    counters.hit(LimitKey.NO_PROGRESS);
  }
}
