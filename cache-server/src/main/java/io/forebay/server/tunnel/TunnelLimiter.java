package io.forebay.server.tunnel;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many tunnels the node has, offers on their way to an origin included (I5). One instance a
 * node; any loop.
 */
public final class TunnelLimiter {
  private final AtomicInteger taken = new AtomicInteger();

  public TunnelLimiter() {}

  /** Takes a place if fewer than {@code most} are taken. */
  public boolean take(int most) {
    if (taken.incrementAndGet() > most) {
      taken.decrementAndGet();
      return false;
    }
    return true;
  }

  public void giveBack() {
    taken.decrementAndGet();
  }

  public int taken() {
    return taken.get();
  }
}
