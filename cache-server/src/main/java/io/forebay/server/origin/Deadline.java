package io.forebay.server.origin;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A deadline that can be postponed, confined to one event loop. Postponing costs one store: the
 * scheduled task runs, finds that it is early and schedules the rest. A connection with a thousand
 * short responses a second therefore has one task, not a thousand.
 */
final class Deadline {
  private final EventLoop loop;
  private final Runnable onPassed;

  private boolean isSet;
  private long atNanos;
  private @Nullable Future<?> scheduled;
  private long scheduledAtNanos;

  Deadline(EventLoop loop, Runnable onPassed) {
    this.loop = loop;
    this.onPassed = onPassed;
  }

  long nowNanos() {
    return loop.ticker().nanoTime();
  }

  void in(long nanos) {
    atNanos = nowNanos() + nanos;
    isSet = true;
    if (scheduled == null) {
      schedule(nanos);
    } else if (scheduledAtNanos - atNanos > 0) {
      scheduled.cancel(false);
      schedule(nanos);
    }
  }

  /** Nanoseconds left, 0 once passed; only meaningful while set. */
  long remainingNanos() {
    return Math.max(0, atNanos - nowNanos());
  }

  /** Nothing is due any more; the task stays, to be reused by the next {@link #in}. */
  void clear() {
    isSet = false;
  }

  /** Nothing will ever be due: lets go of the task. */
  void stop() {
    isSet = false;
    if (scheduled != null) {
      scheduled.cancel(false);
      scheduled = null;
    }
  }

  private void schedule(long nanos) {
    scheduledAtNanos = atNanos;
    scheduled = loop.schedule(this::wake, nanos, TimeUnit.NANOSECONDS);
  }

  private void wake() {
    scheduled = null;
    if (!isSet) {
      return;
    }
    long remaining = atNanos - nowNanos();
    if (remaining > 0) {
      schedule(remaining);
    } else {
      isSet = false;
      onPassed.run();
    }
  }
}
