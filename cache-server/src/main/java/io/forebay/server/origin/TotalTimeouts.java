package io.forebay.server.origin;

import io.netty.channel.EventLoop;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one event loop that have one total timeout, in the order in which they began: one
 * timer does for all of them. Nearly all calls end in time, and so cost no timer.
 *
 * <p>Confined to the loop.
 */
final class TotalTimeouts {
  private final Duration timeout;
  private final long timeoutNanos;
  private final Deadline deadline;
  private @Nullable Timed first;
  private @Nullable Timed last;

  /** A call, or none of these any more. */
  abstract static class Timed {
    private @Nullable TotalTimeouts in;
    private @Nullable Timed before;
    private @Nullable Timed after;
    private long dueNanos;

    /** It has taken that long, and is not among the others any more. */
    abstract void onTotalTimeout(Duration timeout);

    /** It is over. */
    final void leaveTimeouts() {
      if (in != null) {
        in.remove(this);
      }
    }
  }

  TotalTimeouts(EventLoop loop, Duration timeout) {
    this.timeout = timeout;
    this.timeoutNanos = timeout.toNanos();
    this.deadline = new Deadline(loop, this::onPassed);
  }

  /**
   * Adds a call.
   *
   * @param beganNanos not before any that was added
   */
  void add(Timed call, long beganNanos) {
    call.in = this;
    call.dueNanos = beganNanos + timeoutNanos;
    call.before = last;
    if (last == null) {
      first = call;
      arm();
    } else {
      last.after = call;
    }
    last = call;
  }

  private void remove(Timed call) {
    Timed before = call.before;
    Timed after = call.after;
    if (before == null) {
      first = after;
    } else {
      before.after = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.before = before;
    }
    call.in = null;
    call.before = null;
    call.after = null;
  }

  private void arm() {
    Timed next = first;
    if (next == null) {
      deadline.clear();
    } else {
      deadline.in(Math.max(0, next.dueNanos - deadline.nowNanos()));
    }
  }

  private void onPassed() {
    Timed due = first;
    if (due == null || due.dueNanos - deadline.nowNanos() > 0) {
      // The one that it was for has left.
      arm();
      return;
    }
    remove(due);
    // Before what might throw.
    arm();
    due.onTotalTimeout(timeout);
  }
}
