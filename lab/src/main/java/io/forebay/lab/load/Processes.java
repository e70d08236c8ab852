package io.forebay.lab.load;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Ends processes. */
final class Processes {
  private static final long PATIENCE_MILLIS = 2_000;

  private Processes() {}

  /** Ends a process and its descendants: asks first, and kills what is left two seconds later. */
  static void end(Process process) {
    if (!process.isAlive()) {
      return;
    }
    List<ProcessHandle> descendants = process.descendants().toList();
    try {
      process.getOutputStream().close();
    } catch (IOException gone) {
      // Then nobody reads it.
    }
    process.destroy();
    descendants.forEach(ProcessHandle::destroy);
    boolean isInterrupted = Thread.interrupted();
    try {
      process.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException again) {
      isInterrupted = true;
    } finally {
      process.destroyForcibly();
      descendants.forEach(ProcessHandle::destroyForcibly);
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
