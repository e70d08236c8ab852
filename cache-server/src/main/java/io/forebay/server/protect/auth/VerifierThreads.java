package io.forebay.server.protect.auth;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads on which credentials are verified, off the event loops, with a queue that is bounded.
 * One a node; any thread.
 */
public final class VerifierThreads implements AutoCloseable {

  /** Verifications that may wait. */
  public static final int MAX_WAITING = 256;

  private final ThreadPoolExecutor threads;

  /**
   * Begins without threads.
   *
   * @param threads at most
   */
  public VerifierThreads(int threads) {
    this.threads =
        new ThreadPoolExecutor(
            threads,
            threads,
            1,
            TimeUnit.MINUTES,
            new ArrayBlockingQueue<>(MAX_WAITING),
            Thread.ofPlatform().daemon().name("credentials-", 0).factory());
  }

  /** Starts the threads. Not called on a loop, whose CPU they would inherit. */
  public void prepare() {
    int ignored = threads.prestartAllCoreThreads();
  }

  /**
   * Does that on one of the threads.
   *
   * @return false if too much waits; then it is not done
   */
  public boolean execute(Runnable verification) {
    try {
      threads.execute(verification);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
