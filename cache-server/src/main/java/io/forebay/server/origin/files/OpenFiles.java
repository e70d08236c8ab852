package io.forebay.server.origin.files;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The places for files of one origin that are open at a time, and the tasks that wait for one. Any
 * thread; nothing waits.
 */
public final class OpenFiles {
  private final Executor threads;
  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waitingCount = new AtomicInteger();
  private final AtomicInteger open = new AtomicInteger();

  /** By the latest configuration. */
  private volatile int max = 1;

  OpenFiles(Executor threads) {
    this.threads = threads;
  }

  /**
   * Runs a task, at once or when a file is closed; it has a place from then on.
   *
   * @return false if too many wait already
   * @throws RejectedExecutionException when the node has stopped
   */
  boolean submit(Runnable task, int newMax, int maxWaiting) {
    max = newMax;
    if (waitingCount.get() == 0 && take()) {
      threads.execute(task);
      return true;
    }
    if (waitingCount.incrementAndGet() > maxWaiting) {
      waitingCount.decrementAndGet();
      return false;
    }
    waiting.add(task);
    // A place may have been given back since.
    runWaiting();
    return true;
  }

  /** The file is closed, or was never opened. */
  void release() {
    open.decrementAndGet();
    runWaiting();
  }

  private void runWaiting() {
    while (!waiting.isEmpty() && take()) {
      Runnable next = waiting.poll();
      if (next == null) {
        open.decrementAndGet();
      } else {
        waitingCount.decrementAndGet();
        try {
          threads.execute(next);
        } catch (RejectedExecutionException e) {
          // The node has stopped, and with it the loop that waits.
          open.decrementAndGet();
        }
      }
    }
  }

  private boolean take() {
    int now = open.get();
    while (now < max) {
      if (open.compareAndSet(now, now + 1)) {
        return true;
      }
      now = open.get();
    }
    return false;
  }

  /** Files that are open or being opened. */
  public int open() {
    return open.get();
  }
}
