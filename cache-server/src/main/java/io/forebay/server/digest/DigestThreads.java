package io.forebay.server.digest;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of the node that hash bodies; one per server. A body has one turn at most in the
 * queue, so the limit on fills bounds it.
 *
 * <p>Used by all loops.
 */
public final class DigestThreads implements Executor, AutoCloseable {
  private final ThreadPoolExecutor pool;

  /** A quarter of the processors, without threads yet. */
  public DigestThreads() {
    int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 4);
    pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name("digest-", 0).factory());
  }

  /** Starts the threads. Not called on a loop, whose CPU they would inherit. */
  public void prepare() {
    int ignored = pool.prestartAllCoreThreads();
  }

  @Override
  public void execute(Runnable turn) {
    pool.execute(turn);
  }

  /** Waits for the turns that there are; each is short. */
  @Override
  public void close() {
    pool.close();
  }
}
