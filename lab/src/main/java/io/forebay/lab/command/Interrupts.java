package io.forebay.lab.command;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns ^C and SIGTERM into an interrupt of the thread that runs, and lets the process end only
 * when that thread has stopped all that it started.
 */
final class Interrupts implements AutoCloseable {
  private static final long LIMIT_SECONDS = 60;

  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread hook;

  private Interrupts(Thread runner) {
    hook =
        new Thread(
            () -> {
              runner.interrupt();
              try {
                if (!stopped.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                  end();
                }
              } catch (InterruptedException again) {
                end();
              }
            },
            "lab-interrupt");
  }

  static Interrupts ofThisThread() {
    Interrupts interrupts = new Interrupts(Thread.currentThread());
    Runtime.getRuntime().addShutdownHook(interrupts.hook);
    return interrupts;
  }

  /** What is left after the time limit. */
  private static void end() {
    try (var children = ProcessHandle.current().descendants()) {
      children.forEach(ProcessHandle::destroyForcibly);
    }
  }

  @Override
  public void close() {
    stopped.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException isEnding) {
      // The hook runs and has just been told.
    }
  }
}
