package io.forebay.server.loop;

import io.forebay.server.config.ServerConfig.OverloadConfig;

/**
 * Whether one loop can keep up, told by how late it comes to a task of its own: everything else
 * that waits for the loop waits as long. While it cannot, what is dear is turned away: new
 * connections, and requests that an origin would have to be asked for; hits go on.
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

  /** Whether what is dear is to be turned away now. */
  public boolean isShedding() {
    return isShedding;
  }
}
