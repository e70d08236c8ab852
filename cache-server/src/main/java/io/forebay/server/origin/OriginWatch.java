package io.forebay.server.origin;

import io.forebay.server.origin.group.Origin;
import io.forebay.server.text.Printable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Logs that an origin fails, is slow or has recovered. The first failure is logged at once. From
 * then on there is at most one line in ten seconds, with the share of requests that failed; after
 * ten seconds without a failure a line says that the origin answers again.
 *
 * <pre>
 *   quiet ──failure: a line──► window of 10 s ──failures in it: a line──► next window
 *     ▲                             │
 *     └──none in it: a line─────────┘
 * </pre>
 *
 * <p>All loops share it. A healthy origin costs one volatile read for each response. Nothing locks.
 */
final class OriginWatch {
  /** Shortest time between two lines about one origin. */
  static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LongSupplier clockNanos;
  private final Consumer<String> out;
  private final AtomicReference<@Nullable Window> current = new AtomicReference<>();

  /**
   * Watches one origin.
   *
   * @param clockNanos monotonic
   */
  OriginWatch(LongSupplier clockNanos, Consumer<String> out) {
    this.clockNanos = clockNanos;
    this.out = out;
  }

  /** A response that is no failure began in time. */
  void onAnswer(Origin origin) {
    Window window = current.get();
    if (window != null) {
      window.answered.incrementAndGet();
      roll(origin, window);
    }
  }

  /**
   * A request failed, was answered with a server error, or was answered late.
   *
   * @param problem one line that names the origin
   */
  void onProblem(Origin origin, String problem) {
    String line = Printable.line(problem);
    Window window = current.get();
    while (window == null) {
      Window first = new Window(clockNanos.getAsLong(), 1);
      first.problems.incrementAndGet();
      if (current.compareAndSet(null, first)) {
        out.accept(line);
        return;
      }
      window = current.get();
    }
    window.problems.incrementAndGet();
    window.latest = line;
    roll(origin, window);
  }

  /** Ends a window that has lasted long enough; of several callers one does. */
  private void roll(Origin origin, Window window) {
    long now = clockNanos.getAsLong();
    if (now - window.startNanos < WINDOW_NANOS) {
      return;
    }
    long problems = window.problems.get();
    if (!current.compareAndSet(window, problems == 0 ? null : new Window(now, 0))) {
      return;
    }
    if (problems == 0) {
      out.accept(origin.label() + ": answers again");
    } else if (problems > window.logged) {
      out.accept(
          "%s: %d of %d requests failed or were slow in %d s; the latest: %s"
              .formatted(
                  origin.label(),
                  problems,
                  problems + window.answered.get(),
                  TimeUnit.NANOSECONDS.toSeconds(now - window.startNanos),
                  window.latest));
    }
  }

  /** What happened since some moment. */
  private static final class Window {
    final long startNanos;

    /** How many of the problems have a line of their own. */
    final long logged;

    final AtomicLong answered = new AtomicLong();
    final AtomicLong problems = new AtomicLong();
    volatile String latest = "";

    Window(long startNanos, long logged) {
      this.startNanos = startNanos;
      this.logged = logged;
    }
  }
}
