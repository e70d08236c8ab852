package io.forebay.e2e;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assertions;

/** Waits for conditions, never for time to pass: asked again and again up to a deadline. */
final class Await {
  /** Only what fails takes so long, or what runs beside a lot of other work. */
  static final Duration LIMIT = Duration.ofMinutes(1);

  private static final long PAUSE_NANOS = 5_000_000;

  private Await() {}

  static void until(String what, Callable<Boolean> condition) throws Exception {
    until(what, LIMIT, condition);
  }

  /** Returns once the condition holds; fails with what was awaited and the last exception. */
  static void until(String what, Duration limit, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + limit.toNanos();
    Exception last = null;
    do {
      try {
        if (condition.call()) {
          return;
        }
        last = null;
      } catch (InterruptedException interrupted) {
        throw interrupted;
      } catch (Exception notYet) {
        last = notYet;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    } while (System.nanoTime() - deadline < 0);
    Assertions.fail("not within " + limit.toMillis() + " ms: " + what, last);
  }
}
