package io.forebay.testing;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Waits for conditions, never for time to pass: each is checked again and again up to a limit. */
public final class Await {
  /** Long enough for a machine that runs other tests; only a failure takes it. */
  public static final Duration LIMIT = Duration.ofMinutes(2);

  private static final long PAUSE_NANOS = 1_000_000;

  private Await() {}

  /**
   * Returns when the condition holds, within {@link #LIMIT}.
   *
   * @param what the condition in words, for the failure's message
   * @param condition an exception means "not yet"; an error ends the wait at once
   */
  public static void until(String what, Callable<Boolean> condition) {
    until(what, LIMIT, condition);
  }

  /**
   * Returns when the condition holds.
   *
   * @throws AssertionError after the limit, or when the thread is interrupted; the cause is the
   *     last exception of the condition
   */
  public static void until(String what, Duration limit, Callable<Boolean> condition) {
    long deadline = System.nanoTime() + limit.toNanos();
    @Nullable Exception last;
    do {
      try {
        if (condition.call()) {
          return;
        }
        last = null;
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while waiting: " + what, interrupted);
      } catch (Exception notYet) {
        last = notYet;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    } while (System.nanoTime() - deadline < 0);
    throw new AssertionError("not within " + limit.toMillis() + " ms: " + what, last);
  }
}
