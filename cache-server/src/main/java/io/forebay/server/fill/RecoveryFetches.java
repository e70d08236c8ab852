package io.forebay.server.fill;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bounds how many requests at once ask origins for what the store may still turn out to have: after
 * an unclean stop the index is rebuilt while requests come, and each is a miss until its key is
 * known. Any thread.
 */
public final class RecoveryFetches {
  private final AtomicInteger running = new AtomicInteger();
  private volatile int limit;

  /** At most so many; 0: no bound. Requests beyond a lower one go on. */
  public void limit(int requests) {
    limit = requests;
  }

  public boolean isLimited() {
    return limit != 0;
  }

  /** Whether one request more may ask an origin. It says so with {@link #end} when done. */
  public boolean tryBegin() {
    int bound = limit;
    if (running.incrementAndGet() <= bound || bound == 0) {
      return true;
    }
    running.decrementAndGet();
    return false;
  }

  public void end() {
    running.decrementAndGet();
  }

  /** Requests that ask now. */
  public int running() {
    return running.get();
  }
}
