package io.forebay.server.origin.limit;

import io.forebay.server.config.AdaptiveLimitConfig;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The limit of the requests in progress at one origin, and their number. Any thread; of those that
 * notice the end of a window one decides.
 */
public final class AdaptiveLimit {
  private final LongSupplier clockNanos;
  private final AtomicInteger inProgress = new AtomicInteger();
  private final LatencySamples samples = new LatencySamples();
  private final AtomicBoolean isDeciding = new AtomicBoolean();

  /** Used by the thread that decides. */
  private final GradientLimit gradient;

  private volatile AdaptiveLimitConfig config;
  private volatile State state;

  /**
   * What was decided last.
   *
   * @param limit requests that may be in progress
   * @param isMeasuring whether it is halved for a moment, to measure the base latency
   * @param baseNanos latency of the origin with little to do; 0 if not known yet
   * @param medianNanos of the latest window; 0 before the first
   */
  private record State(int limit, boolean isMeasuring, long baseNanos, long medianNanos) {}

  /**
   * Nothing is in progress.
   *
   * @param clockNanos monotonic
   */
  public AdaptiveLimit(AdaptiveLimitConfig config, LongSupplier clockNanos) {
    this.config = config;
    this.clockNanos = clockNanos;
    this.gradient = new GradientLimit(config, clockNanos.getAsLong());
    this.state = stateNow();
  }

  /** Other bounds, which hold at once. */
  public void configure(AdaptiveLimitConfig newConfig) {
    config = newConfig;
  }

  /** For reports. */
  public LimitStatus status(String origin) {
    State now = state;
    return new LimitStatus(
        origin,
        limit(),
        inProgress(),
        now.isMeasuring(),
        now.baseNanos() / 1e6,
        now.medianNanos() / 1e6);
  }

  public int inProgress() {
    return inProgress.get();
  }

  /** Requests that may be in progress now. */
  public int limit() {
    State now = state;
    AdaptiveLimitConfig bounds = config;
    return Math.clamp(now.limit(), now.isMeasuring() ? 1 : bounds.min(), bounds.max());
  }

  /** Counts one more request, unless the limit is reached. */
  public boolean tryEnter() {
    int most = limit();
    int seen = inProgress.get();
    while (seen < most) {
      int found = inProgress.compareAndExchange(seen, seen + 1);
      if (found == seen) {
        return true;
      }
      seen = found;
    }
    return false;
  }

  /** Counts one more request, whatever the limit is. */
  public void enter() {
    inProgress.incrementAndGet();
  }

  /** A request is over. */
  public void leave() {
    inProgress.decrementAndGet();
  }

  /**
   * The head of a response came.
   *
   * @param nanos since the request was sent
   * @return whether the limit may have grown
   */
  public boolean onResponse(long nanos) {
    samples.add(nanos, inProgress.get());
    return look();
  }

  /**
   * The origin said that it has too much to do, or gave no sign in time.
   *
   * @return whether the limit may have grown
   */
  public boolean onRejected() {
    samples.addRejected(inProgress.get());
    return look();
  }

  private boolean look() {
    if (!isDeciding.compareAndSet(false, true)) {
      return false;
    }
    try {
      long now = clockNanos.getAsLong();
      if (!gradient.isWindowOver(samples.count() + samples.rejected(), now)) {
        return false;
      }
      gradient.onWindow(samples, config, now);
      samples.clear();
      int before = state.limit();
      state = stateNow();
      return state.limit() > before;
    } finally {
      isDeciding.set(false);
    }
  }

  private State stateNow() {
    return new State(
        gradient.limit(), gradient.isMeasuring(), gradient.baseNanos(), gradient.medianNanos());
  }
}
