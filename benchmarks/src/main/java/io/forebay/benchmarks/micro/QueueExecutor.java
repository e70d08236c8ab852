package io.forebay.benchmarks.micro;

import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Keeps tasks of other threads until its owner runs them: the loop of an embedded channel takes
 * none from other threads.
 */
final class QueueExecutor extends AbstractEventExecutor {
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  /** Runs those that are there. */
  void runTasks() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return true;
  }

  @Override
  public boolean isShuttingDown() {
    return false;
  }

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Future<?> terminationFuture() {
    return GlobalEventExecutor.INSTANCE.terminationFuture();
  }

  @Deprecated
  @Override
  public void shutdown() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public boolean isTerminated() {
    return false;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return false;
  }
}
