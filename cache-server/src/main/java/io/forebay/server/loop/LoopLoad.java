package io.forebay.server.loop;

import io.forebay.server.config.ServerConfig.OverloadConfig;

/**
 * Detects the overload of one event loop by the delay of a periodic task: everything else on the
 * loop is delayed as long. While it lasts, expensive work is rejected: new connections, and
 * requests that need an origin. Hits continue.
 *
 * <p>Owner: the loop.
 */
public final class LoopLoad {

  /** The weight of a tick, of which there are ten a second: the average forgets in about one. */
  private static final int TICKS = 8;

  private long delayNanos;
  private long averageNanos;
  private boolean isShedding;

  public LoopLoad(OverloadConfig config) {
    delayNanos = config.delay().toNanos();
  }

  public void reconfigure(OverloadConfig config) {
    delayNanos = config.delay().toNanos();
  }

  /** The loop came that late to its tick. */
  public void onTick(long lateNanos) {
    // A single long pause, such as a stopped machine, is over when it is seen.
    long sample = Math.clamp(lateNanos, 0, 2 * delayNanos);
    averageNanos += (sample - averageNanos) / TICKS;
    isShedding =
        delayNanos > 0 && (isShedding ? averageNanos > delayNanos / 2 : averageNanos > delayNanos);
  }

  /** Whether expensive work is to be rejected now. */
  public boolean isShedding() {
    return isShedding;
  }
}
