package io.forebay.server.plugin;

import io.forebay.server.counters.PluginCounters;
import io.forebay.server.text.Printable;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls one handler: measures each call, counts, logs what goes wrong, and stops calling for a
 * while when a budget was exceeded too often, because each such call holds up an event loop. What a
 * late call says holds: a request does not get past a plugin by making it slow once. Any thread; a
 * call that goes well takes no lock.
 *
 * <pre>
 *   8 overruns within 60 s ──► suspended for 60 s ──► called again
 * </pre>
 */
final class CallGuard {
  static final int MAX_OVERRUNS = 8;
  static final Duration WINDOW = Duration.ofSeconds(60);
  static final Duration SUSPENSION = Duration.ofSeconds(60);
  private static final long LOG_INTERVAL_NANOS = Duration.ofSeconds(10).toNanos();

  private final String name;
  private final long budgetNanos;
  private final LongSupplier nanoTime;
  private final PluginCounters counters;
  private final Consumer<String> log;

  private volatile boolean isSuspended;
  private volatile long suspendedUntil;

  // Guarded by this object.
  private long windowStart;
  private int overruns;
  private boolean hasLogged;
  private long lastLogged;
  private long unlogged;

  CallGuard(
      String name,
      Duration budget,
      LongSupplier nanoTime,
      PluginCounters counters,
      Consumer<String> log) {
    this.name = name;
    this.budgetNanos = budget.toNanos();
    this.nanoTime = nanoTime;
    this.counters = counters;
    this.log = log;
  }

  /**
   * The result of a call.
   *
   * @param phase for the log
   * @param call asks the handler, and takes what it says apart
   */
  <T> T run(String phase, Supplier<@Nullable T> call) throws PluginFailureException {
    long start = nanoTime.getAsLong();
    if (isSuspended) {
      if (start - suspendedUntil < 0) {
        counters.countSuspended();
        throw new PluginFailureException(
            "plugin " + name + " is suspended: it exceeded its budget too often");
      }
      isSuspended = false;
    }
    @Nullable T result;
    try {
      result = call.get();
    } catch (Throwable e) {
      if (e instanceof VirtualMachineError fatal && !(e instanceof StackOverflowError)) {
        throw fatal;
      }
      counters.count(nanoTime.getAsLong() - start);
      counters.countError();
      throw failed(phase, "failed: " + Printable.line(e.toString()));
    }
    long end = nanoTime.getAsLong();
    counters.count(end - start);
    if (end - start > budgetNanos) {
      counters.countOverrun();
      countOverrun(phase, end - start, end);
    }
    if (result == null) {
      counters.countError();
      throw failed(phase, "returned null");
    }
    return result;
  }

  private synchronized void countOverrun(String phase, long took, long now) {
    if (overruns == 0 || now - windowStart > WINDOW.toNanos()) {
      windowStart = now;
      overruns = 0;
    }
    String message =
        "plugin "
            + name
            + " took "
            + took / 1000
            + " us; its budget is "
            + budgetNanos / 1000
            + " us";
    if (++overruns == MAX_OVERRUNS) {
      overruns = 0;
      suspendedUntil = now + SUSPENSION.toNanos();
      isSuspended = true;
      message += "; it is not called for " + SUSPENSION.toSeconds() + " s";
      hasLogged = false;
    }
    note(phase, message);
  }

  private PluginFailureException failed(String phase, String why) {
    String message = "plugin " + name + " " + why;
    note(phase, message);
    return new PluginFailureException(message);
  }

  private synchronized void note(String phase, String message) {
    long now = nanoTime.getAsLong();
    if (hasLogged && now - lastLogged < LOG_INTERVAL_NANOS) {
      unlogged++;
      return;
    }
    log.accept(
        message
            + " ("
            + phase
            + ")"
            + (unlogged == 0 ? "" : "; " + unlogged + " lines before were left out"));
    hasLogged = true;
    lastLogged = now;
    unlogged = 0;
  }
}
