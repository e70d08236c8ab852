package io.forebay.server.origin.probe;

import io.forebay.server.origin.health.ProbeStatus;
import io.forebay.server.origin.health.ProbeStatus.Verdict;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The probes of one endpoint, one after the other. The interval runs from start to start; a probe
 * that takes longer delays the next. Confined to the prober's thread, except {@link #status}.
 */
public final class ProbedEndpoint {
  private static final double PERCENT = 100;

  private final Prober prober;
  private final ProbeTally tally;
  private final ProbeCounters counters;
  private final Consumer<ProbeStatus> listener;
  private ProbeTarget target;
  private volatile ProbeStatus status;
  private @Nullable ProbeAttempt attempt;
  private @Nullable ScheduledFuture<?> next;
  private long startNanos;
  private boolean isStopped;

  ProbedEndpoint(
      Prober prober, ProbeTarget target, ProbeCounters counters, Consumer<ProbeStatus> listener) {
    this.prober = prober;
    this.target = target;
    this.counters = counters;
    this.listener = listener;
    this.tally = new ProbeTally(target.config(), prober.nowMillis());
    this.status = tally.status();
  }

  public ProbeTarget target() {
    return target;
  }

  /** Probes go on with other trust anchors; see {@link ProbeTarget#isSameAs}. */
  public void target(ProbeTarget same) {
    target = same;
  }

  /** The present status; any thread. */
  public ProbeStatus status() {
    return status;
  }

  /** No further probe begins, and the running one is aborted. */
  public void stop() {
    isStopped = true;
    if (next != null) {
      next.cancel(false);
    }
    if (attempt != null) {
      attempt.abort();
    }
  }

  boolean isStopped() {
    return isStopped;
  }

  void onDue() {
    if (!isStopped) {
      prober.admit(this);
    }
  }

  void run() {
    startNanos = prober.loop().ticker().nanoTime();
    ProbeAttempt begun =
        new ProbeAttempt(
            prober.loop(), prober.allocator(), prober.tlsProblem(), target, this::onResult);
    attempt = begun;
    begun.start();
  }

  private void onResult(@Nullable String failure) {
    attempt = null;
    if (!isStopped) {
      ProbeStatus before = status;
      counters.count(failure != null);
      tally.onResult(failure, prober.nowMillis());
      ProbeStatus now = tally.status();
      if (now.verdict() != before.verdict()) {
        log(before, now);
      }
      listener.accept(now);
      status = now;
      scheduleNext();
    }
    prober.onEnded();
  }

  private void log(ProbeStatus before, ProbeStatus now) {
    if (now.verdict() == Verdict.FAILING) {
      prober
          .log()
          .line(
              target.label()
                  + " is avoided: "
                  + tally.failuresText()
                  + " failed; the latest: "
                  + now.lastFailure());
    } else if (!before.isUsable()) {
      prober.log().line(target.label() + " passes its probes and is used");
    }
  }

  private void scheduleNext() {
    long interval = target.config().interval().toNanos();
    double vary = target.config().jitter() / PERCENT * (2 * prober.random().nextDouble() - 1);
    long dueNanos = startNanos + interval + (long) (interval * vary);
    next =
        prober
            .loop()
            .schedule(
                this::onDue,
                Math.max(0, dueNanos - prober.loop().ticker().nanoTime()),
                TimeUnit.NANOSECONDS);
  }
}
