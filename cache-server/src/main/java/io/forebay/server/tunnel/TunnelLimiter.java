package io.forebay.server.tunnel;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Limits the number of tunnels, including pending upgrade requests (I5). One instance per node; any
 * event loop.
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
