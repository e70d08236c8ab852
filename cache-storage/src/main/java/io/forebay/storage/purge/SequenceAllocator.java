package io.forebay.storage.purge;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Allocates the node's 64-bit sequence numbers from blocks that are durably reserved before use, so
 * every start continues above all numbers assigned before.
 */
final class SequenceAllocator {
  static final long BLOCK = 1 << 20;

  private final AtomicLong next;
  private final Runnable onLow;
  private volatile long limit;

  SequenceAllocator(long first, Runnable onLow) {
    this.next = new AtomicLong(first);
    this.limit = first;
    this.onLow = onLow;
  }

  /** Any thread; -1 if nothing is reserved. */
  long take() {
    // Checked first, so that a failing call uses no numbers up.
    if (next.get() >= limit) {
      onLow.run();
      return -1;
    }
    long taken = next.getAndIncrement();
    if (taken >= limit) {
      onLow.run();
      return -1;
    }
    if (taken == limit - BLOCK / 2) {
      onLow.run();
    }
    return taken;
  }

  boolean isLow() {
    return next.get() >= limit - BLOCK / 2;
  }

  /** What to reserve next. */
  long wanted() {
    return Math.max(next.get(), limit) + BLOCK;
  }

  /** Everything below is on disk as reserved. */
  void reserved(long newLimit) {
    limit = Math.max(limit, newLimit);
  }

  long limit() {
    return limit;
  }
}
