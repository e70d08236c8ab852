package io.forebay.server.origin;

import java.util.concurrent.atomic.AtomicInteger;

/** A number that stays within a limit which its users bring. Any thread. */
final class BoundedCount {
  private final AtomicInteger count = new AtomicInteger();

  int get() {
    return count.get();
  }

  /** Counts one more, unless that would be more than {@code most}. */
  boolean tryIncrement(int most) {
    int seen = count.get();
    while (seen < most) {
      int found = count.compareAndExchange(seen, seen + 1);
      if (found == seen) {
        return true;
      }
      seen = found;
    }
    return false;
  }

  void decrement() {
    count.decrementAndGet();
  }
}
