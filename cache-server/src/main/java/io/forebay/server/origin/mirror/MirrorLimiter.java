package io.forebay.server.origin.mirror;

import java.util.concurrent.atomic.AtomicInteger;

/** Bounds the copies of requests that are in progress in the whole node. Any thread. */
public final class MirrorLimiter {
  /** Copies in progress at most; further ones are dropped. */
  public static final int MAX = 256;

  private final AtomicInteger inProgress = new AtomicInteger();

  boolean tryBegin() {
    if (inProgress.incrementAndGet() <= MAX) {
      return true;
    }
    inProgress.decrementAndGet();
    return false;
  }

  void end() {
    inProgress.decrementAndGet();
  }

  /** Copies in progress. */
  public int inProgress() {
    return inProgress.get();
  }
}
