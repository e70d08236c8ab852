package io.forebay.server.tls;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A daemon thread that runs a step at once and then periodically, until it is closed. */
final class PeriodicThread implements AutoCloseable {

  /** What is run each time; ends the thread where it is interrupted. */
  @FunctionalInterface
  interface Step {
    void run() throws InterruptedException;
  }

  private final CountDownLatch closing = new CountDownLatch(1);

  void start(String name, long periodSeconds, Step step) {
    Thread.ofPlatform().daemon(true).name(name).start(() -> run(periodSeconds, step));
  }

  private void run(long periodSeconds, Step step) {
    try {
      do {
        step.run();
      } while (!closing.await(periodSeconds, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  boolean isClosed() {
    return closing.getCount() == 0;
  }

  /** No step begins any more; one under way ends by itself. */
  @Override
  public void close() {
    closing.countDown();
  }
}
