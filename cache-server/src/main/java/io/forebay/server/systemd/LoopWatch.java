package io.forebay.server.systemd;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whether all event loops answer. Each beat asks every loop, unless an earlier question is still
 * open: a loop that is stuck gets one task, not one a beat. Called by one thread.
 */
final class LoopWatch {
  private final List<? extends Executor> loops;
  private final AtomicInteger unanswered = new AtomicInteger();
  private boolean isAsked;

  LoopWatch(List<? extends Executor> loops) {
    this.loops = List.copyOf(loops);
  }

  /** Whether every loop has answered what the beat before asked; the first beat only asks. */
  boolean beat() {
    if (unanswered.get() > 0) {
      return false;
    }
    boolean isAnswered = isAsked;
    isAsked = true;
    unanswered.set(loops.size());
    for (Executor loop : loops) {
      try {
        loop.execute(unanswered::decrementAndGet);
      } catch (RejectedExecutionException e) {
        // A loop that has ended never answers.
        return false;
      }
    }
    return isAnswered;
  }
}
