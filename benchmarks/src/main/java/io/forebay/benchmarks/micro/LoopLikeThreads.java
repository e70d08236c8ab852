package io.forebay.benchmarks.micro;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that benchmarks run on: of the kind that event loops are, for which Netty keeps
 * buffers to use them again. JMH makes it by its name.
 */
public final class LoopLikeThreads extends ThreadPoolExecutor {

  /**
   * As JMH calls it. With a queue, for the next iteration may be handed over while a thread is just
   * leaving the last.
   */
  public LoopLikeThreads(int threads, String prefix) {
    super(
        threads,
        threads,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        new DefaultThreadFactory(prefix, true));
  }
}
