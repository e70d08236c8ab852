package io.forebay.benchmarks.micro;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that benchmarks run on: of the kind that event loops are, for which Netty keeps
 * buffers to use them again. JMH makes it by its name.
 */
public final class LoopLikeThreads extends ThreadPoolExecutor {

  /** As JMH calls it. */
  public LoopLikeThreads(int threads, String prefix) {
    super(
        threads,
        threads,
        0,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        new DefaultThreadFactory(prefix, true));
  }
}
